/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/spawn-support.h"

static char untrusted[64]; /* beneath /tmp */
static char trusted[256]; /* "": there is none */

static int
set_up (void **state)
{
  const char *given = getenv ("WEIR_TEST_TRUSTED_DIR");

  (void) state;
  support_guard ();
  snprintf (untrusted, sizeof untrusted, "/tmp/weir-runner-XXXXXX");
  if (mkdtemp (untrusted) == NULL)
    return -1;
  if (given == NULL) {
    print_message ("cases with runners of our own are skipped: WEIR_TEST_TRUSTED_DIR is not set\n");
    return 0;
  }
  snprintf (trusted, sizeof trusted, "%s/weir-runner-XXXXXX", given);
  return mkdtemp (trusted) == NULL || chmod (trusted, 0755) != 0 ? -1 : 0;
}

static int
tear_down (void **state)
{
  char command[512];

  (void) state;
  snprintf (command, sizeof command, "rm -rf '%s' '%s'", untrusted, trusted[0] != '\0' ? trusted : untrusted);
  return system (command);
}

static const char *
make_file (const char *dir, const char *name, const char *text, mode_t mode)
{
  static char path[512];
  int fd;

  snprintf (path, sizeof path, "%s/%s", dir, name);
  unlink (path);
  fd = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  assert_int_equal (fchmod (fd, mode), 0);
  close (fd);
  return path;
}

static void
expect_refused (const char *name, weir_status wanted, const char *words)
{
  weir_error *err = NULL;
  char *path = NULL, *text;
  int fd = 77;

  assert_int_equal (runner_find (name, &path, &fd, &err), wanted);
  assert_null (path);
  assert_int_equal (fd, -1);
  text = error_text (err);
  if (strstr (text, words) == NULL)
    fail_msg ("'%s' is not in: %s", words, text);
  free (text);
  weir_error_free (err);
}

static void
test_by_name (void **state)
{
  char *path = NULL;
  int fd;
  struct stat a, b;

  (void) state;
  assert_int_equal (runner_find ("env", &path, &fd, NULL), WEIR_OK);
  assert_true (path[0] == '/');
  assert_true (fd >= 0);
  assert_int_equal (fcntl (fd, F_GETFD), FD_CLOEXEC);
  assert_int_equal (fstat (fd, &a), 0);
  assert_int_equal (stat (path, &b), 0);
  assert_int_equal (a.st_ino, b.st_ino);
  close (fd);
  free (path);
  assert_int_equal (runner_find ("/usr/bin/env", &path, NULL, NULL), WEIR_OK);
  free (path);
}

static void
test_refused (void **state)
{
  (void) state;
  expect_refused ("no-such-runner-here", WEIR_E_NOT_FOUND, "no-such-runner-here");
  expect_refused ("/nonexistent/runner", WEIR_E_NOT_FOUND, "/nonexistent/runner");
  expect_refused ("", WEIR_E_INVALID, "neither");
  expect_refused ("bin/runner", WEIR_E_INVALID, "neither");
  expect_refused ("/usr/bin", WEIR_E_INVALID, "directory");
  expect_refused (make_file (untrusted, "runner", "#!/bin/sh\n", 0755), WEIR_E_UNTRUSTED, "/tmp");
}

static void
test_scripts (void **state)
{
  const char *script;
  char *path = NULL, line[512];
  int fd;

  (void) state;
  if (trusted[0] == '\0')
    skip ();
  script = make_file (trusted, "script", "#! /bin/sh -e\nexit 0\n", 0755);
  assert_int_equal (runner_find (script, &path, &fd, NULL), WEIR_OK);
  assert_string_equal (path, script);
  assert_int_equal (fd, -1); /* by its path */
  free (path);
  expect_refused (make_file (trusted, "open", "#!/bin/sh\n", 0777), WEIR_E_UNTRUSTED, "open");
  expect_refused (make_file (trusted, "env", "#!/usr/bin/env sh\n", 0755), WEIR_E_UNTRUSTED, "PATH");
  expect_refused (make_file (trusted, "relative", "#!sh\n", 0755), WEIR_E_INVALID, "absolute");
  expect_refused (make_file (trusted, "none", "#!\n", 0755), WEIR_E_INVALID, "absolute");
  expect_refused (make_file (trusted, "missing", "#!/nonexistent/sh\n", 0755), WEIR_E_NOT_FOUND, "/nonexistent/sh");
  make_file (untrusted, "sh", "#!/bin/sh\n", 0755);
  snprintf (line, sizeof line, "#!%s/sh\n", untrusted);
  expect_refused (make_file (trusted, "foreign", line, 0755), WEIR_E_UNTRUSTED, untrusted);
}

/* ---- executed ---- */

