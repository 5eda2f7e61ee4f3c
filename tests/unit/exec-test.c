/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from end to end, in the mode that touches no sandbox; exec-sandbox-test.c has the others.  */
#include "config.h"
#include "core/job.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "exec-support.h"

#define LONG 60000 /* a limit that only a hang reaches */
#define SHORT 1500 /* one that is reached, but not before a shell has started, on the slowest machine */

static struct place place;
static weir_runtime *rt;
static struct weir_request request;

static int
setup_group (void **state UNUSED)
{
  weir_error *err = NULL;

  place_make (&place);
  if (place_runtime (&place, 0, NULL, &rt, &err) != WEIR_OK) {
    print_error ("%s\n", error_text (err));
    return -1;
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

static int
setup (void **state UNUSED)
{
  request = (struct weir_request) WEIR_REQUEST_INIT;
  request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  request.workspace = place.workspace;
  request.timeout_ms = LONG;
  return 0;
}

static const char *const *
shell (const char *script)
{
  static const char *argv[4];

  argv[0] = "sh";
  argv[1] = "-c";
  argv[2] = script;
  argv[3] = NULL;
  return argv;
}

static weir_result *
run (const char *script)
{
  weir_error *err = NULL;
  weir_result *r;

  request.argv = shell (script);
  expect_ok (weir_run (rt, &request, &r, &err), &err);
  assert_non_null (r);
  return r;
}

static void
refuse (weir_status wanted, const char *part)
{
  weir_error *err = NULL;
  weir_result *r;

  expect_error (weir_run (rt, &request, &r, &err), wanted, &err, part);
  assert_null (r);
}

static void
expect_gone (const char *number)
{
  pid_t pid = (pid_t) strtol (number, NULL, 10);

  assert_true (pid > 1);
  assert_int_equal (kill (pid, 0), -1);
  assert_int_equal (errno, ESRCH);
}

static char *
output_text (const weir_result *r, int which)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };

  weir_result_output (r, which, &o);
  return strndup (o.data, o.size);
}

/* ---- endings ---- */

static void
test_exit (void **state UNUSED)
{
  weir_result *r = run ("echo out; echo err >&2; exit 3");

  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_EXITED);
  assert_int_equal (weir_result_code (r), 3);
  assert_int_equal (weir_result_signal (r), 0);
  assert_int_equal (weir_result_exit_status (r), 3);
  assert_int_equal (weir_result_mode (r), WEIR_MODE_DANGER_FULL_ACCESS);
  assert_int_equal (weir_result_enforcement (r), WEIR_ENFORCEMENT_NONE);
  assert_null (weir_result_provider (r));
  assert_true (weir_result_tree_gone (r));
  assert_true (weir_result_wall_usec (r) > 0);
  expect_output (r, 1, "out\n");
  expect_output (r, 2, "err\n");
  weir_result_free (r);
}

static void
test_signal (void **state UNUSED)
{
  weir_result *r = run ("kill -SEGV $$");

  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_SIGNALLED);
  assert_int_equal (weir_result_signal (r), SIGSEGV);
  assert_int_equal (weir_result_code (r), -1);
  assert_int_equal (weir_result_exit_status (r), 128 + SIGSEGV);
  weir_result_free (r);
}

static void
test_time_out (void **state UNUSED)
{
  request.timeout_ms = SHORT;
  weir_result *r = run ("echo $$; sleep 1000 & sleep 1000");
  auto_free char *pid = output_text (r, 1);

  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  assert_int_equal (weir_result_exit_status (r), 124);
  assert_true (weir_result_tree_gone (r));
  expect_gone (pid);
  weir_result_free (r);
}

static void
test_command_that_ignores_term (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.grace=100ms", NULL };
  weir_runtime *mine = NULL;
  weir_error *err = NULL;
  weir_result *r;

  expect_ok (place_runtime (&place, 0, set, &mine, &err), &err);
  request.timeout_ms = SHORT;
  request.argv = shell ("trap '' TERM INT HUP; echo $$; while :; do sleep 1000; done");
  expect_ok (weir_run (mine, &request, &r, &err), &err);
  auto_free char *pid = output_text (r, 1);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  assert_true (weir_result_tree_gone (r));
  expect_gone (pid);
  weir_result_free (r);
  weir_runtime_free (mine);
}

