/* SPDX-License-Identifier: Apache-2.0 */
/* Writes core/filter-table.c: for every set of WEIR_SECCOMP_* groups a finished seccomp program, so that no run pays
 * for libseccomp (0.7 ms) nor links it.  A program allows everything but what its groups refuse; the system calls are
 * found by a binary tree, because the kernel evaluates a program for every number when it is loaded.
 *
 * Rules that all groups keep:
 *  - arguments that the kernel takes as int are compared in their low 32 bits only; a 64-bit comparison could be got
 * around by setting a high bit (CVE-2019-10063);
 *  - what takes its arguments in memory cannot be judged here: clone3 and, where modes matter, openat2 answer ENOSYS,
 * upon which every libc and tool falls back to the call that can be;
 *  - io_uring does what it is told without passing the filter, so it goes with every group;
 *  - other architectures (int 0x80) and x32 are refused as a whole.  */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/plugin.h>

#define LOW32 UINT64_C (0xffffffff)
#define SETS (1u << WEIR_SECCOMP_GROUPS)
#define COUNT(a) (sizeof (a) / sizeof (a)[0])

/* Newer than libseccomp 2.5.4; the same number on every architecture.  */
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463
#define NR_REMOVEXATTRAT 466
#define NR_OPEN_TREE_ATTR 467
#define NR_FILE_SETATTR 469

static scmp_filter_ctx filter;
static unsigned set; /* the groups of the program that is being made */

static void
fail (const char *what, int code)
{
  fprintf (stderr, "filter-gen: set %u: %s: %s\n", set, what, strerror (code < 0 ? -code : code));
  exit (1);
}

/* Refuses nr with errnum when all count comparisons hold.  */
static void
refuse (int nr, int errnum, unsigned count, const struct scmp_arg_cmp *args)
{
  int code = seccomp_rule_add_array (filter, SCMP_ACT_ERRNO ((uint32_t) errnum), nr, count, args);
  if (code < 0)
    fail ("seccomp_rule_add", code);
}

/* Of a name that this architecture lacks: a pseudo number, which is skipped.  */
static int
number (const char *name)
{
  int nr = seccomp_syscall_resolve_name (name);
  if (nr == __NR_SCMP_ERROR) {
    fprintf (stderr, "filter-gen: libseccomp does not know '%s'\n", name);
    exit (1);
  }
  return nr;
}

static void
refuse_call (const char *name, int errnum)
{
  int nr = number (name);
  if (nr >= 0)
    refuse (nr, errnum, 0, NULL);
}

static void
refuse_calls (const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    refuse_call (names[i], EPERM);
}

/* Refuses the call when argument index, under mask, is value.  */
static void
refuse_when (const char *name, int errnum, unsigned index, uint64_t mask, uint64_t value)
{
  struct scmp_arg_cmp arg = SCMP_CMP64 (index, SCMP_CMP_MASKED_EQ, mask, value);
  int nr = number (name);
  if (nr >= 0)
    refuse (nr, errnum, 1, &arg);
}

/* Refuses the call when argument index names another process: is not 0.  A value whose low half alone is 0 is refused
 * too, which errs on the safe side.  */
static void
refuse_other (const char *name, unsigned index)
{
  struct scmp_arg_cmp arg = SCMP_CMP64 (index, SCMP_CMP_NE, 0);
  int nr = number (name);
  if (nr >= 0)
    refuse (nr, EPERM, 1, &arg);
}

static int
has (unsigned group)
{
  return (set & group) != 0;
}

/* ---- the groups ---- */

