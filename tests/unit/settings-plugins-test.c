/* Options of plugins: core/settings-plugins.c.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include "settings-support.h"

static const struct weir_option table[] = {
  { "text", WEIR_OPT_STRING, 0, NULL, "Some text" },
  { "name", WEIR_OPT_STRING, 0, "\"quoted, \\\"default\\\"\"", "Some name" },
  { "plain", WEIR_OPT_STRING, 0, "plain default", "Another" },
  { "where", WEIR_OPT_PATH, 0, "~/x", "A path" },
  { "flag", WEIR_OPT_BOOLEAN, 0, "true", "A flag" },
  { "room", WEIR_OPT_SIZE, 0, "10M", "A size" },
  { "time", WEIR_OPT_DURATION, 0, "5s", "A duration" },
  { "count", WEIR_OPT_INTEGER, 0, "-3", "An integer" },
  { "list", WEIR_OPT_LIST, 0, "[ \"a\", \"b,c\" ]", "A list" },
  { "more", WEIR_OPT_LIST, 0, NULL, "A list" },
  { "choice", WEIR_OPT_CHOICE, 0, NULL, "auto|off|strict: how" },
  WEIR_OPTION_END,
};

static void
option_defaults (void **state UNUSED)
{
  struct settings *s = loaded ("plugins : { p : { }; };", NULL);
  static const char *const plugins[] = { "p", "absent" };

  for (size_t i = 0; i < ARRAY_SIZE (plugins); i++) {
    weir_error *err = NULL;
    weir_config *c = NULL;
    const char *const *items;
    expect_ok (settings_plugin_config (s, plugins[i], table, &c, &err), &err);
    assert_null (settings_config_string (c, "text"));
    assert_string_equal (settings_config_string (c, "name"), "quoted, \"default\"");
    assert_string_equal (settings_config_string (c, "plain"), "plain default");
    assert_string_equal (settings_config_string (c, "where"), "/home/u/x");
    assert_int_equal (settings_config_integer (c, "flag"), 1);
    assert_int_equal (settings_config_integer (c, "room"), 10 << 20);
    assert_int_equal (settings_config_integer (c, "time"), 5000);
    assert_int_equal (settings_config_integer (c, "count"), -3);
    assert_int_equal (settings_config_list (c, "list", &items), 2);
    assert_string_equal (items[1], "b,c");
    assert_null (items[2]);
    assert_int_equal (settings_config_list (c, "more", &items), 0);
    assert_null (items[0]);
    assert_string_equal (settings_config_string (c, "choice"), "auto");
    assert_string_equal (settings_config_origin (c, "choice"), "default");
    /* A key that no table names reads as nothing.  */
    assert_null (settings_config_string (c, "nothing"));
    assert_int_equal (settings_config_list (c, "nothing", NULL), 0);
    settings_config_free (c);
  }
  settings_free (s);
}

static void
option_values (void **state UNUSED)
{
  const char *const set[] = { "plugins.p.time=1m", "plugins.p.more=x,y", "plugins.p.flag=False", "plugins.p.count=-9",
                              NULL };
  struct settings *s = loaded ("plugins : { p : { text = \"t\"; where = \"~/w\"; flag = true; room = \"1G\";\n"
                               " time = \"2s\"; count = 5000000000L; list = [ \"z\" ]; choice = \"strict\"; }; };",
                               set);
  weir_error *err = NULL;
  weir_config *c = NULL;
  const char *const *items;
  char origin[1200];

  expect_ok (settings_plugin_config (s, "p", table, &c, &err), &err);
  assert_string_equal (settings_config_string (c, "text"), "t");
  assert_string_equal (settings_config_string (c, "where"), "/home/u/w");
  assert_int_equal (settings_config_integer (c, "flag"), 0);
  assert_int_equal (settings_config_integer (c, "room"), 1 << 30);
  assert_int_equal (settings_config_integer (c, "time"), 60000);
  assert_string_equal (settings_config_origin (c, "time"), "command line");
  assert_int_equal (settings_config_integer (c, "count"), -9);
  assert_int_equal (settings_config_list (c, "list", &items), 1);
  assert_int_equal (settings_config_list (c, "more", &items), 2);
  assert_string_equal (settings_config_string (c, "choice"), "strict");
  snprintf (origin, sizeof origin, "%s:2", scratch_path ("t.conf"));
  assert_string_equal (settings_config_origin (c, "choice"), origin);
  settings_config_free (c);
  settings_free (s);
}

