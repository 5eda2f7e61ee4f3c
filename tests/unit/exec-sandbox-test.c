/* SPDX-License-Identifier: Apache-2.0 */
/* Confined calls from end to end, under each sandbox that was built and works here.  */
#include "config.h"
#include "core/exec.h"

#include "exec-support.h"

#define LONG 60000
#define THREADS 16
#define SESSIONS 4 /* of each thread */

static const char *const sandboxes[] = { "landlock", "bwrap" };
static struct place place;
static weir_runtime *rt;
static struct weir_request request;
static const char *sandbox; /* of the test that runs */
static char why[2][1024];   /* not usable: the reason */

static const char *const *
shell (const char *script)
{
  static _Thread_local const char *argv[4];

  argv[0] = "sh";
  argv[1] = "-c";
  argv[2] = script;
  argv[3] = NULL;
  return argv;
}

static void
fresh (void)
{
  request = (struct weir_request) WEIR_REQUEST_INIT;
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  request.workspace = place.workspace;
  request.timeout_ms = LONG;
  request.sandbox = sandbox;
}

static int
setup_group (void **state UNUSED)
{
  weir_error *err = NULL;

  place_make (&place);
  if (place_runtime (&place, 0, NULL, &rt, &err) != WEIR_OK)
    return -1;
  for (size_t i = 0; i < ARRAY_SIZE (sandboxes); i++) {
    weir_result *r = NULL;
    sandbox = sandboxes[i];
    fresh ();
    request.argv = shell ("exit 0");
    if (weir_run (rt, &request, &r, &err) != WEIR_OK) {
      auto_free char *text = error_text (err);
      snprintf (why[i], sizeof why[i], "%s", text);
      error_clear (&err);
    }
    weir_result_free (r);
  }
  return 0;
}

static int
teardown_group (void **state UNUSED)
{
  weir_runtime_free (rt);
  place_free (&place);
  return 0;
}

/* Initial state: the index of the sandbox.  */
static int
setup (void **state)
{
  size_t i = (size_t) (uintptr_t) *state;

  sandbox = sandboxes[i];
  fresh ();
  return 0;
}

#define NEEDS_SANDBOX()                                                                     \
  do {                                                                                      \
    const char *reason = why[strcmp (sandbox, sandboxes[0]) != 0];                          \
    if (reason[0] != '\0') {                                                                \
      print_message ("skipped: %s is not usable here: %s\n", sandbox, reason);              \
      skip ();                                                                              \
    }                                                                                       \
  } while (0)

static weir_result *
run (const char *script)
{
  weir_error *err = NULL;
  weir_result *r;

  request.argv = shell (script);
  expect_ok (weir_run (rt, &request, &r, &err), &err);
  return r;
}

static int
exists (const char *name)
{
  auto_free char *path = util_fmt ("%s/%s", place.base, name);
  struct stat st;
  return lstat (path, &st) == 0;
}

static int
has_denial (const weir_result *r, const char *operation, const char *path)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };

  for (size_t i = 0; weir_result_denial (r, i, &d); i++)
    if (d.path != NULL && strcmp (d.path, path) == 0 && (operation == NULL || strcmp (d.operation, operation) == 0)) {
      assert_non_null (d.rule);
      assert_non_null (d.origin);
      assert_false (d.enforced);
      return 1;
    }
  return 0;
}

static void
test_workspace (void **state UNUSED)
{
  auto_free char *outside = util_fmt ("%s/outside", place.base);
  auto_free char *script = util_fmt ("echo in >in && cat in; touch '%s'; exit 7", outside);
  weir_result *r;

  NEEDS_SANDBOX ();
  r = run (script);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_EXITED);
  assert_int_equal (weir_result_code (r), 7);
  assert_string_equal (weir_result_provider (r), sandbox);
  assert_int_equal (weir_result_mode (r), WEIR_MODE_WORKSPACE_WRITE);
  assert_int_not_equal (weir_result_enforcement (r), WEIR_ENFORCEMENT_NONE);
  assert_true (weir_result_tree_gone (r));
  expect_output (r, 1, "in\n");
  assert_true (exists ("workspace/in"));
  assert_false (exists ("outside"));
  weir_result_free (r);
}

static void
test_read_only (void **state UNUSED)
{
  auto_free char *path = realpath (place.workspace, NULL), *file = util_fmt ("%s/ro", path);
  weir_result *r;

  NEEDS_SANDBOX ();
  request.mode = WEIR_MODE_READ_ONLY;
  r = run ("touch ro");
  assert_int_equal (weir_result_mode (r), WEIR_MODE_READ_ONLY);
  assert_int_not_equal (weir_result_code (r), 0);
  assert_false (exists ("workspace/ro"));
  assert_true (has_denial (r, "create", file));
  weir_result_free (r);
  /* The same words without a failure, or for something that is allowed, are no denial.  */
  r = run ("touch ro || true");
  assert_false (has_denial (r, NULL, file));
  weir_result_free (r);
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  r = run ("echo \"touch: cannot touch 'ro': Permission denied\" >&2; exit 1");
  assert_false (has_denial (r, NULL, file));
  weir_result_free (r);
}

