/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/ioctl.h>

#include "tests/unit/spawn-support.h"

static int
set_up (void **state)
{
  (void) state;
  support_guard ();
  return 0;
}

/* A command that has said "ready" on its standard output.  */
struct running {
  weir_plan *plan;
  struct weir_process process;
};

static struct running
begin (weir_plan *plan, uint32_t in, uint32_t out)
{
  struct weir_stdio stdio = support_stdio (in, out, in == WEIR_STDIO_PTY ? WEIR_STDIO_PTY : WEIR_STDIO_INHERIT);
  struct running r = { .plan = plan };

  support_spawn (plan, &stdio, &r.process);
  support_expect ((int) r.process.streams[in == WEIR_STDIO_PTY ? 0 : 1], "ready");
  return r;
}

static struct running
begin_shell (int tier, const char *script)
{
  return begin (support_shell (tier, script), WEIR_STDIO_NULL, WEIR_STDIO_PIPE);
}

static void
end (struct running *r)
{
  assert_int_equal (process_release (&r->process, NULL), WEIR_OK);
  plan_free (r->plan);
}

/* Nobody holds the other side of its standard output: every process that inherited it is gone.  */
static void
expect_gone (struct running *r)
{
  char text[4096];
  support_read ((int) r->process.streams[1], text, sizeof text);
}

static void
send_signal (struct running *r, uint32_t scope, int signo)
{
  weir_error *err = NULL;
  if (process_signal (&support_call, &r->process, scope, signo, &err) != WEIR_OK)
    fail_msg ("signal: %s", weir_error_message (err));
}

static weir_status
wait_a_little (struct running *r)
{
  weir_call call = support_call;
  struct weir_exit exit = { WEIR_SIZED (struct weir_exit) };
  weir_error *err = NULL;
  weir_status status;

  call.deadline_ms = util_now_ms () + 50;
  status = process_wait (&call, &r->process, &exit, &err);
  assert_int_equal (weir_error_code (err), status);
  weir_error_free (err);
  return status;
}

static void
expect_killed (struct running *r)
{
  struct weir_exit exit = support_wait (&r->process);

  assert_int_equal (exit.kind, WEIR_EXIT_SIGNALLED);
  assert_int_equal (exit.code, SIGKILL);
  assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
}

#define FOR_EACH_TIER(tier)                                                                                            \
  for (int tier = 0; tier < TIER_COUNT; tier++)                                                                        \
    if (support_has_tier (tier))

static void
test_time_and_cancel (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin_shell (tier, "trap '' TERM; echo ready; sleep 1000; sleep 1000");
    struct weir_exit exit = { WEIR_SIZED (struct weir_exit) };
    weir_call call = support_call;
    int ends[2];
    assert_int_equal (wait_a_little (&r), WEIR_E_TIMEOUT);
    assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
    assert_int_equal (write (ends[1], "x", 1), 1);
    call.cancel = ends[0];
    assert_int_equal (process_wait (&call, &r.process, &exit, NULL), WEIR_E_CANCELLED);
    close (ends[0]);
    close (ends[1]);
    send_signal (&r, WEIR_SIGNAL_LEADER, SIGTERM);
    assert_int_equal (wait_a_little (&r), WEIR_E_TIMEOUT);
    send_signal (&r, WEIR_SIGNAL_TREE, SIGKILL);
    /* The call came back, so they are gone: the pipe is closed now.  */
    expect_gone (&r);
    expect_killed (&r);
    expect_killed (&r); /* asked again, the same */
    send_signal (&r, WEIR_SIGNAL_TREE, SIGKILL);
    assert_int_equal (process_signal (&support_call, &r.process, WEIR_SIGNAL_GROUP, SIGTERM, NULL), WEIR_E_NOT_FOUND);
    end (&r);
  }
}

static void
test_scopes (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin_shell (tier, "trap 'exit 5' TERM; sleep 1000 & echo ready; wait");
    struct weir_exit exit;
    send_signal (&r, WEIR_SIGNAL_LEADER, SIGTERM);
    exit = support_wait (&r.process);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 5);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    expect_gone (&r);
    end (&r);
    /* both of the group: the shell would wait for its child for ever */
    r = begin_shell (tier, "trap : TERM; sh -c 'echo ready; exec sleep 1000' & wait; wait; exit 3");
    send_signal (&r, WEIR_SIGNAL_GROUP, SIGTERM);
    exit = support_wait (&r.process);
    assert_int_equal (exit.code, 3);
    end (&r);
    /* one that left the session is reached by the tree only */
    r = begin_shell (tier, "trap : USR1; setsid sh -c 'trap \"echo got; exit 0\" USR1; echo ready; while :; do sleep "
                           "0.1; done' & wait; wait");
    send_signal (&r, WEIR_SIGNAL_TREE, SIGUSR1);
    support_expect ((int) r.process.streams[1], "got");
    send_signal (&r, WEIR_SIGNAL_TREE, SIGKILL);
    expect_gone (&r);
    end (&r);
  }
}

