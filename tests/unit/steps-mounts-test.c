/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that mount are really done, in a child in namespaces of its own.  */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys.h"
#include "tests/unit/steps-child.h"

/* ---- the root and binds ---- */

static int
root_check (const char *dir)
{
  CHECK (child_can_write (child_in (dir, "ws/new")) == 0);
  CHECK (child_can_write (child_in (dir, "ws/.git/config")) == 0);
  CHECK (child_can_write (child_in (dir, "outside/file")) == EROFS);
  REFUSED (chmod (child_in (dir, "outside/file"), 0777), EROFS);
  REFUSED (utimensat (AT_FDCWD, child_in (dir, "outside/file"), NULL, 0), EROFS);
  REFUSED (mkdir (child_in (dir, "outside/d"), 0755), EROFS);
  REFUSED (unlink (child_in (dir, "outside/file")), EROFS);
  CHECK (child_can_write (child_in (dir, "ws/.git/hooks/a")) == EROFS);
  CHECK (child_can_write (child_in (dir, "ws/.git/hooks/b")) == EROFS);
  REFUSED (rename (child_in (dir, "ws/.git"), child_in (dir, "ws/moved")), EBUSY);
  REFUSED (rename (child_in (dir, "ws/.git/hooks"), child_in (dir, "ws/.git/moved")), EBUSY);
  CHECK (child_can_write ("/dev/null") == 0);
  /* Devices cannot be used where the command could have made them, programs with set-id bits nowhere.  */
  struct statvfs fs;
  CHECK (statvfs (child_in (dir, "ws"), &fs) == 0 && (fs.f_flag & ST_NOSUID) && (fs.f_flag & 4 /* ST_NODEV */));
  CHECK (statvfs ("/", &fs) == 0 && (fs.f_flag & ST_NOSUID) && (fs.f_flag & ST_RDONLY));
  return 0;
}

static void
root_read_only (void **state)
{
  (void) state;
  child_tree ();
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws")),
                               STEP (BIND, .path = child_path ("ws/.git")),
                               STEP (BIND, .path = child_path ("ws/.git/hooks"), .flags = WEIR_BIND_READ_ONLY) };
  child_holds (steps, COUNT (steps), root_check, child_dir ());
  assert_int_equal (access (child_path ("ws/new"), F_OK), 0); /* it is the host's directory */
}

static int
elsewhere_check (const char *dir)
{
  CHECK (child_can_write (child_in (dir, "outside/seen")) == 0); /* ws, seen as outside */
  CHECK (child_can_write (child_in (dir, "outside/deep/er/file")) == 0); /* made, a file */
  CHECK (child_can_write (child_in (dir, "outside/made/dir/new")) == 0); /* made, a directory */
  CHECK (child_can_write (child_in (dir, "ws/file")) == EROFS); /* under its own name it is not writable */
  return 0;
}

static void
bind_elsewhere (void **state)
{
  (void) state;
  child_tree ();
  child_mkdir ("other");
  struct weir_step steps[] = {
    ISOLATED, ROOT, STEP (BIND, .path = child_path ("ws"), .target = child_path ("outside"), .flags = WEIR_BIND_MAKE),
    STEP (BIND, .path = child_path ("ws/file"), .target = child_path ("outside/deep/er/file"), .flags = WEIR_BIND_MAKE),
    STEP (BIND, .path = child_path ("other"), .target = child_path ("outside/made/dir"), .flags = WEIR_BIND_MAKE)
  };
  child_holds (steps, COUNT (steps), elsewhere_check, child_dir ());
  assert_int_equal (access (child_path ("other/new"), F_OK), 0);
  assert_int_equal (access (child_path ("ws/made/dir"), F_OK), 0); /* the mount point */
  assert_int_equal (access (child_path ("outside/made"), F_OK), -1);
}

static void
bind_failures (void **state)
{
  (void) state;
  struct stat st;

  child_tree ();
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
    child_fails (steps, COUNT (steps), WEIR_STEP_BIND, table[i].errnum, table[i].detail, 0);
  }
}

static int
optional_check (const char *dir)
{
  CHECK (child_can_write (child_in (dir, "ws/new")) == 0);
  REFUSED (access (child_in (dir, "absent"), F_OK), ENOENT);
  return 0;
}

static void
bind_optional (void **state)
{
  (void) state;
  struct stat st;

  child_tree ();
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  struct weir_step steps[] = { ISOLATED, ROOT,
                               STEP (BIND, .path = child_path ("ws"), .dev = st.st_dev, .ino = st.st_ino),
                               STEP (BIND, .path = child_path ("absent"), .flags = WEIR_BIND_OPTIONAL),
                               STEP (BIND, .path = child_path ("ws/file/absent"), .flags = WEIR_BIND_OPTIONAL) };
  child_holds (steps, COUNT (steps), optional_check, child_dir ());
}

static int
without_root_check (const char *dir)
{
  CHECK (child_can_write (child_in (dir, "outside/file")) == EROFS);
  CHECK (child_can_write (child_in (dir, "ws/file")) == 0);
  return 0;
}

static void
bind_without_root (void **state)
{
  (void) state;
  child_tree ();
  struct weir_step steps[] = { ISOLATED, STEP (BIND, .path = child_path ("outside"), .flags = WEIR_BIND_READ_ONLY) };
  child_holds (steps, COUNT (steps), without_root_check, child_dir ());
}

