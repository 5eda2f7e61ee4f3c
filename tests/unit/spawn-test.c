/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>

#include "tests/unit/spawn-support.h"

static char scratch[64];

static const char *
scratch_file (const char *name, const char *text, mode_t mode)
{
  static char path[128];
  int fd;

  snprintf (path, sizeof path, "%s/%s", scratch, name);
  unlink (path);
  fd = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, strlen (text)), (ssize_t) strlen (text));
  assert_int_equal (fchmod (fd, mode), 0);
  close (fd);
  return path;
}

static int
set_up (void **state)
{
  (void) state;
  support_guard ();
  snprintf (scratch, sizeof scratch, "/tmp/weir-spawn-XXXXXX");
  return mkdtemp (scratch) == NULL ? -1 : 0;
}

static int
tear_down (void **state)
{
  char command[128];

  (void) state;
  snprintf (command, sizeof command, "rm -rf '%s'", scratch);
  return system (command);
}

static void
test_ends (void **state)
{
  char text[256];
  struct weir_exit exit;

  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    if (!support_has_tier (tier))
      continue;
    exit = support_run (support_shell (tier, "echo out; exit 0"), text, sizeof text);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 0);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    assert_true (exit.max_rss > 0);
    assert_string_equal (text, "out\n");
    exit = support_run (support_shell (tier, "exit 255"), text, sizeof text);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 255);
    for (int signo = 1; signo < 16; signo++) {
      char script[64];
      snprintf (script, sizeof script, "kill -%d $$", signo);
      exit = support_run (support_shell (tier, script), text, sizeof text);
      assert_int_equal (exit.kind, WEIR_EXIT_SIGNALLED);
      assert_int_equal (exit.code, signo);
      assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    }
  }
}

static void
expect_exec_failure (const char *program, weir_status wanted, int errnum)
{
  const char *const argv[] = { program, NULL };
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_NULL);

  for (int tier = 0; tier < TIER_COUNT; tier++) {
    weir_plan *plan;
    weir_error *err = NULL;
    int before = support_count_fds ();
    if (!support_has_tier (tier))
      continue;
    before = support_count_fds ();
    plan = support_plan (tier, argv);
    assert_int_equal (support_fails (plan, &stdio, &err), wanted);
    assert_int_equal (weir_error_code (err), wanted);
    assert_int_equal (plan->failed_step, WEIR_STAGE_EXEC);
    assert_int_equal (plan->failed_errno, errnum);
    assert_int_equal (plan->failed_fact, 0);
    assert_non_null (strstr (weir_error_message (err), program));
    assert_int_equal (support_count_fds (), before);
    weir_error_free (err);
    plan_free (plan);
  }
}

static void
test_exec_failures (void **state)
{
  (void) state;
  expect_exec_failure ("/nonexistent/program", WEIR_E_NO_PROGRAM, ENOENT);
  expect_exec_failure ("/dev/null/program", WEIR_E_NO_PROGRAM, ENOTDIR);
  expect_exec_failure ("/tmp", WEIR_E_NOT_EXECUTABLE, EACCES);
  expect_exec_failure (scratch_file ("mode", "#!/bin/sh\n", 0644), WEIR_E_NOT_EXECUTABLE, EACCES);
  expect_exec_failure (scratch_file ("noexec", "echo hello\n", 0755), WEIR_E_NOT_EXECUTABLE, ENOEXEC);
  expect_exec_failure (scratch_file ("empty", "", 0755), WEIR_E_NOT_EXECUTABLE, ENOEXEC);
  expect_exec_failure (scratch_file ("interpreter", "#!/nonexistent/sh\n", 0755), WEIR_E_NOT_EXECUTABLE, ENOENT);
}

static void
test_directory (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_NULL);
  char text[256], wanted[80];

  (void) state;
  snprintf (wanted, sizeof wanted, "%s\n", scratch);
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    weir_plan *plan;
    weir_error *err = NULL;
    if (!support_has_tier (tier))
      continue;
    plan = support_shell (tier, "pwd");
    free (plan->cwd);
    plan->cwd = strdup (scratch);
    assert_int_equal (support_run (plan, text, sizeof text).code, 0);
    assert_string_equal (text, wanted);
    plan = support_shell (tier, "pwd");
    free (plan->cwd);
    plan->cwd = strdup ("/nonexistent");
    assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_RUNNER);
    assert_int_equal (plan->failed_step, WEIR_STAGE_CWD);
    assert_int_equal (plan->failed_errno, ENOENT);
    assert_non_null (strstr (weir_error_message (err), "/nonexistent"));
    weir_error_free (err);
    plan_free (plan);
  }
}