static void
test_wrong_signals (void **state)
{
  struct running r = begin_shell (TIER_BARE, "echo ready; sleep 1000");

  (void) state;
  assert_int_equal (process_signal (&support_call, &r.process, WEIR_SIGNAL_LEADER, 0, NULL), WEIR_E_INVALID);
  assert_int_equal (process_signal (&support_call, &r.process, WEIR_SIGNAL_LEADER, 1000, NULL), WEIR_E_INVALID);
  assert_int_equal (process_signal (&support_call, &r.process, 9, SIGTERM, NULL), WEIR_E_INVALID);
  assert_int_equal (process_signal (&support_call, &r.process, WEIR_SIGNAL_FOREGROUND, SIGINT, NULL),
                    WEIR_E_UNSUPPORTED);
  assert_int_equal (process_resize (&r.process, 10, 10, NULL), WEIR_E_UNSUPPORTED);
  end (&r);
}

/* TERM, INT and HUP to what we started, as a service manager sends them, go on to the command's group.  */
static void
test_forwarded (void **state)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

  (void) state;
  FOR_EACH_TIER (tier)
  for (size_t i = 0; i < ARRAY_SIZE (signals); i++) {
    struct running r = begin_shell (tier, "echo ready; exec sleep 1000");
    struct weir_exit exit;
    assert_int_equal (kill ((pid_t) r.process.id, signals[i]), 0);
    exit = support_wait (&r.process);
    assert_int_equal (exit.kind, WEIR_EXIT_SIGNALLED);
    assert_int_equal (exit.code, signals[i]);
    end (&r);
  }
}

static void
test_daemons (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r =
        begin_shell (tier, "(setsid sh -c '(sleep 1000 & sleep 1000) & sleep 1000' &) ; echo ready; exit 0");
    struct weir_exit exit = support_wait (&r.process);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 0);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    expect_gone (&r);
    end (&r);
  }
}

static void
test_stopped (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin_shell (tier, "echo ready; kill -STOP $$; exit 4");
    assert_int_equal (wait_a_little (&r), WEIR_E_TIMEOUT);
    send_signal (&r, WEIR_SIGNAL_LEADER, SIGCONT);
    /* the command may have been continued before it stopped: until it has ended */
    while (wait_a_little (&r) == WEIR_E_TIMEOUT)
      process_signal (&support_call, &r.process, WEIR_SIGNAL_LEADER, SIGCONT, NULL);
    assert_int_equal (support_wait (&r.process).code, 4);
    end (&r);
    r = begin_shell (tier, "echo ready; kill -STOP $$");
    assert_int_equal (wait_a_little (&r), WEIR_E_TIMEOUT);
    send_signal (&r, WEIR_SIGNAL_TREE, SIGKILL);
    expect_gone (&r);
    expect_killed (&r);
    end (&r);
  }
}

/* Eight processes that each live for one fork only, in sessions of their own, ignoring what they can.  */
static int
hop (void)
{
  for (int i = 1; i < 65; i++)
    signal (i, SIG_IGN);
  signal (SIGCHLD, SIG_DFL);
  for (int i = 0; i < 8; i++)
    if (fork () == 0)
      for (;;) {
        pid_t pid;
        setsid ();
        pid = fork ();
        if (pid > 0)
          _exit (0);
      }
  if (write (1, "ready\n", 6) < 0)
    return 1;
  for (;;)
    pause ();
}

static void
test_forkers (void **state)
{
  char self[4096];
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
  const char *const argv[] = { self, "hop", NULL };

  (void) state;
  assert_true (n > 0);
  self[n] = '\0';
  FOR_EACH_TIER (tier)
  {
    struct running r = begin (support_plan (tier, argv), WEIR_STDIO_NULL, WEIR_STDIO_PIPE);
    send_signal (&r, WEIR_SIGNAL_TREE, SIGKILL);
    expect_killed (&r);
    expect_gone (&r);
    end (&r);
  }
}

static void
test_released (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin_shell (tier, "(setsid sleep 1000 &); echo ready; sleep 1000");
    int out = fcntl ((int) r.process.streams[1], F_DUPFD_CLOEXEC, 3);
    char text[64];
    end (&r);
    assert_int_equal (r.process.streams[1], -1);
    support_read (out, text, sizeof text);
    close (out);
  }
}

