/* SPDX-License-Identifier: Apache-2.0 */
/* weir-landlock-run with plans.  tests/e2e/launcher.bats has its other command line.  */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/plan-encoding.h"
#include "core/sys.h"
#include "tests/unit/steps-child.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

static char launcher[512];

/* ---- plans ---- */

static void
add_string (unsigned char *bytes, size_t *size, unsigned char *at, const char *string)
{
  if (!string)
    return;
  plan_encoding_put32 (at, (uint32_t) *size);
  plan_encoding_put32 (at + 4, (uint32_t) strlen (string));
  memcpy (bytes + *size, string, strlen (string) + 1);
  *size += strlen (string) + 1;
}

static int
memory_file (const void *bytes, size_t size, int seals)
{
  int fd = memfd_create ("plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  assert_true (fd >= 0);
  assert_int_equal (write (fd, bytes, size), size);
  assert_int_equal (fcntl (fd, F_ADD_SEALS, seals), 0);
  return fd;
}

static int
plan_file (const struct weir_step *steps, size_t count)
{
  static unsigned char bytes[65536];
  size_t size = PLAN_ENCODING_HEADER + count * PLAN_ENCODING_STEP;

  memset (bytes, 0, sizeof bytes);
  memcpy (bytes, PLAN_ENCODING_MAGIC, PLAN_ENCODING_MAGIC_SIZE);
  plan_encoding_put32 (bytes + 8, PLAN_ENCODING_VERSION);
  plan_encoding_put32 (bytes + 16, (uint32_t) count);
  for (size_t i = 0; i < count; i++) {
    unsigned char *at = bytes + PLAN_ENCODING_HEADER + i * PLAN_ENCODING_STEP;
    plan_encoding_put32 (at, steps[i].kind);
    plan_encoding_put32 (at + 4, steps[i].fact);
    plan_encoding_put64 (at + 8, steps[i].flags);
    plan_encoding_put64 (at + 16, steps[i].dev);
    plan_encoding_put64 (at + 24, steps[i].ino);
    plan_encoding_put64 (at + 32, steps[i].value);
    add_string (bytes, &size, at + 40, steps[i].path);
    add_string (bytes, &size, at + 48, steps[i].target);
  }
  plan_encoding_put32 (bytes + 12, (uint32_t) size);
  return memory_file (bytes, size, SEALS);
}

/* ---- running ---- */

struct run {
  pid_t pid;
  int output, report; /* ours */
};

static void
start (struct run *run, int plan, const char *const *command)
{
  const char *argv[32] = { launcher, "--weir-plan", "10", "--weir-report", "11", "--" };
  int output[2], report[2];

  for (size_t i = 0; command[i]; i++)
    argv[6 + i] = command[i];
  assert_int_equal (pipe2 (output, O_CLOEXEC), 0);
  assert_int_equal (pipe2 (report, O_CLOEXEC), 0);
  run->pid = fork ();
  assert_true (run->pid >= 0);
  if (run->pid == 0) {
    int high_plan = fcntl (plan, F_DUPFD_CLOEXEC, 100), high_report = fcntl (report[1], F_DUPFD_CLOEXEC, 100);
    dup2 (output[1], 1);
    dup2 (high_plan, 10);
    dup2 (high_report, 11);
    dup2 (1, 12); /* one that the command must not get */
    if (chdir (child_dir ()))
      _exit (99);
    alarm (0);
    execv (launcher, (char *const *) (uintptr_t) argv);
    _exit (98);
  }
  close (output[1]);
  close (report[1]);
  close (plan);
  run->output = output[0];
  run->report = report[0];
}

static void
read_all (int fd, char *text, size_t size)
{
  size_t used = 0;
  ssize_t got;

  while (used + 1 < size && ((got = read (fd, text + used, size - 1 - used)) > 0 || (got < 0 && errno == EINTR)))
    used += got > 0 ? (size_t) got : 0;
  text[used] = '\0';
  close (fd);
}

/* To the end.  The wait status.  */
static int
finish (struct run *run, char output[4096], char report[4096])
{
  int status;

  read_all (run->output, output, 4096);
  read_all (run->report, report, 4096);
  assert_int_equal (waitpid (run->pid, &status, 0), run->pid);
  return status;
}

static int
run_plan (const struct weir_step *steps, size_t count, const char *const *command, char output[4096], char report[4096])
{
  struct run run;

  start (&run, plan_file (steps, count), command);
  return finish (&run, output, report);
}

/* Skips where the plan's first step cannot be done here.  */
static void
skip_without_namespaces (const char *report)
{
  if (strncmp (report, "step=1 ", 7) == 0) {
    print_message ("skipped: this machine refuses user namespaces: %s", report);
    skip ();
  }
}

static int
setup (void **state)
{
  const char *given = getenv ("WEIR_LAUNCHER"), *prefix = getenv ("WEIR_PREFIX"), *build = getenv ("WEIR_BUILDDIR");

  if (given)
    snprintf (launcher, sizeof launcher, "%s", given);
  else if (prefix)
    snprintf (launcher, sizeof launcher, "%s/libexec/weir/weir-landlock-run", prefix);
  if (access (launcher, X_OK))
    snprintf (launcher, sizeof launcher, "%s/plugins/landlock/weir-landlock-run", build ? build : ".");
  if (child_setup (state))
    return -1;
  child_mkdir ("ws");
  child_mkdir ("outside");
  alarm (120); /* only against a hang */
  return 0;
}

static void
need_launcher (void)
{
  if (access (launcher, X_OK)) {
    print_message ("skipped: the launcher is not built (WEIR_LAUNCHER names it)\n");
    skip ();
  }
}

/* ---- plans that work ---- */

#define NAMESPACED                                                                                                     \
  STEP (NAMESPACES, .flags = WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_IPC, .fact = WEIR_FACT_USER_NAMESPACES),            \
      STEP (ROOT_READ_ONLY), STEP (BIND, .path = child_path ("ws"))
#define LOCKED STEP (CAPABILITIES), STEP (NO_NEW_PRIVILEGES), STEP (SECCOMP, .flags = WEIR_SECCOMP_BASE)

static const char *const writer[] = {
  "sh", "-c", "echo in >ws/a; echo out >outside/a; echo pid $$; readlink /proc/self/fd/12; pwd; exit 7", NULL
};

static void
check_writer (int status, const char *output, const char *report)
{
  skip_without_namespaces (report);
  assert_string_equal (report, "");
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 7);
  assert_non_null (strstr (output, child_dir ())); /* where it was started */
  assert_null (strstr (output, "pipe:")); /* no descriptor 12 */
  assert_int_equal (access (child_path ("ws/a"), F_OK), 0);
  assert_int_equal (access (child_path ("outside/a"), F_OK), -1);
}

