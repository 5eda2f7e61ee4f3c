/* SPDX-License-Identifier: Apache-2.0 */
/* Every program is loaded in a child, which then makes each of the calls below.  A call that no group of the program
 * refuses must answer as it does without a program.  All calls are harmless where they are allowed: their arguments are
 * wrong.  */
#include "config.h"

#include "core/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys.h"

#define SETS (1u << WEIR_SECCOMP_GROUPS)
#define ALL (SETS - 1)
#define BASE WEIR_SECCOMP_BASE
#define SETID WEIR_SECCOMP_SETID_BITS
#define META WEIR_SECCOMP_METADATA
#define UNIX WEIR_SECCOMP_UNIX_SOCKETS
#define NET WEIR_SECCOMP_NETWORK
#define FAST WEIR_SECCOMP_FAST_OPEN
#define OTHERS WEIR_SECCOMP_OTHERS

struct probe {
  const char *name;
  unsigned groups; /* that refuse it; 0: none may */
  int errnum; /* with which they do */
  long nr, args[6];
};

#define NOBODY 0x7ffffff0L /* no process has this number */
#define BAD 1L /* no address */
#define HIGH (1L << 32) /* a bit that the kernel does not look at */
#define LAST_PROBE                                                                                                     \
  {                                                                                                                    \
    .name = NULL                                                                                                       \
  }

static char path[64]; /* in a directory that is not there */

