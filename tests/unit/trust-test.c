/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/trust.h"

#include "config-support.h"

/* Tests of what is trusted need a directory that is; those of what is not make do with /tmp.  */
static const char *trusted;

static int
begin_trusted (void **state UNUSED)
{
  return trusted == NULL ? scratch_begin (NULL) : scratch_begin_in (trusted);
}

#define NEEDS_TRUSTED_DIRECTORY()                                       \
  if (trusted == NULL) {                                                \
    print_message ("skipped: WEIR_TEST_TRUSTED_DIR is not set\n");      \
    skip ();                                                            \
  }

static void
refused (const char *path, int kind, weir_status wanted, const char *part)
{
  weir_error *err = NULL;
  int fd = -1;
  char *canonical = NULL;
  weir_status status = trust_open (path, kind, &fd, &canonical, &err);

  assert_int_equal (fd, -1);
  assert_null (canonical);
  expect_error (status, wanted, &err, part);
}

/* Opens; the descriptor is close-on-exec.  */
static int
accepted (const char *path, int kind, const char *real)
{
  weir_error *err = NULL;
  int fd = -1;
  char *canonical = NULL;
  weir_status status = trust_open (path, kind, &fd, &canonical, &err);

  expect_ok (status, &err);
  assert_true (fd >= 0);
  assert_int_equal (fcntl (fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  assert_string_equal (canonical, real);
  free (canonical);
  return fd;
}

static void
system_objects (void **state UNUSED)
{
  char byte;
  int fd = accepted ("/", TRUST_DIRECTORY, "/");

  close (fd);
  fd = accepted ("//etc/./../etc//passwd", TRUST_FILE, "/etc/passwd");
  assert_int_equal (read (fd, &byte, 1), 1);
  close (fd);
  fd = accepted ("/etc/", TRUST_DIRECTORY, "/etc");
  close (fd);
  /* "/bin" is a link on systems with a merged /usr: the real path comes back.  */
  char *real = realpath ("/bin/sh", NULL);
  fd = accepted ("/bin/sh", TRUST_PROGRAM, real);
  assert_int_equal (fcntl (fd, F_GETFL) & O_PATH, O_PATH);
  close (fd);
  free (real);
}

static void
wrong_paths (void **state UNUSED)
{
  char *longer = malloc (8192);

  refused ("etc/passwd", TRUST_FILE, WEIR_E_INVALID, "not an absolute path");
  refused ("", TRUST_FILE, WEIR_E_INVALID, "not an absolute path");
  refused ("/nonexistent/weir.conf", TRUST_FILE, WEIR_E_NOT_FOUND, "/nonexistent/weir.conf");
  refused ("/etc/passwd/weir.conf", TRUST_FILE, WEIR_E_NOT_FOUND, "Not a directory");
  refused ("/etc/passwd/", TRUST_FILE, WEIR_E_NOT_FOUND, "Not a directory");
  memset (longer, 'x', 8191);
  longer[0] = '/';
  longer[8191] = '\0';
  refused (longer, TRUST_FILE, WEIR_E_INVALID, "File name too long");
  free (longer);
}

static void
wrong_kinds (void **state UNUSED)
{
  refused ("/etc", TRUST_FILE, WEIR_E_INVALID, "'/etc' is a directory, not a file");
  refused ("/etc/passwd", TRUST_DIRECTORY, WEIR_E_INVALID, "is a file, not a directory");
  refused ("/etc/passwd", TRUST_PROGRAM, WEIR_E_NOT_EXECUTABLE, "execute '/etc/passwd'");
  refused ("/etc", TRUST_PROGRAM, WEIR_E_INVALID, "is a directory, not a program");
  refused ("/dev/null", TRUST_FILE, WEIR_E_INVALID, "a device");
}

/* A FIFO without a writer would block whoever opens it.  */
static void
fifo (void **state UNUSED)
{
  alarm (60);
  assert_int_equal (mkfifo (scratch_path ("pipe"), 0600), 0);
  refused (scratch_path ("pipe"), TRUST_FILE, WEIR_E_INVALID, "is a FIFO, not a file");
  alarm (0);
}

/* Sticky or not: what others can write to, they can fill.  */
static void
world_writable_parent (void **state UNUSED)
{
  struct stat st;

  if (stat ("/tmp", &st) != 0 || (st.st_mode & S_IWOTH) == 0) {
    print_message ("skipped: /tmp is not writable by everybody\n");
    skip ();
  }
  char name[] = "/tmp/weir-trust-XXXXXX";
  int fd = mkstemp (name);
  assert_true (fd >= 0);
  close (fd);
  refused (name, TRUST_FILE, WEIR_E_UNTRUSTED, "'/tmp' is writable by everybody");
  unlink (name);
  /* That it is missing is told first: a default file that is not there is no error.  */
  refused (name, TRUST_FILE, WEIR_E_NOT_FOUND, name);
}

static void
own_file (void **state UNUSED)
{
  NEEDS_TRUSTED_DIRECTORY ();
  close (accepted (scratch_file ("a", "x"), TRUST_FILE, scratch_path ("a")));
  close (accepted (scratch, TRUST_DIRECTORY, scratch));
}

static void
writable_file (void **state UNUSED)
{
  const char *path = scratch_file ("a", "x");

  NEEDS_TRUSTED_DIRECTORY ();
  assert_int_equal (chmod (path, 0664), 0);
  refused (path, TRUST_FILE, WEIR_E_UNTRUSTED, "is writable by its group");
  assert_int_equal (chmod (path, 0646), 0);
  refused (path, TRUST_FILE, WEIR_E_UNTRUSTED, "chmod go-w");
}

static void
writable_directory (void **state UNUSED)
{
  NEEDS_TRUSTED_DIRECTORY ();
  assert_int_equal (mkdir (scratch_path ("open"), 0700), 0);
  assert_int_equal (mkdir (scratch_path ("open/inner"), 0700), 0);
  scratch_file ("open/inner/a", "x");
  assert_int_equal (chmod (scratch_path ("open"), 01777), 0);
  refused (scratch_path ("open/inner/a"), TRUST_FILE, WEIR_E_UNTRUSTED, "/open' is writable by everybody");
  assert_int_equal (chmod (scratch_path ("open"), 0770), 0);
  refused (scratch_path ("open/inner/a"), TRUST_FILE, WEIR_E_UNTRUSTED, "/open' is writable by its group");
}

static void
foreign_owner (void **state UNUSED)
{
  const char *path = scratch_file ("a", "x");

  NEEDS_TRUSTED_DIRECTORY ();
  if (geteuid () != 0) {
    print_message ("skipped: only root can give a file away\n");
    skip ();
  }
  assert_int_equal (chown (path, 65533, 65533), 0);
  refused (path, TRUST_FILE, WEIR_E_UNTRUSTED, "belongs to uid 65533");
  assert_int_equal (chown (path, 0, 65533), 0);
  close (accepted (path, TRUST_FILE, path));
}

static void
links (void **state UNUSED)
{
  char target[] = "/tmp/weir-trust-XXXXXX";
  int fd = mkstemp (target);

  assert_true (fd >= 0);
  close (fd);
  scratch_file ("a", "x");
  assert_int_equal (mkdir (scratch_path ("d"), 0700), 0);
  assert_int_equal (symlink ("../a", scratch_path ("d/up")), 0);
  assert_int_equal (symlink ("d", scratch_path ("dlink")), 0);
  assert_int_equal (symlink ("loop2", scratch_path ("loop1")), 0);
  assert_int_equal (symlink ("loop1", scratch_path ("loop2")), 0);
  assert_int_equal (symlink (target, scratch_path ("out")), 0);
  assert_int_equal (symlink ("gone", scratch_path ("dangling")), 0);
  refused (scratch_path ("loop1"), TRUST_FILE, WEIR_E_INVALID, "Too many levels of symbolic links");
  refused (scratch_path ("dangling"), TRUST_FILE, WEIR_E_NOT_FOUND, "dangling");
  if (trusted != NULL) {
    close (accepted (scratch_path ("dlink/up"), TRUST_FILE, scratch_path ("a")));
    close (accepted (scratch_path ("dlink/../dlink/./up"), TRUST_FILE, scratch_path ("a")));
    /* A trusted link to what is not.  */
    refused (scratch_path ("out"), TRUST_FILE, WEIR_E_UNTRUSTED, "'/tmp' is writable");
  }
  /* What is not trusted is the link, in a directory of everybody.  */
  char back[] = "/tmp/weir-trust-link-XXXXXX";
  assert_true ((fd = mkstemp (back)) >= 0);
  close (fd);
  unlink (back);
  assert_int_equal (symlink ("/etc/passwd", back), 0);
  refused (back, TRUST_FILE, WEIR_E_UNTRUSTED, "'/tmp' is writable");
  unlink (back);
  unlink (target);
}

/* Each of many links is one step of a path that never ends.  */
static void
growing_link (void **state UNUSED)
{
  assert_int_equal (symlink ("deep/x/../deep", scratch_path ("deep")), 0);
  refused (scratch_path ("deep"), TRUST_FILE, WEIR_E_INVALID, "Too many levels");
}

static void
program (void **state UNUSED)
{
  const char *path = scratch_file ("tool", "#!/bin/sh\n");

  NEEDS_TRUSTED_DIRECTORY ();
  assert_int_equal (chmod (path, 0644), 0);
  refused (path, TRUST_PROGRAM, WEIR_E_NOT_EXECUTABLE, "Permission denied");
  assert_int_equal (chmod (path, 0755), 0);
  close (accepted (path, TRUST_PROGRAM, path));
}

/* Nobody asked for the descriptor: nothing is left open.  */
static void
no_leak (void **state UNUSED)
{
  int before = dup (0), after;
  weir_error *err = NULL;

  close (before);
  expect_ok (trust_open ("/etc/passwd", TRUST_FILE, NULL, NULL, &err), &err);
  refused ("/nonexistent/a", TRUST_FILE, WEIR_E_NOT_FOUND, "nonexistent");
  after = dup (0);
  close (after);
  assert_int_equal (before, after);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (system_objects),
    cmocka_unit_test (wrong_paths),
    cmocka_unit_test (wrong_kinds),
    cmocka_unit_test_setup_teardown (fifo, begin_trusted, scratch_end),
    cmocka_unit_test (world_writable_parent),
    cmocka_unit_test_setup_teardown (own_file, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (writable_file, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (writable_directory, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (foreign_owner, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (links, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (growing_link, begin_trusted, scratch_end),
    cmocka_unit_test_setup_teardown (program, begin_trusted, scratch_end),
    cmocka_unit_test (no_leak),
  };
  trusted = getenv ("WEIR_TEST_TRUSTED_DIR");
  if (trusted != NULL && trusted[0] != '/')
    trusted = NULL;
  umask (077);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
