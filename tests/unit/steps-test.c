/* SPDX-License-Identifier: Apache-2.0 */
/* Each step is really done, in a child in namespaces of its own.  */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys.h"
#include "tests/unit/steps-child.h"

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
#define STEP(k, ...) { .struct_size = sizeof (struct weir_step), .kind = WEIR_STEP_##k, __VA_ARGS__ }
#define ISOLATED STEP (NAMESPACES, .flags = WEIR_NS_MOUNT | WEIR_NS_PID, .fact = WEIR_FACT_USER_NAMESPACES)
#define ROOT STEP (ROOT_READ_ONLY, .fact = WEIR_FACT_USER_NAMESPACES)

static const char *
in (const char *dir, const char *name)
{
  static char buffers[8][512];
  static unsigned next;
  char *buffer = buffers[next++ % 8];

  snprintf (buffer, sizeof buffers[0], "%s/%s", dir, name);
  return buffer;
}

/* A workspace with git-like parts, and an outside.  */
static void
make_tree (void)
{
  child_mkdir ("ws");
  child_mkdir ("ws/.git");
  child_mkdir ("ws/.git/hooks");
  child_file ("ws/.git/hooks/a", "a");
  child_file ("ws/file", "in");
  child_mkdir ("outside");
  child_file ("outside/file", "out");
}

/* ---- the root and binds ---- */

static int
root_check (const char *dir)
{
  CHECK (child_can_write (in (dir, "ws/new")) == 0);
  CHECK (child_can_write (in (dir, "ws/.git/config")) == 0);
  CHECK (child_can_write (in (dir, "outside/file")) == EROFS);
  REFUSED (chmod (in (dir, "outside/file"), 0777), EROFS);
  REFUSED (utimensat (AT_FDCWD, in (dir, "outside/file"), NULL, 0), EROFS);
  REFUSED (mkdir (in (dir, "outside/d"), 0755), EROFS);
  REFUSED (unlink (in (dir, "outside/file")), EROFS);
  CHECK (child_can_write (in (dir, "ws/.git/hooks/a")) == EROFS);
  CHECK (child_can_write (in (dir, "ws/.git/hooks/b")) == EROFS);
  REFUSED (rename (in (dir, "ws/.git"), in (dir, "ws/moved")), EBUSY);
  REFUSED (rename (in (dir, "ws/.git/hooks"), in (dir, "ws/.git/moved")), EBUSY);
  CHECK (child_can_write ("/dev/null") == 0);
  /* Devices cannot be used where the command could have made them, programs with set-id bits nowhere.  */
  struct statvfs fs;
  CHECK (statvfs (in (dir, "ws"), &fs) == 0 && (fs.f_flag & ST_NOSUID) && (fs.f_flag & 4 /* ST_NODEV */));
  CHECK (statvfs ("/", &fs) == 0 && (fs.f_flag & ST_NOSUID) && (fs.f_flag & ST_RDONLY));
  return 0;
}

static void
root_read_only (void **state)
{
  (void) state;
  make_tree ();
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws")), STEP (BIND, .path = child_path ("ws/.git")),
                               STEP (BIND, .path = child_path ("ws/.git/hooks"), .flags = WEIR_BIND_READ_ONLY) };
  child_holds (steps, COUNT (steps), root_check, child_dir ());
  assert_int_equal (access (child_path ("ws/new"), F_OK), 0); /* it is the host's directory */
}

static int
elsewhere_check (const char *dir)
{
  CHECK (child_can_write (in (dir, "outside/seen")) == 0);            /* ws, seen as outside */
  CHECK (child_can_write (in (dir, "outside/deep/er/file")) == 0);    /* made, a file */
  CHECK (child_can_write (in (dir, "outside/made/dir/new")) == 0);    /* made, a directory */
  CHECK (child_can_write (in (dir, "ws/file")) == EROFS);             /* under its own name it is not writable */
  return 0;
}

