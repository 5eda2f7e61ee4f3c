/* SPDX-License-Identifier: Apache-2.0 */
/* Paths without symbolic links; with openat2, and in a child that a filter has taken it from.  */
#include "config.h"

#include "core/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/carry.h"
#include "core/sys.h"
#include "tests/unit/steps-child.h"

static int
same (int fd, const char *path)
{
  struct stat st;
  return fd >= 0 && stat (path, &st) == 0 && walk_check (fd, st.st_dev, st.st_ino) == 0
         && (fcntl (fd, F_GETFD) & FD_CLOEXEC);
}

static int
checks (const char *dir)
{
  char name[NAME_MAX + 3];

  CHECK (same (walk_open ("/"), "/"));
  CHECK (same (walk_open (dir), dir));
  CHECK (same (walk_open (child_in (dir, "a/b/file")), child_in (dir, "a/b/file")));
  CHECK (same (walk_open (child_in (dir, "a//b///")), child_in (dir, "a/b")));
  CHECK (same (walk_open (child_in (dir, "fifo")), child_in (dir, "fifo"))); /* does not block */
  REFUSED (walk_open (child_in (dir, "link")), ELOOP);
  REFUSED (walk_open (child_in (dir, "link/b")), ELOOP);
  REFUSED (walk_open (child_in (dir, "a/up/a")), ELOOP);
  REFUSED (walk_open (child_in (dir, "dangling")), ELOOP);
  REFUSED (walk_open (child_in (dir, "absent")), ENOENT);
  REFUSED (walk_open (child_in (dir, "absent/b")), ENOENT);
  REFUSED (walk_open (child_in (dir, "a/b/file/c")), ENOTDIR);
  REFUSED (walk_open ("/proc/self/fd/0"), ELOOP);
  REFUSED (walk_open ("a"), EINVAL);
  REFUSED (walk_open (""), EINVAL);
  memset (name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  REFUSED (walk_open (child_in (dir, name)), ENAMETOOLONG);
  return 0;
}

static void
make (void)
{
  child_mkdir ("a");
  child_mkdir ("a/b");
  child_file ("a/b/file", "x");
  assert_int_equal (symlink ("a", child_path ("link")), 0);
  assert_int_equal (symlink ("..", child_path ("a/up")), 0);
  assert_int_equal (symlink ("nowhere", child_path ("dangling")), 0);
  assert_int_equal (mkfifo (child_path ("fifo"), 0600), 0);
}

static void
opening (void **state)
{
  (void) state;
  make ();
  int line = checks (child_dir ());
  if (line)
    fail_msg ("line %d does not hold", line);
}

static void
without_openat2 (void **state)
{
  (void) state;
  size_t instructions = 0;
  const void *program = filter_program (WEIR_SECCOMP_SETID_BITS, &instructions);
  struct sys_sock_fprog fprog = { (unsigned short) instructions, program };
  int status;

  make ();
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall (SYS_seccomp, SYS_SECCOMP_SET_MODE_FILTER, 0u, &fprog)
        || syscall (SYS_openat2, 0, 0, 0, 0) != -1 || errno != ENOSYS)
      _exit (255);
    int line = checks (child_dir ());
    _exit (line == 0 ? 0 : line % 200 + 1);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (status)
    fail_msg ("status %x: line %d does not hold", (unsigned) status, WEXITSTATUS (status) - 1);
}

static void
making (void **state)
{
  struct stat st;

  (void) state;
  make ();
  int fd = walk_make (child_path ("a/new/deep/dir"), 1);
  assert_true (same (fd, child_path ("a/new/deep/dir")));
  close (fd);
  fd = walk_make (child_path ("a/new/other/file"), 0);
  assert_true (same (fd, child_path ("a/new/other/file")));
  close (fd);
  assert_int_equal (stat (child_path ("a/new/other/file"), &st), 0);
  assert_true (S_ISREG (st.st_mode) && st.st_size == 0);
  /* What is there stays.  */
  fd = walk_make (child_path ("a/b/file"), 0);
  assert_true (same (fd, child_path ("a/b/file")));
  close (fd);
  assert_int_equal (stat (child_path ("a/b/file"), &st), 0);
  assert_int_equal (st.st_size, 1);
  /* No link is followed, nothing made behind one.  */
  assert_int_equal (walk_make (child_path ("link/new"), 1), -1);
  assert_int_equal (errno, ELOOP);
  assert_int_equal (walk_make (child_path ("dangling/new"), 1), -1);
  assert_int_equal (errno, ELOOP);
  assert_int_equal (walk_make (child_path ("dangling"), 0), -1);
  assert_int_equal (errno, ELOOP);
  assert_int_equal (access (child_path ("nowhere"), F_OK), -1);
  assert_int_equal (walk_make (child_path ("a/b/file/x"), 1), -1);
  assert_int_equal (errno, ENOTDIR);
}

static void
identity (void **state)
{
  struct stat st;

  (void) state;
  make ();
  int fd = walk_open (child_path ("a"));
  assert_int_equal (fstat (fd, &st), 0);
  assert_int_equal (walk_check (fd, st.st_dev, st.st_ino), 0);
  assert_int_equal (walk_check (fd, 0, 0), 0); /* no identity is asked */
  assert_int_equal (walk_check (fd, st.st_dev, st.st_ino + 1), -1);
  assert_int_equal (errno, ESTALE);
  assert_int_equal (walk_check (fd, st.st_dev + 1, st.st_ino), -1);
  assert_int_equal (errno, ESTALE);
  close (fd);
  assert_int_equal (walk_check (fd, 1, 1), -1);
  assert_int_equal (errno, EBADF);
}

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, child_setup, child_clean)
  const struct CMUnitTest tests[] = { TEST (opening), TEST (without_openat2), TEST (making), TEST (identity) };
  return cmocka_run_group_tests_name ("walk", tests, NULL, NULL);
}