/* A name with its number, groups, errno and arguments.  */
#define P(call, groups, errnum, ...)                                                                                   \
  {                                                                                                                    \
#call, groups, errnum, SYS_##call,                                                                                 \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define N(number, groups, errnum, ...)                                                                                 \
  {                                                                                                                    \
#number, groups, errnum, number,                                                                                   \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }

static const struct probe *
probes (void)
{
  const long p = (long) (intptr_t) path;
  static struct probe table[256];
  const struct probe made[] = {
    P (mount, BASE, EPERM, BAD, BAD, BAD, 0, 0),
    P (umount2, BASE, EPERM, BAD, 0),
    P (pivot_root, BASE, EPERM, BAD, BAD),
    P (chroot, BASE, EPERM, BAD),
    P (open_tree, BASE, EPERM, -1, BAD, 0),
    P (move_mount, BASE, EPERM, -1, BAD, -1, BAD, 0),
    P (fsopen, BASE, EPERM, BAD, 0),
    P (fsconfig, BASE, EPERM, -1, 0, 0, 0, 0),
    P (fsmount, BASE, EPERM, -1, 0, 0),
    P (fspick, BASE, EPERM, -1, BAD, 0),
    P (mount_setattr, BASE, EPERM, -1, BAD, 0, BAD, 0),
    P (open_tree_attr, BASE, EPERM, -1, BAD, 0, BAD, 0),
    P (setns, BASE, EPERM, -1, 0),
    /* An impossible combination: EINVAL where it gets to the kernel.  */
    P (unshare, BASE, EPERM, CLONE_NEWUSER | 1),
    P (unshare, BASE, EPERM, CLONE_NEWNS | 1),
    P (unshare, BASE, EPERM, CLONE_NEWPID | 1),
    P (unshare, BASE, EPERM, CLONE_NEWNET | 1),
    P (unshare, BASE, EPERM, CLONE_NEWIPC | 1),
    P (unshare, BASE, EPERM, CLONE_NEWUTS | 1),
    P (unshare, BASE, EPERM, CLONE_NEWCGROUP | 1),
    P (unshare, BASE, EPERM, 0x80 | 1),
    P (unshare, BASE, EPERM, HIGH | CLONE_NEWUSER),
    P (unshare, 0, 0, CLONE_FILES),
    P (clone, BASE, EPERM, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWNS | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWPID | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWNET | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWIPC | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWUTS | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, BASE, EPERM, CLONE_NEWCGROUP | CLONE_THREAD, 0, 0, 0, 0),
    P (clone, 0, 0, CLONE_THREAD | 0x80, 0, 0, 0, 0),
    P (clone3, BASE, ENOSYS, BAD, 0),
    P (add_key, BASE, EPERM, BAD, BAD, BAD, 0, 0),
    P (request_key, BASE, EPERM, BAD, BAD, BAD, 0),
    P (keyctl, BASE, EPERM, 0x7fff, 0, 0, 0, 0),
    P (bpf, BASE, EPERM, 0x7fff, BAD, 8),
    P (perf_event_open, BASE, EPERM, BAD, 0, 0, -1, 0),
    P (userfaultfd, BASE, EPERM, 0x7fff),
    P (fanotify_init, BASE, EPERM, 0x7fff0000, 0),
    P (kexec_load, BASE, EPERM, 0, 99, BAD, 0xfff),
    P (init_module, BASE, EPERM, BAD, 1, BAD),
    P (finit_module, BASE, EPERM, -1, BAD, 0),
    P (delete_module, BASE, EPERM, BAD, 0),
    P (acct, BASE, EPERM, BAD),
    P (swapon, BASE, EPERM, BAD, 0),
    P (swapoff, BASE, EPERM, BAD),
    P (reboot, BASE, EPERM, 1, 1, 1, BAD),
    P (quotactl, BASE, EPERM, 0x7fffffff, BAD, 0, BAD),
    P (quotactl_fd, BASE, EPERM, -1, 0, 0, BAD),
    P (syslog, BASE, EPERM, 99, 0, 0),
    P (settimeofday, BASE, EPERM, BAD, BAD),
    P (clock_settime, BASE, EPERM, 0, BAD),
    P (adjtimex, BASE, EPERM, BAD),
    P (clock_adjtime, BASE, EPERM, 0, BAD),
    P (sethostname, BASE, EPERM, BAD, -1),
    P (setdomainname, BASE, EPERM, BAD, -1),
    P (ioctl, BASE, EPERM, -1, 0x5412, 0),
    P (ioctl, BASE, EPERM, -1, HIGH | 0x5412, 0),
    P (ioctl, BASE, EPERM, -1, 0x541c, 0),
    P (ioctl, BASE, EPERM, -1, 0x5423, 0),
    P (ioctl, 0, 0, -1, 0x541b /* FIONREAD */, 0),
    P (io_uring_setup, ALL, EPERM, 0, BAD),
    N (426 /* io_uring_enter */, ALL, EPERM, -1, 0, 0, 0, 0, 0),
    N (427 /* io_uring_register */, ALL, EPERM, -1, 0, BAD, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, 0, SOCK_STREAM, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, AF_PACKET, SOCK_RAW, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, AF_VSOCK, SOCK_STREAM, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, HIGH | AF_VSOCK, SOCK_STREAM, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, AF_ALG, SOCK_SEQPACKET, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, AF_BLUETOOTH, SOCK_RAW, 0),
    P (socket, BASE | NET, EAFNOSUPPORT, AF_TIPC, SOCK_STREAM, 0),
    P (socketpair, BASE | NET, EAFNOSUPPORT, AF_TIPC, SOCK_STREAM, 0, BAD),
    P (socket, BASE | NET | FAST, EAFNOSUPPORT, 43 /* AF_SMC */, SOCK_STREAM, 0),
    P (socket, UNIX, EPERM, AF_UNIX, SOCK_STREAM, 0),
    P (socket, UNIX, EPERM, HIGH | AF_UNIX, SOCK_DGRAM, 0),
    P (socketpair, 0, 0, AF_UNIX, SOCK_STREAM, 0, BAD),
    P (socket, NET, EPERM, AF_INET, SOCK_STREAM, 0),
    P (socket, NET, EPERM, HIGH | AF_INET, SOCK_STREAM, 0),
    P (socket, NET, EPERM, AF_INET6, SOCK_DGRAM, 0),
    P (socket, NET, EPERM, AF_NETLINK, SOCK_RAW, 0),
    P (openat, SETID, EPERM, AT_FDCWD, p, O_WRONLY | O_CREAT, 04755),
    P (openat, SETID, EPERM, AT_FDCWD, p, O_WRONLY | O_CREAT, 02755),
    P (openat, SETID, EPERM, AT_FDCWD, p, O_WRONLY | O_TMPFILE, 04755),
    P (openat, 0, 0, AT_FDCWD, p, O_WRONLY | O_CREAT, 01777),
    P (openat, 0, 0, AT_FDCWD, p, O_WRONLY, 06755 /* which is not looked at */),
    P (openat, 0, 0, AT_FDCWD, p, O_RDONLY | O_DIRECTORY, 06755),
    P (openat2, SETID, ENOSYS, AT_FDCWD, p, BAD, 24),
    P (mknodat, SETID, EPERM, AT_FDCWD, p, S_IFREG | 04755, 0),
    P (mknodat, 0, 0, AT_FDCWD, p, S_IFREG | 0755, 0),
    P (mkdirat, 0, 0, AT_FDCWD, p, 02755),
    P (fchmod, SETID | META, EPERM, -1, 04755),
    P (fchmod, META, EPERM, -1, 0755),
    P (fchmodat, SETID | META, EPERM, AT_FDCWD, p, 02755),
    P (fchmodat, META, EPERM, AT_FDCWD, p, 01777),
    P (fchmodat2, SETID | META, EPERM, AT_FDCWD, p, 04755, 0),
    P (fchmodat2, META, EPERM, AT_FDCWD, p, 0755, 0),
    P (fchown, META, EPERM, -1, 0, 0),
    P (fchownat, META, EPERM, AT_FDCWD, p, 0, 0, 0),
    P (utimensat, META, EPERM, AT_FDCWD, p, 0, 0),
    P (setxattr, META, EPERM, p, BAD, 0, 0, 0),
    P (lsetxattr, META, EPERM, p, BAD, 0, 0, 0),
    P (fsetxattr, META, EPERM, -1, BAD, 0, 0, 0),
    P (removexattr, META, EPERM, p, BAD),
    P (lremovexattr, META, EPERM, p, BAD),
    P (fremovexattr, META, EPERM, -1, BAD),
    P (setxattrat, META, EPERM, AT_FDCWD, p, 0, BAD, BAD, 0),
    P (removexattrat, META, EPERM, AT_FDCWD, p, 0, BAD),
    P (file_setattr, META, EPERM, AT_FDCWD, p, BAD, 0, 0),
    P (getxattr, 0, 0, p, BAD, 0, 0),
    P (ioctl, META, EPERM, -1, 0x40086602, BAD),
    P (ioctl, META, EPERM, -1, HIGH | 0x401c5820, BAD),
    P (ioctl, 0, 0, -1, (long) 0x80086601 /* FS_IOC_GETFLAGS */, BAD),
    P (socket, FAST, EPROTONOSUPPORT, AF_INET, 99, 262 /* IPPROTO_MPTCP */),
    P (socket, FAST, EPROTONOSUPPORT, AF_INET6, 99, HIGH | 262),
    P (socket, FAST, EPROTONOSUPPORT, AF_INET, 99, 256 /* IPPROTO_SMC */),
    P (sendto, FAST, EOPNOTSUPP, -1, BAD, 0, MSG_FASTOPEN, 0, 0),
    P (sendto, FAST, EOPNOTSUPP, -1, BAD, 0, MSG_FASTOPEN | MSG_NOSIGNAL, 0, 0),
    P (sendto, 0, 0, -1, BAD, 0, MSG_NOSIGNAL, 0, 0),
    P (sendmsg, FAST, EOPNOTSUPP, -1, BAD, MSG_FASTOPEN),
    P (sendmmsg, FAST, EOPNOTSUPP, -1, BAD, 0, MSG_FASTOPEN),
    P (setsockopt, FAST, ENOPROTOOPT, -1, 6, 23, BAD, 0),
    P (setsockopt, FAST, ENOPROTOOPT, -1, HIGH | 6, 30, BAD, 0),
    P (setsockopt, 0, 0, -1, 6, 1 /* TCP_NODELAY */, BAD, 0),
    P (setsockopt, 0, 0, -1, 41 /* IPPROTO_IPV6 */, 23, BAD, 0),
    P (prlimit64, OTHERS, EPERM, NOBODY, 0, BAD, 0),
    P (prlimit64, 0, 0, NOBODY, 0, 0, 0),
    P (prlimit64, 0, 0, 0, 0, BAD, 0),
    P (setpriority, OTHERS, EPERM, 0, NOBODY, 0),
    P (setpriority, OTHERS, EPERM, 2, NOBODY, 0),
    P (setpriority, 0, 0, 99, 0, 0),
    P (sched_setaffinity, OTHERS, EPERM, NOBODY, 0, BAD),
    P (sched_setaffinity, 0, 0, 0, 8, BAD),
    P (sched_setscheduler, OTHERS, EPERM, NOBODY, 0, BAD),
    P (sched_setparam, OTHERS, EPERM, NOBODY, BAD),
    P (sched_setattr, OTHERS, EPERM, NOBODY, BAD, 0),
    P (ioprio_set, OTHERS, EPERM, 1, NOBODY, 0),
    P (ioprio_set, OTHERS, EPERM, 3, 0, -1),
    P (ioprio_set, 0, 0, 1, 0, -1),
    P (migrate_pages, OTHERS, EPERM, NOBODY, 0, BAD, BAD),
    P (move_pages, OTHERS, EPERM, NOBODY, 0, BAD, BAD, BAD, 0),
    /* What must go on working: debuggers, a Landlock or seccomp of the command's own, signals.  */
    P (ptrace, 0, 0, 0x7fff, NOBODY, 0, 0),
    P (process_vm_readv, 0, 0, NOBODY, 0, 0, 0, 0, 0),
    P (pidfd_getfd, 0, 0, -1, 0, 0),
    P (pidfd_open, 0, 0, NOBODY, 0),
    P (kill, 0, 0, NOBODY, 0),
    P (seccomp, 0, 0, 99, 0, BAD),
    P (landlock_create_ruleset, 0, 0, BAD, 0, 99),
    P (name_to_handle_at, 0, 0, -1, BAD, BAD, BAD, 0),
    P (personality, 0, 0, 0xffffffff),
#ifdef __x86_64__
    P (iopl, BASE, EPERM, 99),
    P (ioperm, BASE, EPERM, -1, 1, 1),
    P (open, SETID, EPERM, p, O_WRONLY | O_CREAT, 04755),
    P (open, 0, 0, p, O_WRONLY | O_CREAT, 0755),
    P (open, 0, 0, p, O_RDONLY, 04755),
    P (creat, SETID, EPERM, p, 04755),
    P (creat, 0, 0, p, 0755),
    P (mknod, SETID, EPERM, p, S_IFREG | 02755, 0),
    P (chmod, SETID | META, EPERM, p, 04755),
    P (chmod, META, EPERM, p, 0755),
    P (chown, META, EPERM, p, 0, 0),
    P (lchown, META, EPERM, p, 0, 0),
    P (utime, META, EPERM, p, 0),
    P (utimes, META, EPERM, p, 0),
    P (futimesat, META, EPERM, AT_FDCWD, p, 0),
    /* x32 */
    N (0x40000000 + 39 /* getpid */, ALL, EPERM, 0),
    N (0x40000000 + SYS_mount, ALL, EPERM, BAD, BAD, BAD, 0, 0),
#endif
    LAST_PROBE,
  };
  assert_true (sizeof made <= sizeof table);
  memcpy (table, made, sizeof made);
  return table;
}

/* In a child: loads the program unless it is NULL and makes every call.  */
static void
child (const void *program, size_t instructions, const struct probe *table, int *results)
{
  struct sys_sock_fprog fprog = { (unsigned short) instructions, program };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
      || (program && syscall (SYS_seccomp, SYS_SECCOMP_SET_MODE_FILTER, 0u, &fprog))) {
    results[0] = -1;
    _exit (1);
  }
  for (size_t i = 0; table[i].name; i++) {
    const long *a = table[i].args;
    long result = syscall (table[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    results[i] = result < 0 ? errno : 0;
  }
  _exit (0);
}

static int *
run (const void *program, size_t instructions, const struct probe *table)
{
  int status, *results = mmap (NULL, 256 * sizeof (int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  assert_true (results != MAP_FAILED);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0)
    child (program, instructions, table, results);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (results[0] == -1)
    fail_msg ("the program cannot be loaded");
  if (status)
    fail_msg ("the child ended with status %x", (unsigned) status);
  return results;
}

static void
drop (int *results)
{
  munmap (results, 256 * sizeof (int));
}

/* With which errno the set must refuse the call, 0: it must not.  */
static void
check_set (unsigned set, const struct probe *table, const int *bare)
{
  size_t instructions = 0;
  const void *program = filter_program (set, &instructions);

  assert_non_null (program);
  assert_in_range (instructions, 5, 4096); /* BPF_MAXINSNS */
  int *results = run (program, instructions, table);
  for (size_t i = 0; table[i].name; i++) {
    int expected = set & table[i].groups ? table[i].errnum : bare[i];
    /* Two rules of a set may apply to one call: then either answer is right.  */
    int both = strcmp (table[i].name, "socket") == 0 && (set & NET) && results[i] == EPERM;
    if (results[i] != expected && !both)
      fail_msg ("set %x: %s (probe %zu): errno %d instead of %d (%d without a program)", set, table[i].name, i,
                results[i], expected, bare[i]);
  }
  drop (results);
}

static void
every_set (void **state)
{
  (void) state;
  const struct probe *table = probes ();

  snprintf (path, sizeof path, "/nonexistent-%d/file", (int) getpid ());
  int *bare = run (NULL, 0, table);
  for (unsigned set = 1; set < SETS; set++)
    check_set (set, table, bare);
  drop (bare);
}

static void
none (void **state)
{
  (void) state;
  size_t instructions;

  assert_null (filter_program (0, &instructions));
  assert_null (filter_program (SETS, &instructions));
  assert_null (filter_program (UINT64_C (1) << 40 | 1, &instructions));
}

/* Of 64 families four work.  The type is wrong, which the kernel says of a family that it is asked for.  */
static void
families (void **state)
{
  (void) state;
  static struct probe table[65];
  size_t instructions = 0;

  for (int family = 0; family < 64; family++)
    table[family] = (struct probe){ "socket", BASE, EAFNOSUPPORT, SYS_socket, { family, 99, 0 } };
  const void *program = filter_program (BASE, &instructions);
  int *bare = run (NULL, 0, table), *results = run (program, instructions, table);
  for (int family = 0; family < 64; family++) {
    int works = family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
    if (results[family] != (works ? bare[family] : EAFNOSUPPORT))
      fail_msg ("family %d: errno %d", family, results[family]);
  }
  assert_int_equal (bare[AF_INET], EINVAL);
  drop (bare);
  drop (results);
}

/* The strictest program still runs a shell, and threads and processes are made.  */
static void
programs_run (void **state)
{
  (void) state;
  static const char *const argv[] = { "sh", "-c", "test \"$(echo a | cat)\" = a && (sleep 0 & wait)", NULL };
  size_t instructions = 0;
  const void *program = filter_program (ALL, &instructions);
  struct sys_sock_fprog fprog = { (unsigned short) instructions, program };
  int status;

  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall (SYS_seccomp, SYS_SECCOMP_SET_MODE_FILTER, 0u, &fprog))
      _exit (99);
    execvp (argv[0], (char *const *) (uintptr_t) argv);
    _exit (98);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (none), cmocka_unit_test (every_set),
                                      cmocka_unit_test (families), cmocka_unit_test (programs_run) };
  return cmocka_run_group_tests_name ("filter", tests, NULL, NULL);
}
