/* Settings from files and options: core/settings.c.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include "settings-support.h"
#include "core/defaults.h"

static void
defaults (void **state UNUSED)
{
  struct settings *s = loaded (NULL, NULL);

  assert_true (s->world[0] != '\0');
  assert_string_equal (s->world_origin, "built in");
  assert_int_equal (s->mode, WEIR_MODE_READ_ONLY);
  assert_true (s->chain.items.count > 0);
  assert_int_equal (s->require_full, 0);
  assert_int_equal (s->probe_timeout_ms, 5000);
  assert_int_equal (s->roots.items.count, 0);
  assert_int_equal (s->protect.items.count, 0);
  assert_int_equal (s->caches.items.count, 0);
  assert_int_equal (s->private_tmp, 1);
  assert_int_equal (s->network, WEIR_NETWORK_INHERIT);
  assert_int_equal (s->limit_processes, 512);
  assert_int_equal (s->limit_memory | s->limit_cpu | s->limit_files | s->limit_file_size, 0);
  assert_int_equal (s->wall_ms, 0);
  assert_int_equal (s->output_limit, 1 << 20);
  assert_int_equal (s->spill_limit, 256 << 20);
  assert_int_equal (s->grace_ms, 3000);
  assert_int_equal (s->plugin_dir[0], '/'); /* configure's */
  assert_string_equal (s->state_dir, geteuid () == 0 ? WEIR_STATE_DIR : "/home/u/.local/state/weir");
  assert_string_equal (s->home, "/home/u");
  assert_int_equal (s->files.count, 0);
  assert_true (strv_has (&s->deny_read.items, "/home/u/.ssh"));
  assert_true (strv_has (&s->deny_read.items, "/etc/shadow"));
  assert_int_equal (s->deny_read.items.count, s->deny_read.origins.count);
  assert_true (strv_has (&s->env.items, "PATH"));
  assert_true (strv_has (&s->env.items, "LC_*"));
  for (int i = 0; i < 5; i++)
    assert_string_equal (s->limits_origin[i], "built in");
  settings_free (s);
}

