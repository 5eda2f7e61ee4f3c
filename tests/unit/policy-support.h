/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of policies share: a trusted directory with a home, a workspace, a state directory and a place in it,
 * and settings that name them.  */
#ifndef WEIR_TESTS_POLICY_SUPPORT_H
#define WEIR_TESTS_POLICY_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/policy.h"
#include "core/trust.h"

struct fixture {
  char *dir, *workspace, *home, *state;
  struct settings settings;
  struct places places;
  struct strv environ;
  struct sessiondir *sessions;
  struct policy_input input;
  struct weir_request request;
  struct policy policy;
  weir_error *error;
};

static struct fixture t;

/* A path in the directory of the test; of the last sixteen calls.  */
static inline const char *
in_dir (const char *name)
{
  static char paths[16][PATH_MAX];
  static unsigned next;
  char *p = paths[next++ % 16];

  snprintf (p, PATH_MAX, "%s/%s", t.dir, name);
  return p;
}

static inline void
make_dir (const char *name)
{
  assert_int_equal (mkdir (in_dir (name), 0755), 0);
}

static inline void
make_file (const char *name, const char *text)
{
  int fd = open (in_dir (name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

  assert_true (fd >= 0);
  assert_int_equal (util_write_all (fd, text, strlen (text)), 0);
  close (fd);
}

static inline void
make_link (const char *target, const char *name)
{
  assert_int_equal (symlink (target, in_dir (name)), 0);
}

static inline void
list_add (struct setting_list *list, const char *value, const char *origin)
{
  strv_add (&list->items, value);
  strv_add (&list->origins, origin);
}

static inline void
list_free (struct setting_list *list)
{
  strv_free (&list->items);
  strv_free (&list->origins);
}

/* A directory that only we or root could change, NULL: none is known.  */
static inline const char *
trusted_parent (void)
{
  const char *names[] = { getenv ("WEIR_TEST_TRUSTED_DIR"), getenv ("WEIR_BUILDDIR") };

  for (size_t i = 0; i < ARRAY_SIZE (names); i++) {
    weir_error *ignored = NULL;
    int fd = -1;
    if (names[i] == NULL || access (names[i], W_OK) != 0)
      continue;
    weir_status status = trust_open (names[i], TRUST_DIRECTORY, &fd, NULL, &ignored);
    error_clear (&ignored);
    if (status != WEIR_OK)
      continue;
    close (fd);
    return names[i];
  }
  return NULL;
}

static inline int
fixture_begin_in (const char *parent)
{
  char path[PATH_MAX];

  memset (&t, 0, sizeof t);
  umask (022);
  snprintf (path, sizeof path, "%s/weir-policy-XXXXXX", parent);
  if (mkdtemp (path) == NULL)
    return -1;
  t.dir = realpath (path, NULL);
  t.workspace = strdup (in_dir ("ws"));
  t.home = strdup (in_dir ("home"));
  t.state = strdup (in_dir ("state"));
  make_dir ("ws");
  make_dir ("home");
  make_dir ("etc");
  make_file ("etc/weir.conf", "");
  return t.dir == NULL ? -1 : 0;
}

/* Everything that policy_resolve wants.  1: there is no trusted directory.  */
static inline int
fixture_begin (void)
{
  const char *parent = trusted_parent ();

  if (parent == NULL) {
    print_message ("skipped: WEIR_TEST_TRUSTED_DIR does not name a directory that nobody else could change\n");
    return 1;
  }
  assert_int_equal (fixture_begin_in (parent), 0);
  t.settings.mode = WEIR_MODE_WORKSPACE_WRITE;
  t.settings.mode_origin = strdup ("/etc/weir/weir.conf:3");
  t.settings.private_tmp = 1;
  t.settings.home = strdup (t.home);
  t.settings.state_dir = strdup (t.state);
  list_add (&t.settings.env, "PATH", "built in");
  list_add (&t.settings.env, "HOME", "built in");
  list_add (&t.settings.env, "LC_*", "built in");
  strv_add (&t.places.paths, in_dir ("etc/weir.conf"));
  strv_add (&t.places.reasons, "the configuration file");
  strv_fmt (&t.environ, "HOME=%s", t.home);
  strv_add (&t.environ, "PATH=/usr/bin:/bin");
  assert_int_equal (sessiondir_new (t.state, &t.sessions, NULL), WEIR_OK);
  t.request = (struct weir_request) WEIR_REQUEST_INIT;
  t.request.workspace = t.workspace;
  t.input = (struct policy_input){ &t.settings, strv_items (&t.environ), &t.places, t.sessions };
  return 0;
}

static inline void
fixture_reset (void)
{
  policy_free (&t.policy);
  error_clear (&t.error);
}

static inline void
fixture_end (void)
{
  fixture_reset ();
  sessiondir_free (t.sessions);
  list_free (&t.settings.roots);
  list_free (&t.settings.protect);
  list_free (&t.settings.deny_read);
  list_free (&t.settings.caches);
  list_free (&t.settings.env);
  free (t.settings.mode_origin);
  free (t.settings.home);
  free (t.settings.state_dir);
  strv_free (&t.places.paths);
  strv_free (&t.places.reasons);
  strv_free (&t.environ);
  int parent = open (in_dir (".."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (sessiondir_remove_tree (parent, strrchr (t.dir, '/') + 1), 0);
  close (parent);
  free (t.dir);
  free (t.workspace);
  free (t.home);
  free (t.state);
  memset (&t, 0, sizeof t);
}

static inline weir_status
resolve (void)
{
  fixture_reset ();
  weir_status status = policy_resolve (&t.input, &t.request, &t.policy, &t.error);
  if (status == WEIR_OK)
    assert_null (t.error);
  else
    assert_int_equal (weir_error_code (t.error), status);
  return status;
}

static inline void
assert_resolves (void)
{
  weir_status status = resolve ();
  if (status != WEIR_OK) {
    char *text = error_text (t.error);
    print_error ("%s\n", text);
    free (text);
  }
  assert_int_equal (status, WEIR_OK);
}

static inline void
assert_says (const weir_error *error, const char *words)
{
  char *text = error_text (error);
  assert_non_null (text);
  if (strstr (text, words) == NULL)
    fail_msg ("'%s' is not in: %s", words, text);
  free (text);
}

static inline void
assert_refused (weir_status status, const char *words)
{
  weir_status got = resolve ();
  if (got != status && got != WEIR_OK) {
    char *text = error_text (t.error);
    print_error ("%s\n", text);
    free (text);
  }
  assert_int_equal (got, status);
  assert_says (t.error, words);
}

/* The last line of exactly this path; NULL: none.  */
static inline const struct weir_view *
line_of (const char *world)
{
  for (size_t i = t.policy.view.count; i-- > 0;)
    if (strcmp (t.policy.view.lines[i]->world, world) == 0)
      return t.policy.view.lines[i];
  return NULL;
}

#endif