static void
test_hidden (void **state UNUSED)
{
  auto_free char *secret = util_fmt ("%s/secret", place.home), *real = NULL;
  const char *deny[] = { secret, NULL };
  auto_free char *script = util_fmt ("cat '%s'", secret);
  weir_result *r;
  int fd;

  NEEDS_SANDBOX ();
  fd = open (secret, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, "xyzzy", 5), 5);
  close (fd);
  real = realpath (secret, NULL);
  request.deny_read = deny;
  r = run (script);
  expect_output (r, 1, "");
  /* To uid 0 a hidden file may look empty instead of unreadable; and a backend may leave "permission denied", which every
   * file's own mode can cause, out of its words.  */
  if (weir_result_code (r) != 0 && strcmp (sandbox, sandboxes[0]) == 0)
    assert_true (has_denial (r, "read", real));
  weir_result_free (r);
}

static void
test_sessions_share_tmp (void **state UNUSED)
{
  weir_result *r;

  NEEDS_SANDBOX ();
  request.session = "one";
  weir_result_free (run ("echo kept >/tmp/note"));
  r = run ("cat /tmp/note");
  expect_output (r, 1, "kept\n");
  weir_result_free (r);
  request.session = "two";
  r = run ("ls -A /tmp");
  expect_output (r, 1, "");
  weir_result_free (r);
  request.session = NULL;
  r = run ("ls -A /tmp; echo x >/tmp/x && cp /bin/true /tmp/t && /tmp/t");
  expect_output (r, 1, "");
  assert_int_equal (weir_result_code (r), 0);
  weir_result_free (r);
}

static void
test_endings (void **state UNUSED)
{
  weir_result *r;

  NEEDS_SANDBOX ();
  r = run ("kill -SEGV $$");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_SIGNALLED);
  assert_int_equal (weir_result_signal (r), SIGSEGV);
  weir_result_free (r);
  request.timeout_ms = 300;
  r = run ("trap '' HUP; setsid sleep 1000 & sleep 1000");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  assert_true (weir_result_tree_gone (r));
  weir_result_free (r);
  request.timeout_ms = LONG;
  r = run ("(setsid sh -c 'sleep 1000; echo late >late' &) ; exit 3");
  assert_int_equal (weir_result_code (r), 3);
  assert_true (weir_result_tree_gone (r));
  weir_result_free (r);
}

static void
test_programs (void **state UNUSED)
{
  static const char *const missing[] = { "no-such-program", NULL };
  weir_error *err = NULL;
  weir_result *r;

  NEEDS_SANDBOX ();
  request.argv = missing;
  expect_error (weir_run (rt, &request, &r, &err), WEIR_E_NO_PROGRAM, &err, "no-such-program");
  /* What looks like a failure of the sandbox, printed by the command, is the command's.  */
  r = run ("echo 'bwrap: setting up uid map: Permission denied' >&2; echo 'landlock-run: x' >&2; exit 125");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_EXITED);
  assert_int_equal (weir_result_code (r), 125);
  weir_result_free (r);
}

static void
test_limits_that_end_it (void **state UNUSED)
{
  static const char *const cpu[] = { "cpu=1s", NULL }, *const size[] = { "file_size=4K", NULL };
  static const char *const dd[] = { "dd", "if=/dev/zero", "of=big", "bs=8192", "count=4", NULL };
  weir_error *err = NULL;
  weir_result *r;

  NEEDS_SANDBOX ();
  request.limits = cpu;
  r = run ("while :; do :; done");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_LIMIT);
  assert_string_equal (weir_result_limit (r), "cpu");
  assert_int_equal (weir_result_exit_status (r), 137);
  weir_result_free (r);
  request.limits = size;
  request.argv = dd;
  expect_ok (weir_run (rt, &request, &r, &err), &err);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_LIMIT);
  assert_string_equal (weir_result_limit (r), "file_size");
  weir_result_free (r);
}

static void
test_environment (void **state UNUSED)
{
  weir_result *r;

  NEEDS_SANDBOX ();
  r = run ("env | grep -c hunter2; for i in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$i ] && echo open $i; done; :");
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  weir_result_output (r, 1, &o);
  assert_memory_equal (o.data, "0\n", 2);
  weir_result_free (r);
}

