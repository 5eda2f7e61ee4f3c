/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/view-internal.h"

static struct view v;

static int
setup (void **state UNUSED)
{
  return fixture_begin_in (getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
}

static int
teardown (void **state UNUSED)
{
  view_free (&v);
  fixture_end ();
  return 0;
}

static void
add (uint32_t access, uint32_t flags, const char *host, const char *world)
{
  assert_int_equal (view_add (&v, access, flags, host, world, "test", NULL), WEIR_OK);
}

static void
test_line (void **state UNUSED)
{
  struct stat st;

  add (WEIR_ACCESS_WRITE, WEIR_VIEW_WORKSPACE, t.workspace, t.workspace);
  add (WEIR_ACCESS_READ, 0, in_dir ("etc/weir.conf"), in_dir ("etc/weir.conf"));
  assert_int_equal (stat (t.workspace, &st), 0);
  assert_int_equal (v.lines[0]->struct_size, sizeof (struct weir_view));
  assert_int_equal (v.lines[0]->dev, st.st_dev);
  assert_int_equal (v.lines[0]->ino, st.st_ino);
  assert_int_equal (v.lines[0]->is_dir, 1);
  assert_int_equal (v.lines[1]->is_dir, 0);
  assert_string_equal (v.lines[0]->origin, "test");
}

static void
test_missing (void **state UNUSED)
{
  weir_error *e = NULL;

  assert_int_equal (view_add (&v, WEIR_ACCESS_READ, 0, in_dir ("none"), "/x", "/f:3", &e), WEIR_E_NOT_FOUND);
  assert_says (e, "/f:3");
  assert_int_equal (v.count, 0);
  error_clear (&e);
}

static void
test_fifo (void **state UNUSED)
{
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  add (WEIR_ACCESS_NONE, 0, in_dir ("fifo"), in_dir ("fifo"));
}

static void
test_later_wins (void **state UNUSED)
{
  make_dir ("ws/a");
  make_dir ("ws/ab");
  add (WEIR_ACCESS_WRITE, 0, t.workspace, t.workspace);
  add (WEIR_ACCESS_READ, 0, in_dir ("ws/a"), in_dir ("ws/a"));
  assert_int_equal (view_find (&v, in_dir ("ws/a/x"))->access, WEIR_ACCESS_READ);
  assert_int_equal (view_find (&v, in_dir ("ws/a"))->access, WEIR_ACCESS_READ);
  assert_int_equal (view_find (&v, in_dir ("ws/ab"))->access, WEIR_ACCESS_WRITE);
  assert_null (view_find (&v, in_dir ("wsx")));
  assert_null (view_find (&v, "/"));
}

static void
test_pin_does_not_decide (void **state UNUSED)
{
  make_dir ("ws/a");
  add (WEIR_ACCESS_WRITE, 0, t.workspace, t.workspace);
  add (WEIR_ACCESS_PIN, 0, in_dir ("ws/a"), in_dir ("ws/a"));
  assert_int_equal (view_find (&v, in_dir ("ws/a/x"))->access, WEIR_ACCESS_WRITE);
  assert_non_null (view_pin (&v, in_dir ("ws/a")));
  assert_null (view_pin (&v, t.workspace));
}

/* A pin that came after what it holds would be mounted over it.  */
static void
test_pin_goes_before (void **state UNUSED)
{
  make_dir ("ws/a");
  make_dir ("ws/a/b");
  add (WEIR_ACCESS_WRITE, 0, t.workspace, t.workspace);
  add (WEIR_ACCESS_READ, 0, in_dir ("ws/a/b"), in_dir ("ws/a/b"));
  add (WEIR_ACCESS_PIN, 0, in_dir ("ws/a"), in_dir ("ws/a"));
  assert_int_equal (v.count, 3);
  assert_int_equal (v.lines[1]->access, WEIR_ACCESS_PIN);
  assert_int_equal (v.lines[2]->access, WEIR_ACCESS_READ);
}

static void
test_host (void **state UNUSED)
{
  make_dir ("tmp");
  add (WEIR_ACCESS_WRITE, WEIR_VIEW_TMP, in_dir ("tmp"), "/tmp");
  auto_free char *in = view_host (&v, "/tmp/a/b"), *top = view_host (&v, "/tmp"), *out = view_host (&v, "/tmpx");
  assert_string_equal (in, in_dir ("tmp/a/b"));
  assert_string_equal (top, in_dir ("tmp"));
  assert_string_equal (out, "/tmpx");
  assert_false (view_shows (&v, "/tmp/a"));
  assert_true (view_shows (&v, "/tmpx"));
  assert_true (view_holds_beneath (&v, "/"));
  assert_false (view_holds_beneath (&v, "/tmp"));
}

static void
test_settle (void **state UNUSED)
{
  make_dir ("ws/a");
  make_dir ("tmp");
  add (WEIR_ACCESS_WRITE, 0, in_dir ("ws/a"), in_dir ("ws/a"));
  add (WEIR_ACCESS_WRITE, WEIR_VIEW_WORKSPACE, t.workspace, t.workspace);
  add (WEIR_ACCESS_WRITE, 0, t.workspace, t.workspace);
  add (WEIR_ACCESS_WRITE, 0, in_dir ("home"), in_dir ("home"));
  add (WEIR_ACCESS_WRITE, 0, in_dir ("home"), in_dir ("home"));
  add (WEIR_ACCESS_WRITE, WEIR_VIEW_TMP, in_dir ("tmp"), "/");
  view_settle (&v);
  assert_int_equal (v.count, 3);
  assert_string_equal (v.lines[0]->world, "/");
  assert_string_equal (v.lines[1]->world, in_dir ("home"));
  assert_string_equal (v.lines[2]->world, t.workspace);
  assert_int_equal (v.lines[2]->flags, WEIR_VIEW_WORKSPACE);
}

/* The workspace stays, also inside another root.  */
static void
test_settle_keeps_workspace (void **state UNUSED)
{
  make_dir ("ws/a");
  add (WEIR_ACCESS_WRITE, WEIR_VIEW_WORKSPACE, in_dir ("ws/a"), in_dir ("ws/a"));
  add (WEIR_ACCESS_WRITE, 0, t.workspace, t.workspace);
  view_settle (&v);
  assert_int_equal (v.count, 2);
  assert_string_equal (v.lines[0]->world, t.workspace);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_line, setup, teardown),
    cmocka_unit_test_setup_teardown (test_missing, setup, teardown),
    cmocka_unit_test_setup_teardown (test_fifo, setup, teardown),
    cmocka_unit_test_setup_teardown (test_later_wins, setup, teardown),
    cmocka_unit_test_setup_teardown (test_pin_does_not_decide, setup, teardown),
    cmocka_unit_test_setup_teardown (test_pin_goes_before, setup, teardown),
    cmocka_unit_test_setup_teardown (test_host, setup, teardown),
    cmocka_unit_test_setup_teardown (test_settle, setup, teardown),
    cmocka_unit_test_setup_teardown (test_settle_keeps_workspace, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