static void
test_foreign_runner (void **state)
{
  weir_plan *plan = support_shell (TIER_BARE, "echo $FOO; exit 3");
  char text[64];
  struct weir_exit exit;

  (void) state;
  plan_runner (plan, "/usr/bin/env");
  plan_argument (plan, "FOO=bar");
  support_step (plan, WEIR_STEP_SUPERVISE, 0, NULL, 0);
  exit = support_run (plan, text, sizeof text);
  assert_string_equal (text, "bar\n");
  assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
  assert_int_equal (exit.code, 3);
  assert_int_equal (exit.flags, WEIR_EXIT_FROM_RUNNER | WEIR_EXIT_TREE_GONE);
}

static void
test_script_runs (void **state)
{
  weir_plan *plan = support_shell (TIER_BARE, "echo $FOO; exit 4");
  char text[64];

  (void) state;
  if (trusted[0] == '\0') {
    plan_free (plan);
    skip ();
  }
  plan_runner (plan, make_file (trusted, "runs", "#!/bin/sh\nFOO=$1; export FOO; shift; exec \"$@\"\n", 0755));
  plan_argument (plan, "bar");
  assert_int_equal (support_run (plan, text, sizeof text).code, 4);
  assert_string_equal (text, "bar\n");
}

/* A status pipe decides whether the command ran.  */
static void
test_status (void **state)
{
  static const struct {
    const char *says;
    uint32_t kind;
    int code;
  } cases[] = {
    { "printf '{ \"child-pid\": 7 }\\n{ \"exit-code\": 42 }\\n' >&3; exit 1", WEIR_EXIT_EXITED, 42 },
    { "printf '{ \"child-pid\": 7 }\\n' >&3; exit 1", WEIR_EXIT_NOT_STARTED, 1 },
    { "exit 0", WEIR_EXIT_NOT_STARTED, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (cases); i++) {
    weir_plan *plan = support_shell (TIER_BARE, "never seen");
    char text[64];
    struct weir_exit exit;
    plan_runner (plan, "/bin/sh");
    plan_argument (plan, "-c");
    plan_argument (plan, cases[i].says);
    assert_int_equal (plan_fd (plan, WEIR_FD_STATUS_JSON, NULL, 0, 0, 0), 3);
    exit = support_run (plan, text, sizeof text);
    assert_int_equal (exit.kind, cases[i].kind);
    assert_int_equal (exit.code, cases[i].code);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
  }
}

/* bubblewrap, with our init as its pid 1.  NULL: not here.  */
static weir_plan *
inner_plan (const char *script, const char *const *extra)
{
  static const char *const arguments[] = {
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--as-pid-1", "--ro-bind", "/", "/",
    "--dev",          "/dev",          "--proc",        "/proc",      NULL
  };
  weir_plan *plan;

  if (access ("/usr/bin/bwrap", X_OK) != 0 || !support_has_tier (TIER_NAMESPACES)) {
    print_message ("skipped: no bubblewrap, or no user namespaces\n");
    return NULL;
  }
  plan = support_shell (TIER_BARE, script);
  plan_runner (plan, "/usr/bin/bwrap");
  for (size_t i = 0; extra != NULL && extra[i] != NULL; i++)
    plan_argument (plan, extra[i]);
  for (size_t i = 0; arguments[i] != NULL; i++)
    plan_argument (plan, arguments[i]);
  plan_argument (plan, "--");
  plan_supervisor (plan);
  return plan;
}

static void
test_inner_ends (void **state)
{
  weir_plan *plan = inner_plan ("ls /proc/self/fd | wc -l; kill -9 1; exit 12", NULL);
  char text[64];
  struct weir_exit exit;

  (void) state;
  if (plan == NULL)
    skip ();
  exit = support_run (plan, text, sizeof text);
  assert_string_equal (text, "4\n");
  assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
  assert_int_equal (exit.code, 12);
  assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
  exit = support_run (inner_plan ("kill -15 $$", NULL), text, sizeof text);
  assert_int_equal (exit.kind, WEIR_EXIT_SIGNALLED);
  assert_int_equal (exit.code, SIGTERM);
}

static void
test_inner_killed (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);

  (void) state;
  /* by us; then the runner alone, from outside */
  for (int by_us = 0; by_us < 2; by_us++) {
    weir_plan *plan = inner_plan ("trap '' TERM; (setsid sleep 1000 &); echo ready; sleep 1000", NULL);
    struct weir_process process;
    struct weir_exit exit;
    char text[64];
    if (plan == NULL)
      skip ();
    support_spawn (plan, &stdio, &process);
    support_expect ((int) process.streams[1], "ready");
    if (by_us)
      assert_int_equal (process_signal (&support_call, &process, WEIR_SIGNAL_TREE, SIGKILL, NULL), WEIR_OK);
    else
      assert_int_equal (kill ((pid_t) process.id, SIGKILL), 0);
    exit = support_wait (&process);
    support_read ((int) process.streams[1], text, sizeof text);
    assert_int_equal (exit.kind, by_us ? WEIR_EXIT_SIGNALLED : WEIR_EXIT_LOST);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    process_release (&process, NULL);
    plan_free (plan);
  }
}

