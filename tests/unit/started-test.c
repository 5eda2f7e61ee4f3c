/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>

#include "fake-plugins.h"

static const char *const argv[] = { "prog", "a", NULL };
static const struct weir_stdio stdio = { WEIR_SIZED (struct weir_stdio), .fd = { -1, -1, -1 } };
static struct weir_request request;
static char asked[64];    /* names of the sandboxes that were asked, in order */
static char program[128]; /* argv[0] as confine saw it */

static int
setup (void **state UNUSED)
{
  fake_begin ();
  fake_world (~UINT64_C (0));
  request = (struct weir_request) WEIR_REQUEST_INIT;
  request.argv = argv;
  fake_runtime.flags = WEIR_RUNTIME_ONE_SHOT;
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  asked[0] = program[0] = '\0';
  return 0;
}

static int
teardown (void **state UNUSED)
{
  fake_end ();
  return 0;
}

static void
note (const char *name, const struct weir_command *c)
{
  strncat (asked, name, sizeof asked - strlen (asked) - 1);
  snprintf (program, sizeof program, "%s", c->argv[0]);
}

static weir_status
good_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c, const struct weir_policy *p UNUSED,
              weir_plan *plan, weir_error **err UNUSED)
{
  note ("g", c);
  fake_good_plan (plan);
  return WEIR_OK;
}

static weir_status
unavailable_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c,
                     const struct weir_policy *p UNUSED, weir_plan *plan UNUSED, weir_error **err)
{
  note ("u", c);
  error_set (err, WEIR_E_UNAVAILABLE, 0, "the moon is not full");
  return error_hint (err, "wait for the full moon");
}

static weir_status
invalid_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c, const struct weir_policy *p UNUSED,
                 weir_plan *plan UNUSED, weir_error **err)
{
  note ("i", c);
  return error_set (err, WEIR_E_INVALID, 0, "option 'x' is wrong");
}

static weir_status
run (struct started *s, weir_error **err)
{
  weir_call call = { WEIR_SIZED (weir_call), .cancel = -1 };

  memset (s, 0, sizeof *s);
  return started_run (&fake_runtime, &fake_policy, &request, &stdio, &call, s, err);
}

static void
sandboxes (void)
{
  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("unavailable", unavailable_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("invalid", invalid_confine, WEIR_EFFECTS_ALL);
}

static void
test_first_that_works (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_chain ("unavailable");
  fake_chain ("absent");
  fake_chain ("good");
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_true (s.running);
  assert_int_equal (s.process.id, 4711);
  assert_string_equal (s.used.sandbox->adopted->name, "good");
  assert_string_equal (asked, "ug");
  assert_string_equal (program, "/usr/bin/prog");
  candidate_free (&s.used);
}

static void
test_nothing_works (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;
  char *text;

  sandboxes ();
  fake_chain ("unavailable");
  fake_chain ("absent");
  assert_int_equal (run (&s, &err), WEIR_E_UNAVAILABLE);
  assert_false (s.running);
  assert_int_equal (fake_spawned, 0);
  assert_int_equal (weir_error_code (err), WEIR_E_UNAVAILABLE);
  text = error_text (err);
  assert_non_null (strstr (weir_error_message (err), "\"workspace-write\""));
  assert_non_null (strstr (weir_error_message (err), "did not run"));
  assert_non_null (strstr (text, "unavailable: the moon is not full"));
  assert_non_null (strstr (text, "absent: there is no plugin 'absent'"));
  assert_true (strstr (text, "moon") < strstr (text, "absent:")); /* in the order of the chain */
  assert_non_null (strstr (text, "hint: unavailable: wait for the full moon"));
  assert_non_null (strstr (text, "hint: absent: install it"));
  free (text);
  error_clear (&err);
}

static void
test_failure_before_exec_goes_on (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_sandbox ("better", good_confine, WEIR_EFFECTS_ALL);
  fake_chain ("good");
  fake_chain ("better");
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_BIND, 0, EPERM };
  fake_answers[1] = (struct fake_spawn){ WEIR_OK };
  fake_answer_count = 2;
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_string_equal (s.used.sandbox->adopted->name, "better");
  candidate_free (&s.used);
}