static void
supervised (void **state)
{
  char output[4096], report[4096];

  (void) state;
  need_launcher ();
  const struct weir_step steps[] = { NAMESPACED, LOCKED, STEP (SUPERVISE) };
  int status = run_plan (steps, COUNT (steps), writer, output, report);
  check_writer (status, output, report);
  assert_non_null (strstr (output, "pid 2\n")); /* the init is 1 */
}

static void
without_init (void **state)
{
  char output[4096], report[4096];

  (void) state;
  need_launcher ();
  const struct weir_step steps[] = { NAMESPACED, LOCKED };
  int status = run_plan (steps, COUNT (steps), writer, output, report);
  check_writer (status, output, report);
  assert_non_null (strstr (output, "pid 1\n"));
}

static void
without_namespaces (void **state)
{
  char output[4096], report[4096];

  (void) state;
  need_launcher ();
  if (sys_landlock_abi () == 0) {
    print_message ("skipped: this kernel does not enforce Landlock\n");
    skip ();
  }
  for (int supervise = 0; supervise < 2; supervise++) {
    const struct weir_step steps[] = { STEP (LANDLOCK_HANDLE, .flags = 0xfffe & ~UINT64_C (0xc),
                                             .value = UINT64_C (3) << 32),
                                       STEP (LANDLOCK_RULE, .path = child_path ("ws"), .flags = ~UINT64_C (0)),
                                       STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = 2),
                                       LOCKED,
                                       STEP (LANDLOCK_ENFORCE),
                                       STEP (SUPERVISE) };
    int status = run_plan (steps, COUNT (steps) - (supervise ? 0 : 1), writer, output, report);
    check_writer (status, output, report);
  }
}