static const char *const base_calls[] = {
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "setns", /* mounts, namespaces */
  "add_key",
  "request_key",
  "keyctl", /* keyrings are not namespaced */
  "bpf",
  "perf_event_open",
  "userfaultfd",
  "fanotify_init",
  "lookup_dcookie", /* attack surface, watching others */
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "delete_module",
  "create_module",
  "query_module",
  "get_kernel_syms",
  "acct",
  "swapon",
  "swapoff",
  "reboot",
  "quotactl",
  "quotactl_fd",
  "nfsservctl",
  "_sysctl",
  "syslog",
  "vhangup",
  "settimeofday",
  "clock_settime",
  "clock_adjtime",
  "adjtimex",
  "stime",
  "sethostname",
  "setdomainname",
  "iopl",
  "ioperm", /* administration */
};

static void
add_base (void)
{
  static const uint64_t clone_flags[] = { CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                          CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET };
  static const uint64_t ioctls[] = { 0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x5423 /* TIOCSETD */ };

  refuse_calls (base_calls, COUNT (base_calls));
  refuse (NR_OPEN_TREE_ATTR, EPERM, 0, NULL);
  refuse_call ("clone3", ENOSYS);
  for (size_t i = 0; i < COUNT (clone_flags); i++) {
    refuse_when ("clone", EPERM, 0, clone_flags[i], clone_flags[i]);
    refuse_when ("unshare", EPERM, 0, clone_flags[i], clone_flags[i]);
  }
  /* In clone this bit is part of the exit signal.  */
  refuse_when ("unshare", EPERM, 0, 0x80 /* CLONE_NEWTIME */, 0x80);
  for (size_t i = 0; i < COUNT (ioctls); i++)
    refuse_when ("ioctl", EPERM, 1, LOW32, ioctls[i]);
}

static void
add_setid_bits (void)
{
  static const uint64_t bits[] = { S_ISUID, S_ISGID };
  /* Flags of open with which the mode counts; without them it may be anything.  */
  static const uint64_t creating[] = { 0100 /* O_CREAT */, 020000000 /* __O_TMPFILE */ };
  static const struct {
    const char *name;
    unsigned flags, mode;
  } opens[] = { { "open", 1, 2 }, { "openat", 2, 3 } };

  /* The mode lies in memory.  */
  refuse_call ("openat2", ENOSYS);
  for (size_t b = 0; b < COUNT (bits); b++) {
    refuse_when ("creat", EPERM, 1, bits[b], bits[b]);
    refuse_when ("mknod", EPERM, 1, bits[b], bits[b]);
    refuse_when ("mknodat", EPERM, 2, bits[b], bits[b]);
    for (size_t o = 0; o < COUNT (opens); o++)
      for (size_t c = 0; c < COUNT (creating); c++) {
        struct scmp_arg_cmp args[] = { SCMP_CMP64 (opens[o].flags, SCMP_CMP_MASKED_EQ, creating[c], creating[c]),
                                       SCMP_CMP64 (opens[o].mode, SCMP_CMP_MASKED_EQ, bits[b], bits[b]) };
        int nr = number (opens[o].name);
        if (nr >= 0)
          refuse (nr, EPERM, COUNT (args), args);
      }
    if (has (WEIR_SECCOMP_METADATA))
      continue;
    refuse_when ("chmod", EPERM, 1, bits[b], bits[b]);
    refuse_when ("fchmod", EPERM, 1, bits[b], bits[b]);
    refuse_when ("fchmodat", EPERM, 2, bits[b], bits[b]);
    struct scmp_arg_cmp mode = SCMP_CMP64 (2, SCMP_CMP_MASKED_EQ, bits[b], bits[b]);
    refuse (NR_FCHMODAT2, EPERM, 1, &mode);
  }
}

