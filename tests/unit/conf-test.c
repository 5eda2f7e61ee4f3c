/* Layers and the schema: core/conf.c, core/schema.c, core/value.c.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/conf.h"

#include "config-support.h"
#include "core/schema.h"
#include "core/trust.h"

static struct conf *
loaded (const struct conf_layer *layers, size_t count, const char *const *set)
{
  weir_error *err = NULL;
  struct conf *conf = NULL;

  expect_ok (conf_load (layers, count, set, "/home/u", open_anything, &conf, &err), &err);
  assert_non_null (conf);
  return conf;
}

static void
refused (const char *text, const char *part)
{
  struct conf_layer layer = { scratch_file ("t.conf", text), 1 };
  weir_error *err = NULL;
  struct conf *conf = NULL;
  weir_status status = conf_load (&layer, 1, NULL, "/home/u", open_anything, &conf, &err);

  if (status == WEIR_OK)
    print_error ("accepted: %s\n", text);
  expect_error (status, WEIR_E_INVALID, &err, part);
  assert_null (conf);
}

static void
refused_set (const char *assignment, const char *part)
{
  const char *const set[] = { assignment, NULL };
  weir_error *err = NULL;
  struct conf *conf = NULL;
  weir_status status = conf_load (NULL, 0, set, "/home/u", open_anything, &conf, &err);

  if (status == WEIR_OK)
    print_error ("accepted: %s\n", assignment);
  expect_error (status, WEIR_E_INVALID, &err, part);
}

static void
text (const struct conf *conf, const char *path, const char *value, const char *origin)
{
  const struct node *n = conf_find (conf, path);

  assert_non_null (n);
  if (value != NULL)
    assert_string_equal (n->text, value);
  assert_string_equal (n->origin, origin);
}

static const char *
at (const char *file, int line)
{
  static char origins[4][1200];
  static unsigned next;
  char *p = origins[next++ % 4];

  snprintf (p, sizeof origins[0], "%s:%d", scratch_path (file), line);
  return p;
}

static void
layering (void **state UNUSED)
{
  const struct conf_layer layers[] = {
    { scratch_file ("system.conf", "world = \"local\";\n"
                                   "sandbox : {\n"
                                   "  mode = \"workspace-write\";\n"
                                   "  chain = [ \"one\", \"two\" ];\n"
                                   "  limits : { processes = 64; wall = \"10m\"; };\n"
                                   "};\n"
                                   "plugins : { p : { a = \"x\"; b = 1; }; };\n"), 0 },
    { scratch_file ("user.conf", "sandbox : {\n"
                                 "  chain = [ \"three\" ];\n"
                                 "  limits : { wall = \"1h\"; };\n"
                                 "};\n"
                                 "plugins : { p : { a = \"y\"; }; q : { }; };\n"), 0 },
  };
  const char *const set[] = { "sandbox.mode=read-only", "plugins.p.b=7", "sandbox.limits.output=2M",
                              "sandbox.limits.output=3M", NULL };
  struct conf *conf = loaded (layers, 2, set);

  text (conf, "world", "local", at ("system.conf", 1));
  text (conf, "sandbox.mode", "read-only", "command line");
  assert_int_equal (conf_find (conf, "sandbox.chain")->count, 1);
  text (conf, "sandbox.chain", NULL, at ("user.conf", 2));
  text (conf, "sandbox.limits.wall", "1h", at ("user.conf", 3));
  assert_string_equal (conf_find (conf, "sandbox.limits.processes")->origin, at ("system.conf", 5));
  text (conf, "plugins.p.a", "y", at ("user.conf", 5));
  text (conf, "plugins.p.b", "7", "command line");
  text (conf, "sandbox.limits.output", "3M", "command line"); /* the later wins */
  assert_non_null (conf_find (conf, "plugins.q"));
  assert_null (conf_find (conf, "sandbox.network"));
  assert_int_equal (conf->files.count, 2);
  conf_free (conf);
}