/* What supervises is killed from outside.  The command ends by itself: its input closes.  */
static void
test_lost (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin (support_shell (tier, "echo ready; cat"), WEIR_STDIO_PIPE, WEIR_STDIO_PIPE);
    struct weir_exit exit;
    assert_int_equal (kill ((pid_t) r.process.id, SIGKILL), 0);
    exit = support_wait (&r.process);
    assert_int_equal (exit.kind, WEIR_EXIT_LOST);
    assert_int_equal (exit.flags, tier == TIER_NAMESPACES ? WEIR_EXIT_TREE_GONE : 0);
    process_close_stdin (&r.process, NULL);
    expect_gone (&r);
    end (&r);
  }
}

/* A confined command cannot end, stop or read what supervises it.  */
static void
test_hostile (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r;
    struct weir_exit exit;
    if (tier == TIER_BARE || (tier == TIER_LANDLOCK && sys_landlock_abi () < 6))
      continue;
    r = begin_shell (tier, "kill -9 $PPID; kill -STOP $PPID; kill -KILL 1 2>&1; (cat /proc/$PPID/environ) 2>/dev/null; "
                           "(echo x >/proc/$PPID/mem) 2>/dev/null && echo written; echo ready; exit 6");
    exit = support_wait (&r.process);
    assert_int_equal (exit.kind, WEIR_EXIT_EXITED);
    assert_int_equal (exit.code, 6);
    assert_int_equal (exit.flags, WEIR_EXIT_TREE_GONE);
    end (&r);
  }
}

static void
test_terminal (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct weir_stdio stdio = support_stdio (WEIR_STDIO_PTY, WEIR_STDIO_PTY, WEIR_STDIO_PTY);
    struct running r = { .plan = support_shell (
                             tier, "trap 'stty size; exit 8' WINCH; test -t 0 && test -t 1 && test -t 2 && "
                                   "echo on >/dev/tty; stty size; while :; do read x; done") };
    int master;
    stdio.rows = 21;
    stdio.columns = 43;
    support_spawn (r.plan, &stdio, &r.process);
    master = (int) r.process.streams[0];
    assert_int_equal (r.process.streams[1], -1);
    assert_int_equal (r.process.streams[2], -1);
    support_expect (master, "on\r\n21 43\r\n");
    assert_int_equal (process_resize (&r.process, 22, 44, NULL), WEIR_OK);
    support_expect (master, "22 44\r\n");
    assert_int_equal (support_wait (&r.process).code, 8);
    end (&r);
  }
}

static void
test_terminal_signals (void **state)
{
  (void) state;
  FOR_EACH_TIER (tier)
  {
    struct running r = begin (support_shell (tier, "trap 'exit 9' INT; echo ready; while :; do read x; done"),
                              WEIR_STDIO_PTY, WEIR_STDIO_PTY);
    send_signal (&r, WEIR_SIGNAL_FOREGROUND, SIGINT);
    assert_int_equal (support_wait (&r.process).code, 9);
    end (&r);
    r = begin (support_shell (tier, "trap 'exit 10' TERM; echo ready; while :; do read x; done"), WEIR_STDIO_PTY,
               WEIR_STDIO_PTY);
    send_signal (&r, WEIR_SIGNAL_FOREGROUND, SIGTERM);
    assert_int_equal (support_wait (&r.process).code, 10);
    end (&r);
    r = begin (support_shell (tier, "trap 'exit 11' INT; echo ready; while :; do read x; done"), WEIR_STDIO_PTY,
               WEIR_STDIO_PTY);
    assert_int_equal (write ((int) r.process.streams[0], "\003", 1), 1);
    assert_int_equal (support_wait (&r.process).code, 11);
    end (&r);
    r = begin (support_shell (tier, "echo ready; cat >/dev/null; exit 12"), WEIR_STDIO_PTY, WEIR_STDIO_PTY);
    assert_int_equal (process_close_stdin (&r.process, NULL), WEIR_OK);
    assert_int_equal (support_wait (&r.process).code, 12);
    end (&r);
    /* the other side goes away: the session is hung up */
    r = begin (support_shell (tier, "trap 'exit 13' HUP; echo ready; while :; do read x || exit 13; done"),
               WEIR_STDIO_PTY, WEIR_STDIO_PTY);
    close ((int) r.process.streams[0]);
    r.process.streams[0] = -1;
    assert_int_equal (support_wait (&r.process).code, 13);
    end (&r);
  }
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_time_and_cancel), cmocka_unit_test (test_scopes),   cmocka_unit_test (test_wrong_signals),
    cmocka_unit_test (test_forwarded),       cmocka_unit_test (test_daemons),  cmocka_unit_test (test_stopped),
    cmocka_unit_test (test_forkers),         cmocka_unit_test (test_released), cmocka_unit_test (test_lost),
    cmocka_unit_test (test_hostile),         cmocka_unit_test (test_terminal), cmocka_unit_test (test_terminal_signals),
  };
  if (argc == 2 && strcmp (argv[1], "hop") == 0)
    return hop ();
  return cmocka_run_group_tests (tests, set_up, NULL);
}
