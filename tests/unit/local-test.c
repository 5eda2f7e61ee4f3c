/* The world "local": how a program is found.  Its process operations are those of the host, which spawn-test tests.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/plugins.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sink.h"
#include "plugin-support.h"

static struct adopted local;
static const char *why_not;
static char scratch[1024];

#define NEEDS_LOCAL()                                                                                                  \
  if (why_not != NULL) {                                                                                               \
    print_message ("skipped: %s\n", why_not);                                                                          \
    skip ();                                                                                                           \
  }

static char *
inside (const char *name)
{
  static char paths[8][2048];
  static unsigned next;
  char *p = paths[next++ % 8];

  snprintf (p, sizeof paths[0], "%s/%s", scratch, name);
  return p;
}

static void
put (const char *name, mode_t mode)
{
  FILE *f = fopen (inside (name), "w");

  assert_non_null (f);
  fputs ("#!/bin/sh\n", f);
  fclose (f);
  assert_int_equal (chmod (inside (name), mode), 0);
}

static weir_status
look (const char *name, const char *path, const char *cwd, char **found, weir_error **err)
{
  const weir_call call = { WEIR_SIZED (weir_call), .cancel = -1 };
  weir_sink sink = SINK_INIT (4096);
  weir_status status = local.process.find_executable (NULL, &call, name, path, cwd, &sink, err);

  *found = strbuf_steal (&sink.bytes);
  return status;
}

static void
finds (const char *name, const char *path, const char *cwd, const char *wanted)
{
  char *found = NULL;
  weir_error *err = NULL;
  weir_status status = look (name, path, cwd, &found, &err);

  expect_success (status, &err);
  assert_string_equal (found, wanted);
  free (found);
}

static void
misses (const char *name, const char *path, const char *cwd, weir_status wanted, const char *part)
{
  char *found = NULL;
  weir_error *err = NULL;
  weir_status status = look (name, path, cwd, &found, &err);

  expect_failure (status, wanted, &err, part);
  assert_string_equal (found, "");
  free (found);
}

static void
is_a_local_world (void **state UNUSED)
{
  NEEDS_LOCAL ();
  assert_int_equal (local.world.flags & WEIR_WORLD_LOCAL, WEIR_WORLD_LOCAL);
  assert_null (local.plugin.sandbox);
  for (uint32_t kind = 1; kind < WEIR_STEP_COUNT_; kind++)
    assert_true ((local.process.steps >> kind & 1) != 0);
  assert_int_equal (local.process.steps & 1, 0);
}

static void
takes_a_path_as_it_is (void **state UNUSED)
{
  NEEDS_LOCAL ();
  put ("prog", 0755);
  put ("plain", 0644);
  finds (inside ("prog"), "/nowhere", "/", inside ("prog"));
  finds ("./prog", NULL, scratch, inside ("./prog"));
  mkdir (inside ("sub"), 0755);
  finds ("../prog", NULL, inside ("sub"), inside ("sub/../prog"));
  misses (inside ("none"), "/bin", "/", WEIR_E_NO_PROGRAM, "No such file or directory");
  misses (inside ("prog/x"), "/bin", "/", WEIR_E_NO_PROGRAM, "Not a directory");
  misses (inside ("plain"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "plain': Permission denied");
  misses (inside ("sub"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "Is a directory");
  misses (inside ("sub/"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "Is a directory");
}

static void
searches_the_path (void **state UNUSED)
{
  auto_free char *path = NULL;

  NEEDS_LOCAL ();
  mkdir (inside ("a"), 0755);
  mkdir (inside ("b"), 0755);
  put ("a/tool", 0644);
  put ("b/tool", 0755);
  mkdir (inside ("a/other"), 0755);
  put ("b/other", 0755);
  path = util_fmt ("/nowhere:%s:%s", inside ("a"), inside ("b"));
  finds ("tool", path, "/", inside ("b/tool"));
  finds ("other", path, "/", inside ("b/other"));
  misses ("tool", inside ("a"), "/", WEIR_E_NOT_EXECUTABLE, "a/tool': Permission denied");
  misses ("other", inside ("a"), "/", WEIR_E_NO_PROGRAM, "program 'other' was not found in PATH");
  misses ("none", path, "/", WEIR_E_NO_PROGRAM, "the command's PATH is '/nowhere:");
  /* The first of several.  */
  put ("a/tool", 0755);
  finds ("tool", path, "/", inside ("a/tool"));
  /* A link is found by its own name; a dangling one is not there.  */
  assert_int_equal (symlink ("../b/other", inside ("a/link")), 0);
  assert_int_equal (symlink ("nowhere", inside ("a/dangling")), 0);
  finds ("link", inside ("a"), "/", inside ("a/link"));
  misses ("dangling", inside ("a"), "/", WEIR_E_NO_PROGRAM, "dangling");
  /* Relative entries are of the command's directory.  */
  finds ("tool", "b", scratch, inside ("b/tool"));
}

