/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/env-internal.h"

static int have;

static int
setup (void **state UNUSED)
{
  have = fixture_begin () == 0;
  return 0;
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

static weir_status
apply (void)
{
  fixture_reset ();
  t.policy.workspace = strdup (t.workspace);
  return caches_apply (&t.input, &t.policy, &t.error);
}

static const char *
get (const char *name)
{
  return env_get (strv_items (&t.policy.env), name);
}

static void
test_none (void **state UNUSED)
{
  struct stat st;

  NEEDS_FIXTURE ();
  assert_int_equal (apply (), WEIR_OK);
  assert_int_equal (t.policy.view.count, 0);
  assert_int_equal (t.policy.env.count, 0);
  assert_int_not_equal (stat (t.state, &st), 0);
}

static void
test_all (void **state UNUSED)
{
  static const char *const variables[] = { "npm_config_cache", "PIP_CACHE_DIR", "CARGO_HOME",
                                           "GOCACHE",          "GOMODCACHE",    "CCACHE_DIR" };

  NEEDS_FIXTURE ();
  for (size_t i = 0; caches_names[i] != NULL; i++)
    list_add (&t.settings.caches, caches_names[i], "/f:9");
  assert_int_equal (apply (), WEIR_OK);
  assert_int_equal (t.policy.view.count, 5);
  assert_int_equal (t.policy.env.count, ARRAY_SIZE (variables));
  for (size_t i = 0; i < ARRAY_SIZE (variables); i++) {
    const struct weir_view *line;
    assert_non_null (get (variables[i]));
    line = view_find (&t.policy.view, get (variables[i]));
    assert_non_null (line);
    assert_int_equal (line->access, WEIR_ACCESS_WRITE);
    assert_string_equal (line->origin, "/f:9");
    assert_true (util_path_beneath (line->host, in_dir ("state/caches")));
  }
  for (size_t i = 0; i < t.policy.view.count; i++) {
    struct stat st;
    assert_int_equal (stat (t.policy.view.lines[i]->host, &st), 0);
    assert_int_equal (st.st_mode & 07777, 0700);
  }
  assert_string_not_equal (get ("GOCACHE"), get ("GOMODCACHE"));
}

static void
test_private_to_the_workspace (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  list_add (&t.settings.caches, "npm", "/f:9");
  assert_int_equal (apply (), WEIR_OK);
  auto_free char *first = strdup (get ("npm_config_cache"));
  assert_int_equal (apply (), WEIR_OK);
  assert_string_equal (get ("npm_config_cache"), first);
  fixture_reset ();
  t.policy.workspace = strdup (t.home);
  assert_int_equal (caches_apply (&t.input, &t.policy, &t.error), WEIR_OK);
  assert_string_not_equal (get ("npm_config_cache"), first);
}

/* Two workspaces whose keys are equal, played by one that has got the other's directory.  */
static void
test_keys_that_meet (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  list_add (&t.settings.caches, "npm", "/f:9");
  assert_int_equal (apply (), WEIR_OK);
  auto_free char *first = strdup (get ("npm_config_cache"));
  auto_free char *path = util_fmt ("%.*s/path", (int) (strrchr (first, '/') - first), first);
  int fd = open (path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  assert_true (fd >= 0);
  assert_int_equal (util_write_all (fd, "/another", 8), 0);
  close (fd);
  assert_int_equal (apply (), WEIR_OK);
  assert_string_not_equal (get ("npm_config_cache"), first);
  auto_free char *second = strdup (get ("npm_config_cache"));
  assert_int_equal (apply (), WEIR_OK);
  assert_string_equal (get ("npm_config_cache"), second);
}

static void
test_unknown (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  list_add (&t.settings.caches, "cargp", "/f:9");
  assert_int_equal (apply (), WEIR_E_INVALID);
  assert_says (t.error, "/f:9");
  assert_says (t.error, "'cargo'");
}

static void
test_not_a_directory (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  list_add (&t.settings.caches, "npm", "/f:9");
  assert_int_equal (apply (), WEIR_OK);
  auto_free char *cache = strdup (get ("npm_config_cache"));
  assert_int_equal (rmdir (cache), 0);
  assert_int_equal (symlink (t.home, cache), 0);
  assert_int_equal (apply (), WEIR_E_INVALID);
  assert_says (t.error, "not a directory");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_none, setup, teardown),
    cmocka_unit_test_setup_teardown (test_all, setup, teardown),
    cmocka_unit_test_setup_teardown (test_private_to_the_workspace, setup, teardown),
    cmocka_unit_test_setup_teardown (test_keys_that_meet, setup, teardown),
    cmocka_unit_test_setup_teardown (test_unknown, setup, teardown),
    cmocka_unit_test_setup_teardown (test_not_a_directory, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