static void
missing_layers (void **state UNUSED)
{
  struct conf_layer layers[] = { { scratch_path ("none.conf"), 0 }, { scratch_path ("none/weir.conf"), 0 } };
  weir_error *err = NULL;
  struct conf *conf = loaded (layers, 2, NULL);

  assert_int_equal (conf->files.count, 0);
  conf_free (conf);
  conf = NULL;
  layers[1].required = 1;
  expect_error (conf_load (layers, 2, NULL, NULL, trust_open, &conf, &err), WEIR_E_NOT_FOUND, &err, "none/weir.conf");
  /* A missing include does not make a file missing.  */
  layers[0].path = scratch_file ("t.conf", "@include \"gone.conf\"\n");
  expect_error (conf_load (layers, 1, NULL, NULL, open_anything, &conf, &err), WEIR_E_INVALID, &err, "gone.conf");
}

/* A home that a change of user left behind: we may not look into it.  */
static void
unsearchable_layer (void **state UNUSED)
{
  struct conf_layer layer = { scratch_path ("closed/weir.conf"), 0 };
  weir_error *err = NULL;
  struct conf *conf = NULL;

  if (geteuid () == 0) {
    print_message ("skipped: root searches every directory\n");
    skip ();
  }
  assert_int_equal (mkdir (scratch_path ("closed"), 0700), 0);
  scratch_file ("closed/weir.conf", "");
  assert_int_equal (chmod (scratch_path ("closed"), 0), 0);
  conf = loaded (&layer, 1, NULL);
  assert_int_equal (conf->files.count, 0);
  conf_free (conf);
  conf = NULL;
  layer.required = 1;
  expect_error (conf_load (&layer, 1, NULL, NULL, open_anything, &conf, &err), WEIR_E_IO, &err, "Permission denied");
  /* A file that is there and cannot be read is an error, whoever needs it.  */
  assert_int_equal (chmod (scratch_path ("closed"), 0700), 0);
  assert_int_equal (chmod (scratch_path ("closed/weir.conf"), 0), 0);
  layer.required = 0;
  expect_error (conf_load (&layer, 1, NULL, NULL, open_anything, &conf, &err), WEIR_E_IO, &err, "Permission denied");
}

/* /tmp is not to be trusted, and what is wrong with a file that is there is told also of the default ones.  */
static void
untrusted_layer (void **state UNUSED)
{
  char path[] = "/tmp/weir-conf-XXXXXX";
  struct conf_layer layer = { path, 0 };
  weir_error *err = NULL;
  struct conf *conf = NULL;
  struct stat st;
  int fd;

  if (stat ("/tmp", &st) != 0 || (st.st_mode & S_IWOTH) == 0) {
    print_message ("skipped: /tmp is not writable by everybody\n");
    skip ();
  }
  fd = mkstemp (path);
  assert_true (fd >= 0);
  close (fd);
  expect_error (conf_load (&layer, 1, NULL, NULL, trust_open, &conf, &err), WEIR_E_UNTRUSTED, &err,
                "'/tmp' is writable");
  unlink (path);
  assert_int_equal (mkfifo (path, 0600), 0);
  alarm (60);
  expect_error (conf_load (&layer, 1, NULL, NULL, trust_open, &conf, &err), WEIR_E_INVALID, &err,
                "is a FIFO, not a file");
  alarm (0);
  unlink (path);
  assert_int_equal (mkdir (path, 0700), 0);
  expect_error (conf_load (&layer, 1, NULL, NULL, trust_open, &conf, &err), WEIR_E_INVALID, &err,
                "is a directory, not a file");
  rmdir (path);
}

static void
unknown_keys (void **state UNUSED)
{
  refused ("sandbx : { };", "t.conf:1: unknown key 'sandbx'");
  refused ("sandbx : { };", "Did you mean 'sandbox'?");
  refused ("\nsandbox : {\n  mod = \"read-only\"; };", "t.conf:3: unknown key 'sandbox.mod'");
  refused ("\nsandbox : {\n  mod = \"read-only\"; };", "Did you mean 'sandbox.mode'?");
  refused ("sandbox : { limits : { proceses = 5; }; };", "Did you mean 'sandbox.limits.processes'?");
  refused ("mode = \"read-only\";", "Did you mean 'sandbox.mode'?"); /* in the wrong group */
  refused ("sandbox : { wall = \"5m\"; };", "Did you mean 'sandbox.limits.wall'?");
  refused ("sandbox : { state_dir = \"/x\"; };", "Did you mean 'state_dir'?");
  refused ("plugin : { };", "Did you mean 'plugins'?");
  refused ("entirely_different = 1;", "weir.conf(5) lists the keys.");
  refused ("MODE = 1; Sandbox : { };", "unknown key 'MODE'");
}