static void
add_metadata (void)
{
  static const char *const calls[] = {
    "chmod",     "fchmod",    "fchmodat",    "chown",        "lchown",       "fchown",
    "fchownat",  "utime",     "utimes",      "futimesat",    "utimensat",    "setxattr",
    "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
  };
  static const uint64_t ioctls[] = {
    0x40086602 /* FS_IOC_SETFLAGS */,
    0x40046602 /* FS_IOC32_SETFLAGS */,
    0x401c5820 /* FS_IOC_FSSETXATTR */,
    0x40087602 /* FS_IOC_SETVERSION */,
    0x40047602 /* FS_IOC32_SETVERSION */,
    0x40047211 /* FAT_IOCTL_SET_ATTRIBUTES */,
    0x800c6613 /* FS_IOC_SET_ENCRYPTION_POLICY */,
    0x40806685 /* FS_IOC_ENABLE_VERITY */,
  };
  static const int newer[] = { NR_FCHMODAT2, NR_SETXATTRAT, NR_REMOVEXATTRAT, NR_FILE_SETATTR };

  refuse_calls (calls, COUNT (calls));
  for (size_t i = 0; i < COUNT (newer); i++)
    refuse (newer[i], EPERM, 0, NULL);
  for (size_t i = 0; i < COUNT (ioctls); i++)
    refuse_when ("ioctl", EPERM, 1, LOW32, ioctls[i]);
}

/* Which families sockets may have.  The families that work are UNIX (1), INET (2), INET6 (10) and NETLINK (16); the
 * masks below hold for every other number from 0 to 63 and for no such one, and the kernel knows none above. socketpair
 * is no way to reach anybody in those four, so only the odd families are closed to it.  */
static void
add_sockets (void)
{
  static const struct {
    uint64_t mask, value;
  } odd[] = { { 0x20, 0x20 }, { 0x04, 0x04 }, { 0x03, 0x03 }, { 0x09, 0x09 },
              { 0x11, 0x11 }, { 0x12, 0x12 }, { 0x18, 0x18 }, { 0x17, 0x00 } };
  static const uint64_t network[] = { AF_INET, AF_INET6, AF_NETLINK };

  if (has (WEIR_SECCOMP_BASE | WEIR_SECCOMP_NETWORK))
    for (size_t i = 0; i < COUNT (odd); i++) {
      refuse_when ("socket", EAFNOSUPPORT, 0, odd[i].mask, odd[i].value);
      refuse_when ("socketpair", EAFNOSUPPORT, 0, odd[i].mask, odd[i].value);
    }
  else if (has (WEIR_SECCOMP_FAST_OPEN))
    refuse_when ("socket", EAFNOSUPPORT, 0, LOW32, 43 /* AF_SMC: TCP beneath, which Landlock does not see */);
  if (has (WEIR_SECCOMP_NETWORK))
    for (size_t i = 0; i < COUNT (network); i++)
      refuse_when ("socket", EPERM, 0, LOW32, network[i]);
  if (has (WEIR_SECCOMP_UNIX_SOCKETS))
    refuse_when ("socket", EPERM, 0, LOW32, AF_UNIX);
}

/* The answers are those of a kernel without the feature, so that programs fall back to plain TCP.  */
static void
add_fast_open (void)
{
  static const uint64_t options[] = { 23 /* TCP_FASTOPEN */, 30 /* TCP_FASTOPEN_CONNECT */ };
  const uint64_t fast = 0x20000000; /* MSG_FASTOPEN */

  refuse_when ("socket", EPROTONOSUPPORT, 2, LOW32, 262 /* IPPROTO_MPTCP */);
  refuse_when ("socket", EPROTONOSUPPORT, 2, LOW32, 256 /* IPPROTO_SMC */);
  refuse_when ("sendto", EOPNOTSUPP, 3, fast, fast);
  refuse_when ("sendmsg", EOPNOTSUPP, 2, fast, fast);
  refuse_when ("sendmmsg", EOPNOTSUPP, 3, fast, fast);
  for (size_t i = 0; i < COUNT (options); i++) {
    struct scmp_arg_cmp args[] = { SCMP_CMP64 (1, SCMP_CMP_MASKED_EQ, LOW32, 6 /* IPPROTO_TCP */),
                                   SCMP_CMP64 (2, SCMP_CMP_MASKED_EQ, LOW32, options[i]) };
    refuse (number ("setsockopt"), ENOPROTOOPT, COUNT (args), args);
  }
}

