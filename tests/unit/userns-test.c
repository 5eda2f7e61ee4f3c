/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>

#include "core/spawn-internal.h"
#include "tests/unit/spawn-support.h"

static int
set_up (void **state)
{
  (void) state;
  support_guard ();
  return 0;
}

static void
test_cached (void **state)
{
  struct carry_failure failure;
  struct stat own, first, second;
  int a = userns_open (&failure), b;

  (void) state;
  if (a < 0) {
    print_message ("skipped: user namespaces are refused: %s\n", strerror (failure.errnum));
    assert_int_equal (failure.step, WEIR_STEP_NAMESPACES);
    assert_int_equal (failure.fact, WEIR_FACT_USER_NAMESPACES);
    skip ();
  }
  b = userns_open (&failure);
  assert_true (b >= 0);
  assert_int_not_equal (a, b);
  assert_int_equal (fcntl (a, F_GETFD), FD_CLOEXEC);
  assert_int_equal (stat ("/proc/self/ns/user", &own), 0);
  assert_int_equal (fstat (a, &first), 0);
  assert_int_equal (fstat (b, &second), 0);
  assert_int_equal (first.st_ino, second.st_ino);
  assert_int_not_equal (first.st_ino, own.st_ino);
  /* its helper is no longer there */
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
  close (a);
  close (b);
}

static void
test_identity (void **state)
{
  struct carry_failure failure;
  char map[4096], text[256];
  size_t size;
  int fd = userns_open (&failure), status;
  pid_t pid;

  (void) state;
  if (fd < 0)
    skip ();
  pid = fork ();
  if (pid == 0)
    _exit (setns (fd, CLONE_NEWUSER) < 0 ? 1 : getuid () != geteuid () ? 2 : 0);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  close (fd);
  if (!support_has_tier (TIER_NAMESPACES))
    skip ();
  const char *const argv[] = { "/bin/cat", "/proc/self/uid_map", NULL };
  assert_int_equal (support_run (support_plan (TIER_NAMESPACES, argv), map, sizeof map).code, 0);
  if (geteuid () == 0) {
    char *own = util_read_file (AT_FDCWD, "/proc/self/uid_map", 4096, &size);
    unsigned inside, outside, count;
    assert_non_null (own);
    assert_int_equal (sscanf (own, "%u %u %u", &inside, &outside, &count), 3);
    snprintf (text, sizeof text, "%10u %10u %10u\n", inside, inside, count);
    assert_memory_equal (map, text, strlen (text));
    free (own);
  }
  else {
    snprintf (text, sizeof text, "%10u %10u %10u\n", geteuid (), geteuid (), 1u);
    assert_string_equal (map, text);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_cached),
    cmocka_unit_test (test_identity),
  };
  return cmocka_run_group_tests (tests, set_up, NULL);
}