/* ---- tmpfs and hiding ---- */

static int
tmpfs_check (const char *dir)
{
  struct statvfs fs;
  struct stat st, root;

  REFUSED (access (child_in (dir, "outside/file"), F_OK), ENOENT);
  CHECK (statvfs (child_in (dir, "outside"), &fs) == 0 && fs.f_blocks * fs.f_frsize == 1048576);
  CHECK (stat (child_in (dir, "outside"), &st) == 0 && (st.st_mode & 07777) == 01777);
  CHECK (child_can_write (child_in (dir, "outside/new")) == 0);
  CHECK (child_can_write (child_in (dir, "sealed/new")) == EROFS);
  CHECK (child_can_write (child_in (dir, "sealed/a/b/file")) == 0);
  CHECK (stat ("/..", &st) == 0 && stat ("/", &root) == 0 && st.st_ino == root.st_ino && st.st_dev == root.st_dev);
  return 0;
}

static void
tmpfs (void **state)
{
  (void) state;
  child_tree ();
  child_mkdir ("sealed");
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (TMPFS, .path = child_path ("outside"), .value = 1048576),
                               STEP (TMPFS, .path = child_path ("sealed"), .flags = WEIR_BIND_READ_ONLY),
                               STEP (BIND, .path = child_path ("ws"), .target = child_path ("sealed/a/b"),
                                     .flags = WEIR_BIND_MAKE) };
  child_holds (steps, COUNT (steps), tmpfs_check, child_dir ());
  assert_int_equal (access (child_path ("sealed/a"), F_OK), -1); /* nothing was made on the host */
}

static int
hide_check (const char *dir)
{
  struct stat st, root;
  DIR *list;

  REFUSED (open (child_in (dir, "ws/file"), O_RDONLY | O_CLOEXEC), EACCES);
  CHECK (child_can_write (child_in (dir, "ws/file")) == EACCES);
  REFUSED (rename (child_in (dir, "ws/file"), child_in (dir, "ws/f2")), EBUSY);
  REFUSED (unlink (child_in (dir, "ws/file")), EBUSY);
  REFUSED (chmod (child_in (dir, "ws/file"), 0777), EROFS);
  CHECK (truncate (child_in (dir, "ws/file"), 0) < 0);
  list = opendir (child_in (dir, "outside"));
  if (list) { /* with DAC_OVERRIDE it is seen to be empty */
    int entries = 0;
    while (readdir (list))
      entries++;
    closedir (list);
    CHECK (entries == 2);
  }
  else
    CHECK (errno == EACCES);
  CHECK (access (child_in (dir, "outside/file"), F_OK) < 0);
  CHECK (child_can_write (child_in (dir, "outside/new")) != 0);
  REFUSED (umount2 (child_in (dir, "outside"), MNT_DETACH), EPERM);
  CHECK (child_can_write (child_in (dir, "mixed/in/new")) == 0);
  CHECK (access (child_in (dir, "mixed/secret"), F_OK) < 0);
  CHECK (child_can_write (child_in (dir, "mixed/new")) == EROFS || errno == EACCES);
  /* The mount from which the covers are taken is gone.  */
  CHECK (stat ("/..", &st) == 0 && stat ("/", &root) == 0 && st.st_ino == root.st_ino && st.st_dev == root.st_dev);
  return 0;
}

static void
hide (void **state)
{
  (void) state;
  child_tree ();
  child_mkdir ("mixed");
  child_mkdir ("mixed/in");
  child_file ("mixed/secret", "s");
  assert_int_equal (chmod (child_path ("ws/file"), 0644), 0);
  struct weir_step steps[] = { ISOLATED,
                               ROOT,
                               STEP (BIND, .path = child_path ("ws")),
                               STEP (HIDE, .path = child_path ("ws/file")),
                               STEP (HIDE, .path = child_path ("outside")),
                               STEP (HIDE, .path = child_path ("absent/x")),
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

  child_tree ();
  assert_int_equal (symlink ("ws", child_path ("link")), 0);
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  struct weir_step link[] = { ISOLATED, ROOT, STEP (HIDE, .path = child_path ("link")) };
  child_fails (link, COUNT (link), WEIR_STEP_HIDE, ELOOP, child_path ("link"), 0);
  struct weir_step other[] = { ISOLATED, ROOT,
                               STEP (HIDE, .path = child_path ("ws"), .dev = st.st_dev, .ino = st.st_ino + 1) };
  child_fails (other, COUNT (other), WEIR_STEP_HIDE, ESTALE, child_path ("ws"), 0);
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
  struct weir_step steps[] = { ISOLATED, ROOT, STEP (PROC, .fact = WEIR_FACT_FRESH_PROC),
                               STEP (CAPABILITIES, .flags = 2) };
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
  if (access (child_in (dir, "node"), F_OK) == 0)
    REFUSED (open (child_in (dir, "node"), O_RDWR | O_CLOEXEC), EACCES);
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

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, child_setup, child_clean)
  const struct CMUnitTest tests[] = {
    TEST (root_read_only), TEST (bind_elsewhere), TEST (bind_failures), TEST (bind_optional), TEST (bind_without_root),
    TEST (tmpfs),          TEST (hide),           TEST (hide_failures), TEST (proc),          TEST (dev),
    TEST (dev_console)
  };
  return cmocka_run_group_tests_name ("steps that mount", tests, NULL, NULL);
}