static void
bind_elsewhere (void **state)
{
  (void) state;
  make_tree ();
  child_mkdir ("other");
  struct weir_step steps[]
    = { ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws"), .target = child_path ("outside"), .flags = WEIR_BIND_MAKE),
        STEP (BIND, .path = child_path ("ws/file"), .target = child_path ("outside/deep/er/file"), .flags = WEIR_BIND_MAKE),
        STEP (BIND, .path = child_path ("other"), .target = child_path ("outside/made/dir"), .flags = WEIR_BIND_MAKE) };
  child_holds (steps, COUNT (steps), elsewhere_check, child_dir ());
  assert_int_equal (access (child_path ("other/new"), F_OK), 0);
  assert_int_equal (access (child_path ("ws/made/dir"), F_OK), 0); /* the mount point */
  assert_int_equal (access (child_path ("outside/made"), F_OK), -1);
}

/* The failing step is the last; its errno and object.  */
static void
assert_fails (const struct weir_step *steps, size_t count, uint32_t kind, int errnum, const char *detail, uint32_t fact)
{
  struct carry_failure failure = { 0 };
  int result = child_run (steps, count, NULL, child_dir (), &failure);

  if (result == CHILD_NO_NAMESPACES) {
    print_message ("skipped: this machine refuses user namespaces\n");
    skip ();
  }
  assert_int_equal (result, CHILD_FAILED);
  assert_int_equal (failure.step, kind);
  assert_int_equal (failure.errnum, errnum);
  assert_string_equal (failure.detail, detail);
  assert_int_equal (failure.fact, fact);
}

static void
bind_failures (void **state)
{
  (void) state;
  struct stat st;

  make_tree ();
  assert_int_equal (symlink ("ws", child_path ("link")), 0);
  assert_int_equal (symlink ("../outside", child_path ("ws/out")), 0);
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  const struct {
    struct weir_step step;
    int errnum;
    const char *detail;
  } table[] = {
    { STEP (BIND, .path = child_path ("ws"), .dev = st.st_dev, .ino = st.st_ino + 1), ESTALE, child_path ("ws") },
    { STEP (BIND, .path = child_path ("ws"), .dev = st.st_dev + 1, .ino = st.st_ino), ESTALE, child_path ("ws") },
    { STEP (BIND, .path = child_path ("link")), ELOOP, child_path ("link") },
    { STEP (BIND, .path = child_path ("link/file")), ELOOP, child_path ("link/file") },
    { STEP (BIND, .path = child_path ("absent")), ENOENT, child_path ("absent") },
    { STEP (BIND, .path = child_path ("ws"), .target = child_path ("absent")), ENOENT, child_path ("absent") },
    /* Nothing that an earlier bind put there: the root is read-only.  */
    { STEP (BIND, .path = child_path ("ws"), .target = child_path ("absent"), .flags = WEIR_BIND_MAKE), EROFS,
      child_path ("absent") },
    { STEP (BIND, .path = child_path ("outside"), .target = child_path ("link")), ELOOP, child_path ("link") },
    { STEP (BIND, .path = child_path ("outside"), .target = child_path ("ws/out/x"), .flags = WEIR_BIND_MAKE), ELOOP,
      child_path ("ws/out/x") },
  };
  for (size_t i = 0; i < COUNT (table); i++) {
    struct weir_step steps[] = { ISOLATED, ROOT, table[i].step };
    steps[2].fact = WEIR_FACT_USER_NAMESPACES;
    assert_fails (steps, COUNT (steps), WEIR_STEP_BIND, table[i].errnum, table[i].detail, 0);
  }
}

static int
optional_check (const char *dir)
{
  CHECK (child_can_write (in (dir, "ws/new")) == 0);
  REFUSED (access (in (dir, "absent"), F_OK), ENOENT);
  return 0;
}

static void
bind_optional (void **state)
{
  (void) state;
  struct stat st;

  make_tree ();
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws"), .dev = st.st_dev, .ino = st.st_ino),
                               STEP (BIND, .path = child_path ("absent"), .flags = WEIR_BIND_OPTIONAL),
                               STEP (BIND, .path = child_path ("ws/file/absent"), .flags = WEIR_BIND_OPTIONAL) };
  child_holds (steps, COUNT (steps), optional_check, child_dir ());
}

