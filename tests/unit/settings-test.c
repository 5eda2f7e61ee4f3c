/* Settings, plugin options and how they are shown: core/settings*.c.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include "config-support.h"
#include "core/defaults.h"
#include "core/out.h"
#include "core/schema.h"
#include "core/settings-internal.h"
#include "core/units.h"

/* Settings of one file's text ("" and NULL: no file) and --set strings, of a user whose home is /home/u.  */
static weir_status
load (const char *text, const char *const *set, struct settings **out, weir_error **err)
{
  struct settings_sources src = { .home = (char *) "/home/u", .local_home = (char *) "/home/u" };
  weir_status status;

  if (text != NULL) {
    strv_add (&src.paths, scratch_file ("t.conf", text));
    src.layers[0] = (struct conf_layer){ src.paths.items[0], 1 };
  }
  for (; set != NULL && *set != NULL; set++)
    strv_add (&src.set, *set);
  status = settings_from (&src, open_anything, out, err);
  strv_free (&src.paths);
  strv_free (&src.set);
  return status;
}

static struct settings *
loaded (const char *text, const char *const *set)
{
  weir_error *err = NULL;
  struct settings *s = NULL;

  expect_ok (load (text, set, &s, &err), &err);
  assert_non_null (s);
  return s;
}

static void
defaults (void **state UNUSED)
{
  struct settings *s = loaded (NULL, NULL);
  auto_free char *chain = util_fmt ("%s%s%s", s->chain.items.items[0], s->chain.items.count > 1 ? "," : "",
                                    s->chain.items.count > 1 ? s->chain.items.items[1] : "");

  assert_string_equal (s->world, WEIR_DEFAULT_WORLD);
  assert_string_equal (s->world_origin, "built in");
  assert_int_equal (s->mode, WEIR_MODE_READ_ONLY);
  assert_string_equal (chain, WEIR_DEFAULT_CHAIN);
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
  assert_string_equal (s->plugin_dir, WEIR_PLUGIN_DIR);
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
  static const char text[] = "world = \"elsewhere\";\n"
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
  if (access (WEIR_SYSCONFDIR "/weir/weir.conf", F_OK) == 0) {
    print_message ("skipped: there is a " WEIR_SYSCONFDIR "/weir/weir.conf\n");
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
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_UNTRUSTED, &err, "alone.conf' is writable by everybody");
  assert_int_equal (chmod (path, 0600), 0);
  assert_int_equal (chmod (scratch, 0777), 0);
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_UNTRUSTED, &err, "is writable by everybody");
  assert_int_equal (chmod (scratch, 0700), 0);

  options.config = "/nonexistent.conf";
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_NOT_FOUND, &err, "/nonexistent.conf");
  options.config = path;
  options.plugin_dir = "relative";
  expect_error (settings_load (&options, environ, &s, &err), WEIR_E_INVALID, &err, "plugin_dir: expected an absolute path");
  assert_int_equal (scratch_end (NULL), 0);
}

/* HOME may be missing or nonsense: the user database knows.  */
static void
home_of_database (void **state UNUSED)
{
  static const char *const nothing[] = { "HOME=", "PATH=/bin", NULL };
  struct weir_runtime_options options = { .struct_size = sizeof options, .state_dir = "/opt/s", .config = "/dev/null" };
  weir_error *err = NULL;
  struct settings *s = NULL;

  expect_error (settings_load (&options, nothing, &s, &err), WEIR_E_INVALID, &err, "'/dev/null' is a device, not a file");
  if (geteuid () != 0) {
    print_message ("skipped: only root is sure to have an entry in the user database\n");
    skip ();
  }
  if (access (WEIR_SYSCONFDIR "/weir/weir.conf", F_OK) == 0 || access ("/root/.config/weir/weir.conf", F_OK) == 0) {
    print_message ("skipped: this machine has a configuration\n");
    skip ();
  }
  options.config = NULL;
  expect_ok (settings_load (&options, nothing, &s, &err), &err);
  assert_string_equal (s->home, "/root");
  settings_free (s);
}