static void
test_command_that_stopped_itself (void **state UNUSED)
{
  request.timeout_ms = SHORT;
  weir_result *r = run ("echo $$; kill -STOP $$; exit 4");
  auto_free char *pid = output_text (r, 1);

  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  expect_gone (pid);
  weir_result_free (r);
}

static void
test_cancel (void **state UNUSED)
{
  int ends[2];
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  request.cancel_fd = ends[0];
  request.argv = shell ("echo $$; sleep 1000");
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  assert_int_equal (write (ends[1], "x", 1), 1);
  expect_ok (weir_job_wait (job, &r, &err), &err);
  weir_job_free (job);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_CANCELLED);
  assert_int_equal (weir_result_exit_status (r), 130);
  assert_true (weir_result_tree_gone (r));
  weir_result_free (r);
  /* Cancelled before: nothing runs.  */
  refuse (WEIR_E_CANCELLED, "cancelled");
  close (ends[0]);
  close (ends[1]);
}

static void
test_daemons_do_not_stay (void **state UNUSED)
{
  /* One leaves the session and keeps the pipes; one is an orphan of an orphan.  */
  weir_result *r = run ("setsid sleep 1000 & echo $!; (sh -c 'sleep 1000 & echo $! >orphan' &); "
                        "while [ ! -s orphan ]; do sleep 0.02; done; cat orphan; rm orphan; exit 5");
  auto_free char *pids = output_text (r, 1);
  char *second = strchr (pids, '\n');

  assert_int_equal (weir_result_code (r), 5);
  assert_true (weir_result_tree_gone (r));
  assert_non_null (second);
  expect_gone (pids);
  expect_gone (second + 1);
  weir_result_free (r);
}

/* ---- output ---- */

static void
test_a_gigabyte (void **state UNUSED)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  struct rusage before, after;
  weir_result *r;

  getrusage (RUSAGE_SELF, &before);
  request.output_limit = 1000;
  request.timeout_ms = 10 * LONG;
  r = run ("head -c 1073741824 /dev/zero; echo end");
  getrusage (RUSAGE_SELF, &after);
  weir_result_output (r, 1, &o);
  assert_true (o.total == UINT64_C (1073741824) + 4);
  assert_int_equal (o.size, 1000);
  assert_true (o.truncated);
  assert_true (o.offset == o.total - o.size);
  assert_memory_equal ((const char *) o.data + 996, "end\n", 4);
  assert_int_equal (weir_result_code (r), 0);
  assert_true (after.ru_maxrss - before.ru_maxrss < 100 * 1024); /* kilobytes; sanitizers take some */
  weir_result_free (r);
}

static void
test_spill (void **state UNUSED)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  auto_free char *path = NULL;
  struct stat st;
  weir_result *r;

  request.output_limit = 10;
  r = run ("head -c 5000 /dev/zero");
  weir_result_output (r, 1, &o);
  assert_non_null (o.spill);
  assert_int_equal (stat (o.spill, &st), 0);
  assert_int_equal (st.st_size, 5000);
  assert_int_equal (st.st_mode & 0777, 0600);
  path = strdup (o.spill);
  weir_result_free (r);
  assert_int_equal (stat (path, &st), -1); /* it goes with its owner */
}

static void
test_output_without_end (void **state UNUSED)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  weir_result *r;

  request.output_limit = 1000;
  request.timeout_ms = SHORT;
  r = run ("yes; yes >&2");
  weir_result_output (r, 1, &o);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  assert_true (o.total > 1000);
  assert_int_equal (o.size, 1000);
  weir_result_free (r);
}

static void
test_head (void **state UNUSED)
{
  request.output_limit = 5;
  request.keep = WEIR_KEEP_HEAD;
  weir_result *r = run ("printf abcdefgh");
  expect_output (r, 1, "abcde");
  weir_result_free (r);
}