static void
test_environment (void **state)
{
  const char *const argv[] = { "/usr/bin/env", NULL };
  char text[256];

  (void) state;
  setenv ("WEIR_TEST_SECRET", "1", 1);
  assert_int_equal (support_run (support_plan (TIER_BARE, argv), text, sizeof text).code, 0);
  assert_string_equal (text, "PATH=/usr/local/bin:/usr/bin:/bin\nLC_ALL=C\n");
}

/* The child sees 0, 1 and 2 and nothing else, whatever is open and inheritable here.  */
static void
test_descriptors (void **state)
{
  char text[256];
  int extra[3];

  (void) state;
  for (int i = 0; i < 3; i++)
    extra[i] = fcntl (0, F_DUPFD, 10 + 100 * i); /* inheritable */
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    if (!support_has_tier (tier))
      continue;
    assert_int_equal (
        support_run (support_shell (tier, "for f in /proc/self/fd/*; do echo ${f##*/}; done"), text, sizeof text).code,
        0);
    /* the shell's own listing has no descriptor: it expands before it opens */
    if (strcmp (text, "0\n1\n2\n") != 0 && strcmp (text, "0\n1\n2\n3\n") != 0)
      fail_msg ("tier %s has descriptors %s", tier_names[tier], text);
  }
  for (int i = 0; i < 3; i++)
    close (extra[i]);
}

static void
test_no_leaks (void **state)
{
  char text[256];
  int before;

  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    if (!support_has_tier (tier))
      continue;
    support_run (support_shell (tier, "true"), text, sizeof text);
    before = support_count_fds ();
    for (int i = 0; i < 5; i++)
      support_run (support_shell (tier, "true"), text, sizeof text);
    assert_int_equal (support_count_fds (), before);
  }
}

static void
test_plan_descriptors (void **state)
{
  weir_plan *plan =
      support_shell (TIER_BARE, "cat <&4; cat <&3; test /dev/fd/5 -ef / && echo root; test ! -e /dev/fd/6");
  char text[256];

  (void) state;
  assert_int_equal (plan_fd (plan, WEIR_FD_DATA, "three ", 0, 0, 0), 3);
  assert_int_equal (plan_fd (plan, WEIR_FD_DATA, "four ", 0, 0, 0), 4);
  assert_int_equal (plan_fd (plan, WEIR_FD_PATH, "/", 0, 0, 0), 5);
  assert_int_equal (support_run (plan, text, sizeof text).code, 0);
  assert_string_equal (text, "four three root\n");
}

static void
test_replaced_path (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_NULL);
  weir_plan *plan = support_shell (TIER_BARE, "true");
  weir_error *err = NULL;

  (void) state;
  plan_fd (plan, WEIR_FD_PATH, "/", 1, 99999999, 0);
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_CONFLICT);
  weir_error_free (err);
  plan_free (plan);
}

static void
test_streams (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_PIPE, WEIR_STDIO_PIPE, WEIR_STDIO_PIPE);
  struct weir_process process;
  char text[64];

  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    weir_plan *plan;
    if (!support_has_tier (tier))
      continue;
    plan = support_shell (tier, "cat; echo err >&2");
    support_spawn (plan, &stdio, &process);
    assert_int_equal (fcntl ((int) process.streams[1], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal (fcntl ((int) process.streams[1], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    assert_int_equal (write ((int) process.streams[0], "in", 2), 2);
    assert_int_equal (process_close_stdin (&process, NULL), WEIR_OK);
    support_read ((int) process.streams[1], text, sizeof text);
    assert_string_equal (text, "in");
    support_read ((int) process.streams[2], text, sizeof text);
    assert_string_equal (text, "err\n");
    assert_int_equal (support_wait (&process).code, 0);
    process_release (&process, NULL);
    plan_free (plan);
  }
}

static void
test_wrong_streams (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_INHERIT, WEIR_STDIO_NULL);
  weir_plan *plan = support_shell (TIER_BARE, "true");
  weir_error *err = NULL;

  (void) state;
  stdio.fd[1] = 900;
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_INVALID);
  assert_int_equal (plan->failed_step, WEIR_STAGE_STDIO);
  assert_non_null (strstr (weir_error_message (err), "standard output"));
  weir_error_free (err);
  err = NULL;
  stdio = support_stdio (WEIR_STDIO_PTY, WEIR_STDIO_PIPE, WEIR_STDIO_PTY);
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_INVALID);
  weir_error_free (err);
  plan_free (plan);
}

