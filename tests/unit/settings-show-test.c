/* weir config show, the shipped file and the manual: core/settings-show.c.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include "settings-support.h"
#include "core/out.h"
#include "core/schema.h"

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

static const char all[] =
    "world = \"elsewhere\"; state_dir = \"/s \\\"q\\\" \\\\ \"; plugin_dir = \"/p\";\n"
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
  auto_free char *mode =
      util_fmt ("\"mode\":{\"value\":\"workspace-write\",\"origin\":\"%s:2\"}", scratch_path ("t.conf"));
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
    cmocka_unit_test_setup_teardown (shown_text_is_a_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (shown_origins, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (shipped_file, scratch_begin, scratch_end),
    cmocka_unit_test_setup_teardown (manual, scratch_begin, scratch_end),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