/* Steps until so much was collected of a stream, then lets the command go on.  */
static void
collect_until (weir_job *job, int which, uint64_t total)
{
  weir_error *err = NULL;
  int done = 0;

  while (job->collect.stream[which - 1].total < total) {
    struct pollfd p = { .fd = (int) weir_job_fd (job), .events = POLLIN };
    assert_false (done);
    assert_int_equal (poll (&p, 1, LONG), 1);
    expect_ok (weir_job_step (job, &done, &err), &err);
  }
  assert_int_equal (write ((int) weir_job_stream (job, 0), "\n", 1), 1);
}

static void
test_order (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;
  uint64_t offset, size;
  int which;

  request.argv = shell ("echo a; read x; echo b >&2; read x; echo c; read x");
  request.stream[0] = WEIR_STREAM_PIPE;
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  collect_until (job, 1, 2);
  collect_until (job, 2, 2);
  collect_until (job, 1, 4);
  expect_ok (weir_job_wait (job, &r, &err), &err);
  weir_job_free (job);
  assert_true (weir_result_order (r, 0, &which, &offset, &size));
  assert_int_equal (which, 1);
  assert_true (weir_result_order (r, 1, &which, &offset, &size));
  assert_int_equal (which, 2);
  assert_true (weir_result_order (r, 2, &which, &offset, &size));
  assert_int_equal (which, 1);
  assert_int_equal (offset, 2);
  assert_false (weir_result_order (r, 3, &which, &offset, &size));
  weir_result_free (r);
}

/* ---- input ---- */

static void
test_input (void **state UNUSED)
{
  size_t size = 3000000;
  char *bytes = malloc (size);
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  weir_result *r;

  assert_non_null (bytes);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char) (i * 7 + i / 251);
  request.input = bytes;
  request.input_size = size;
  request.output_limit = size;
  r = run ("cat");
  weir_result_output (r, 1, &o);
  assert_int_equal (o.total, size);
  assert_int_equal (o.size, size);
  assert_memory_equal (o.data, bytes, size);
  weir_result_free (r);
  /* Nobody has to read it.  */
  r = run ("exit 6");
  assert_int_equal (weir_result_code (r), 6);
  weir_result_free (r);
  r = run ("exec 0<&-; sleep 0.2; exit 7");
  assert_int_equal (weir_result_code (r), 7);
  weir_result_free (r);
  free (bytes);
}

static void
test_no_input (void **state UNUSED)
{
  weir_result *r = run ("cat; echo done");

  expect_output (r, 1, "done\n");
  weir_result_free (r);
}

/* ---- what the command is given ---- */

static void
test_directory_and_environment (void **state UNUSED)
{
  static const char *const env[] = { "COLOUR=blue", NULL };
  auto_free char *real = realpath (place.workspace, NULL), *expected = util_fmt ("%s|blue|\n", real);
  weir_result *r;

  request.env = env;
  r = run ("echo \"$(pwd)|$COLOUR|$SECRET_TOKEN\"");
  expect_output (r, 1, expected);
  weir_result_free (r);
}

static void
test_no_descriptor_is_inherited (void **state UNUSED)
{
  int fd = open ("/dev/null", O_RDONLY); /* not close-on-exec */
  weir_result *r;

  assert_true (fd >= 0);
  assert_int_equal (dup2 (fd, 33), 33);
  r = run ("for i in 3 4 5 6 7 8 9 33; do [ -e /proc/$$/fd/$i ] && echo $i; done; :");
  expect_output (r, 1, "");
  weir_result_free (r);
  close (fd);
  close (33);
}

/* ---- bad input ---- */