/* ---- options of plugins ----------------------------------------------------------------------------------- */

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
  const char *const set[] = { "plugins.p.time=1m", "plugins.p.more=x,y", "plugins.p.flag=False", "plugins.p.count=-9", NULL };
  struct settings *s = loaded ("plugins : { p : { text = \"t\"; where = \"~/w\"; flag = true; room = \"1G\";\n"
                               " time = \"2s\"; count = 5000000000L; list = [ \"z\" ]; choice = \"strict\"; }; };", set);
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
  static const struct weir_option required[] = { { "key", WEIR_OPT_STRING, WEIR_OPT_REQUIRED, NULL, "" }, WEIR_OPTION_END };
  static const struct weir_option strange[] = { { "key", 77, 0, "x", "" }, WEIR_OPTION_END };
  struct settings *s = loaded ("\nplugins : {\n p : { }; };", NULL);
  weir_error *err = NULL;
  weir_config *c = NULL;

  expect_error (settings_plugin_config (s, "p", required, &c, &err), WEIR_E_INVALID, &err, "t.conf:3: 'plugins.p.key' must be set");
  expect_error (settings_plugin_config (s, "q", required, &c, &err), WEIR_E_INVALID, &err, "'plugins.q.key' must be set");
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

/* ---- showing -------------------------------------------------------------------------------------------------- */

static void
collect (void *data, const char *bytes, size_t size)
{
  strbuf_add (data, bytes, size);
}

static char *
shown (const struct settings *s, int format, int origin)
{
  struct strbuf b = { 0 };
  weir_error *err = NULL;
  struct out out;

  out_init (&out, format, collect, &b);
  settings_show (s, &out, origin);
  expect_ok (out_end (&out, &err), &err);
  return strbuf_steal (&b);
}

static const char all[] = "world = \"elsewhere\"; state_dir = \"/s \\\"q\\\" \\\\ \"; plugin_dir = \"/p\";\n"
                          "sandbox : { mode = \"workspace-write\"; chain = [ \"one\", \"two\" ]; require = \"full\";\n"
                          " probe_timeout = \"1m1ms\"; roots = [ \"/a\\nb\" ]; protect = [ \"x\" ]; network = \"none\"; tmp = \"host\";\n"
                          " env = [ \"A\", \"B_*\" ]; grace = \"0\"; deny_read = [];\n"
                          " limits : { processes = 7; memory = \"3M\"; cpu = \"90s\"; files = 99; file_size = \"1025\"; wall = \"1d\";\n"
                          "   output = \"2K\"; spill = \"0\"; }; };\n"
                          "plugins : { p : { n = 5000000000L; on = true; s = \"t\"; l = ( \"x\", \"y\" ); }; q : { }; };\n";

/* What is shown is a file that says the same.  */
static void
shown_text_is_a_file (void **state UNUSED)
{
  for (int origin = 0; origin < 2; origin++) {
    struct settings *s = loaded (all, NULL), *again;
    auto_free char *first = shown (s, WEIR_FORMAT_TEXT, origin);
    again = loaded (first, NULL);
    auto_free char *a = shown (s, WEIR_FORMAT_JSON, 0);
    auto_free char *b = shown (again, WEIR_FORMAT_JSON, 0);
    assert_string_equal (a, b); /* both read t.conf, so that "files" is the same too */
    settings_free (s);
    settings_free (again);
    s = loaded ("", NULL);
    auto_free char *built_in = shown (s, WEIR_FORMAT_TEXT, origin);
    again = loaded (built_in, NULL);
    assert_int_equal (again->deny_read.items.count, s->deny_read.items.count);
    settings_free (s);
    settings_free (again);
  }
}

static void
shown_origins (void **state UNUSED)
{
  const char *const set[] = { "sandbox.grace=9s", NULL };
  struct settings *s = loaded ("sandbox : {\n mode = \"workspace-write\";\n roots = [ \"/a\",\n \"/b\" ]; };\n", set);
  auto_free char *text = shown (s, WEIR_FORMAT_TEXT, 1);
  auto_free char *json = shown (s, WEIR_FORMAT_JSON, 1);
  auto_free char *plain = shown (s, WEIR_FORMAT_JSON, 0);
  auto_free char *mode = util_fmt ("\"mode\":{\"value\":\"workspace-write\",\"origin\":\"%s:2\"}", scratch_path ("t.conf"));
  auto_free char *root = util_fmt ("{\"value\":\"/b\",\"origin\":\"%s:4\"}", scratch_path ("t.conf"));

  assert_non_null (strstr (text, "t.conf:2\n"));
  assert_non_null (strstr (text, "grace = \"9s\";"));
  assert_non_null (strstr (text, "# command line\n"));
  assert_non_null (strstr (text, "# built in\n"));
  assert_non_null (strstr (json, mode));
  assert_non_null (strstr (json, root));
  assert_non_null (strstr (json, "\"wall\":{\"value\":null,\"origin\":\"built in\"}"));
  assert_non_null (strstr (plain, "\"mode\":\"workspace-write\""));
  assert_non_null (strstr (plain, "\"roots\":[\"/a\",\"/b\"]"));
  assert_non_null (strstr (plain, "\"processes\":512"));
  assert_null (strstr (plain, "origin"));
  settings_free (s);
}