static void
test_inner_fails (void **state)
{
  static const char *const wrong[] = { "--no-such-option", NULL };
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_PIPE);
  weir_plan *plan = inner_plan ("true", wrong);
  weir_error *err = NULL;

  (void) state;
  if (plan == NULL)
    skip ();
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_RUNNER);
  assert_int_equal (plan->failed_step, WEIR_STAGE_RUNNER);
  assert_non_null (strstr (weir_error_message (err), "no-such-option"));
  weir_error_free (err);
  plan_free (plan);
  /* the program, not the runner */
  err = NULL;
  plan = inner_plan ("true", NULL);
  free (plan->argv.items[0]);
  plan->argv.items[0] = strdup ("/nonexistent/program");
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_NO_PROGRAM);
  assert_int_equal (plan->failed_step, WEIR_STAGE_EXEC);
  weir_error_free (err);
  plan_free (plan);
}

static void
test_inner_harness_dies (void **state)
{
  weir_plan *plan = inner_plan ("trap '' TERM; (setsid sleep 1000 &); echo ready; sleep 1000", NULL);

  (void) state;
  if (plan == NULL)
    skip ();
  for (int i = 0; i < 12; i++) {
    char text[64];
    int out[2], status;
    pid_t pid;
    assert_int_equal (pipe2 (out, O_CLOEXEC), 0);
    pid = fork ();
    if (pid == 0) {
      struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_INHERIT, WEIR_STDIO_NULL);
      struct weir_process process = { WEIR_SIZED (struct weir_process) };
      stdio.fd[1] = out[1];
      process_spawn (&support_call, plan, &stdio, &process, NULL);
      for (;;)
        pause ();
    }
    close (out[1]);
    if (i == 0)
      support_expect (out[0], "ready");
    else
      usleep ((useconds_t) i * 1500);
    kill (pid, SIGKILL);
    waitpid (pid, &status, 0);
    support_read (out[0], text, sizeof text);
    close (out[0]);
  }
  plan_free (plan);
}

/* A runner that never comes to the command.  */
static void
test_inner_hangs (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_INHERIT, WEIR_STDIO_NULL);
  int before = support_count_fds ();

  (void) state;
  for (int cancelled = 0; cancelled < 2; cancelled++) {
    weir_plan *plan = support_shell (TIER_BARE, "true");
    struct weir_process process = { WEIR_SIZED (struct weir_process) };
    weir_call call = support_call;
    weir_error *err = NULL;
    int out[2], cancel[2];
    char text[64];
    plan_runner (plan, "/bin/sh");
    plan_argument (plan, "-c");
    plan_argument (plan, "sleep 1000 & sleep 1000; sleep 1000");
    plan_supervisor (plan);
    assert_int_equal (pipe2 (out, O_CLOEXEC), 0);
    assert_int_equal (pipe2 (cancel, O_CLOEXEC), 0);
    stdio.fd[1] = out[1];
    if (cancelled) {
      assert_int_equal (write (cancel[1], "x", 1), 1);
      call.cancel = cancel[0];
    }
    else
      call.deadline_ms = util_now_ms () + 50;
    assert_int_equal (process_spawn (&call, plan, &stdio, &process, &err),
                      cancelled ? WEIR_E_CANCELLED : WEIR_E_TIMEOUT);
    assert_int_equal (weir_error_code (err), cancelled ? WEIR_E_CANCELLED : WEIR_E_TIMEOUT);
    weir_error_free (err);
    plan_free (plan);
    close (out[1]);
    support_read (out[0], text, sizeof text); /* its children are gone too */
    close (out[0]);
    close (cancel[0]);
    close (cancel[1]);
  }
  assert_int_equal (support_count_fds (), before);
  assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_by_name),     cmocka_unit_test (test_refused),
    cmocka_unit_test (test_scripts),     cmocka_unit_test (test_foreign_runner),
    cmocka_unit_test (test_script_runs), cmocka_unit_test (test_status),
    cmocka_unit_test (test_inner_ends),  cmocka_unit_test (test_inner_killed),
    cmocka_unit_test (test_inner_fails), cmocka_unit_test (test_inner_harness_dies),
    cmocka_unit_test (test_inner_hangs),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