static void
test_bad_requests (void **state UNUSED)
{
  static const char *const none[] = { NULL }, *const blank[] = { "", NULL }, *const missing[] = { "no-such-program", NULL };
  static const char *const directory[] = { "/usr", NULL };

  request.argv = NULL;
  refuse (WEIR_E_INVALID, "empty");
  request.argv = none;
  refuse (WEIR_E_INVALID, "empty");
  request.argv = blank;
  refuse (WEIR_E_INVALID, "empty");
  request.argv = missing;
  refuse (WEIR_E_NO_PROGRAM, "no-such-program");
  request.argv = directory;
  refuse (WEIR_E_NOT_EXECUTABLE, "/usr");
  request.argv = shell ("exit 0");
  request.timeout_ms = -1;
  refuse (WEIR_E_INVALID, "negative time-out");
  setup (NULL);
  request.argv = shell ("exit 0");
  request.mode = 77;
  refuse (WEIR_E_INVALID, "unknown mode");
  setup (NULL);
  request.argv = shell ("exit 0");
  request.workspace = "/no/such/directory";
  refuse (WEIR_E_NOT_FOUND, "/no/such/directory");
  setup (NULL);
  request.argv = shell ("exit 0");
  request.struct_size = 12;
  refuse (WEIR_E_INVALID, "struct_size");
  setup (NULL);
  request.argv = shell ("exit 0");
  request.flags = 1;
  refuse (WEIR_E_UNSUPPORTED, "flag");
}

static void
test_request_of_a_newer_caller (void **state UNUSED)
{
  struct {
    struct weir_request now;
    uint64_t later;
  } newer = { .now = WEIR_REQUEST_INIT };
  weir_error *err = NULL;
  weir_result *r;

  newer.now = request;
  newer.now.struct_size = (uint32_t) sizeof newer;
  newer.now.argv = shell ("exit 0");
  expect_ok (weir_run (rt, &newer.now, &r, &err), &err);
  weir_result_free (r);
  newer.later = 1;
  expect_error (weir_run (rt, &newer.now, &r, &err), WEIR_E_UNSUPPORTED, &err, "does not know");
}

static void
test_programs_that_cannot_be_executed (void **state UNUSED)
{
  auto_free char *script = util_fmt ("%s/script", place.workspace);
  const char *argv[] = { "./script", NULL };
  int fd = open (script, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

  assert_true (fd >= 0);
  assert_int_equal (write (fd, "#!/no/such/interpreter\n", 23), 23);
  request.argv = argv;
  refuse (WEIR_E_NOT_EXECUTABLE, "script");
  assert_int_equal (fchmod (fd, 0755), 0);
  close (fd);
  refuse (WEIR_E_NOT_EXECUTABLE, "script");
  unlink (script);
}

static void
test_streams_that_are_closed (void **state UNUSED)
{
  auto_free char *mark = util_fmt ("%s/mark", place.workspace);
  struct stat st;

  request.argv = shell (">mark");
  for (int i = 0; i < 3; i++) {
    setup (NULL);
    request.argv = shell (">mark");
    request.stream[i] = WEIR_STREAM_INHERIT;
    request.stream_fd[i] = 999;
    refuse (WEIR_E_INVALID, "descriptor 999");
  }
  setup (NULL);
  request.argv = shell (">mark");
  request.stream[1] = WEIR_STREAM_TEE;
  refuse (WEIR_E_INVALID, "descriptor -1");
  request.stream[1] = WEIR_STREAM_PTY;
  refuse (WEIR_E_INVALID, "pipe or a terminal");
  assert_int_equal (stat (mark, &st), -1);
}

/* ---- passing output on ---- */

static char *
read_all (int fd)
{
  struct strbuf b = { 0 };
  char part[4096];
  ssize_t n;

  while ((n = read (fd, part, sizeof part)) > 0)
    strbuf_add (&b, part, (size_t) n);
  return strbuf_steal (&b);
}

static void
test_tee_keeps_the_order (void **state UNUSED)
{
  auto_free char *text = NULL;
  weir_result *r;
  int ends[2];

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  request.stream[1] = request.stream[2] = WEIR_STREAM_TEE;
  request.stream_fd[1] = request.stream_fd[2] = ends[1];
  r = run ("i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done");
  close (ends[1]);
  text = read_all (ends[0]);
  for (int i = 0, at = 0; i < 200; i++) {
    char pair[32];
    int n = snprintf (pair, sizeof pair, "o%d\ne%d\n", i, i);
    assert_memory_equal (text + at, pair, (size_t) n);
    at += n;
  }
  expect_output (r, 1, text); /* kept too */
  weir_result_free (r);
  close (ends[0]);
}

static void
test_tee_to_two_places (void **state UNUSED)
{
  auto_free char *out = NULL, *err = NULL;
  weir_result *r;
  int a[2], b[2];

  assert_int_equal (pipe2 (a, O_CLOEXEC), 0);
  assert_int_equal (pipe2 (b, O_CLOEXEC), 0);
  request.stream[1] = request.stream[2] = WEIR_STREAM_TEE;
  request.stream_fd[1] = a[1];
  request.stream_fd[2] = b[1];
  r = run ("echo out; echo err >&2");
  close (a[1]);
  close (b[1]);
  out = read_all (a[0]);
  err = read_all (b[0]);
  assert_string_equal (out, "out\n");
  assert_string_equal (err, "err\n");
  expect_output (r, 2, "err\n");
  weir_result_free (r);
  close (a[0]);
  close (b[0]);
}

/* Nobody reads the copy: the time-out still ends the call.  */
static void
test_tee_to_nobody_who_reads (void **state UNUSED)
{
  weir_result *r;
  int ends[2];

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  request.stream[1] = WEIR_STREAM_TEE;
  request.stream_fd[1] = ends[1];
  request.timeout_ms = SHORT;
  r = run ("yes");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_TIMED_OUT);
  assert_true (weir_result_tree_gone (r));
  assert_non_null (weir_result_warning (r, 0));
  weir_result_free (r);
  close (ends[0]);
  close (ends[1]);
}

