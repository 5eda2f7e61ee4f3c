/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "core/sessiondir-internal.h"

static int have;

static int
setup (void **state UNUSED)
{
  have = fixture_begin () == 0;
  return 0;
}

static int
setup_anywhere (void **state UNUSED)
{
  have = 1;
  return fixture_begin_in (getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
}

static int
teardown (void **state UNUSED)
{
  if (have)
    fixture_end ();
  return 0;
}

#define NEEDS_FIXTURE()                                                                                                \
  if (!have)                                                                                                           \
  skip ()

static mode_t
mode_of (const char *path)
{
  struct stat st;

  assert_int_equal (lstat (path, &st), 0);
  return st.st_mode & 07777;
}

static int
exists (const char *path)
{
  struct stat st;

  return lstat (path, &st) == 0;
}

static size_t
count_entries (const char *path)
{
  DIR *dir = opendir (path);
  size_t n = 0;

  assert_non_null (dir);
  for (struct dirent *e = readdir (dir); e != NULL; e = readdir (dir))
    n += e->d_name[0] != '.';
  closedir (dir);
  return n;
}

static char *
tmp_of (struct sessiondir *s, const char *session)
{
  auto_error weir_error *e = NULL;
  char *path = NULL;

  if (sessiondir_tmp (s, session, &path, &e) != WEIR_OK)
    fail_msg ("%s", weir_error_message (e));
  return path;
}

static void
test_nothing_made_before_use (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_false (exists (t.state));
}

static void
test_modes (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  /* Also under an umask that takes everything away.  */
  umask (0777);
  auto_free char *tmp = tmp_of (t.sessions, "a");
  auto_error weir_error *e = NULL;
  const char *spill = sessiondir_spill (t.sessions, &e);
  umask (022);
  assert_non_null (spill);
  assert_string_equal (spill, sessiondir_spill (t.sessions, NULL));
  assert_int_equal (mode_of (t.state), 0700);
  assert_int_equal (mode_of (in_dir ("state/run")), 0700);
  assert_int_equal (mode_of (spill), 0700);
  assert_int_equal (mode_of (tmp), 01777);
  strrchr (tmp, '/')[0] = '\0';
  assert_int_equal (mode_of (tmp), 0700);
  strrchr (tmp, '/')[0] = '\0';
  assert_int_equal (mode_of (tmp), 0700);
}

static void
test_sessions (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a"), *again = tmp_of (t.sessions, "a"), *b = tmp_of (t.sessions, "b"),
                 *slash = tmp_of (t.sessions, "../a"), *bytes = tmp_of (t.sessions, "\xff/\n"),
                 *one = tmp_of (t.sessions, NULL), *other = tmp_of (t.sessions, NULL);
  const char *all[] = { a, b, slash, bytes, one, other };
  char *path = NULL;

  assert_string_equal (a, again);
  for (size_t i = 0; i < ARRAY_SIZE (all); i++)
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal (all[i], all[k]);
  sessiondir_release_tmp (t.sessions, "a", a);
  assert_true (exists (a));
  sessiondir_release_tmp (t.sessions, NULL, one);
  assert_false (exists (one));
  assert_true (exists (other));
  assert_int_equal (sessiondir_tmp (t.sessions, "", &path, NULL), WEIR_E_INVALID);
}

/* Only what it gave away is removed.  */
static void
test_release_of_another_path (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a");
  auto_free char *up = util_fmt ("%s/..", a), *dots = util_fmt ("%.*s/..", (int) (strrchr (a, '/') - a), a);
  sessiondir_release_tmp (t.sessions, NULL, t.workspace);
  sessiondir_release_tmp (t.sessions, NULL, up);
  sessiondir_release_tmp (t.sessions, NULL, dots);
  sessiondir_release_tmp (t.sessions, NULL, "");
  sessiondir_release_tmp (t.sessions, NULL, NULL);
  sessiondir_release_tmp (NULL, NULL, NULL);
  assert_true (exists (t.workspace));
  assert_true (exists (a));
}

static void
test_removed_and_made_again (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a");
  assert_int_equal (rmdir (a), 0);
  auto_free char *again = tmp_of (t.sessions, "a");
  assert_string_equal (a, again);
  assert_true (exists (a));
}

static void
test_end (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a");
  auto_free char *file = util_fmt ("%s/file", a);
  close (open (file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  sessiondir_free (t.sessions);
  t.sessions = NULL;
  assert_int_equal (count_entries (in_dir ("state/run")), 0);
}

/* A fork of the harness ends without taking away what its parent uses.  */
static void
test_end_of_a_fork (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a");
  int status;
  pid_t pid = fork ();
  if (pid == 0) {
    sessiondir_free (t.sessions);
    _exit (0);
  }
  assert_true (pid > 0);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (exists (a));
}

static void
test_descriptors (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  auto_free char *a = tmp_of (t.sessions, "a");
  for (int fd = 3; fd < 256; fd++) {
    auto_free char *name = util_fmt ("/proc/self/fd/%d", fd);
    char target[PATH_MAX];
    ssize_t n = readlink (name, target, sizeof target - 1);
    if (n <= 0)
      continue;
    target[n] = '\0';
    if (util_path_beneath (target, t.state))
      assert_int_equal (fcntl (fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

/* What a runtime that was killed has left goes; what one has that lives stays.  */
static void
test_leftovers (void **state UNUSED)
{
  struct sessiondir *second = NULL;
  int ready[2], status;
  char byte;

  NEEDS_FIXTURE ();
  assert_int_equal (pipe2 (ready, O_CLOEXEC), 0);
  pid_t pid = fork ();
  if (pid == 0) {
    struct sessiondir *s = NULL;
    char *path = NULL;
    if (sessiondir_new (t.state, &s, NULL) == WEIR_OK && sessiondir_tmp (s, "x", &path, NULL) == WEIR_OK
        && sessiondir_spill (s, NULL) != NULL)
      util_write_all (ready[1], "x", 1);
    for (;;)
      pause ();
  }
  close (ready[1]);
  assert_int_equal (read (ready[0], &byte, 1), 1);
  close (ready[0]);
  auto_free char *mine = tmp_of (t.sessions, "a");
  assert_int_equal (count_entries (in_dir ("state/run")), 2);
  kill (pid, SIGKILL);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  make_dir ("state/run/new-half-made");
  make_dir ("state/run/dead-half-removed");
  make_dir ("state/run/dead-half-removed/x");
  assert_int_equal (sessiondir_new (t.state, &second, NULL), WEIR_OK);
  auto_free char *theirs = tmp_of (second, "a");
  assert_int_equal (count_entries (in_dir ("state/run")), 2);
  assert_true (exists (mine));
  assert_string_not_equal (mine, theirs);
  sessiondir_free (second);
  assert_int_equal (count_entries (in_dir ("state/run")), 1);
}

/* Many at once start and end: none loses its directory to another's sweep.  */
static void
test_many_at_once (void **state UNUSED)
{
  pid_t pids[8];
  int status;

  NEEDS_FIXTURE ();
  for (size_t i = 0; i < ARRAY_SIZE (pids); i++) {
    pids[i] = fork ();
    if (pids[i] == 0) {
      int bad = 0;
      for (int k = 0; k < 40 && !bad; k++) {
        struct sessiondir *s = NULL;
        char *path = NULL;
        bad = sessiondir_new (t.state, &s, NULL) != WEIR_OK || sessiondir_tmp (s, "x", &path, NULL) != WEIR_OK
              || access (path, W_OK) != 0 || sessiondir_tmp (s, "y", &path, NULL) != WEIR_OK
              || access (path, W_OK) != 0;
        sessiondir_free (s);
      }
      _exit (bad);
    }
  }
  for (size_t i = 0; i < ARRAY_SIZE (pids); i++) {
    assert_int_equal (waitpid (pids[i], &status, 0), pids[i]);
    assert_int_equal (status, 0);
  }
  assert_int_equal (count_entries (in_dir ("state/run")), 0);
}

static void
refuses_state (const char *path, weir_status expected)
{
  struct sessiondir *s = NULL;
  auto_error weir_error *e = NULL;
  char *tmp = NULL;

  assert_int_equal (sessiondir_new (path, &s, &e), WEIR_OK);
  assert_int_equal (sessiondir_tmp (s, NULL, &tmp, &e), expected);
  assert_says (e, path);
  assert_null (tmp);
  sessiondir_free (s);
}

static void
test_bad_state (void **state UNUSED)
{
  struct sessiondir *s = NULL;

  NEEDS_FIXTURE ();
  assert_int_equal (sessiondir_new ("relative", &s, NULL), WEIR_E_INVALID);
  assert_int_equal (sessiondir_new (NULL, &s, NULL), WEIR_E_INVALID);
  make_file ("file", "");
  refuses_state (in_dir ("file"), WEIR_E_INVALID);
  refuses_state (in_dir ("file/x"), WEIR_E_IO);
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  refuses_state (in_dir ("fifo"), WEIR_E_INVALID);
  make_dir ("open");
  assert_int_equal (chmod (in_dir ("open"), 0777), 0);
  refuses_state (in_dir ("open"), WEIR_E_UNTRUSTED);
  refuses_state (in_dir ("open/deep"), WEIR_E_UNTRUSTED);
}

static void
test_parents (void **state UNUSED)
{
  struct sessiondir *s = NULL;

  NEEDS_FIXTURE ();
  assert_int_equal (sessiondir_new (in_dir ("a/b//c/"), &s, NULL), WEIR_OK);
  auto_free char *tmp = tmp_of (s, NULL);
  assert_int_equal (mode_of (in_dir ("a")), 0700);
  assert_int_equal (mode_of (in_dir ("a/b/c")), 0700);
  assert_true (util_path_beneath (tmp, in_dir ("a/b/c/run")));
  sessiondir_free (s);
}

static int
remember (const char *session, const char *root, uint64_t dev, uint64_t ino)
{
  const struct identity id = { dev, ino, 7 };

  return sessiondir_remember (t.sessions, session, root, &id);
}

static void
test_remember (void **state UNUSED)
{
  struct identity was, is;

  NEEDS_FIXTURE ();
  assert_int_equal (remember ("a", "/x", 1, 2), 0);
  assert_int_equal (remember ("a", "/x", 1, 2), 0);
  assert_int_equal (remember ("b", "/x", 1, 3), 0);
  assert_int_equal (remember ("a", "/y", 1, 3), 0);
  assert_int_equal (remember ("a", "/x", 1, 3), 1);
  assert_int_equal (remember ("a", "/x", 2, 2), 1);
  assert_int_equal (remember ("a", "/x", 1, 2), 0);
  assert_int_equal (sessiondir_identify (t.workspace, &was), 0);
  assert_int_equal (sessiondir_remember (t.sessions, "a", "/z", &was), 0);
  assert_int_equal (rmdir (t.workspace), 0);
  make_dir ("ws");
  assert_int_equal (sessiondir_identify (t.workspace, &is), 0);
  if (was.born != 0)
    assert_int_equal (sessiondir_remember (t.sessions, "a", "/z", &is), 1);
}

/* ---- removing trees ---- */

static int
dir_fd (void)
{
  int fd = open (t.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  assert_true (fd >= 0);
  return fd;
}

static void
test_remove_missing (void **state UNUSED)
{
  auto_close int fd = dir_fd ();

  assert_int_equal (sessiondir_remove_tree (fd, "none"), 0);
  make_file ("file", "");
  assert_int_equal (sessiondir_remove_tree (fd, "file"), 0);
  assert_false (exists (in_dir ("file")));
}

static void
test_remove_follows_no_link (void **state UNUSED)
{
  auto_close int fd = dir_fd ();

  make_file ("ws/keep", "");
  make_dir ("tree");
  make_link ("../ws", "tree/link");
  make_link ("/", "tree/top");
  make_dir ("tree/sub");
  make_link ("../../ws", "tree/sub/link");
  assert_int_equal (mkfifo (in_dir ("tree/sub/fifo"), 0), 0);
  make_link ("ws", "linked");
  assert_int_equal (sessiondir_remove_tree (fd, "tree"), 0);
  assert_int_equal (sessiondir_remove_tree (fd, "linked"), 0);
  assert_false (exists (in_dir ("tree")));
  assert_false (exists (in_dir ("linked")));
  assert_true (exists (in_dir ("ws/keep")));
}

static void
test_remove_without_permissions (void **state UNUSED)
{
  auto_close int fd = dir_fd ();

  make_dir ("tree");
  make_dir ("tree/a");
  make_dir ("tree/a/b");
  make_dir ("tree/a/b/c");
  make_file ("tree/a/b/c/file", "");
  assert_int_equal (chmod (in_dir ("tree/a/b/c"), 0), 0);
  assert_int_equal (chmod (in_dir ("tree/a/b"), 0500), 0);
  assert_int_equal (chmod (in_dir ("tree/a"), 0), 0);
  assert_int_equal (chmod (in_dir ("tree"), 0), 0);
  assert_int_equal (sessiondir_remove_tree (fd, "tree"), 0);
  assert_false (exists (in_dir ("tree")));
}

/* Deeper than any path and any stack.  */
static void
test_remove_deep (void **state UNUSED)
{
  auto_close int fd = dir_fd ();
  int at = dup (fd);

  for (int i = 0; i < 20000; i++) {
    assert_int_equal (mkdirat (at, "d", 0700), 0);
    int next = openat (at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true (next >= 0);
    close (at);
    at = next;
  }
  close (at);
  assert_int_equal (sessiondir_remove_tree (fd, "d"), 0);
  assert_false (exists (in_dir ("d")));
}

static void
test_remove_wide (void **state UNUSED)
{
  auto_close int fd = dir_fd ();

  make_dir ("tree");
  for (int i = 0; i < 300; i++) {
    auto_free char *sub = util_fmt ("tree/%d", i), *file = util_fmt ("tree/%d/\xff%d", i, i),
                   *deep = util_fmt ("tree/%d/d", i), *deeper = util_fmt ("tree/%d/d/e", i);
    make_dir (sub);
    make_file (file, "");
    make_dir (deep);
    make_dir (deeper);
  }
  assert_int_equal (sessiondir_remove_tree (fd, "tree"), 0);
  assert_false (exists (in_dir ("tree")));
}

/* A mount stays, and so does what is in it; the rest goes.  */
static int
remove_with_mount (void)
{
  auto_close int fd = dir_fd ();

  if (unshare (CLONE_NEWNS) != 0 || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount (t.workspace, in_dir ("tree/mnt"), NULL, MS_BIND, NULL) != 0)
    return 77;
  if (sessiondir_remove_tree (fd, "tree") == 0)
    return 1;
  return exists (in_dir ("ws/keep")) && exists (in_dir ("ws/deep/keep")) && !exists (in_dir ("tree/sub")) ? 0 : 2;
}

static void
test_remove_stops_at_mounts (void **state UNUSED)
{
  int status;

  make_dir ("tree");
  make_dir ("tree/mnt");
  make_dir ("tree/sub");
  make_file ("ws/keep", "");
  make_dir ("ws/deep");
  make_file ("ws/deep/keep", "");
  pid_t pid = fork ();
  if (pid == 0)
    _exit (remove_with_mount ());
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77) {
    print_message ("skipped: no mounts may be made here\n");
    skip ();
  }
  assert_int_equal (WEXITSTATUS (status), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_nothing_made_before_use, setup, teardown),
    cmocka_unit_test_setup_teardown (test_modes, setup, teardown),
    cmocka_unit_test_setup_teardown (test_sessions, setup, teardown),
    cmocka_unit_test_setup_teardown (test_release_of_another_path, setup, teardown),
    cmocka_unit_test_setup_teardown (test_removed_and_made_again, setup, teardown),
    cmocka_unit_test_setup_teardown (test_end, setup, teardown),
    cmocka_unit_test_setup_teardown (test_end_of_a_fork, setup, teardown),
    cmocka_unit_test_setup_teardown (test_descriptors, setup, teardown),
    cmocka_unit_test_setup_teardown (test_leftovers, setup, teardown),
    cmocka_unit_test_setup_teardown (test_many_at_once, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bad_state, setup, teardown),
    cmocka_unit_test_setup_teardown (test_parents, setup, teardown),
    cmocka_unit_test_setup_teardown (test_remember, setup, teardown),
    cmocka_unit_test_setup_teardown (test_remove_missing, setup_anywhere, teardown),
    cmocka_unit_test_setup_teardown (test_remove_follows_no_link, setup_anywhere, teardown),
    cmocka_unit_test_setup_teardown (test_remove_without_permissions, setup_anywhere, teardown),
    cmocka_unit_test_setup_teardown (test_remove_deep, setup_anywhere, teardown),
    cmocka_unit_test_setup_teardown (test_remove_wide, setup_anywhere, teardown),
    cmocka_unit_test_setup_teardown (test_remove_stops_at_mounts, setup_anywhere, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