static int
without_root_check (const char *dir)
{
  CHECK (child_can_write (in (dir, "outside/file")) == EROFS);
  CHECK (child_can_write (in (dir, "ws/file")) == 0);
  return 0;
}

static void
bind_without_root (void **state)
{
  (void) state;
  make_tree ();
  struct weir_step steps[] = { ISOLATED, STEP (BIND, .path = child_path ("outside"), .flags = WEIR_BIND_READ_ONLY) };
  child_holds (steps, COUNT (steps), without_root_check, child_dir ());
}

/* ---- tmpfs and hiding ---- */

static int
tmpfs_check (const char *dir)
{
  struct statvfs fs;
  struct stat st, root;

  REFUSED (access (in (dir, "outside/file"), F_OK), ENOENT);
  CHECK (statvfs (in (dir, "outside"), &fs) == 0 && fs.f_blocks * fs.f_frsize == 1048576);
  CHECK (stat (in (dir, "outside"), &st) == 0 && (st.st_mode & 07777) == 01777);
  CHECK (child_can_write (in (dir, "outside/new")) == 0);
  CHECK (child_can_write (in (dir, "sealed/new")) == EROFS);
  CHECK (child_can_write (in (dir, "sealed/a/b/file")) == 0);
  CHECK (stat ("/..", &st) == 0 && stat ("/", &root) == 0 && st.st_ino == root.st_ino && st.st_dev == root.st_dev);
  return 0;
}

static void
tmpfs (void **state)
{
  (void) state;
  make_tree ();
  child_mkdir ("sealed");
  struct weir_step steps[]
    = { ISOLATED, ROOT, STEP (TMPFS, .path = child_path ("outside"), .value = 1048576),
        STEP (TMPFS, .path = child_path ("sealed"), .flags = WEIR_BIND_READ_ONLY),
        STEP (BIND, .path = child_path ("ws"), .target = child_path ("sealed/a/b"), .flags = WEIR_BIND_MAKE) };
  child_holds (steps, COUNT (steps), tmpfs_check, child_dir ());
  assert_int_equal (access (child_path ("sealed/a"), F_OK), -1); /* nothing was made on the host */
}

static int
hide_check (const char *dir)
{
  struct stat st, root;
  DIR *list;

  REFUSED (open (in (dir, "ws/file"), O_RDONLY | O_CLOEXEC), EACCES);
  CHECK (child_can_write (in (dir, "ws/file")) == EACCES);
  REFUSED (rename (in (dir, "ws/file"), in (dir, "ws/f2")), EBUSY);
  REFUSED (unlink (in (dir, "ws/file")), EBUSY);
  REFUSED (chmod (in (dir, "ws/file"), 0777), EROFS);
  CHECK (truncate (in (dir, "ws/file"), 0) < 0);
  list = opendir (in (dir, "outside"));
  if (list) { /* with DAC_OVERRIDE it is seen to be empty */
    int entries = 0;
    while (readdir (list))
      entries++;
    closedir (list);
    CHECK (entries == 2);
  } else
    CHECK (errno == EACCES);
  CHECK (access (in (dir, "outside/file"), F_OK) < 0);
  CHECK (child_can_write (in (dir, "outside/new")) != 0);
  REFUSED (umount2 (in (dir, "outside"), MNT_DETACH), EPERM);
  CHECK (child_can_write (in (dir, "mixed/in/new")) == 0);
  CHECK (access (in (dir, "mixed/secret"), F_OK) < 0);
  CHECK (child_can_write (in (dir, "mixed/new")) == EROFS || errno == EACCES);
  /* The mount from which the covers are taken is gone.  */
  CHECK (stat ("/..", &st) == 0 && stat ("/", &root) == 0 && st.st_ino == root.st_ino && st.st_dev == root.st_dev);
  return 0;
}

