/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/canon-internal.h"

static int
setup (void **state UNUSED)
{
  return fixture_begin_in (getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
}

static int
teardown (void **state UNUSED)
{
  fixture_end ();
  return 0;
}

static void
check (const char *path, const char *base, int missing_ok, const char *expected)
{
  auto_free char *canonical = NULL;
  auto_error weir_error *e = NULL;

  if (canon_path (path, base, missing_ok, &canonical, &e) != WEIR_OK)
    fail_msg ("%s: %s", path, weir_error_message (e));
  assert_string_equal (canonical, expected);
}

static void
check_fails (const char *path, const char *base, int missing_ok, weir_status status, const char *words)
{
  auto_free char *canonical = NULL;
  auto_error weir_error *e = NULL;

  assert_int_equal (canon_path (path, base, missing_ok, &canonical, &e), status);
  assert_null (canonical);
  assert_says (e, words);
}

static void
test_plain (void **state UNUSED)
{
  check ("/", NULL, 0, "/");
  check ("///", NULL, 0, "/");
  check ("/..", NULL, 0, "/");
  check (".", t.workspace, 0, t.workspace);
  check ("../ws//./", t.workspace, 0, t.workspace);
  check ("../etc/weir.conf", t.workspace, 0, in_dir ("etc/weir.conf"));
  check ("../../../../../../../../../../../..", t.workspace, 0, "/");
}

static void
test_links (void **state UNUSED)
{
  make_link ("ws", "relative");
  make_link (t.workspace, "absolute");
  make_link ("relative/../etc", "chain");
  make_link ("chain/", "slash");
  check (in_dir ("relative"), NULL, 0, t.workspace);
  check (in_dir ("absolute/"), NULL, 0, t.workspace);
  check (in_dir ("chain/weir.conf"), NULL, 0, in_dir ("etc/weir.conf"));
  check (in_dir ("slash/weir.conf"), NULL, 0, in_dir ("etc/weir.conf"));
}

/* ".." of a link is of what it leads to.  */
static void
test_parent_of_link (void **state UNUSED)
{
  make_dir ("ws/deep");
  make_link ("ws/deep", "link");
  check (in_dir ("link/.."), NULL, 0, t.workspace);
}

static void
test_loop (void **state UNUSED)
{
  make_link ("b", "a");
  make_link ("a", "b");
  make_link ("self", "self");
  check_fails (in_dir ("a"), NULL, 0, WEIR_E_INVALID, "loop");
  check_fails (in_dir ("a/x"), NULL, 1, WEIR_E_INVALID, "loop");
  check_fails (in_dir ("self"), NULL, 1, WEIR_E_INVALID, "loop");
}

/* Each link is two of the next: without a limit this takes 2^30 steps.  */
static void
test_bomb (void **state UNUSED)
{
  char name[32], target[64];

  make_link (".", "l0");
  for (int i = 1; i <= 30; i++) {
    snprintf (name, sizeof name, "l%d", i);
    snprintf (target, sizeof target, "l%d/l%d", i - 1, i - 1);
    make_link (target, name);
  }
  check_fails (in_dir ("l30"), NULL, 0, WEIR_E_INVALID, "loop");
}

static void
test_missing (void **state UNUSED)
{
  make_link ("ws/new/file", "dangling");
  check_fails (in_dir ("none"), NULL, 0, WEIR_E_NOT_FOUND, "none");
  check_fails ("", t.workspace, 1, WEIR_E_NOT_FOUND, "path");
  check (in_dir ("none"), NULL, 1, in_dir ("none"));
  check (in_dir ("none/a//b"), NULL, 1, in_dir ("none/a/b"));
  check (in_dir ("dangling"), NULL, 1, in_dir ("ws/new/file"));
  check_fails (in_dir ("none/../etc"), NULL, 1, WEIR_E_NOT_FOUND, "none");
}

static void
test_not_a_directory (void **state UNUSED)
{
  static const char *const names[] = { "etc/weir.conf/x", "etc/weir.conf/", "etc/weir.conf/.", "etc/weir.conf/.." };

  for (size_t i = 0; i < ARRAY_SIZE (names); i++)
    check_fails (in_dir (names[i]), NULL, 1, WEIR_E_INVALID, "not a directory");
}

static void
test_bytes (void **state UNUSED)
{
  static const char name[] = "\xff\xfe line\nbreak \x1b[31m";

  make_dir (name);
  check (in_dir (name), NULL, 0, in_dir (name));
}

static void
test_fifo (void **state UNUSED)
{
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  check (in_dir ("fifo"), NULL, 0, in_dir ("fifo"));
  check_fails (in_dir ("fifo/x"), NULL, 1, WEIR_E_INVALID, "not a directory");
}

static void
test_long (void **state UNUSED)
{
  char component[300], path[5 * PATH_MAX];

  memset (component, 'x', sizeof component - 1);
  component[sizeof component - 1] = '\0';
  check_fails (component, t.workspace, 1, WEIR_E_INVALID, "too long");
  path[0] = '\0';
  for (size_t i = 0; i < 1000; i++)
    memcpy (path + 9 * i, "/abcdefgh", 10);
  check_fails (path, NULL, 1, WEIR_E_INVALID, "too long");
  for (size_t i = 0; i + 2 < sizeof path; i += 2)
    memcpy (path + i, "/.", 3);
  check (path, NULL, 0, "/");
}

static void
test_no_permission (void **state UNUSED)
{
  if (geteuid () == 0) {
    print_message ("skipped: root may look everywhere\n");
    return;
  }
  make_dir ("shut");
  assert_int_equal (chmod (in_dir ("shut"), 0), 0);
  check_fails (in_dir ("shut/x"), NULL, 1, WEIR_E_IO, "ermission");
  assert_int_equal (chmod (in_dir ("shut"), 0700), 0);
}

static void
test_followed (void **state UNUSED)
{
  auto_strv struct strv links = { 0 };
  auto_free char *canonical = NULL, *last = NULL;
  const struct canon_options options = { .links = &links };
  const struct canon_options keep = { .keep_last = 1 };

  make_link ("ws", "one");
  make_link ("one", "two");
  assert_int_equal (canon_walk (in_dir ("two"), NULL, &options, &canonical, NULL), WEIR_OK);
  assert_int_equal (links.count, 2);
  assert_string_equal (links.items[0], in_dir ("two"));
  assert_string_equal (links.items[1], in_dir ("one"));
  assert_int_equal (canon_walk (in_dir ("two"), NULL, &keep, &last, NULL), WEIR_OK);
  assert_string_equal (last, in_dir ("two"));
}

/* In the command's world: a link in its /tmp means what it means to the command.  */
static void
test_world (void **state UNUSED)
{
  struct view view = { 0 };
  const struct canon_options options = { .view = &view };
  auto_free char *inside = NULL, *around = NULL, *above = NULL;

  make_dir ("private");
  make_file ("private/file", "");
  make_link ("/tmp/file", "private/link");
  assert_int_equal (view_add (&view, WEIR_ACCESS_WRITE, WEIR_VIEW_TMP, in_dir ("private"), "/tmp", "test", NULL),
                    WEIR_OK);
  assert_int_equal (view_add (&view, WEIR_ACCESS_WRITE, 0, t.workspace, "/tmp/nowhere/ws", "test", NULL), WEIR_OK);
  assert_int_equal (canon_walk ("/tmp/link", NULL, &options, &inside, NULL), WEIR_OK);
  assert_string_equal (inside, "/tmp/file");
  assert_int_equal (canon_walk ("/tmp/nowhere/../nowhere/ws", NULL, &options, &around, NULL), WEIR_OK);
  assert_string_equal (around, "/tmp/nowhere/ws");
  assert_int_equal (canon_walk ("/tmp/elsewhere", NULL, &options, &above, NULL), WEIR_E_NOT_FOUND);
  view_free (&view);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_plain, setup, teardown),
    cmocka_unit_test_setup_teardown (test_links, setup, teardown),
    cmocka_unit_test_setup_teardown (test_parent_of_link, setup, teardown),
    cmocka_unit_test_setup_teardown (test_loop, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bomb, setup, teardown),
    cmocka_unit_test_setup_teardown (test_missing, setup, teardown),
    cmocka_unit_test_setup_teardown (test_not_a_directory, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bytes, setup, teardown),
    cmocka_unit_test_setup_teardown (test_fifo, setup, teardown),
    cmocka_unit_test_setup_teardown (test_long, setup, teardown),
    cmocka_unit_test_setup_teardown (test_no_permission, setup, teardown),
    cmocka_unit_test_setup_teardown (test_followed, setup, teardown),
    cmocka_unit_test_setup_teardown (test_world, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