static void
add_others (void)
{
  static const char *const of_pid[] = { "sched_setaffinity", "sched_setscheduler", "sched_setparam",
                                        "sched_setattr",     "migrate_pages",      "move_pages" };
  struct scmp_arg_cmp limit[] = { SCMP_CMP64 (0, SCMP_CMP_NE, 0), SCMP_CMP64 (2, SCMP_CMP_NE, 0) };

  refuse (number ("prlimit64"), EPERM, COUNT (limit), limit); /* reading others' limits stays */
  for (size_t i = 0; i < COUNT (of_pid); i++)
    refuse_other (of_pid[i], 0);
  refuse_other ("setpriority", 1);
  refuse_when ("setpriority", EPERM, 0, LOW32, 2 /* PRIO_USER, of whom 0 means every process of ours */);
  refuse_other ("ioprio_set", 1);
  refuse_when ("ioprio_set", EPERM, 0, LOW32, 3 /* IOPRIO_WHO_USER */);
}

/* ---- the file ---- */

static void
make (void)
{
  static const char *const rings[] = { "io_uring_setup", "io_uring_enter", "io_uring_register" };

  filter = seccomp_init (SCMP_ACT_ALLOW);
  if (!filter)
    fail ("seccomp_init", ENOMEM);
  int code = seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO (EPERM));
  if (code == 0)
    code = seccomp_attr_set (filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (code < 0)
    fail ("seccomp_attr_set", code);

  refuse_calls (rings, COUNT (rings));
  if (has (WEIR_SECCOMP_BASE))
    add_base ();
  if (has (WEIR_SECCOMP_SETID_BITS))
    add_setid_bits ();
  if (has (WEIR_SECCOMP_METADATA))
    add_metadata ();
  add_sockets ();
  if (has (WEIR_SECCOMP_FAST_OPEN))
    add_fast_open ();
  if (has (WEIR_SECCOMP_OTHERS))
    add_others ();
}

/* Prints the program as an array and returns how many instructions it has.  */
static size_t
print (FILE *scratch)
{
  uint64_t word;
  size_t count = 0;

  rewind (scratch);
  if (ftruncate (fileno (scratch), 0))
    fail ("ftruncate", errno);
  int code = seccomp_export_bpf (filter, fileno (scratch));
  if (code < 0)
    fail ("seccomp_export_bpf", code);
  if (lseek (fileno (scratch), 0, SEEK_SET))
    fail ("lseek", errno);
  printf ("static const uint64_t program_%u[] = {", set);
  while (read (fileno (scratch), &word, sizeof word) == (ssize_t) sizeof word)
    printf ("%s0x%" PRIx64 ",", count++ % 6 ? " " : "\n  ", word);
  printf ("\n};\n");
  return count;
}

int
main (void)
{
  static size_t counts[SETS];
  FILE *scratch = tmpfile ();

  if (!scratch)
    fail ("tmpfile", errno);
  printf ("/* Made by tools/filter-gen.c.  */\n#include \"config.h\"\n\n#include \"core/filter-internal.h\"\n\n");
#if defined(__x86_64__)
  printf ("#ifndef __x86_64__\n#error \"these programs are for x86_64\"\n#endif\n");
#elif defined(__aarch64__)
  printf ("#ifndef __aarch64__\n#error \"these programs are for aarch64\"\n#endif\n");
#else
#error "seccomp programs are made for x86_64 and aarch64"
#endif
  for (set = 1; set < SETS; set++) {
    make ();
    counts[set] = print (scratch);
    seccomp_release (filter);
  }
  printf ("const struct filter_entry filter_table[] = {\n  { NULL, 0 },\n");
  for (unsigned i = 1; i < SETS; i++)
    printf ("  { program_%u, %zu },\n", i, counts[i]);
  printf ("};\nconst size_t filter_table_size = %u;\n", SETS);
  fclose (scratch);
  if (fflush (stdout) || ferror (stdout))
    fail ("write", errno);
  return 0;
}
