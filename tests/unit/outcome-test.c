/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/result.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct policy policy;
static struct adopted adopted;
static struct instance sandbox;
static struct candidate used;
static struct ending ending;
static struct collect collect;
static char base[64];

static void
add_line (uint32_t access, const char *path)
{
  weir_error *err = NULL;

  assert_int_equal (view_add (&policy.view, access, 0, path, path, "test.conf:3", &err), WEIR_OK);
}

static int
setup (void **state UNUSED)
{
  static const char *const argv[] = { "/bin/true", NULL }, *const env[] = { NULL };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = env, .cwd = "/" };

  snprintf (base, sizeof base, "/tmp/weir-outcome-XXXXXX");
  assert_non_null (mkdtemp (base));
  memset (&policy, 0, sizeof policy);
  policy.mode = WEIR_MODE_WORKSPACE_WRITE;
  policy.mode_origin = strdup ("test.conf:1");
  policy.workspace = strdup (base);
  policy.cwd = strdup (base);
  policy.promised = WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES;
  add_line (WEIR_ACCESS_WRITE, base);
  adopted = (struct adopted){ .name = (char *) (uintptr_t) "mock" };
  sandbox = (struct instance){ .adopted = &adopted };
  used = (struct candidate){ .sandbox = &sandbox, .plan = plan_new (&command, NULL) };
  assert_non_null (used.plan);
  plan_denial (used.plan, "permission denied");
  plan_governs (used.plan, WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES);
  ending = (struct ending){ .policy = &policy, .used = &used, .exit = { WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_EXITED } };
  collect_init (&collect);
  return 0;
}

static int
teardown (void **state UNUSED)
{
  candidate_free (&used);
  policy_free (&policy);
  collect_free (&collect);
  rmdir (base);
  return 0;
}

static void
says (int which, const char *text)
{
  struct stream *s = &collect.stream[which - 1];
  int ends[2];

  assert_int_equal (pipe (ends), 0);
  s->fd = ends[0];
  s->limit = 65536;
  assert_int_equal (write (ends[1], text, strlen (text)), (ssize_t) strlen (text));
  close (ends[1]);
  while (collect_read (&collect, which) == 0)
    ;
}

static weir_result *
result (uint32_t kind, int code, uint32_t flags)
{
  weir_result *r;
  weir_error *err = NULL;

  ending.exit.kind = kind;
  ending.exit.code = code;
  ending.exit.flags = flags;
  assert_int_equal (outcome_make (&ending, &collect, &r, &err), WEIR_OK);
  return r;
}

static size_t
count_denials (const weir_result *r)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };
  size_t n = 0;

  while (weir_result_denial (r, n, &d))
    n++;
  return n;
}

static void
test_exit_statuses (void **state UNUSED)
{
  static const struct {
    uint32_t kind;
    int code, timed_out, cancelled, outcome, status;
  } cases[] = {
    { WEIR_EXIT_EXITED, 0, 0, 0, WEIR_OUTCOME_EXITED, 0 },
    { WEIR_EXIT_EXITED, 125, 0, 0, WEIR_OUTCOME_EXITED, 125 },
    { WEIR_EXIT_SIGNALLED, SIGTERM, 0, 0, WEIR_OUTCOME_SIGNALLED, 143 },
    { WEIR_EXIT_SIGNALLED, SIGTERM, 1, 0, WEIR_OUTCOME_TIMED_OUT, 124 },
    { WEIR_EXIT_EXITED, 0, 1, 0, WEIR_OUTCOME_TIMED_OUT, 124 },
    { WEIR_EXIT_SIGNALLED, SIGKILL, 0, 1, WEIR_OUTCOME_CANCELLED, 130 },
    { WEIR_EXIT_NOT_STARTED, 0, 0, 0, WEIR_OUTCOME_RUNNER_FAILED, 125 },
    { WEIR_EXIT_LOST, 0, 0, 0, WEIR_OUTCOME_SIGNALLED, 137 },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); i++) {
    ending.timed_out = cases[i].timed_out;
    ending.cancelled = cases[i].cancelled;
    weir_result *r = result (cases[i].kind, cases[i].code, 0);
    assert_int_equal (weir_result_outcome (r), cases[i].outcome);
    assert_int_equal (weir_result_exit_status (r), cases[i].status);
    assert_int_equal (weir_result_code (r), cases[i].kind == WEIR_EXIT_EXITED ? cases[i].code : -1);
    assert_false (weir_result_tree_gone (r));
    weir_result_free (r);
  }
}

static void
test_lost_is_told (void **state UNUSED)
{
  weir_result *r = result (WEIR_EXIT_LOST, 0, WEIR_EXIT_TREE_GONE);

  assert_non_null (strstr (weir_result_warning (r, 0), "supervisor"));
  assert_null (weir_result_warning (r, 1));
  assert_true (weir_result_tree_gone (r));
  weir_result_free (r);
}