/* Nothing that usually holds a secret, or loads code, is passed on unasked.  */
static void
default_environment (void **state UNUSED)
{
  static const char *const never[] = { "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PYTHONPATH", "NODE_OPTIONS",
                                       "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "HTTP_PROXY", "*" };
  struct settings *s = loaded (NULL, NULL);

  for (size_t i = 0; i < ARRAY_SIZE (never); i++)
    assert_false (strv_has (&s->env.items, never[i]));
  settings_free (s);
}

/* HOME was sent elsewhere; the keys were not.  */
static void
two_homes (void **state UNUSED)
{
  struct settings_sources src = { .home = (char *) "/tmp/fake/", .local_home = (char *) "/home/u" };
  weir_error *err = NULL;
  struct settings *s = NULL;

  expect_ok (settings_from (&src, open_anything, &s, &err), &err);
  assert_true (strv_has (&s->deny_read.items, "/tmp/fake/.ssh"));
  assert_true (strv_has (&s->deny_read.items, "/home/u/.ssh"));
  settings_free (s);
  s = NULL;
  src.home = NULL;
  src.local_home = NULL;
  src.state_home = "/state";
  expect_ok (settings_from (&src, open_anything, &s, &err), &err);
  assert_true (strv_has (&s->deny_read.items, "/etc/shadow"));
  assert_int_equal (s->deny_read.items.items[0][0], '/');
  settings_free (s);
}

static void
no_state_directory (void **state UNUSED)
{
  struct settings_sources src = { 0 };
  weir_error *err = NULL;
  struct settings *s = NULL;

  if (geteuid () == 0) {
    expect_ok (settings_from (&src, open_anything, &s, &err), &err);
    assert_string_equal (s->state_dir, WEIR_STATE_DIR);
    settings_free (s);
    return;
  }
  expect_error (settings_from (&src, open_anything, &s, &err), WEIR_E_INVALID, &err, "no state directory");
}

static void
values (void **state UNUSED)
{
  static const char text[] =
      "world = \"elsewhere\";\n"
      "state_dir = \"~/state\"; plugin_dir = \"/opt/plugins\";\n"
      "sandbox : {\n"
      "  mode = \"danger-full-access\";\n"
      "  chain = [ \"one\",\n"
      "            \"two\" ];\n"
      "  require = \"full\"; probe_timeout = \"250ms\";\n"
      "  roots = [ \"~/data\", \"/srv\" ]; protect = [ \"ci/secrets\", \"~/x\" ]; caches = [ \"npm\" ];\n"
      "  deny_read = [ \"~/.only\" ]; network = \"loopback\"; tmp = \"host\"; grace = \"0\";\n"
      "  env = [ \"A\" ];\n"
      "  limits : { processes = 0; memory = \"2G\"; cpu = \"1m\"; files = 64; file_size = \"none\";\n"
      "    wall = \"10m\"; output = \"64K\"; spill = \"0\"; };\n"
      "};\n";
  struct settings *s = loaded (text, NULL);
  char origin[1200];

  assert_string_equal (s->world, "elsewhere");
  assert_string_equal (s->state_dir, "/home/u/state");
  assert_string_equal (s->plugin_dir, "/opt/plugins");
  assert_int_equal (s->mode, WEIR_MODE_DANGER_FULL_ACCESS);
  snprintf (origin, sizeof origin, "%s:4", scratch_path ("t.conf"));
  assert_string_equal (s->mode_origin, origin);
  assert_int_equal (s->chain.items.count, 2);
  snprintf (origin, sizeof origin, "%s:6", scratch_path ("t.conf"));
  assert_string_equal (s->chain.origins.items[1], origin);
  assert_int_equal (s->require_full, 1);
  assert_int_equal (s->probe_timeout_ms, 250);
  assert_string_equal (s->roots.items.items[0], "/home/u/data");
  assert_string_equal (s->protect.items.items[0], "ci/secrets");
  assert_string_equal (s->protect.items.items[1], "/home/u/x");
  assert_int_equal (s->deny_read.items.count, 1); /* lists replace, the built-in one too */
  assert_string_equal (s->deny_read.items.items[0], "/home/u/.only");
  assert_int_equal (s->network, WEIR_NETWORK_LOOPBACK);
  assert_int_equal (s->private_tmp, 0);
  assert_int_equal (s->grace_ms, 0);
  assert_int_equal (s->env.items.count, 1);
  assert_int_equal (s->limit_processes, 0);
  assert_int_equal (s->limit_memory, UINT64_C (2) << 30);
  assert_int_equal (s->limit_cpu, 60);
  assert_int_equal (s->limit_files, 64);
  assert_int_equal (s->limit_file_size, 0);
  assert_int_equal (s->wall_ms, 600000);
  assert_int_equal (s->output_limit, 65536);
  assert_int_equal (s->spill_limit, 0);
  snprintf (origin, sizeof origin, "%s:11", scratch_path ("t.conf"));
  assert_string_equal (s->limits_origin[0], origin);
  assert_int_equal (s->files.count, 1);
  settings_free (s);
}

/* ---- from the options of a runtime --------------------------------------------------------------------- */

static void
of_options (void **state UNUSED)
{
  const char *trusted = getenv ("WEIR_TEST_TRUSTED_DIR");
  const char *const set[] = { "sandbox.mode=workspace-write", NULL };
  struct weir_runtime_options options = { .struct_size = sizeof options, .set = set, .plugin_dir = "/opt/p",
                                          .state_dir = "/opt/s" };
  char home[600], config_home[600];
  const char *const environ[] = { home, NULL, NULL };
  const char *with_xdg[] = { home, config_home, NULL };
  weir_error *err = NULL;
  struct settings *s = NULL;
  char path[700];

  if (trusted == NULL || trusted[0] != '/') {
    print_message ("skipped: WEIR_TEST_TRUSTED_DIR is not set\n");
    skip ();
  }
  if (access (settings_system_file, F_OK) == 0) {
    print_message ("skipped: there is a %s\n", settings_system_file);
    skip ();
  }
  assert_int_equal (scratch_begin_in (trusted), 0);
  snprintf (home, sizeof home, "HOME=%s", scratch);
  snprintf (config_home, sizeof config_home, "XDG_CONFIG_HOME=%s/xdg", scratch);
  assert_int_equal (mkdir (scratch_path (".config"), 0700) | mkdir (scratch_path (".config/weir"), 0700)
                      | mkdir (scratch_path ("xdg"), 0700) | mkdir (scratch_path ("xdg/weir"), 0700), 0);
  scratch_file (".config/weir/weir.conf", "sandbox : { mode = \"danger-full-access\"; network = \"none\"; };");
  scratch_file ("xdg/weir/weir.conf", "sandbox : { network = \"loopback\"; };");
  scratch_file ("alone.conf", "sandbox : { grace = \"7s\"; };");

  expect_ok (settings_load (&options, environ, &s, &err), &err);
  assert_int_equal (s->mode, WEIR_MODE_WORKSPACE_WRITE);
  assert_string_equal (s->mode_origin, "command line");
  assert_int_equal (s->network, WEIR_NETWORK_NONE);
  assert_string_equal (s->plugin_dir, "/opt/p");
  assert_string_equal (s->state_dir, "/opt/s");
  assert_string_equal (s->home, scratch);
  settings_free (s);
  s = NULL;

  expect_ok (settings_load (&options, with_xdg, &s, &err), &err);
  assert_int_equal (s->network, WEIR_NETWORK_LOOPBACK);
  settings_free (s);
  s = NULL;
  with_xdg[1] = "XDG_CONFIG_HOME=relative"; /* ignored, as the specification says */
  expect_ok (settings_load (&options, with_xdg, &s, &err), &err);
  assert_int_equal (s->network, WEIR_NETWORK_NONE);
  settings_free (s);
  s = NULL;

  snprintf (path, sizeof path, "%s/alone.conf", scratch);
  options.config = path;
  expect_ok (settings_load (&options, environ, &s, &err), &err);
  assert_int_equal (s->network, WEIR_NETWORK_INHERIT); /* this file alone */
  assert_int_equal (s->grace_ms, 7000);
  settings_free (s);
  s = NULL;
  assert_int_equal (chmod (path, 0666), 0);
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_UNTRUSTED, &err,
                "alone.conf' is writable by everybody");
  assert_int_equal (chmod (path, 0600), 0);
  assert_int_equal (chmod (scratch, 0777), 0);
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_UNTRUSTED, &err, "is writable by everybody");
  assert_int_equal (chmod (scratch, 0700), 0);

  options.config = "/nonexistent.conf";
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_NOT_FOUND, &err, "/nonexistent.conf");
  options.config = path;
  options.plugin_dir = "relative";
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_INVALID, &err,
                "plugin_dir: expected an absolute path");
  assert_int_equal (scratch_end (NULL), 0);
}