static void
wrong_types (void **state UNUSED)
{
  static const struct {
    const char *text, *part;
  } bad[] = {
    { "world = 1;", "t.conf:1: world: expected a string, not 1" },
    { "\nworld = [ \"local\" ];", "t.conf:2: world: expected a string, not a list" },
    { "world = \"not a name\";", "world: 'not a name' is no name of a plugin" },
    { "world = \"\";", "is no name of a plugin" },
    { "state_dir = \"relative\";", "state_dir: expected an absolute path" },
    { "state_dir = \"~other/x\";", "state_dir: expected an absolute path" },
    { "sandbox = 1;", "t.conf:1: sandbox: expected a group, { ... }, not an integer" },
    { "plugins = [ ];", "plugins: expected a group" },
    { "plugins : { p = 1; };", "plugins.p: expected a group of options" },
    { "plugins : { custom-runner : { }; };", "'custom-runner' is no name of a plugin" },
    { "sandbox : { limits = \"none\"; };", "sandbox.limits: expected a group" },
    { "sandbox : { mode = true; };", "sandbox.mode: expected a string, not a boolean" },
    { "sandbox : { mode = \"rw\"; };",
      "sandbox.mode: expected one of \"read-only\", \"workspace-write\", \"danger-full-access\", not \"rw\"" },
    { "sandbox : { mode = \"readonly\"; };", "Did you mean \"read-only\"?" },
    { "sandbox : { mode = \"Read-Only\"; };", "Did you mean \"read-only\"?" },
    { "sandbox : { require = \"all\"; };", "expected one of \"any\", \"full\"" },
    { "sandbox : { network = \"off\"; };", "expected one of \"inherit\", \"loopback\", \"none\"" },
    { "sandbox : { tmp = \"shared\"; };", "expected one of \"private\", \"host\"" },
    { "sandbox : { chain = \"one\"; };", "sandbox.chain: expected a list such as [ \"a\", \"b\" ], not \"one\"" },
    { "sandbox : { chain = [ ]; };", "sandbox.chain: expected at least one" },
    { "sandbox : { chain = [ 1 ]; };", "sandbox.chain: expected a string, not 1" },
    { "sandbox : { chain = [ \"one\",\n \"../evil\" ]; };",
      "t.conf:2: sandbox.chain: '../evil' is no name of a plugin" },
    { "sandbox : { chain = [ \"one\", \"two\",\n \"one\" ]; };",
      "t.conf:2: sandbox.chain: 'one' stands in the list twice" },
    { "sandbox : { roots = [ \"data\" ]; };", "sandbox.roots: expected an absolute path" },
    { "sandbox : { roots = [ \"\" ]; };", "sandbox.roots: an empty string is not possible here" },
    { "sandbox : { roots = ( ( \"/a\" ) ); };", "sandbox.roots: expected a string, not a list" },
    { "sandbox : { deny_read = [ \"secret\" ]; };", "sandbox.deny_read: expected an absolute path" },
    { "sandbox : { protect = [ \"a/../../b\" ]; };", "sandbox.protect: expected a path inside the workspace" },
    { "sandbox : { caches = [ \"npn\" ]; };", "Did you mean \"npm\"?" },
    { "sandbox : { env = [ \"A=1\" ]; };", "'A=1' is no name of an environment variable" },
    { "sandbox : { env = [ \"**\" ]; };", "'**' is no name" },
    { "sandbox : { env = [ \"A*B\" ]; };", "'A*B' is no name" },
    { "sandbox : { env = [ \"1A\" ]; };", "'1A' is no name" },
  };

  for (size_t i = 0; i < ARRAY_SIZE (bad); i++)
    refused (bad[i].text, bad[i].part);
}