/* In a child whose 0, 1 and 2 are closed: what is opened then has those numbers.  */
static int
run_without_streams (int tier, int result)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);
  weir_plan *plan = support_shell (tier, "echo ok; ls /proc/self/fd | wc -l");
  struct weir_process process = { WEIR_SIZED (struct weir_process) };
  struct weir_exit exit = { WEIR_SIZED (struct weir_exit) };
  char text[64] = "";

  for (int fd = 0; fd < 3; fd++)
    close (fd);
  if (process_spawn (&support_call, plan, &stdio, &process, NULL) != WEIR_OK)
    return 1;
  support_read ((int) process.streams[1], text, sizeof text);
  if (write (result, text, strlen (text)) < 0 || process_wait (&support_call, &process, &exit, NULL) != WEIR_OK)
    return 2;
  process_release (&process, NULL);
  plan_free (plan);
  return exit.kind == WEIR_EXIT_EXITED && exit.code == 0 ? 0 : 3;
}

static void
test_closed_streams (void **state)
{
  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    int ends[2], status;
    char text[64];
    pid_t pid;
    if (!support_has_tier (tier))
      continue;
    assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
    pid = fork ();
    if (pid == 0)
      _exit (run_without_streams (tier, ends[1]));
    close (ends[1]);
    support_read (ends[0], text, sizeof text);
    close (ends[0]);
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
    assert_string_equal (text, "ok\n4\n");
  }
}

/* Default dispositions and an empty mask, whatever ours are; and ours are as before.  */
static void
test_signals_reset (void **state)
{
  sigset_t blocked, before, after;
  char text[512];

  (void) state;
  signal (SIGPIPE, SIG_IGN);
  signal (SIGUSR1, SIG_IGN);
  signal (SIGRTMAX, SIG_IGN);
  sigemptyset (&blocked);
  sigaddset (&blocked, SIGUSR2);
  sigaddset (&blocked, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &blocked, NULL);
  pthread_sigmask (SIG_SETMASK, NULL, &before);
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    const char *const argv[] = { "/bin/grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status", NULL };
    if (!support_has_tier (tier))
      continue;
    support_run (support_plan (tier, argv), text, sizeof text);
    assert_string_equal (text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  }
  pthread_sigmask (SIG_SETMASK, NULL, &after);
  for (int signo = 1; signo < NSIG; signo++)
    assert_int_equal (sigismember (&after, signo), sigismember (&before, signo));
  pthread_sigmask (SIG_UNBLOCK, &blocked, NULL);
  signal (SIGPIPE, SIG_DFL);
  signal (SIGUSR1, SIG_DFL);
  signal (SIGRTMAX, SIG_DFL);
}

/* The embedder reaps all its children, or lets the kernel do so.  */
static void
test_reaped_by_others (void **state)
{
  char text[64];

  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);
    struct weir_process process;
    struct weir_exit exit;
    weir_plan *plan;
    if (!support_has_tier (tier))
      continue;
    signal (SIGCHLD, SIG_IGN);
    exit = support_run (support_shell (tier, "exit 7"), text, sizeof text);
    signal (SIGCHLD, SIG_DFL);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 7);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    plan = support_shell (tier, "exit 9");
    support_spawn (plan, &stdio, &process);
    while (waitpid (-1, NULL, __WALL) > 0)
      ;
    exit = support_wait (&process);
    assert_int_equal (exit.code, 9);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    process_release (&process, NULL);
    plan_free (plan);
  }
}

static void
test_steps_fail (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_NULL);
  const char *const argv[] = { "/bin/true", NULL };
  struct weir_step bind = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_BIND, .path = "/nonexistent/path",
                            .fact = WEIR_FACT_FRESH_PROC };
  weir_plan *plan;
  weir_error *err = NULL;

  (void) state;
  if (!support_has_tier (TIER_NAMESPACES))
    skip ();
  plan = support_plan (TIER_BARE, argv);
  support_step (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT | WEIR_NS_PID, NULL, 0);
  support_step (plan, WEIR_STEP_ROOT_READ_ONLY, 0, NULL, 0);
  plan_step (plan, &bind);
  support_step (plan, WEIR_STEP_SUPERVISE, 0, NULL, 0);
  assert_int_equal (support_fails (plan, &stdio, &err), WEIR_E_RUNNER);
  assert_int_equal (plan->failed_step, WEIR_STEP_BIND);
  assert_int_equal (plan->failed_errno, ENOENT);
  assert_int_equal (plan->failed_fact, 0); /* a path that is not there says nothing about the kernel */
  assert_non_null (strstr (weir_error_message (err), "/nonexistent/path"));
  weir_error_free (err);
  plan_free (plan);
}