static void
test_enforcement (void **state UNUSED)
{
  weir_result *r = result (WEIR_EXIT_EXITED, 0, 0);

  assert_int_equal (weir_result_enforcement (r), WEIR_ENFORCEMENT_FULL);
  assert_string_equal (weir_result_provider (r), "mock");
  assert_null (weir_result_gap (r, 0));
  weir_result_free (r);
  used.missing = WEIR_EFFECT_NAMES | WEIR_EFFECT_CONTENT;
  plan_gap (used.plan, WEIR_EFFECT_NAMES, "renames go through");
  r = result (WEIR_EXIT_EXITED, 0, 0);
  assert_int_equal (weir_result_enforcement (r), WEIR_ENFORCEMENT_PARTIAL);
  assert_non_null (strstr (weir_result_gap (r, 0), "renames go through"));
  assert_non_null (strstr (weir_result_gap (r, 1), "content"));
  assert_null (weir_result_gap (r, 2));
  weir_result_free (r);
  plan_asserted (used.plan, "weir.conf:12");
  r = result (WEIR_EXIT_EXITED, 0, 0);
  assert_string_equal (weir_result_enforcement_origin (r), "asserted by weir.conf:12");
  weir_result_free (r);
}

static void
test_limits (void **state UNUSED)
{
  weir_result *r = result (WEIR_EXIT_SIGNALLED, SIGXCPU, 0);

  /* Without such a limit it is a signal like others.  */
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_SIGNALLED);
  assert_null (weir_result_limit (r));
  weir_result_free (r);
  policy.limits.cpu = 2;
  policy.limits.file_size = 100;
  r = result (WEIR_EXIT_SIGNALLED, SIGXCPU, 0);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_LIMIT);
  assert_string_equal (weir_result_limit (r), "cpu");
  weir_result_free (r);
  r = result (WEIR_EXIT_SIGNALLED, SIGXFSZ, 0);
  assert_string_equal (weir_result_limit (r), "file_size");
  weir_result_free (r);
  r = result (WEIR_EXIT_SIGNALLED, SIGKILL, 0);
  assert_null (weir_result_limit (r));
  weir_result_free (r);
  ending.exit.cpu_usec = 2000000;
  r = result (WEIR_EXIT_SIGNALLED, SIGKILL, 0);
  assert_string_equal (weir_result_limit (r), "cpu");
  assert_int_equal (weir_result_exit_status (r), 137);
  weir_result_free (r);
}

static void
test_denials (void **state UNUSED)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };
  weir_result *r;

  says (2, "touch: cannot touch '/etc/x': Permission denied\n"
           "touch: cannot touch '/etc/x': Permission denied\n"
           "touch: cannot touch 'mine': Permission denied\n"
           "rm: cannot remove '/usr/bin/env': Permission denied\n");
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), 2); /* once each; what the policy allows is none */
  assert_true (weir_result_denial (r, 0, &d));
  assert_string_equal (d.operation, "create");
  assert_string_equal (d.path, "/etc/x");
  assert_int_equal (d.enforced, 0);
  assert_non_null (d.rule);
  assert_non_null (d.remedy);
  assert_true (weir_result_denial (r, 1, &d));
  assert_string_equal (d.operation, "delete");
  weir_result_free (r);
}

static void
test_no_denials (void **state UNUSED)
{
  static const char text[] = "touch: cannot touch '/etc/x': Permission denied\n";
  weir_result *r;

  says (2, text);
  r = result (WEIR_EXIT_EXITED, 0, 0); /* it succeeded in the end */
  assert_int_equal (count_denials (r), 0);
  weir_result_free (r);
  says (2, text);
  r = result (WEIR_EXIT_SIGNALLED, 9, 0);
  assert_int_equal (count_denials (r), 0);
  weir_result_free (r);
  says (2, "touch: cannot touch '/etc/x': Read-only file system\n"); /* not this backend's words */
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), 0);
  weir_result_free (r);
  policy.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  used.sandbox = NULL;
  says (2, text);
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), 0);
  assert_null (weir_result_provider (r));
  weir_result_free (r);
}

/* On one pipe, or a terminal, the words of stderr stand in stdout.  */
static void
test_denials_of_merged_streams (void **state UNUSED)
{
  weir_result *r;

  says (1, "hello\ntouch: cannot touch '/etc/x': Permission denied\n");
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), 1);
  weir_result_free (r);
}

static void
test_denials_are_bounded (void **state UNUSED)
{
  struct strbuf text = { 0 };
  weir_result *r;

  for (int i = 0; i < 500; i++)
    strbuf_fmt (&text, "touch: cannot touch '/etc/x%d': Permission denied\n", i);
  says (2, text.data);
  strbuf_free (&text);
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), OUTCOME_DENIALS_MAX);
  weir_result_free (r);
}