static void
wrong_ranges (void **state UNUSED)
{
  static const struct {
    const char *text, *part;
  } bad[] = {
    { "processes = -1;", "sandbox.limits.processes: expected 1 to 4194304, or \"none\"" },
    { "processes = 4194305;", "expected 1 to 4194304" },
    { "processes = 9223372036854775807L;", "expected 1 to 4194304" },
    { "processes = 1.0;", "expected an integer, not a number with a fraction" },
    { "processes = \"512\";", "expected an integer, not \"512\"" },
    { "memory = 1073741824;", "sandbox.limits.memory: expected a size such as \"10M\", not 1073741824" },
    { "memory = \"1.5G\";", "expected a size" },
    { "memory = \"-1G\";", "expected a size" },
    { "memory = \"99999999999999999999\";", "expected a size" },
    { "memory = \"4K\";", "expected at least 1M, or \"none\"" },
    { "cpu = \"1500ms\";", "sandbox.limits.cpu: expected whole seconds, not \"1500ms\"" },
    { "cpu = 10;", "expected a duration such as \"5s\" or \"1h30m\", not 10" },
    { "files = 3;", "sandbox.limits.files: expected 16 to 1048576" },
    { "wall = \"-10m\";", "sandbox.limits.wall: expected a duration such as \"5s\" or \"1h30m\", not \"-10m\"" },
    { "wall = \"10\";", "expected a duration" },
    { "wall = \"\";", "expected a duration" },
    { "output = \"10\";", "sandbox.limits.output: expected 1K to 1G" },
    { "output = \"none\";", "expected a size" },
    { "output = \"2G\";", "expected 1K to 1G" },
    { "spill = \"all\";", "sandbox.limits.spill: expected a size" },
    { "wal = \"1s\";", "Did you mean 'sandbox.limits.wall'?" },
  };
  char conf[256];

  for (size_t i = 0; i < ARRAY_SIZE (bad); i++) {
    snprintf (conf, sizeof conf, "sandbox : { limits : { %s }; };", bad[i].text);
    refused (conf, bad[i].part);
  }
  refused ("sandbox : { probe_timeout = \"0\"; };", "sandbox.probe_timeout: expected 1ms to 10m");
  refused ("sandbox : { probe_timeout = \"0s\"; };", "expected 1ms to 10m");
  refused ("sandbox : { probe_timeout = \"11m\"; };", "expected 1ms to 10m");
  refused ("sandbox : { probe_timeout = \"-5s\"; };", "expected a duration");
  refused ("sandbox : { grace = \"1h\"; };", "sandbox.grace: expected 1ms to 10m, or 0");
}

static void
right_values (void **state UNUSED)
{
  const struct conf_layer layer = {
    scratch_file (
        "t.conf",
        "sandbox : { protect = [ \"ci/secrets\", \"/abs\", \"~/x\", \"a..b\" ]; env = ( \"A\", \"LC_*\", \"*\" );\n"
        "  grace = \"0\"; caches = [ \"npm\", \"pip\", \"cargo\", \"go\", \"ccache\" ]; roots = [];\n"
        "  limits : { processes = 0; memory = \"none\"; cpu = \"0\"; files = 1024L; spill = \"0\"; }; };\n"),
    1
  };

  conf_free (loaded (&layer, 1, NULL));
}

/* Without a home "~/" cannot be resolved.  */
static void
no_home (void **state UNUSED)
{
  const struct conf_layer layer = { scratch_file ("t.conf", "\nsandbox : { roots = [ \"~/x\" ]; };\n"), 1 };
  weir_error *err = NULL;
  struct conf *conf = NULL;

  expect_error (conf_load (&layer, 1, NULL, NULL, open_anything, &conf, &err), WEIR_E_INVALID, &err,
                "t.conf:2: sandbox.roots: '~/x' cannot be resolved: no home directory is known");
}