static void
test_tee_to_a_reader_that_left (void **state UNUSED)
{
  weir_result *r;
  int ends[2];

  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  close (ends[0]);
  request.stream[1] = WEIR_STREAM_TEE;
  request.stream_fd[1] = ends[1];
  r = run ("exec yes");
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_SIGNALLED);
  assert_int_equal (weir_result_signal (r), SIGPIPE);
  weir_result_free (r);
  close (ends[1]);
}

static void
test_inherit (void **state UNUSED)
{
  auto_free char *path = util_fmt ("%s/inherited", place.workspace), *text = NULL;
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  weir_result *r;

  assert_true (fd >= 0);
  request.stream[1] = WEIR_STREAM_INHERIT;
  request.stream_fd[1] = fd;
  r = run ("echo straight");
  expect_output (r, 1, "");
  text = util_read_file (AT_FDCWD, path, 100, NULL);
  assert_string_equal (text, "straight\n");
  weir_result_free (r);
  close (fd);
  unlink (path);
}

/* ---- jobs ---- */

/* Our ends do not block.  */
static ssize_t
read_some (intptr_t fd, char *bytes, size_t size)
{
  struct pollfd p = { .fd = (int) fd, .events = POLLIN };

  assert_int_equal (fcntl (p.fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
  assert_int_equal (poll (&p, 1, LONG), 1);
  return read (p.fd, bytes, size);
}

static void
test_job_with_pipes (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;
  char line[32];
  ssize_t n;

  request.argv = shell ("while read line; do echo \"<$line>\"; done; echo bye");
  request.stream[0] = request.stream[1] = WEIR_STREAM_PIPE;
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  assert_int_equal (weir_job_stream (job, 2), -1);
  assert_int_equal (write ((int) weir_job_stream (job, 0), "one\n", 4), 4);
  n = read_some (weir_job_stream (job, 1), line, sizeof line);
  assert_int_equal (n, 6);
  assert_memory_equal (line, "<one>\n", 6);
  expect_ok (weir_job_close_stdin (job, &err), &err);
  n = read_some (weir_job_stream (job, 1), line, sizeof line);
  assert_int_equal (n, 4);
  expect_ok (weir_job_wait (job, &r, &err), &err);
  assert_int_equal (weir_result_code (r), 0);
  expect_error (weir_job_wait (job, &(weir_result *){ NULL }, &err), WEIR_E_INVALID, &err, "already");
  weir_job_free (job);
  weir_result_free (r);
}

static void
test_job_in_an_event_loop (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;
  int done = 0, rounds = 0;

  request.argv = shell ("for i in 1 2 3; do echo $i; sleep 0.1; done; exit 9");
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  while (!done) {
    struct pollfd p = { .fd = (int) weir_job_fd (job), .events = POLLIN };
    assert_int_equal (poll (&p, 1, LONG), 1);
    expect_ok (weir_job_step (job, &done, &err), &err);
    rounds++;
  }
  assert_true (rounds < 1000); /* it does not spin */
  expect_ok (weir_job_wait (job, &r, &err), &err);
  expect_output (r, 1, "1\n2\n3\n");
  assert_int_equal (weir_result_code (r), 9);
  weir_job_free (job);
  weir_result_free (r);
}

static void
test_job_on_a_terminal (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;
  struct strbuf text = { 0 };
  char part[256];
  int master;

  request.argv = shell ("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size; read x; stty size");
  request.stream[0] = request.stream[1] = request.stream[2] = WEIR_STREAM_PTY;
  request.rows = 31;
  request.columns = 97;
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  master = (int) weir_job_stream (job, 0);
  while (text.data == NULL || strstr (text.data, "31 97") == NULL) {
    ssize_t n = read_some (master, part, sizeof part);
    assert_true (n > 0);
    strbuf_add (&text, part, (size_t) n);
  }
  expect_ok (weir_job_resize (job, 11, 22, &err), &err);
  assert_int_equal (write (master, "\n", 1), 1);
  while (strstr (text.data, "11 22") == NULL) {
    ssize_t n = read_some (master, part, sizeof part);
    assert_true (n > 0);
    strbuf_add (&text, part, (size_t) n);
  }
  strbuf_free (&text);
  expect_ok (weir_job_wait (job, &r, &err), &err);
  assert_int_equal (weir_result_code (r), 0);
  weir_job_free (job);
  weir_result_free (r);
}

static void
test_job_signal (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_result *r;
  weir_job *job;
  char byte;

  request.argv = shell ("trap 'exit 21' USR1; echo; while :; do sleep 0.05; done");
  request.stream[1] = WEIR_STREAM_PIPE;
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  assert_int_equal (read_some (weir_job_stream (job, 1), &byte, 1), 1);
  expect_error (weir_job_signal (job, 9, SIGUSR1, &err), WEIR_E_INVALID, &err, "scope 9");
  expect_ok (weir_job_signal (job, WEIR_SIGNAL_LEADER, SIGUSR1, &err), &err);
  expect_ok (weir_job_wait (job, &r, &err), &err);
  assert_int_equal (weir_result_code (r), 21);
  weir_job_free (job);
  weir_result_free (r);
}

static void
test_freeing_a_job_kills_it (void **state UNUSED)
{
  weir_error *err = NULL;
  weir_job *job;
  char line[32] = "";

  request.argv = shell ("echo $$; sleep 1000");
  request.stream[1] = WEIR_STREAM_PIPE;
  expect_ok (weir_start (rt, &request, &job, &err), &err);
  assert_true (read_some (weir_job_stream (job, 1), line, sizeof line - 1) > 0);
  weir_job_free (job);
  expect_gone (line);
  weir_job_free (NULL);
}

/* ---- what an embedder relies on ---- */

static void
test_nothing_is_left_open (void **state UNUSED)
{
  static const char *const missing[] = { "no-such-program", NULL };
  int before;
  weir_result_free (run ("exit 0"));
  before = count_descriptors ();

  for (int i = 0; i < 20; i++) {
    request.output_limit = 10;
    weir_result_free (run ("echo a long enough line"));
    request.argv = missing;
    refuse (WEIR_E_NO_PROGRAM, "no-such-program");
  }
  assert_int_equal (count_descriptors (), before);
  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
}

static void
test_nothing_process_wide_changes (void **state UNUSED)
{
  sigset_t mask_before, mask_after;
  struct sigaction handlers[65], handler;
  struct rlimit limit_before, limit_after;
  auto_free char *cwd = getcwd (NULL, 0), *cwd_after = NULL;
  mode_t mask = umask (027);

  assert_int_equal (pthread_sigmask (SIG_SETMASK, NULL, &mask_before), 0);
  for (int i = 1; i < 65; i++)
    sigaction (i, NULL, &handlers[i]);
  getrlimit (RLIMIT_NOFILE, &limit_before);
  weir_result_free (run ("umask 077; cd /; trap '' TERM"));
  assert_int_equal (pthread_sigmask (SIG_SETMASK, NULL, &mask_after), 0);
  for (int i = 1; i < 65; i++) {
    assert_int_equal (sigismember (&mask_before, i), sigismember (&mask_after, i));
    if (i == 32 || i == 33 || i == SIGKILL || i == SIGSTOP)
      continue;
    assert_int_equal (sigaction (i, NULL, &handler), 0);
    assert_ptr_equal (handler.sa_handler, handlers[i].sa_handler);
  }
  getrlimit (RLIMIT_NOFILE, &limit_after);
  assert_int_equal (limit_before.rlim_cur, limit_after.rlim_cur);
  assert_int_equal (umask (mask), 027);
  cwd_after = getcwd (NULL, 0);
  assert_string_equal (cwd, cwd_after);
}

/* A harness whose own standard streams are closed.  */
static int
closed_streams_child (void)
{
  weir_runtime *mine;
  weir_result *r;
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };

  for (int i = 0; i < 3; i++)
    close (i);
  if (place_runtime (&place, 0, NULL, &mine, NULL) != WEIR_OK)
    return 1;
  request.argv = shell ("cat; echo err >&2; ls -l /proc/self/fd >/dev/null; exit 3");
  request.input = "in";
  request.input_size = 2;
  if (weir_run (mine, &request, &r, NULL) != WEIR_OK)
    return 2;
  weir_result_output (r, 1, &o);
  if (o.size != 2 || memcmp (o.data, "in", 2) != 0 || weir_result_code (r) != 3)
    return 3;
  weir_result_output (r, 2, &o);
  if (o.size != 4 || memcmp (o.data, "err\n", 4) != 0)
    return 4;
  weir_result_free (r);
  weir_runtime_free (mine);
  return 0;
}

static void
test_closed_streams_of_the_harness (void **state UNUSED)
{
  pid_t pid = fork ();
  int status;

  assert_true (pid >= 0);
  if (pid == 0)
    _exit (closed_streams_child ());
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
}

/* An embedder that reaps every child itself, or ignores SIGCHLD, does not make us lose how a command ended.  */
static void
test_ignored_children (void **state UNUSED)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
  weir_result *r;

  assert_int_equal (sigaction (SIGCHLD, &ignore, &old), 0);
  r = run ("exit 17");
  assert_int_equal (weir_result_code (r), 17);
  assert_true (weir_result_tree_gone (r));
  weir_result_free (r);
  sigaction (SIGCHLD, &old, NULL);
}