static void
ends (void **state)
{
  static const int signals[] = { SIGTERM, SIGKILL, SIGSEGV };
  char output[4096], report[4096], script[64];

  (void) state;
  need_launcher ();
  for (size_t i = 0; i < COUNT (signals); i++) {
    const char *const command[] = { "sh", "-c", script, NULL };
    const struct weir_step steps[] = { NAMESPACED, LOCKED, STEP (SUPERVISE) };
    snprintf (script, sizeof script, "kill -%d $$", signals[i]);
    int status = run_plan (steps, COUNT (steps), command, output, report);
    skip_without_namespaces (report);
    assert_true (WIFSIGNALED (status));
    assert_int_equal (WTERMSIG (status), signals[i]);
    assert_string_equal (report, "");
  }
}

static void
await (int fd, const char *text)
{
  char got[64] = "";
  size_t used = 0;

  while (!strstr (got, text)) {
    ssize_t n = read (fd, got + used, 1);
    assert_int_equal (n, 1);
    used += 1;
    assert_true (used < sizeof got - 1);
  }
}

static void
signals_are_passed_on (void **state)
{
  static const char *const command[] = { "sh", "-c",
                                         "trap 'echo trapped; exit 3' TERM; echo ready; while :; do sleep 0.05; done",
                                         NULL };
  char output[4096], report[4096];
  struct run run;

  (void) state;
  need_launcher ();
  for (int supervise = 0; supervise < 2; supervise++) {
    const struct weir_step steps[] = { NAMESPACED, LOCKED, STEP (SUPERVISE) };
    start (&run, plan_file (steps, COUNT (steps) - (supervise ? 0 : 1)), command);
    struct pollfd polled = { .fd = run.report, .events = POLLIN };
    assert_int_equal (poll (&polled, 1, -1), 1); /* started, or a failure */
    read_all (run.report, report, sizeof report);
    skip_without_namespaces (report);
    assert_string_equal (report, "");
    await (run.output, "ready\n");
    assert_int_equal (kill (run.pid, SIGTERM), 0);
    run.report = dup (run.output);
    int status = finish (&run, output, report);
    assert_non_null (strstr (output, "trapped"));
    assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 3);
  }
}

/* Killed, the launcher takes everything with it, what left its session included: nobody holds the output any more.  */
static void
death_of_the_launcher (void **state)
{
  static const char *const command[] = { "sh", "-c", "setsid sleep 1000 & echo ready; sleep 1000", NULL };
  char output[4096];
  struct run run;

  (void) state;
  need_launcher ();
  for (int supervise = 0; supervise < 2; supervise++) {
    const struct weir_step steps[] = { NAMESPACED, LOCKED, STEP (SUPERVISE) };
    start (&run, plan_file (steps, COUNT (steps) - (supervise ? 0 : 1)), command);
    char report[4096];
    read_all (run.report, report, sizeof report);
    skip_without_namespaces (report);
    await (run.output, "ready\n");
    assert_int_equal (kill (run.pid, SIGKILL), 0);
    read_all (run.output, output, sizeof output); /* until the last of them is gone */
    assert_int_equal (waitpid (run.pid, NULL, 0), run.pid);
  }
}

/* ---- failures ---- */

static void
failing_step (void **state)
{
  static const char *const command[] = { "sh", "-c", "echo ran >ws/ran", NULL };
  char output[4096], report[4096], expected[600];

  (void) state;
  need_launcher ();
  for (int supervise = 0; supervise < 2; supervise++) {
    const struct weir_step steps[] = { NAMESPACED, STEP (BIND, .path = child_path ("absent")), LOCKED,
                                       STEP (SUPERVISE) };
    int status = run_plan (steps, COUNT (steps) - (supervise ? 0 : 1), command, output, report);
    skip_without_namespaces (report);
    snprintf (expected, sizeof expected, "step=%d errno=%d fact=0 detail=%s\n", WEIR_STEP_BIND, ENOENT,
              child_path ("absent"));
    assert_string_equal (report, expected);
    assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 125);
    assert_int_equal (access (child_path ("ws/ran"), F_OK), -1);
  }
}