static void
test_root_replaced (void **state UNUSED)
{
  auto_free char *root = util_fmt ("%s/extra", place.base);
  const char *write[] = { root, NULL };
  weir_result *r;
  weir_error *err = NULL;

  NEEDS_SANDBOX ();
  assert_int_equal (mkdir (root, 0755), 0);
  request.write = write;
  r = run ("touch ../extra/x");
  assert_int_equal (weir_result_code (r), 0);
  assert_true (exists ("extra/x"));
  weir_result_free (r);
  assert_int_equal (place_remove (root), 0);
  request.argv = shell ("exit 0");
  assert_int_not_equal (weir_run (rt, &request, &r, &err), WEIR_OK);
  error_clear (&err);
}

static void
test_bare_mode_is_never_a_fallback (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.chain=[\"no_such_sandbox\"]", NULL };
  weir_runtime *mine;
  weir_error *err = NULL;
  weir_result *r;

  expect_ok (place_runtime (&place, WEIR_RUNTIME_ONE_SHOT, set, &mine, &err), &err);
  request.sandbox = NULL;
  request.argv = shell (">never");
  expect_error (weir_run (mine, &request, &r, &err), WEIR_E_UNAVAILABLE, &err, "no_such_sandbox");
  assert_false (exists ("workspace/never"));
  weir_runtime_free (mine);
}

/* ---- many at once ---- */

struct worker {
  pthread_t thread;
  int number, bad;
  char what[256];
};

static void
worker_fail (struct worker *w, const char *what, int i)
{
  w->bad++;
  snprintf (w->what, sizeof w->what, "session %d: %s", i, what);
}

/* One call with a policy of its own: odd ones may write in their workspace, even ones may not.  */
static void
worker_call (struct worker *w, int i)
{
  int may = (w->number + i) % 2;
  auto_free char *session = util_fmt ("s%d-%d", w->number, i), *workspace = util_fmt ("%s/%s", place.base, session);
  auto_free char *mark = util_fmt ("%s/mark", workspace), *echo = NULL;
  struct weir_request q = WEIR_REQUEST_INIT;
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  auto_error weir_error *err = NULL;
  struct stat st;
  weir_result *r = NULL;

  if (mkdir (workspace, 0755) != 0 && errno != EEXIST)
    worker_fail (w, "mkdir", i);
  unlink (mark);
  echo = util_fmt ("echo %s >>/tmp/who; cat /tmp/who; touch mark", session);
  q.argv = shell (echo);
  q.mode = may ? WEIR_MODE_WORKSPACE_WRITE : WEIR_MODE_READ_ONLY;
  q.network_set = 1;
  q.network = i % 2 ? WEIR_NETWORK_NONE : WEIR_NETWORK_INHERIT;
  q.workspace = workspace;
  q.session = session;
  q.sandbox = sandbox;
  q.timeout_ms = 4 * LONG;
  if (weir_run (rt, &q, &r, &err) != WEIR_OK) {
    auto_free char *text = error_text (err);
    worker_fail (w, text, i);
    return;
  }
  weir_result_output (r, 1, &o);
  if (weir_result_mode (r) != q.mode)
    worker_fail (w, "mode", i);
  if ((lstat (mark, &st) == 0) != may)
    worker_fail (w, may ? "could not write" : "could write", i);
  if ((weir_result_code (r) == 0) != may)
    worker_fail (w, "exit status", i);
  if (o.size < strlen (session) || memcmp (o.data, session, strlen (session)) != 0
      || memchr (o.data, '\n', o.size) != (const char *) o.data + strlen (session))
    worker_fail (w, "another session's /tmp", i);
  weir_result_free (r);
}

static void *
worker_main (void *data)
{
  struct worker *w = data;

  for (int i = 0; i < SESSIONS; i++)
    worker_call (w, i);
  return NULL;
}

static void
test_sessions_at_once (void **state UNUSED)
{
  struct worker workers[THREADS] = { 0 };

  NEEDS_SANDBOX ();
  for (int i = 0; i < THREADS; i++) {
    workers[i].number = i + (strcmp (sandbox, sandboxes[0]) == 0 ? 0 : 100);
    assert_int_equal (pthread_create (&workers[i].thread, NULL, worker_main, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join (workers[i].thread, NULL);
  for (int i = 0; i < THREADS; i++)
    if (workers[i].bad > 0)
      fail_msg ("thread %d: %s", i, workers[i].what);
}

#define TESTS(name)                                                            \
  { #name " (landlock)", name, setup, NULL, (void *) (uintptr_t) 0 },          \
  { #name " (bwrap)", name, setup, NULL, (void *) (uintptr_t) 1 }

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TESTS (test_workspace),
    TESTS (test_read_only),
    TESTS (test_hidden),
    TESTS (test_sessions_share_tmp),
    TESTS (test_endings),
    TESTS (test_programs),
    TESTS (test_limits_that_end_it),
    TESTS (test_environment),
    TESTS (test_root_replaced),
    TESTS (test_bare_mode_is_never_a_fallback),
    TESTS (test_sessions_at_once),
  };
  return place_run (tests, setup_group, teardown_group);
}