/* Each of two commands may have six processes, the init among them; the first has four and holds them.  */
static void
test_limits_are_apart (void **state)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_PIPE, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);
  weir_plan *plans[2];
  struct weir_process processes[2];

  (void) state;
  if (!support_has_tier (TIER_NAMESPACES))
    skip ();
  if (geteuid () == 0) {
    print_message ("skipped: the kernel does not hold uid 0 to a number of processes\n");
    skip ();
  }
  for (int i = 0; i < 2; i++) {
    plans[i] = support_shell (TIER_NAMESPACES, "sleep 1000 & sleep 1000 & echo ready; read x");
    plans[i]->step_count--; /* SUPERVISE stays the last */
    support_step (plans[i], WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_PROCESSES, NULL, 6);
    support_step (plans[i], WEIR_STEP_SUPERVISE, 0, NULL, 0);
    support_spawn (plans[i], &stdio, &processes[i]);
    support_expect ((int) processes[i].streams[1], "ready");
  }
  for (int i = 0; i < 2; i++) {
    char text[64];
    assert_int_equal (write ((int) processes[i].streams[0], "\n", 1), 1);
    support_wait (&processes[i]);
    support_read ((int) processes[i].streams[1], text, sizeof text);
    process_release (&processes[i], NULL);
    plan_free (plans[i]);
  }
}

static void *
thread_of_spawns (void *data)
{
  int *wrong = data;

  for (int i = 0; i < 4; i++)
    for (int tier = 0; tier < TIER_COUNT; tier++) {
      struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);
      struct weir_process process = { WEIR_SIZED (struct weir_process) };
      struct weir_exit exit = { WEIR_SIZED (struct weir_exit) };
      char script[64], text[64], wanted[64];
      weir_plan *plan;
      if (!support_has_tier (tier))
        continue;
      snprintf (script, sizeof script, "echo %d %d; exit %d", i, tier, i + tier);
      snprintf (wanted, sizeof wanted, "%d %d\n", i, tier);
      plan = support_shell (tier, script);
      if (process_spawn (&support_call, plan, &stdio, &process, NULL) != WEIR_OK) {
        ++*wrong;
        plan_free (plan);
        continue;
      }
      support_read ((int) process.streams[1], text, sizeof text);
      if (process_wait (&support_call, &process, &exit, NULL) != WEIR_OK || exit.kind != WEIR_EXIT_EXITED
          || exit.code != i + tier || exit.flags != WEIR_EXIT_TREE_GONE || strcmp (text, wanted) != 0)
        ++*wrong;
      process_release (&process, NULL);
      plan_free (plan);
    }
  return NULL;
}

static void
test_threads (void **state)
{
  pthread_t threads[16];
  int wrong[16] = { 0 };
  int before;

  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++)
    support_has_tier (tier); /* remembered before threads ask */
  before = support_count_fds ();
  for (int i = 0; i < 16; i++)
    assert_int_equal (pthread_create (&threads[i], NULL, thread_of_spawns, &wrong[i]), 0);
  for (int i = 0; i < 16; i++) {
    pthread_join (threads[i], NULL);
    assert_int_equal (wrong[i], 0);
  }
  assert_int_equal (support_count_fds (), before);
}

static void
test_big_parent (void **state)
{
  size_t size = (size_t) 128 << 20;
  char *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char text[64];

  (void) state;
  assert_ptr_not_equal (memory, MAP_FAILED);
  memset (memory, 1, size);
  for (int tier = 0; tier < TIER_COUNT; tier++)
    if (support_has_tier (tier))
      assert_int_equal (support_run (support_shell (tier, "exit 3"), text, sizeof text).code, 3);
  for (size_t i = 0; i < size; i += 4096)
    assert_int_equal (memory[i], 1);
  munmap (memory, size);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_ends),
    cmocka_unit_test (test_exec_failures),
    cmocka_unit_test (test_directory),
    cmocka_unit_test (test_environment),
    cmocka_unit_test (test_descriptors),
    cmocka_unit_test (test_no_leaks),
    cmocka_unit_test (test_plan_descriptors),
    cmocka_unit_test (test_replaced_path),
    cmocka_unit_test (test_streams),
    cmocka_unit_test (test_wrong_streams),
    cmocka_unit_test (test_closed_streams),
    cmocka_unit_test (test_signals_reset),
    cmocka_unit_test (test_reaped_by_others),
    cmocka_unit_test (test_steps_fail),
    cmocka_unit_test (test_limits_are_apart),
    cmocka_unit_test (test_threads),
    cmocka_unit_test (test_big_parent),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