/* As a set-user-ID program: the environment is whoever started it.  */
static void
secure_sources (void **state UNUSED)
{
  static const char *const environ[] = { "HOME=/evil", "XDG_CONFIG_HOME=/evil/xdg", "XDG_STATE_HOME=/evil/state",
                                         NULL };
  struct weir_runtime_options options = { .struct_size = sizeof options };
  struct settings_sources src = { 0 };
  weir_error *err = NULL;

  expect_ok (settings_sources (&src, &options, environ, 1, &err), &err);
  assert_int_equal (src.paths.count, 1);
  assert_string_equal (src.paths.items[0], settings_system_file);
  assert_true (src.home == NULL || strcmp (src.home, "/evil") != 0);
  assert_null (src.state_home);
  settings_sources_free (&src);
  src = (struct settings_sources){ 0 };
  expect_ok (settings_sources (&src, &options, environ, 0, &err), &err);
  assert_int_equal (src.paths.count, 2);
  assert_string_equal (src.paths.items[1], "/evil/xdg/weir/weir.conf");
  assert_string_equal (src.home, "/evil");
  assert_string_equal (src.state_home, "/evil/state");
  settings_sources_free (&src);
}

/* HOME may be missing or nonsense: the user database knows.  */
static void
home_of_database (void **state UNUSED)
{
  static const char *const nothing[] = { "HOME=", "PATH=/bin", NULL };
  struct weir_runtime_options options = { .struct_size = sizeof options, .state_dir = "/opt/s", .config = "/dev/null" };
  weir_error *err = NULL;
  struct settings *s = NULL;

  expect_error (settings_load (&options, nothing, &s, &err), WEIR_E_INVALID, &err,
                "'/dev/null' is a device, not a file");
  if (geteuid () != 0) {
    print_message ("skipped: only root is sure to have an entry in the user database\n");
    skip ();
  }
  if (access (settings_system_file, F_OK) == 0 || access ("/root/.config/weir/weir.conf", F_OK) == 0) {
    print_message ("skipped: this machine has a configuration\n");
    skip ();
  }
  options.config = NULL;
  expect_ok (settings_load (&options, nothing, &s, &err), &err);
  assert_string_equal (s->home, "/root");
  settings_free (s);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (defaults, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (default_environment, scratch_begin, scratch_end),
    cmocka_unit_test (two_homes),
    cmocka_unit_test (no_state_directory),
    cmocka_unit_test_setup_teardown (values, scratch_begin, scratch_end),
    cmocka_unit_test (of_options),
    cmocka_unit_test (secure_sources),
    cmocka_unit_test (home_of_database),
  };
  umask (077);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
