/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of git metadata share: a directory, a policy made by hand, scripts that run unconfined, as beneath a plan
 * that does not govern WEIR_AXIS_PROTECT.  Included by each once.  */
#ifndef WEIR_TESTS_GITMETA_SUPPORT_H
#define WEIR_TESTS_GITMETA_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/policy.h"
#include "core/util.h"

#define NO_LINE (-1)

struct fixture {
  char dir[4096];
  char workspace[4200];
  struct policy policy;
  struct strv warnings;
};

static struct fixture t;

/* Runs a script in the directory of the test; W is the workspace.  */
static UNUSED void
shell (const char *format, ...)
{
  auto_strbuf struct strbuf text = { 0 };
  va_list ap;
  int rc;

  strbuf_fmt (&text,
              "set -e; export LC_ALL=C W='%s' D='%s' HOME='%s/home' GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
              "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; unset XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE; umask 022; "
              "init() { git init -q -b main \"$@\"; }; sub() { git -c protocol.file.allow=always submodule -q \"$@\" 2>/dev/null; }; "
              "cd \"$D\"; ",
              t.workspace, t.dir, t.dir);
  va_start (ap, format);
  strbuf_vfmt (&text, format, ap);
  va_end (ap);
  rc = system (text.data);
  if (rc != 0)
    print_error ("script failed: %s\n", text.data);
  assert_int_equal (rc, 0);
}

static UNUSED int
setup (void **state)
{
  const char *tmp = getenv ("TMPDIR");
  char path[4000], *real;

  (void) state;
  memset (&t, 0, sizeof t);
  snprintf (path, sizeof path, "%s/weir-gitmeta-XXXXXX", tmp != NULL ? tmp : "/tmp");
  real = mkdtemp (path) != NULL ? realpath (path, NULL) : NULL;
  if (real == NULL)
    return -1;
  snprintf (t.dir, sizeof t.dir, "%s", real);
  snprintf (t.workspace, sizeof t.workspace, "%s/ws", real);
  free (real);
  shell ("mkdir home ws");
  return 0;
}

static UNUSED void
end_policy (void)
{
  gitmeta_free (t.policy.git);
  view_free (&t.policy.view);
  strv_free (&t.policy.env);
  strv_free (&t.warnings);
  memset (&t.policy, 0, sizeof t.policy);
}

static UNUSED int
teardown (void **state)
{
  (void) state;
  end_policy ();
  shell ("cd /; chmod -R u+rwx \"$D\"; rm -rf \"$D\"");
  return 0;
}

static UNUSED char *
at (const char *relative)
{
  static char paths[4][8192];
  static int turn;
  char *path = paths[turn++ % 4];

  snprintf (path, sizeof paths[0], "%s/%s", t.dir, relative);
  return path;
}

static UNUSED void
start_policy (struct policy *p, const char *const *roots)
{
  p->mode = WEIR_MODE_WORKSPACE_WRITE;
  strv_fmt (&p->env, "HOME=%s/home", t.dir);
  assert_int_equal (view_add (&p->view, WEIR_ACCESS_READ, 0, "/", "/", "built in", NULL), WEIR_OK);
  for (size_t i = 0; roots[i] != NULL; i++)
    assert_int_equal (view_add (&p->view, WEIR_ACCESS_WRITE, 0, at (roots[i]), at (roots[i]), "root", NULL), WEIR_OK);
}

static UNUSED void
apply_roots (const char *const *roots)
{
  auto_error weir_error *error = NULL;

  start_policy (&t.policy, roots);
  if (gitmeta_apply (&t.policy, &error) != WEIR_OK)
    fail_msg ("%s", weir_error_message (error));
}

static UNUSED void
apply (void)
{
  apply_roots ((const char *const[]) { "ws", NULL });
}

static UNUSED void
before (void)
{
  assert_int_equal (gitmeta_before (t.policy.git, NULL), WEIR_OK);
}

static UNUSED void
after (void)
{
  gitmeta_after (t.policy.git, &t.warnings);
}

/* The access of the last line for exactly this path.  */
static UNUSED int
line (const char *relative)
{
  for (size_t i = t.policy.view.count; i-- > 0;)
    if (strcmp (t.policy.view.lines[i]->host, at (relative)) == 0)
      return (int) t.policy.view.lines[i]->access;
  return NO_LINE;
}

static UNUSED size_t
lines (void)
{
  return t.policy.view.count;
}

static UNUSED int
exists (const char *relative)
{
  struct stat st;

  return lstat (at (relative), &st) == 0;
}

static UNUSED void
content (const char *relative, const char *expected)
{
  size_t size;
  auto_free char *text = util_read_file (-1, at (relative), 65536, &size);

  if (text == NULL)
    fail_msg ("no %s", relative);
  assert_string_equal (text, expected);
}

/* Things of this name in quarantine in a directory.  */
static UNUSED int
quarantined (const char *directory, const char *name)
{
  auto_free char *prefix = util_fmt ("%s.weir-quarantine-", name);
  DIR *d = opendir (at (directory));
  const struct dirent *e;
  int n = 0;

  assert_non_null (d);
  while ((e = readdir (d)) != NULL)
    n += strncmp (e->d_name, prefix, strlen (prefix)) == 0;
  closedir (d);
  return n;
}

static UNUSED void
warned (const char *part, size_t count)
{
  size_t n = 0;

  for (size_t i = 0; i < t.warnings.count; i++)
    n += strstr (t.warnings.items[i], part) != NULL;
  if (n != count)
    for (size_t i = 0; i < t.warnings.count; i++)
      print_error ("warning: %s\n", t.warnings.items[i]);
  assert_int_equal (n, count);
}

static UNUSED void
quiet (void)
{
  for (size_t i = 0; i < t.warnings.count; i++)
    print_error ("warning: %s\n", t.warnings.items[i]);
  assert_int_equal (t.warnings.count, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)

static int
run_group (const char *name, const struct CMUnitTest *tests, size_t count)
{
  if (system ("git --version >/dev/null 2>&1") != 0) {
    printf ("1..1\nok 1 - %s # skip git is not installed\n", name);
    return 0;
  }
  return _cmocka_run_group_tests (name, tests, count, NULL, NULL);
}

#endif