/* These are the call's own, whatever the sandbox: no other entry is tried.  */
static void
test_what_ends_the_call (void **state UNUSED)
{
  static const struct fake_spawn ends[] = {
    { WEIR_E_NO_PROGRAM, WEIR_STAGE_EXEC, 0, ENOENT }, { WEIR_E_NOT_EXECUTABLE, WEIR_STAGE_EXEC, 0, EACCES },
    { WEIR_E_CONFLICT, WEIR_STEP_BIND, 0, ESTALE },    { WEIR_E_CANCELLED, 0, 0, 0 },
    { WEIR_E_RUNNER, WEIR_STAGE_CLONE, 0, EAGAIN },
  };
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_sandbox ("better", good_confine, WEIR_EFFECTS_ALL);
  fake_chain ("good");
  fake_chain ("better");
  for (size_t i = 0; i < ARRAY_SIZE (ends); i++) {
    fake_spawned = 0;
    fake_answers[0] = ends[i];
    fake_answers[1] = (struct fake_spawn){ WEIR_OK };
    fake_answer_count = 2;
    expect_error (run (&s, &err), ends[i].status, &err, "failed");
    assert_int_equal (fake_spawned, 1);
  }
  fake_settings.chain.items.items[0][0] = '\0'; /* now a chain with wrong options first */
  free (fake_settings.chain.items.items[0]);
  fake_settings.chain.items.items[0] = strdup ("invalid");
  expect_error (run (&s, &err), WEIR_E_INVALID, &err, "option 'x' is wrong");
}

static void
test_program_is_looked_for_first (void **state UNUSED)
{
  static const char *const missing[] = { "missing", NULL };
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_chain ("good");
  request.argv = missing;
  expect_error (run (&s, &err), WEIR_E_NO_PROGRAM, &err, "missing");
  assert_string_equal (asked, "");
}

static void
test_named_sandbox_alone (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_chain ("good");
  request.sandbox = "unavailable";
  expect_error (run (&s, &err), WEIR_E_UNAVAILABLE, &err, "moon");
  assert_string_equal (asked, "u");
  request.sandbox = "good";
  assert_int_equal (run (&s, &err), WEIR_OK);
  candidate_free (&s.used);
}

static void
test_empty_chain (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  expect_error (run (&s, &err), WEIR_E_UNAVAILABLE, &err, "names no sandbox");
}

static void
test_danger_touches_no_sandbox (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_chain ("good");
  fake_policy.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_null (s.used.sandbox);
  assert_string_equal (asked, "");
  assert_string_equal (s.used.plan->argv.items[0], "/usr/bin/prog");
  assert_string_equal (s.used.plan->argv.items[1], "a");
  candidate_free (&s.used);
}

static void
test_world_elsewhere (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_chain ("good");
  fakes[0].adopted->world.flags = 0;
  expect_error (run (&s, &err), WEIR_E_UNAVAILABLE, &err, "cannot be enforced in world");
  assert_int_equal (fake_spawned, 0);
}

/* A runtime that lives on proves once before it trusts.  */
static void
test_proofs_come_first (void **state UNUSED)
{
  struct started s;
  weir_error *err = NULL;

  sandboxes ();
  fake_sandbox ("better", good_confine, WEIR_EFFECTS_ALL);
  fake_chain ("good");
  fake_chain ("better");
  fake_runtime.flags = 0;
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_int_equal (fake_spawned, 2); /* proof, run */
  candidate_free (&s.used);
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_int_equal (fake_spawned, 3);
  candidate_free (&s.used);
  proofs_free (fake_runtime.proofs);
  fake_runtime.proofs = NULL;
  fake_exit.code = 1;
  expect_error (run (&s, &err), WEIR_E_UNAVAILABLE, &err, "better: a confined no-op exited with status 1");
}

static void
test_program_in_the_view (void **state UNUSED)
{
  static const char *const relative[] = { "./x", NULL }, *const inside[] = { "/tmp/x", NULL };
  struct started s;
  weir_error *err = NULL;
  struct weir_view line = { WEIR_SIZED (struct weir_view), .access = WEIR_ACCESS_WRITE, .is_dir = 1, .host = "/usr", .world = "/tmp", .origin = "test" };
  struct weir_view *lines[] = { &line };
  struct stat st;

  sandboxes ();
  fake_chain ("good");
  request.argv = relative;
  free (fake_policy.cwd);
  fake_policy.cwd = strdup ("/home");
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_string_equal (program, "/home/./x");
  candidate_free (&s.used);
  /* Looked for where the host has it, executed by the name that the command sees.  */
  assert_int_equal (stat ("/usr", &st), 0);
  line.dev = st.st_dev;
  line.ino = st.st_ino;
  fake_policy.view.lines = lines;
  fake_policy.view.count = 1;
  request.argv = inside;
  assert_int_equal (run (&s, &err), WEIR_OK);
  assert_string_equal (s.used.plan->argv.items[0], "/tmp/x");
  candidate_free (&s.used);
  fake_policy.view = (struct view){ 0 };
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_first_that_works),
    TEST (test_nothing_works),
    TEST (test_failure_before_exec_goes_on),
    TEST (test_what_ends_the_call),
    TEST (test_program_is_looked_for_first),
    TEST (test_named_sandbox_alone),
    TEST (test_empty_chain),
    TEST (test_danger_touches_no_sandbox),
    TEST (test_world_elsewhere),
    TEST (test_proofs_come_first),
    TEST (test_program_in_the_view),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