/* The file that is installed says what is built in, but for the mode.  */
static void
shipped_file (void **state UNUSED)
{
  const char *source = getenv ("WEIR_SRCDIR");
  struct settings *built_in = loaded (NULL, NULL), *s;
  auto_free char *text = NULL;

  if (source == NULL) {
    print_message ("skipped: WEIR_SRCDIR is not set\n");
    settings_free (built_in);
    skip ();
  }
  auto_free char *path = util_fmt ("%s/data/weir.conf", source);
  text = util_read_file (AT_FDCWD, path, 1u << 20, NULL);
  assert_non_null (text);
  s = loaded (text, NULL);
  assert_int_equal (s->mode, WEIR_MODE_WORKSPACE_WRITE);
  settings_free (s);
  /* Every commented-out default, taken at its word.  */
  for (char *p = text; *p != '\0'; p++)
    if ((p == text || p[-1] == '\n') && strncmp (p + strspn (p, " "), "#:", 2) == 0)
      memset (p + strspn (p, " "), ' ', 2);
  s = loaded (text, NULL);
  s->mode = built_in->mode;
  strv_free (&s->files);
  auto_free char *a = shown (s, WEIR_FORMAT_TEXT, 0);
  auto_free char *b = shown (built_in, WEIR_FORMAT_TEXT, 0);
  /* plugin_dir and state_dir depend on the build and the user; examples of plugins are not built in.  */
  char *from_a = strstr (a, "sandbox : {"), *from_b = strstr (b, "sandbox : {");
  char *end_a = strstr (from_a, "plugins : {");
  if (end_a != NULL)
    *end_a = '\0';
  assert_string_equal (from_a, from_b);
  settings_free (s);
  settings_free (built_in);
}

/* Every key and every built-in name is in the manual.  */
static void
manual (void **state UNUSED)
{
  const char *source = getenv ("WEIR_SRCDIR");
  struct settings *s;
  auto_free char *page = NULL;

  if (source == NULL) {
    print_message ("skipped: WEIR_SRCDIR is not set\n");
    skip ();
  }
  auto_free char *path = util_fmt ("%s/docs/man/weir.conf.5.scd", source);
  page = util_read_file (AT_FDCWD, path, 1u << 20, NULL);
  assert_non_null (page);
  for (const struct schema_key *key = schema_keys; key->path != NULL; key++) {
    const char *dot = strrchr (key->path, '.');
    auto_free char *entry = util_fmt ("\n*%s* = ", dot == NULL ? key->path : dot + 1);
    if (strstr (page, entry) == NULL)
      fail_msg ("'%s' is not in the manual", key->path);
  }
  s = loaded (NULL, NULL);
  for (size_t i = 0; i < s->deny_read.items.count; i++) {
    const char *name = s->deny_read.items.items[i];
    if (strstr (page, strncmp (name, "/home/u/", 8) == 0 ? name + 8 : name) == NULL)
      fail_msg ("'%s' is not in the manual", name);
  }
  for (size_t i = 0; i < s->env.items.count; i++)
    if (strcmp (s->env.items.items[i], "LC_*") != 0 && strstr (page, s->env.items.items[i]) == NULL)
      fail_msg ("'%s' is not in the manual", s->env.items.items[i]);
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
    cmocka_unit_test (home_of_database),
    cmocka_unit_test_setup_teardown (option_defaults, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (option_values, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (wrong_options, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (required_options, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (plugin_groups, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (shown_text_is_a_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (shown_origins, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (shipped_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (manual, scratch_begin, scratch_end),
  };
  umask (077);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