static void
hide (void **state)
{
  (void) state;
  make_tree ();
  child_mkdir ("mixed");
  child_mkdir ("mixed/in");
  child_file ("mixed/secret", "s");
  assert_int_equal (chmod (child_path ("ws/file"), 0644), 0);
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws")), STEP (HIDE, .path = child_path ("ws/file")),
                               STEP (HIDE, .path = child_path ("outside")), STEP (HIDE, .path = child_path ("absent/x")),
                               STEP (HIDE, .path = child_path ("mixed")),
                               STEP (BIND, .path = child_path ("mixed/in"), .flags = WEIR_BIND_MAKE),
                               STEP (CAPABILITIES, .flags = 2 /* DAC_OVERRIDE */) };
  child_holds (steps, COUNT (steps), hide_check, child_dir ());
}

static void
hide_failures (void **state)
{
  (void) state;
  struct stat st;

  make_tree ();
  assert_int_equal (symlink ("ws", child_path ("link")), 0);
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  struct weir_step link[] = { ISOLATED, ROOT, STEP (HIDE, .path = child_path ("link")) };
  assert_fails (link, COUNT (link), WEIR_STEP_HIDE, ELOOP, child_path ("link"), 0);
  struct weir_step other[] = { ISOLATED, ROOT, STEP (HIDE, .path = child_path ("ws"), .dev = st.st_dev, .ino = st.st_ino + 1) };
  assert_fails (other, COUNT (other), WEIR_STEP_HIDE, ESTALE, child_path ("ws"), 0);
}

/* ---- proc and dev ---- */