static void
failing_exec (void **state)
{
  char output[4096], report[4096], expected[64];

  (void) state;
  need_launcher ();
  child_file ("ws/text", "text");
  const struct {
    const char *program;
    int errnum, status;
  } table[] = { { child_path ("absent"), ENOENT, 127 },
                { "weir-no-such-program", ENOENT, 127 },
                { child_path ("ws/text"), EACCES, 126 } };
  for (size_t i = 0; i < 2 * COUNT (table); i++) {
    const char *const command[] = { table[i / 2].program, NULL };
    const struct weir_step steps[] = { NAMESPACED, LOCKED, STEP (SUPERVISE) };
    int status = run_plan (steps, COUNT (steps) - i % 2, command, output, report);
    skip_without_namespaces (report);
    snprintf (expected, sizeof expected, "step=%d errno=%d fact=0 detail=", WEIR_STAGE_EXEC, table[i / 2].errnum);
    assert_int_equal (strncmp (report, expected, strlen (expected)), 0);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), table[i / 2].status);
  }
}

static void
refused_plan (int plan)
{
  static const char *const command[] = { "sh", "-c", "echo ran >ws/ran", NULL };
  char output[4096], report[4096];
  struct run run;

  start (&run, plan, command);
  int status = finish (&run, output, report);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 125);
  assert_int_equal (access (child_path ("ws/ran"), F_OK), -1);
}

static void
bad_plans (void **state)
{
  static const unsigned char valid[PLAN_ENCODING_HEADER] = { 'W', 'E', 'I', 'R', 'P', 'L', 'A', 'N', 1, 0, 0, 0, 24 };
  static const char *const command[] = { "true", NULL };
  char output[4096], report[4096];
  struct run run;
  int pipes[2];

  (void) state;
  need_launcher ();
  /* The bytes themselves are a plan, of no steps.  */
  start (&run, memory_file (valid, sizeof valid, SEALS), command);
  assert_int_equal (finish (&run, output, report), 0);

  refused_plan (memory_file (valid, sizeof valid, F_SEAL_GROW | F_SEAL_SHRINK)); /* writable */
  refused_plan (memory_file (valid, sizeof valid, F_SEAL_WRITE | F_SEAL_SHRINK));
  refused_plan (memory_file (valid, sizeof valid - 1, SEALS));
  refused_plan (memory_file ("", 0, SEALS));
  refused_plan (memory_file ("not a plan, whatever it may be", 30, SEALS));
  child_file ("plain", "x");
  refused_plan (open (child_path ("plain"), O_RDONLY | O_CLOEXEC));
  assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
  refused_plan (pipes[0]); /* never read from, so it cannot block */
  close (pipes[1]);
}

static void
bad_usage (void **state)
{
  static const char *const table[][8] = {
    { "--weir-plan", NULL },
    { "--weir-plan", "999", "--", "true", NULL },
    { "--weir-plan", "x", "--", "true", NULL },
    { "--weir-plan", "", "--", "true", NULL },
    { "--weir-report", "1", "--", "true", NULL },
    { "--weir-plan", "0", "--ro", "/", "--", "true", NULL },
    { "--weir-other", "1", "--", "true", NULL },
    { "--weir-plan", "0", "--", NULL },
    { "--weir-plan", "0", NULL },
  };
  char output[4096];

  (void) state;
  need_launcher ();
  for (size_t i = 0; i < COUNT (table); i++) {
    const char *argv[10] = { launcher };
    for (size_t j = 0; table[i][j]; j++)
      argv[j + 1] = table[i][j];
    int status = child_run_program (argv, output, sizeof output);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), 125);
    assert_string_equal (output, "");
  }
}

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, child_clean)
  const struct CMUnitTest tests[] = {
    TEST (supervised),   TEST (without_init),          TEST (without_namespaces),
    TEST (ends),         TEST (signals_are_passed_on), TEST (death_of_the_launcher),
    TEST (failing_step), TEST (failing_exec),          TEST (bad_plans),
    TEST (bad_usage),
  };
  return cmocka_run_group_tests_name ("launcher", tests, NULL, NULL);
}
