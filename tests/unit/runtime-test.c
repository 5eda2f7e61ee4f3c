/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include "exec-support.h"

static struct place place;

static int
setup (void **state UNUSED)
{
  place_make (&place);
  return 0;
}

static int
teardown (void **state UNUSED)
{
  place_free (&place);
  return 0;
}

static int
has_place (const weir_runtime *rt, const char *path)
{
  return strv_has (&rt->places.paths, path);
}

static void
test_new_and_free (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_runtime *a, *b;
  int before = count_descriptors ();

  expect_ok (place_runtime (&place, 0, NULL, &a, &err), &err);
  expect_ok (place_runtime (&place, WEIR_RUNTIME_ONE_SHOT, NULL, &b, &err), &err);
  assert_int_equal (a->flags, 0);
  assert_int_equal (b->flags, WEIR_RUNTIME_ONE_SHOT);
  weir_runtime_free (a);
  weir_runtime_free (b);
  weir_runtime_free (NULL);
  assert_int_equal (count_descriptors (), before);
}

/* A runtime that only looks leaves nothing behind.  */
static void
test_looking_writes_nothing (void **state UNUSED)
{
  auto_free char *state_dir = util_fmt ("%s/not-yet", place.state), *kept = place.state;
  weir_error *err = NULL;
  weir_runtime *rt;
  struct stat st;

  place.state = state_dir;
  expect_ok (place_runtime (&place, 0, NULL, &rt, &err), &err);
  weir_runtime_free (rt);
  place.state = steal (kept);
  assert_int_equal (lstat (state_dir, &st), -1);
}

static void
test_places (void **state UNUSED)
{
  auto_free char *user = NULL, *home = realpath (place.home, NULL), *state_dir = realpath (place.state, NULL);
  auto_free char *plugins = realpath (getenv ("WEIR_TEST_PLUGIN_DIR"), NULL);
  weir_error *err = NULL;
  weir_runtime *rt;

  expect_ok (place_runtime (&place, 0, NULL, &rt, &err), &err);
  assert_int_equal (rt->places.paths.count, rt->places.reasons.count);
  user = util_fmt ("%s/.config/weir/weir.conf", home);
  assert_true (has_place (rt, user)); /* though it is not there */
  assert_true (has_place (rt, state_dir));
  assert_true (has_place (rt, plugins));
  assert_true (has_place (rt, "/usr/bin"));
  weir_runtime_free (rt);
}

static void
test_root_that_holds_a_place (void **state UNUSED)
{
  static const char *const argv[] = { "true", NULL };
  struct weir_request request = WEIR_REQUEST_INIT;
  auto_free char *config = util_fmt ("%s/.config", place.home);
  const char *roots[] = { NULL, NULL };
  weir_error *err = NULL;
  weir_runtime *rt;
  weir_result *r;

  expect_ok (place_runtime (&place, WEIR_RUNTIME_ONE_SHOT, NULL, &rt, &err), &err);
  request.argv = argv;
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  request.workspace = place.workspace;
  request.write = roots;
  assert_int_equal (mkdir (config, 0755), 0);
  roots[0] = config; /* there is no weir.conf yet: a command could make one */
  assert_int_not_equal (weir_run (rt, &request, &r, &err), WEIR_OK);
  assert_non_null (err);
  error_clear (&err);
  roots[0] = "/usr";
  assert_int_not_equal (weir_run (rt, &request, &r, &err), WEIR_OK);
  assert_non_null (err);
  error_clear (&err);
  roots[0] = place.state;
  assert_int_not_equal (weir_run (rt, &request, &r, &err), WEIR_OK);
  assert_non_null (err);
  error_clear (&err);
  weir_runtime_free (rt);
}

static void
test_bad_options (void **state UNUSED)
{
  struct {
    struct weir_runtime_options now;
    uint64_t later;
  } options = { .now = { .struct_size = 8 } };
  weir_error *err = NULL;
  weir_runtime *rt;

  expect_error (weir_runtime_new (&options.now, &rt, &err), WEIR_E_INVALID, &err, "struct_size 8");
  assert_null (rt);
  options.now.struct_size = (uint32_t) sizeof options;
  options.later = 1;
  expect_error (weir_runtime_new (&options.now, &rt, &err), WEIR_E_UNSUPPORTED, &err, "does not know");
  options.later = 0;
  options.now.flags = 0x80;
  expect_error (weir_runtime_new (&options.now, &rt, &err), WEIR_E_UNSUPPORTED, &err, "does not know");
  options.now.flags = 0;
  options.now.config = "/no/such/file";
  assert_int_not_equal (weir_runtime_new (&options.now, &rt, &err), WEIR_OK);
  assert_non_null (strstr (weir_error_message (err), "/no/such/file"));
  error_clear (&err);
  assert_int_not_equal (weir_runtime_new (&options.now, &rt, NULL), WEIR_OK);
}

static void
test_set_that_is_wrong (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.mode=maybe", NULL }, *const unknown[] = { "sandbox.mod=read-only", NULL };
  weir_error *err = NULL;
  weir_runtime *rt;

  expect_error (place_runtime (&place, 0, set, &rt, &err), WEIR_E_INVALID, &err, "maybe");
  expect_error (place_runtime (&place, 0, unknown, &rt, &err), WEIR_E_INVALID, &err, "sandbox.mode");
}

static void
test_world_that_is_none (void **state UNUSED)
{
  static const char *const set[] = { "world=landlock", NULL }, *const argv[] = { "true", NULL };
  struct weir_request request = WEIR_REQUEST_INIT;
  weir_error *err = NULL;
  weir_runtime *rt;
  weir_result *r;

  expect_ok (place_runtime (&place, 0, set, &rt, &err), &err);
  request.argv = argv;
  request.workspace = place.workspace;
  request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  assert_int_not_equal (weir_run (rt, &request, &r, &err), WEIR_OK);
  assert_non_null (err);
  error_clear (&err);
  weir_runtime_free (rt);
}

static void
test_version (void **state UNUSED)
{
  assert_non_null (weir_version ());
  assert_true (strlen (weir_version ()) > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_new_and_free),
    TEST (test_looking_writes_nothing),
    TEST (test_places),
    TEST (test_root_that_holds_a_place),
    TEST (test_bad_options),
    TEST (test_set_that_is_wrong),
    TEST (test_world_that_is_none),
    TEST (test_version),
  };
  return place_run (tests, NULL, NULL);
}