static void
wrong_options (void **state UNUSED)
{
  static const struct {
    const char *text, *part;
  } bad[] = {
    { "txt = 1;", "t.conf:1: unknown option 'txt' of the plugin 'p'" },
    { "tex = 1;", "Did you mean 'text'?" },
    { "zzzzzzzz = 1;", "\"weir plugin info p\" lists its options." },
    { "text = 1;", "plugins.p.text: expected a string, not 1" },
    { "where = \"w\";", "plugins.p.where: expected an absolute path" },
    { "flag = 1;", "plugins.p.flag: expected true or false, not 1" },
    { "flag = \"true\";", "plugins.p.flag: expected true or false" },
    { "room = 10;", "plugins.p.room: expected a size" },
    { "time = \"-1s\";", "plugins.p.time: expected a duration" },
    { "count = \"1\";", "plugins.p.count: expected an integer" },
    { "count = 1.5;", "plugins.p.count: expected an integer" },
    { "list = \"a\";", "plugins.p.list: expected a list" },
    { "list = [ 1 ];", "plugins.p.list: expected a string" },
    { "\nchoice = \"of\";", "t.conf:2: plugins.p.choice: expected one of auto|off|strict, not \"of\"" },
    { "choice = \"of\";", "Did you mean \"off\"?" },
    { "choice = \"\";", "expected one of auto|off|strict" },
    { "choice = \"auto|off\";", "expected one of auto|off|strict" },
    { "text : { };", "plugins.p.text: expected a string, not a group" },
  };
  char conf[256];

  for (size_t i = 0; i < ARRAY_SIZE (bad); i++) {
    weir_error *err = NULL;
    weir_config *c = NULL;
    snprintf (conf, sizeof conf, "plugins : { p : { %s }; };", bad[i].text);
    struct settings *s = loaded (conf, NULL);
    expect_error (settings_plugin_config (s, "p", table, &c, &err), WEIR_E_INVALID, &err, bad[i].part);
    assert_null (c);
    settings_free (s);
  }
}

static void
required_options (void **state UNUSED)
{
  static const struct weir_option required[] = { { "key", WEIR_OPT_STRING, WEIR_OPT_REQUIRED, NULL, "" },
                                                 WEIR_OPTION_END };
  static const struct weir_option strange[] = { { "key", 77, 0, "x", "" }, WEIR_OPTION_END };
  struct settings *s = loaded ("\nplugins : {\n p : { }; };", NULL);
  weir_error *err = NULL;
  weir_config *c = NULL;

  expect_error (settings_plugin_config (s, "p", required, &c, &err), WEIR_E_INVALID, &err,
                "t.conf:3: 'plugins.p.key' must be set");
  expect_error (settings_plugin_config (s, "q", required, &c, &err), WEIR_E_INVALID, &err,
                "'plugins.q.key' must be set");
  expect_error (settings_plugin_config (s, "p", strange, &c, &err), WEIR_E_PLUGIN, &err, "unknown type 77");
  expect_ok (settings_plugin_config (s, "p", NULL, &c, &err), &err); /* a plugin without options */
  settings_config_free (c);
  settings_free (s);
}

static void
plugin_groups (void **state UNUSED)
{
  static const char *const names[] = { "alpha", "custom", NULL };
  struct settings *s = loaded ("plugins : {\n alpha : { };\n custm : { }; };", NULL);
  struct setting_list groups = { 0 };
  weir_error *err = NULL;

  settings_plugin_groups (s, &groups);
  assert_int_equal (groups.items.count, 2);
  assert_string_equal (groups.items.items[1], "custm");
  assert_non_null (strstr (groups.origins.items[1], "t.conf:3"));
  strv_free (&groups.items);
  strv_free (&groups.origins);
  expect_error (settings_check_plugins (s, names, &err), WEIR_E_INVALID, &err, "t.conf:3: there is no plugin 'custm'");
  expect_error (settings_check_plugins (s, names, &err), WEIR_E_INVALID, &err, "Did you mean 'custom'?");
  settings_free (s);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (option_defaults, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (option_values, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (wrong_options, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (required_options, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (plugin_groups, scratch_begin, scratch_end),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