static int
proc_check (const char *dir)
{
  char self[32] = "";

  (void) dir;
  CHECK (readlink ("/proc/self", self, sizeof self - 1) > 0 && strcmp (self, "1") == 0);
  CHECK (child_can_write ("/proc/self/comm") == (geteuid () == 0 ? EROFS : 0));
  CHECK (open ("/proc/sys/kernel/hostname", O_WRONLY | O_CLOEXEC) < 0 && (errno == EROFS || errno == EACCES));
  if (access ("/proc/sysrq-trigger", F_OK) == 0)
    CHECK (open ("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC) < 0 && (errno == EROFS || errno == EACCES));
  if (access ("/proc/irq/default_smp_affinity", F_OK) == 0)
    CHECK (open ("/proc/irq/default_smp_affinity", O_WRONLY | O_CLOEXEC) < 0 && (errno == EROFS || errno == EACCES));
  CHECK (open ("/proc/kcore", O_RDONLY | O_CLOEXEC) < 0);
  CHECK (open ("/proc/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK) < 0);
  return 0;
}

static void
proc (void **state)
{
  (void) state;
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (PROC, .fact = WEIR_FACT_FRESH_PROC), STEP (CAPABILITIES, .flags = 2) };
  struct carry_failure failure = { 0 };
  int result = child_run (steps, COUNT (steps), proc_check, child_dir (), &failure);

  if (result == CHILD_FAILED && failure.step == WEIR_STEP_PROC && failure.errnum == EPERM) {
    assert_int_equal (failure.fact, WEIR_FACT_FRESH_PROC);
    print_message ("skipped: a fresh proc is refused here\n");
    skip ();
  }
  child_holds (steps, COUNT (steps), proc_check, child_dir ());
}

static int
dev_check (const char *dir)
{
  struct stat st;
  char byte = 'x';
  int fd;

  /* A node elsewhere, which only root could make.  */
  if (access (in (dir, "node"), F_OK) == 0)
    REFUSED (open (in (dir, "node"), O_RDWR | O_CLOEXEC), EACCES);
  CHECK (child_can_write ("/dev/null") == 0);
  CHECK ((fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC)) >= 0 && read (fd, &byte, 1) == 1 && byte == 0);
  CHECK ((fd = open ("/dev/urandom", O_RDONLY | O_CLOEXEC)) >= 0 && read (fd, &byte, 1) == 1);
  CHECK (stat ("/dev/tty", &st) == 0 && st.st_rdev == makedev (5, 0));
  CHECK (child_can_write ("/dev/shm/file") == 0);
  CHECK (child_can_write ("/dev/new") == EROFS);
  REFUSED (access ("/dev/kmsg", F_OK), ENOENT);
  CHECK ((fd = posix_openpt (O_RDWR | O_NOCTTY)) >= 0 && grantpt (fd) == 0 && unlockpt (fd) == 0);
  CHECK (strcmp (ptsname (fd), "/dev/pts/0") == 0 && open (ptsname (fd), O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0);
  CHECK (lstat ("/dev/fd", &st) == 0 && S_ISLNK (st.st_mode));
  return 0;
}

static void
dev (void **state)
{
  (void) state;
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (DEV), STEP (CAPABILITIES, .flags = 2) };
  if (mknod (child_path ("node"), S_IFCHR | 0666, makedev (1, 3)) && geteuid () == 0)
    print_message ("no device can be made here: %s\n", strerror (errno));
  child_holds (steps, COUNT (steps), dev_check, child_dir ());
}

static int
console_check (const char *dir)
{
  const char *name = ttyname (0);

  (void) dir;
  CHECK (name && strcmp (name, "/dev/console") == 0);
  CHECK (open (name, O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0);
  return 0;
}

/* The streams' terminal has a name.  */
static void
dev_console (void **state)
{
  (void) state;
  int terminal = -1, saved = fcntl (0, F_DUPFD_CLOEXEC, 3), master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (DEV), STEP (CAPABILITIES, .flags = 2) };

  if (master < 0 || grantpt (master) || unlockpt (master)
      || (terminal = open (ptsname (master), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
    print_message ("skipped: no terminal can be made here\n");
    skip ();
  }
  struct carry_failure failure = { 0 };
  dup2 (terminal, 0);
  int result = child_run (steps, COUNT (steps), console_check, child_dir (), &failure);
  if (saved >= 0)
    dup2 (saved, 0);
  else
    close (0);
  close (saved);
  close (terminal);
  close (master);
  if (result == CHILD_NO_NAMESPACES) {
    print_message ("skipped: this machine refuses user namespaces\n");
    skip ();
  }
  assert_int_equal (result, 0);
}

/* ---- Landlock ---- */

#define WRITES (SYS_LL_WRITE_FILE | SYS_LL_TRUNCATE | SYS_LL_MAKE_REG | SYS_LL_MAKE_DIR | SYS_LL_REMOVE_FILE | SYS_LL_IOCTL_DEV)

static void
need_landlock (void)
{
  if (sys_landlock_abi () == 0) {
    print_message ("skipped: this kernel does not enforce Landlock\n");
    skip ();
  }
}

static int
landlock_check (const char *dir)
{
  CHECK (child_can_write (in (dir, "ws/new")) == 0);
  CHECK (child_can_write (in (dir, "outside/file")) == 0); /* a rule of its own, with a file's rights */
  CHECK (child_can_write (in (dir, "outside/new")) == EACCES);
  CHECK (child_can_write ("/dev/null") == 0);
  REFUSED (mkdir (in (dir, "outside/d"), 0755), EACCES);
  REFUSED (unlink (in (dir, "outside/file")), EACCES);
  return 0;
}

static void
landlock (void **state)
{
  (void) state;
  struct stat st;

  need_landlock ();
  make_tree ();
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  /* Rights that this kernel does not know are left out; so are those that a file cannot have.  */
  struct weir_step steps[]
    = { STEP (LANDLOCK_HANDLE, .flags = WRITES | UINT64_C (1) << 40, .value = UINT64_C (0xff) << 32),
        STEP (LANDLOCK_RULE, .path = child_path ("ws"), .flags = ~UINT64_C (0), .dev = st.st_dev, .ino = st.st_ino),
        STEP (LANDLOCK_RULE, .path = child_path ("outside/file"), .flags = WRITES),
        STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = WRITES),
        STEP (LANDLOCK_RULE, .path = child_path ("absent"), .flags = WRITES, .value = WEIR_OPTIONAL),
        STEP (NO_NEW_PRIVILEGES), STEP (LANDLOCK_ENFORCE) };
  child_holds (steps, COUNT (steps), landlock_check, child_dir ());
}

static int
inside_check (const char *dir)
{
  int fd;

  CHECK (child_can_write (in (dir, "ws/new")) == 0); /* the rule was for what is bound here */
  CHECK (child_can_write (in (dir, "outside/new")) == EACCES);
  CHECK (child_can_write ("/dev/shm/new") == 0);
  CHECK (child_can_write ("/dev/null") == 0);
  CHECK ((fd = posix_openpt (O_RDWR | O_NOCTTY)) >= 0 && unlockpt (fd) == 0);
  CHECK (open (ptsname (fd), O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0);
  return 0;
}

static void
landlock_inside (void **state)
{
  (void) state;
  need_landlock ();
  make_tree ();
  struct weir_step steps[]
    = { ISOLATED, STEP (LANDLOCK_HANDLE, .flags = WRITES), STEP (LANDLOCK_RULE, .path = child_path ("outside"), .flags = WRITES),
        STEP (BIND, .path = child_path ("outside"), .target = child_path ("ws")), STEP (DEV),
        STEP (TMPFS, .path = child_path ("outside")),
        STEP (LANDLOCK_RULE, .path = "/dev/pts", .flags = WRITES, .value = WEIR_RULE_INSIDE),
        STEP (LANDLOCK_RULE, .path = "/dev/shm", .flags = WRITES, .value = WEIR_RULE_INSIDE),
        STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = WRITES, .value = WEIR_RULE_INSIDE),
        STEP (LANDLOCK_RULE, .path = "/dev/absent", .flags = WRITES, .value = WEIR_RULE_INSIDE | WEIR_OPTIONAL),
        STEP (NO_NEW_PRIVILEGES), STEP (LANDLOCK_ENFORCE) };
  child_holds (steps, COUNT (steps), inside_check, child_dir ());
}

static void
landlock_failures (void **state)
{
  (void) state;
  struct carry_failure failure;
  struct stat st;

  need_landlock ();
  make_tree ();
  assert_int_equal (symlink ("ws", child_path ("link")), 0);
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  const struct {
    struct weir_step step;
    int errnum;
  } table[] = {
    { STEP (LANDLOCK_RULE, .path = child_path ("absent"), .flags = WRITES), ENOENT },
    { STEP (LANDLOCK_RULE, .path = child_path ("link"), .flags = WRITES), ELOOP },
    { STEP (LANDLOCK_RULE, .path = child_path ("ws"), .flags = WRITES, .dev = st.st_dev, .ino = st.st_ino + 1), ESTALE },
  };
  for (size_t i = 0; i < COUNT (table); i++) {
    struct weir_step steps[] = { STEP (LANDLOCK_HANDLE, .flags = WRITES), table[i].step, STEP (LANDLOCK_ENFORCE) };
    steps[1].fact = WEIR_FACT_LANDLOCK_ABI;
    assert_int_equal (child_run (steps, COUNT (steps), NULL, NULL, &failure), CHILD_FAILED);
    assert_int_equal (failure.step, WEIR_STEP_LANDLOCK_RULE);
    assert_int_equal (failure.errnum, table[i].errnum);
    assert_int_equal (failure.fact, 0);
    assert_string_equal (failure.detail, table[i].step.path);
  }
}

/* ---- privileges ---- */

static uint64_t
status_line (const char *text, const char *name)
{
  const char *at = strstr (text, name);
  return at ? strtoull (at + strlen (name), NULL, 16) : ~UINT64_C (0);
}

static int
capabilities_check (const char *dir)
{
  static const char *const argv[] = { "cat", "/proc/self/status", NULL };
  uint64_t expected = geteuid () == 0 ? 0xeb : 0; /* an exec as another user keeps none */
  char text[8192];

  (void) dir;
  CHECK (child_run_program (argv, text, sizeof text) == 0);
  CHECK (geteuid () == 0 ? status_line (text, "CapBnd:\t") == 0xeb : status_line (text, "NoNewPrivs:\t") == 1);
  CHECK (status_line (text, "CapPrm:\t") == expected);
  CHECK (status_line (text, "CapEff:\t") == expected);
  CHECK (status_line (text, "CapInh:\t") == 0);
  CHECK (status_line (text, "CapAmb:\t") == 0);
  REFUSED (mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL), EPERM);
  return 0;
}

static void
capabilities (void **state)
{
  (void) state;
  struct weir_step steps[] = { ISOLATED, STEP (CAPABILITIES, .flags = 0xeb) };
  child_holds (steps, COUNT (steps), capabilities_check, child_dir ());
}

static int
no_capabilities_check (const char *dir)
{
  static const char *const argv[] = { "cat", "/proc/self/status", NULL };
  char text[8192];

  (void) dir;
  CHECK (child_run_program (argv, text, sizeof text) == 0);
  CHECK (status_line (text, "CapPrm:\t") == 0 && status_line (text, "CapEff:\t") == 0);
  CHECK (status_line (text, "NoNewPrivs:\t") == 1 || status_line (text, "CapBnd:\t") == 0);
  return 0;
}

static void
capabilities_without_namespaces (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (CAPABILITIES) };
  child_holds (steps, COUNT (steps), no_capabilities_check, child_dir ());
}

static int
seccomp_check (const char *dir)
{
  (void) dir;
  CHECK (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  CHECK (prctl (PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
  REFUSED (syscall (SYS_bpf, 0, NULL, 0), EPERM);
  return 0;
}

static void
seccomp (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (NO_NEW_PRIVILEGES), STEP (SECCOMP, .flags = WEIR_SECCOMP_BASE) };
  child_holds (steps, COUNT (steps), seccomp_check, child_dir ());
}

/* ---- limits and network ---- */

static int
limits_check (const char *dir)
{
  struct rlimit limit;

  (void) dir;
  CHECK (getrlimit (RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur == 4321 && limit.rlim_max == 4321);
  CHECK (getrlimit (RLIMIT_CPU, &limit) == 0 && limit.rlim_cur == 100 && limit.rlim_max == 105);
  CHECK (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 64 && limit.rlim_max == 64);
  CHECK (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == 4096 && limit.rlim_max == 4096);
  return 0;
}

static int
memory_check (const char *dir)
{
  struct rlimit limit;

  (void) dir;
  CHECK (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur == UINT64_C (1) << 50);
  return 0;
}

static void
limits (void **state)
{
  (void) state;
  struct rlimit hard;
  struct weir_step steps[]
    = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_PROCESSES, .value = 4321), STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_CPU, .value = 100),
        STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILES, .value = 64), STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILE_SIZE, .value = 4096) };
  assert_int_equal (getrlimit (RLIMIT_NPROC, &hard), 0);
  if (hard.rlim_max < 4321) {
    print_message ("skipped: the hard limit of processes is below that of the test\n");
    skip ();
  }
  child_holds (steps, COUNT (steps), limits_check, child_dir ());
  struct weir_step memory[] = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_MEMORY, .value = UINT64_C (1) << 50) };
  child_holds (memory, COUNT (memory), memory_check, child_dir ());
  /* More than the hard limit is the hard limit, not a failure.  */
  struct weir_step above[] = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILES, .value = UINT64_C (1) << 40) };
  child_holds (above, COUNT (above), NULL, child_dir ());
  struct weir_step unknown[] = { STEP (LIMIT, .flags = WEIR_AXIS_NETWORK_NONE, .value = 1) };
  assert_fails (unknown, COUNT (unknown), WEIR_STEP_LIMIT, EINVAL, "", 0);
}

static int
loopback_check (const char *dir)
{
  struct ifreq request = { .ifr_name = "lo" };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  (void) dir;
  CHECK (fd >= 0 && ioctl (fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP));
  return 0;
}

static void
loopback (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (NAMESPACES, .flags = WEIR_NS_NETWORK), STEP (LOOPBACK_UP) };
  child_holds (steps, COUNT (steps), loopback_check, child_dir ());
}

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, child_setup, child_clean)
  const struct CMUnitTest tests[] = {
    TEST (root_read_only), TEST (bind_elsewhere), TEST (bind_failures), TEST (bind_optional), TEST (bind_without_root),
    TEST (tmpfs), TEST (hide), TEST (hide_failures), TEST (proc), TEST (dev), TEST (dev_console), TEST (landlock), TEST (landlock_inside),
    TEST (landlock_failures), TEST (capabilities), TEST (capabilities_without_namespaces), TEST (seccomp), TEST (limits),
    TEST (loopback),
  };
  return cmocka_run_group_tests_name ("steps", tests, NULL, NULL);
}