static void
skips_empty_entries (void **state UNUSED)
{
  NEEDS_LOCAL ();
  put ("here", 0755);
  misses ("here", "", scratch, WEIR_E_NO_PROGRAM, "not found in PATH");
  misses ("here", ":", scratch, WEIR_E_NO_PROGRAM, "not found in PATH");
  misses ("here", "::/nowhere:", scratch, WEIR_E_NO_PROGRAM, "not found in PATH");
  misses ("here", NULL, scratch, WEIR_E_NO_PROGRAM, "not found in PATH");
  finds ("here", ".", scratch, inside ("./here"));
}

static void
refuses_other_files (void **state UNUSED)
{
  NEEDS_LOCAL ();
  assert_int_equal (mkfifo (inside ("fifo"), 0755), 0);
  misses (inside ("fifo"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "fifo': Permission denied");
  assert_int_equal (symlink ("loop", inside ("loop")), 0);
  misses (inside ("loop"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "Too many levels");
  misses ("/dev/null", "/bin", "/", WEIR_E_NOT_EXECUTABLE, "Permission denied");
  misses ("", "/bin", "/", WEIR_E_NO_PROGRAM, "empty");
  misses ("x", "/bin", "relative", WEIR_E_INVALID, "is not absolute");
}

static void
asks_with_the_effective_ids (void **state UNUSED)
{
  NEEDS_LOCAL ();
  if (geteuid () == 0) {
    print_message ("skipped: root may execute what anybody may\n");
    skip ();
  }
  put ("others", 0611);
  misses (inside ("others"), "/bin", "/", WEIR_E_NOT_EXECUTABLE, "Permission denied");
  misses ("others", scratch, "/", WEIR_E_NOT_EXECUTABLE, "Permission denied");
}

static int
group_begin (void **state UNUSED)
{
  const char *installed = getenv ("WEIR_TEST_PLUGIN_DIR"), *build = getenv ("WEIR_BUILDDIR"), *tmp = getenv ("TMPDIR");
  auto_free char *path = installed != NULL ? util_fmt ("%s/local.so", installed)
                         : build != NULL   ? util_fmt ("%s/plugins/local/.libs/local.so", build)
                                           : NULL;
  auto_error weir_error *err = NULL;
  weir_plugin_entry entry;

  if (path == NULL || access (path, F_OK) != 0) {
    why_not = "the plugin was not built, or neither WEIR_TEST_PLUGIN_DIR nor WEIR_BUILDDIR says where it is";
    return 0;
  }
  snprintf (scratch, sizeof scratch, "%s/local-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
  if (mkdtemp (scratch) == NULL)
    return -1;
  return dl_open (path, "local_LTX_weir_plugin_v1", &entry, &err) == WEIR_OK
                 && adopt (entry (&host_table), "local", path, &local, &err) == WEIR_OK
             ? 0
             : -1;
}

static int
remove_one (const char *path, const struct stat *st UNUSED, int type UNUSED, struct FTW *ftw UNUSED)
{
  return remove (path);
}

static int
group_end (void **state UNUSED)
{
  adopted_free (&local);
  return scratch[0] != '\0' ? nftw (scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS) : 0;
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (is_a_local_world),    cmocka_unit_test (takes_a_path_as_it_is),
    cmocka_unit_test (searches_the_path),   cmocka_unit_test (skips_empty_entries),
    cmocka_unit_test (refuses_other_files), cmocka_unit_test (asks_with_the_effective_ids),
  };

  return cmocka_run_group_tests (tests, group_begin, group_end);
}