static void
sets (void **state UNUSED)
{
  const char *const set[] = {
    "sandbox.chain=one,two",   "sandbox.roots=[ \"/a,b\", \"/c\" ]",
    "sandbox.protect=",        "sandbox.limits.processes=64",
    "sandbox.limits.wall=10m", "plugins.p.list=(\"x\")",
    "plugins.p.text=a=b",      "state_dir=\"/var/x\"",
    "sandbox.grace=0",         NULL,
  };
  struct conf *conf = loaded (NULL, 0, set);

  text (conf, "sandbox.chain", "one,two", "command line");
  assert_int_equal (conf_find (conf, "sandbox.roots")->count, 2);
  assert_string_equal (conf_find (conf, "sandbox.roots")->items[0]->text, "/a,b");
  assert_string_equal (conf_find (conf, "sandbox.roots")->items[1]->origin, "command line");
  text (conf, "sandbox.protect", "", "command line");
  text (conf, "plugins.p.text", "a=b", "command line");
  text (conf, "state_dir", "/var/x", "command line");
  assert_int_equal (conf_find (conf, "plugins.p.list")->count, 1);
  conf_free (conf);
}

static void
wrong_sets (void **state UNUSED)
{
  refused_set ("sandbox.mode", "command line: expected KEY=VALUE");
  refused_set ("", "expected KEY=VALUE");
  refused_set ("=x", "expected KEY=VALUE");
  refused_set ("sandbox.mod=read-only", "command line: unknown key 'sandbox.mod'");
  refused_set ("sandbox.mod=read-only", "Did you mean 'sandbox.mode'?");
  refused_set ("mode=read-only", "Did you mean 'sandbox.mode'?");
  refused_set ("sandbx.mode=read-only", "Did you mean 'sandbox.mode'?");
  refused_set ("sandbox=x", "'sandbox' is a group");
  refused_set ("plugins=x", "'plugins' is a group");
  refused_set ("plugins.p=x", "'plugins.p' is a group");
  refused_set ("plugins.p.a.b=x", "unknown key 'plugins.p.a.b'");
  refused_set ("plugins..a=x", "unknown key");
  refused_set ("sandbox.mode.x=1", "unknown key 'sandbox.mode.x'");
  refused_set ("sand box=1", "'sand box' is no key");
  refused_set ("a\nb=1", "is no key");
  refused_set ("@include \"/etc/passwd\"=1", "is no key");
  refused_set ("sandbox.mode=rw", "command line: sandbox.mode: expected one of");
  refused_set ("sandbox.limits.processes=many", "expected an integer, not \"many\"");
  refused_set ("sandbox.limits.processes=64K", "expected an integer");
  refused_set ("sandbox.limits.processes=-5", "expected 1 to 4194304");
  refused_set ("sandbox.limits.processes=", "expected an integer");
  refused_set ("sandbox.limits.wall=5", "expected a duration");
  refused_set ("sandbox.roots=data", "expected an absolute path");
  refused_set ("sandbox.chain=", "expected at least one");
  refused_set ("sandbox.chain=one,,two", "an empty string is not possible");
  refused_set ("sandbox.chain=[\"one\"]; world = \"x\"", "expected one value");
  refused_set ("sandbox.chain=[\"one\"", "is not closed");
  refused_set ("world=\"x\"\n@include \"/etc/passwd\"", "@include is not possible here");
}

/* Every key has a type, and its built-in value is one that a file could hold.  */
static void
table (void **state UNUSED)
{
  for (const struct schema_key *key = schema_keys; key->path != NULL; key++) {
    struct node n = { .type = NODE_TEXT, .origin = (char *) "built in", .text = (char *) key->fallback };
    struct schema_value v = { 0 };
    weir_error *err = NULL;
    assert_ptr_equal (schema_find (key->path), key); /* once in the table */
    if (key->fallback == NULL)
      continue;
    expect_ok (schema_read (key, &n, "/home/u", &v, &err), &err);
    schema_value_free (&v);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (layering, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (missing_layers, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (unsearchable_layer, scratch_begin, scratch_end),
    cmocka_unit_test (untrusted_layer),
    cmocka_unit_test_setup_teardown (unknown_keys, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (wrong_types, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (wrong_ranges, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (right_values, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (no_home, scratch_begin, scratch_end),
    cmocka_unit_test (sets),
    cmocka_unit_test (wrong_sets),
    cmocka_unit_test (table),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