/* Output that would take for ever, if every part of it were taken seriously.  */
static void
test_output_made_to_delay (void **state UNUSED)
{
  size_t size = 8u << 20;
  char *text = malloc (size + 1);
  weir_result *r;
  int ends[2];

  assert_non_null (text);
  for (size_t i = 0; i < size; i++)
    text[i] = "'a' permission denied "[i % 22];
  for (size_t i = size / 2; i < size; i += 22)
    text[i + 21 < size ? i + 21 : size - 1] = '\n';
  text[size] = '\0';
  assert_int_equal (pipe (ends), 0);
  assert_int_equal (fcntl (ends[0], F_SETFL, O_NONBLOCK), 0);
  assert_int_equal (fcntl (ends[1], F_SETFL, O_NONBLOCK), 0);
  collect.stream[1].fd = ends[0];
  collect.stream[1].limit = size;
  for (size_t done = 0; done < size;) {
    ssize_t n = write (ends[1], text + done, size - done);
    done += n > 0 ? (size_t) n : 0;
    assert_int_equal (collect_read (&collect, 2), 0);
  }
  close (ends[1]);
  free (text);
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_true (count_denials (r) <= OUTCOME_DENIALS_MAX);
  weir_result_free (r);
}

static void
test_network_denial (void **state UNUSED)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };
  weir_result *r;

  says (2, "nc: connect to 10.0.0.1 port 80: Permission denied\n");
  r = result (WEIR_EXIT_EXITED, 1, 0); /* the network is open: the refusal is the network's */
  assert_int_equal (count_denials (r), 0);
  weir_result_free (r);
  policy.network = WEIR_NETWORK_NONE;
  policy.network_origin = strdup ("test.conf:9");
  says (2, "nc: connect to 10.0.0.1 port 80: Permission denied\n");
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_int_equal (count_denials (r), 1);
  weir_result_denial (r, 0, &d);
  assert_string_equal (d.operation, "connect");
  assert_null (d.path);
  assert_string_equal (d.origin, "test.conf:9");
  weir_result_free (r);
}

/* Rules of text count only where no channel tells whether the command started.  */
static void
test_runner_failure (void **state UNUSED)
{
  static const int32_t codes[] = { 3 };
  static const char text[] = "acme: no such profile: Permission denied\n";
  weir_result *r;

  plan_failure (used.plan, codes, 1, "acme: ");
  says (2, text);
  r = result (WEIR_EXIT_EXITED, 3, 0);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_EXITED);
  weir_result_free (r);
  says (2, text);
  r = result (WEIR_EXIT_EXITED, 3, WEIR_EXIT_FROM_RUNNER);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_RUNNER_FAILED);
  assert_int_equal (weir_result_exit_status (r), 125);
  assert_int_equal (count_denials (r), 0); /* a failure of the runner outranks its words */
  weir_result_free (r);
  says (2, text);
  r = result (WEIR_EXIT_EXITED, 4, WEIR_EXIT_FROM_RUNNER);
  assert_int_equal (weir_result_outcome (r), WEIR_OUTCOME_EXITED);
  weir_result_free (r);
}

/* A caller of an older version has smaller structs; nothing is written behind them.  */
static void
test_smaller_structs (void **state UNUSED)
{
  struct weir_denial d = { .struct_size = offsetof (struct weir_denial, path), .path = (const char *) 1 };
  struct weir_output o = { .struct_size = offsetof (struct weir_output, size), .size = 77 };
  weir_result *r;

  says (2, "touch: cannot touch '/etc/x': Permission denied\n");
  r = result (WEIR_EXIT_EXITED, 1, 0);
  assert_true (weir_result_denial (r, 0, &d));
  assert_string_equal (d.operation, "create");
  assert_ptr_equal (d.path, (const char *) 1);
  assert_int_equal (d.struct_size, offsetof (struct weir_denial, path));
  weir_result_output (r, 2, &o);
  assert_non_null (o.data);
  assert_int_equal (o.size, 77);
  o.struct_size = (uint32_t) sizeof o;
  weir_result_output (r, 5, &o);
  assert_int_equal (o.size, 0);
  weir_result_free (r);
  weir_result_free (NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_exit_statuses),
    TEST (test_lost_is_told),
    TEST (test_enforcement),
    TEST (test_limits),
    TEST (test_denials),
    TEST (test_no_denials),
    TEST (test_denials_of_merged_streams),
    TEST (test_denials_are_bounded),
    TEST (test_output_made_to_delay),
    TEST (test_network_denial),
    TEST (test_runner_failure),
    TEST (test_smaller_structs),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
