/* SPDX-License-Identifier: Apache-2.0 */
/* The init by itself, spoken to over its socket, as the launcher does too.  */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>

#include "core/init-protocol.h"
#include "tests/unit/spawn-support.h"

static int
set_up (void **state)
{
  (void) state;
  support_guard ();
  return 0;
}

struct started {
  pid_t pid;
  int report;
  int out; /* reads what the command writes, and ends when all of it is gone */
};

/* harness: pid to be watched, 0: ours.  */
static struct started
start_init (const char *script, pid_t harness)
{
  struct started s;
  int ends[2], out[2];

  assert_int_equal (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  assert_int_equal (pipe2 (out, O_CLOEXEC), 0);
  assert_true (init_fd () >= 0);
  s.pid = fork ();
  if (s.pid == 0) {
    char *const argv[] = { (char *) WEIR_INIT_NAME, (char *) "20",   (char *) "21", (char *) "/bin/sh",
                           (char *) "-c",           (char *) script, NULL };
    char *const env[] = { (char *) "PATH=/usr/bin:/bin", NULL };
    int pidfd = (int) syscall (SYS_pidfd_open, harness != 0 ? harness : getppid (), 0);
    dup2 (out[1], 1);
    dup2 (ends[1], 20);
    dup2 (pidfd, 21);
    syscall (SYS_execveat, init_fd (), "", argv, env, AT_EMPTY_PATH);
    _exit (99);
  }
  close (out[1]);
  close (ends[1]);
  s.report = ends[0];
  s.out = out[0];
  return s;
}

static void
send_start (struct started *s)
{
  struct init_message start = { .kind = INIT_START, .ruleset_fd = -1, .program_fd = -1, .last_fd = 2 };
  assert_int_equal (send (s->report, &start, sizeof start, 0), (ssize_t) sizeof start);
}

static struct init_message
receive (struct started *s)
{
  struct init_message message = { 0 };
  ssize_t n = recv (s->report, &message, sizeof message, 0);
  assert_true (n == (ssize_t) sizeof message || n == 0);
  return message;
}

static void
expect_end (struct started *s)
{
  char text[256];
  int status;

  support_read (s->out, text, sizeof text);
  assert_int_equal (waitpid (s->pid, &status, 0), s->pid);
  assert_int_equal (status, 0);
  close (s->out);
  if (s->report >= 0)
    close (s->report);
}

static void
test_small (void **state)
{
  (void) state;
  assert_true (init_size > 500 && init_size < 16384);
  assert_memory_equal (init_bytes, "\177ELF", 4);
}

static void
test_sealed (void **state)
{
  int fd = init_fd ();

  (void) state;
  assert_true (fd >= 0);
  assert_int_equal (init_fd (), fd);
  assert_int_equal (fcntl (fd, F_GETFD), FD_CLOEXEC);
  assert_int_equal (write (fd, "x", 1), -1);
  assert_int_equal (ftruncate (fd, 0), -1);
}

static void
test_conversation (void **state)
{
  struct started s = start_init ("exit 42", 0);
  struct init_message m;

  (void) state;
  send_start (&s);
  m = receive (&s);
  assert_int_equal (m.kind, INIT_STARTED);
  assert_true (m.code > 1);
  m = receive (&s);
  assert_int_equal (m.kind, INIT_ENDED);
  assert_int_equal (m.what, INIT_EXITED);
  assert_int_equal (m.code, 42);
  assert_true (m.max_rss > 0);
  m = receive (&s);
  assert_int_equal (m.kind, INIT_GONE);
  assert_int_equal (m.code, 0);
  expect_end (&s);
}

static void
test_failure (void **state)
{
  struct started s = start_init ("exit 0", 0);
  struct init_message start = { .kind = INIT_START, .ruleset_fd = 55, .program_fd = -1, .last_fd = 2 };
  struct init_message m;

  (void) state;
  assert_int_equal (send (s.report, &start, sizeof start, 0), (ssize_t) sizeof start);
  m = receive (&s);
  assert_int_equal (m.kind, INIT_FAILED); /* the ruleset is none */
  assert_int_equal (m.what, WEIR_STAGE_INIT);
  assert_true (m.code > 0);
  expect_end (&s);
}

/* Nothing starts before it is asked to, and rubbish does not end it.  */
static void
test_rubbish (void **state)
{
  struct started s = start_init ("exit 1", 0);
  struct init_message wrong = { .kind = 77 };
  struct init_message early = { .kind = INIT_SIGNAL, .what = WEIR_SIGNAL_GROUP, .code = SIGTERM };

  (void) state;
  assert_int_equal (send (s.report, "x", 1, 0), 1);
  assert_int_equal (send (s.report, &wrong, sizeof wrong, 0), (ssize_t) sizeof wrong);
  assert_int_equal (send (s.report, &early, sizeof early, 0), (ssize_t) sizeof early);
  send_start (&s);
  assert_int_equal (receive (&s).kind, INIT_STARTED);
  assert_int_equal (receive (&s).code, 1);
  assert_int_equal (receive (&s).kind, INIT_GONE);
  expect_end (&s);
}

static void
test_hang_up (void **state)
{
  struct started s = start_init ("exit 1", 0);

  (void) state;
  close (s.report); /* before it was started */
  s.report = -1;
  expect_end (&s);
  s = start_init ("trap '' TERM HUP INT; (setsid sleep 1000 &); sleep 1000", 0);
  send_start (&s);
  assert_int_equal (receive (&s).kind, INIT_STARTED);
  close (s.report);
  s.report = -1;
  expect_end (&s);
}

static void
test_harness_ends (void **state)
{
  int status;
  pid_t harness = fork ();
  struct started s;

  (void) state;
  if (harness == 0)
    for (;;)
      pause ();
  s = start_init ("(setsid sleep 1000 &); sleep 1000", harness);
  send_start (&s);
  assert_int_equal (receive (&s).kind, INIT_STARTED);
  kill (harness, SIGKILL);
  waitpid (harness, &status, 0);
  expect_end (&s);
}

static void
test_usage (void **state)
{
  int status;
  pid_t pid = fork ();

  (void) state;
  if (pid == 0) {
    char *const argv[] = { (char *) WEIR_INIT_NAME, (char *) "20", NULL };
    syscall (SYS_execveat, init_fd (), "", argv, argv + 2, AT_EMPTY_PATH);
    _exit (99);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_small),        cmocka_unit_test (test_sealed),  cmocka_unit_test (test_conversation),
    cmocka_unit_test (test_failure),      cmocka_unit_test (test_rubbish), cmocka_unit_test (test_hang_up),
    cmocka_unit_test (test_harness_ends), cmocka_unit_test (test_usage),
  };
  return cmocka_run_group_tests (tests, set_up, NULL);
}
