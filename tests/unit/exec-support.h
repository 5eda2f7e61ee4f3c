/* SPDX-License-Identifier: Apache-2.0 */
/* Real runtimes for tests: the built plugins, a state directory and workspaces of the test.  */
#ifndef WEIR_TESTS_EXEC_SUPPORT_H
#define WEIR_TESTS_EXEC_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/exec.h"

struct place {
  char *state, *home, *workspace, *base;
};

static const char *place_lacks; /* the variable that is not set */

static inline void
place_skip (void **state)
{
  (void) state;
  print_message ("skipped: %s is not set\n", place_lacks);
  skip ();
}

/* Runs the group where it can run; else one test that says why not.  */
#define place_run(tests, begin, end)                                                                         \
  ((place_lacks = getenv ("WEIR_TEST_PLUGIN_DIR") == NULL    ? "WEIR_TEST_PLUGIN_DIR"                        \
                  : getenv ("WEIR_TEST_TRUSTED_DIR") == NULL ? "WEIR_TEST_TRUSTED_DIR"                       \
                                                             : NULL)                                         \
       != NULL                                                                                               \
     ? cmocka_run_group_tests (((const struct CMUnitTest[]){ cmocka_unit_test (place_skip) }), NULL, NULL)   \
     : cmocka_run_group_tests (tests, begin, end))

static inline void
place_make (struct place *p)
{
  const char *tmp = getenv ("TMPDIR");

  p->state = util_fmt ("%s/state-XXXXXX", getenv ("WEIR_TEST_TRUSTED_DIR"));
  assert_non_null (p->state);
  assert_non_null (mkdtemp (p->state));
  p->base = util_fmt ("%s/weir-exec-XXXXXX", tmp == NULL ? "/tmp" : tmp);
  assert_non_null (p->base);
  assert_non_null (mkdtemp (p->base));
  p->home = util_fmt ("%s/home", p->base);
  p->workspace = util_fmt ("%s/workspace", p->base);
  assert_int_equal (mkdir (p->home, 0755), 0);
  assert_int_equal (mkdir (p->workspace, 0755), 0);
}

static inline int
place_remove (const char *path)
{
  auto_free char *copy = strdup (path);
  char *slash = copy == NULL ? NULL : strrchr (copy, '/');
  int fd, result;

  if (slash == NULL)
    return -1;
  *slash = '\0';
  fd = open (copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  result = fd < 0 ? -1 : sessiondir_remove_tree (fd, slash + 1);
  if (fd >= 0)
    close (fd);
  return result;
}

static inline void
place_free (struct place *p)
{
  assert_int_equal (place_remove (p->state), 0);
  assert_int_equal (place_remove (p->base), 0);
  free (p->state);
  free (p->base);
  free (p->home);
  free (p->workspace);
}

static inline void
place_log (void *data, int level, const char *line)
{
  (void) data;
  if (level <= WEIR_LOG_WARNING)
    print_message ("log: %s\n", line);
}

/* set: NULL-terminated or NULL.  */
static inline weir_status
place_runtime (const struct place *p, uint32_t flags, const char *const *set, weir_runtime **rt, weir_error **err)
{
  auto_free char *home = util_fmt ("HOME=%s", p->home);
  /* No test depends on time: this machine may be busy.  */
  const char *values[8] = { "sandbox.probe_timeout=60s" };
  const char *environment[] = { "PATH=/usr/local/bin:/usr/bin:/bin", home, "SECRET_TOKEN=hunter2", NULL };
  struct weir_runtime_options options = { .struct_size = (uint32_t) sizeof options, .flags = flags, .set = values,
                                          .plugin_dir = getenv ("WEIR_TEST_PLUGIN_DIR"), .state_dir = p->state,
                                          .environ = environment, .log = place_log };

  for (size_t i = 0; set != NULL && set[i] != NULL; i++) {
    assert_true (i + 2 < ARRAY_SIZE (values));
    values[i + 1] = set[i];
  }
  return weir_runtime_new (&options, rt, err);
}

static inline void
expect_ok (weir_status status, weir_error **err)
{
  if (status != WEIR_OK || *err != NULL) {
    auto_free char *text = error_text (*err);
    print_error ("status %d: %s\n", (int) status, text);
    error_clear (err);
    fail ();
  }
}

static inline void
expect_error (weir_status status, weir_status wanted, weir_error **err, const char *part)
{
  auto_free char *text = error_text (*err);

  if (status != wanted || weir_error_code (*err) != wanted || text == NULL || strstr (text, part) == NULL) {
    print_error ("status %d, wanted %d with '%s': %s\n", (int) status, (int) wanted, part, text);
    error_clear (err);
    fail ();
  }
  error_clear (err);
}

static inline void
expect_output (const weir_result *r, int which, const char *text)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };

  weir_result_output (r, which, &o);
  if (o.size != strlen (text) || memcmp (o.data, text, o.size) != 0) {
    print_error ("output %d is '%.*s', wanted '%s'\n", which, (int) o.size, (const char *) o.data, text);
    fail ();
  }
}

/* Open descriptors of this process.  */
static inline int
count_descriptors (void)
{
  int count = 0;

  for (int fd = 0; fd < 1024; fd++)
    count += fcntl (fd, F_GETFD) >= 0;
  return count;
}

#endif