#define TEST(name) cmocka_unit_test_setup (name, setup)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_exit),
    TEST (test_signal),
    TEST (test_time_out),
    TEST (test_command_that_ignores_term),
    TEST (test_command_that_stopped_itself),
    TEST (test_cancel),
    TEST (test_daemons_do_not_stay),
    TEST (test_a_gigabyte),
    TEST (test_spill),
    TEST (test_output_without_end),
    TEST (test_head),
    TEST (test_order),
    TEST (test_input),
    TEST (test_no_input),
    TEST (test_directory_and_environment),
    TEST (test_no_descriptor_is_inherited),
    TEST (test_bad_requests),
    TEST (test_request_of_a_newer_caller),
    TEST (test_programs_that_cannot_be_executed),
    TEST (test_streams_that_are_closed),
    TEST (test_tee_keeps_the_order),
    TEST (test_tee_to_two_places),
    TEST (test_tee_to_nobody_who_reads),
    TEST (test_tee_to_a_reader_that_left),
    TEST (test_inherit),
    TEST (test_job_with_pipes),
    TEST (test_job_in_an_event_loop),
    TEST (test_job_on_a_terminal),
    TEST (test_job_signal),
    TEST (test_freeing_a_job_kills_it),
    TEST (test_nothing_is_left_open),
    TEST (test_nothing_process_wide_changes),
    TEST (test_ignored_children),
    TEST (test_closed_streams_of_the_harness),
  };
  return place_run (tests, setup_group, teardown_group);
}
