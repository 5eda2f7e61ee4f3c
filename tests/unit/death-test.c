/* SPDX-License-Identifier: Apache-2.0 */
/* A harness that is killed, at every moment of a spawn, leaves nothing behind: the standard output of its commands,
 * which this test reads, comes to its end only when every process that inherited it is gone.  */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "tests/unit/spawn-support.h"

#define SCRIPT "trap '' TERM HUP INT; (setsid sh -c 'trap \"\" HUP; sleep 1000' &); echo ready; sleep 1000; sleep 1000"

static int
set_up (void **state)
{
  (void) state;
  support_guard ();
  return 0;
}

static void *
harness_thread (void *data)
{
  int *tier_and_out = data;
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_INHERIT, WEIR_STDIO_NULL);
  struct weir_process process = { WEIR_SIZED (struct weir_process) };
  weir_plan *plan = support_shell (tier_and_out[0], SCRIPT);

  stdio.fd[1] = tier_and_out[1];
  for (;;)
    if (process_spawn (&support_call, plan, &stdio, &process, NULL) != WEIR_OK)
      _exit (1);
}

/* Spawns for ever, from two threads.  */
static pid_t
start_harness (int tier, int out[2])
{
  pid_t pid;

  assert_int_equal (pipe2 (out, O_CLOEXEC), 0);
  pid = fork ();
  if (pid == 0) {
    int tier_and_out[2] = { tier, out[1] };
    pthread_t thread;
    alarm (GUARD_SECONDS);
    close (out[0]);
    if (pthread_create (&thread, NULL, harness_thread, tier_and_out) != 0)
      _exit (2);
    harness_thread (tier_and_out);
  }
  close (out[1]);
  return pid;
}

static void
test_after_start (void **state)
{
  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    char text[4096];
    int out[2], status;
    pid_t pid;
    if (!support_has_tier (tier))
      continue;
    pid = start_harness (tier, out);
    support_expect (out[0], "ready\nready\n");
    kill (pid, SIGKILL);
    waitpid (pid, &status, 0);
    support_read (out[0], text, sizeof text);
    close (out[0]);
  }
}

static void
test_at_any_moment (void **state)
{
  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++)
    for (int i = 0; i < 30 && support_has_tier (tier); i++) {
      char text[4096];
      int out[2], status;
      pid_t pid = start_harness (tier, out);
      usleep ((useconds_t) (i * 331));
      kill (pid, SIGKILL);
      waitpid (pid, &status, 0);
      support_read (out[0], text, sizeof text);
      close (out[0]);
    }
}

/* The thread that spawned may end: the command lives on.  */
static void *
spawn_once (void *data)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_PIPE, WEIR_STDIO_PIPE, WEIR_STDIO_NULL);
  weir_plan *plan = support_shell (*(int *) data, "read x; exit $x");
  struct weir_process *process = calloc (1, sizeof *process);

  if (process != NULL)
    support_spawn (plan, &stdio, process);
  plan_free (plan);
  return process;
}

static void
test_thread_ends (void **state)
{
  (void) state;
  for (int tier = 0; tier < TIER_COUNT; tier++) {
    struct weir_process *process;
    pthread_t thread;
    void *result;
    if (!support_has_tier (tier))
      continue;
    assert_int_equal (pthread_create (&thread, NULL, spawn_once, &tier), 0);
    assert_int_equal (pthread_join (thread, &result), 0);
    process = result;
    assert_non_null (process);
    assert_int_equal (write ((int) process->streams[0], "17\n", 3), 3);
    assert_int_equal (support_wait (process).code, 17);
    process_release (process, NULL);
    free (process);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_after_start),
    cmocka_unit_test (test_at_any_moment),
    cmocka_unit_test (test_thread_ends),
  };
  return cmocka_run_group_tests (tests, set_up, NULL);
}
