/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>

#include "fake-plugins.h"

static const char *const argv[] = { "/bin/true", NULL }, *const environment[] = { NULL };
static const struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = environment, .cwd = "/" };
static const struct weir_stdio stdio = { WEIR_SIZED (struct weir_stdio), .fd = { -1, -1, -1 } };
static int confined; /* how often confine was asked */

static int
setup (void **state UNUSED)
{
  fake_begin ();
  fake_world (~UINT64_C (0));
  confined = 0;
  return 0;
}

static int
teardown (void **state UNUSED)
{
  fake_end ();
  return 0;
}

static weir_call
call_now (void)
{
  static uint64_t facts[WEIR_FACT_COUNT_];

  facts_snapshot (&fake_runtime.facts, facts);
  return (weir_call){ WEIR_SIZED (weir_call), .cancel = -1, .facts = facts };
}

static weir_status
confine (const char *name, struct candidate *c, weir_error **err)
{
  weir_call call = call_now ();

  return candidate_confine (&fake_runtime, name, &command, &fake_policy, &call, c, err);
}

/* ---- sandboxes ---- */

static weir_status
good_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED, const struct weir_policy *p,
              weir_plan *plan, weir_error **err UNUSED)
{
  assert_int_equal (fake_entered, 1);
  assert_int_equal (p->mode, WEIR_MODE_WORKSPACE_WRITE);
  assert_string_equal (p->workspace, "/");
  confined++;
  fake_good_plan (plan);
  return WEIR_OK;
}

static weir_status
partial_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED,
                 const struct weir_policy *p UNUSED, weir_plan *plan, weir_error **err UNUSED)
{
  fake_good_plan (plan);
  plan_gap (plan, WEIR_EFFECT_NAMES, "this kernel does not govern renames");
  return WEIR_OK;
}

static weir_status
silent_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED,
                const struct weir_policy *p UNUSED, weir_plan *plan UNUSED, weir_error **err UNUSED)
{
  return WEIR_E_UNAVAILABLE;
}

static weir_status
invalid_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED,
                 const struct weir_policy *p UNUSED, weir_plan *plan UNUSED, weir_error **err)
{
  return error_set (err, WEIR_E_INVALID, 0, "option 'x' is wrong");
}

/* Needs namespaces while it is told that there are some.  */
static weir_status
tiered_confine (void *self UNUSED, const weir_call *call, const struct weir_command *c UNUSED, const struct weir_policy *p UNUSED,
                weir_plan *plan, weir_error **err)
{
  confined++;
  if (call->facts[WEIR_FACT_LANDLOCK_ABI] == 0)
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "nothing works here");
  if (call->facts[WEIR_FACT_USER_NAMESPACES])
    STEP (.kind = WEIR_STEP_NAMESPACES, .flags = WEIR_NS_MOUNT, .fact = WEIR_FACT_USER_NAMESPACES);
  STEP (.kind = WEIR_STEP_NO_NEW_PRIVILEGES);
  STEP (.kind = WEIR_STEP_LANDLOCK_HANDLE, .flags = 1);
  STEP (.kind = WEIR_STEP_LANDLOCK_ENFORCE, .fact = WEIR_FACT_LANDLOCK_ABI);
  STEP (.kind = WEIR_STEP_SUPERVISE);
  plan_governs (plan, WEIR_EFFECT_CONTENT);
  return WEIR_OK;
}

static weir_status
empty_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED,
               const struct weir_policy *p UNUSED, weir_plan *plan, weir_error **err UNUSED)
{
  STEP (.kind = WEIR_STEP_SUPERVISE);
  plan_governs (plan, WEIR_EFFECTS_ALL);
  return WEIR_OK;
}

static weir_status
sticky_confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *c UNUSED,
                const struct weir_policy *p UNUSED, weir_plan *plan, weir_error **err UNUSED)
{
  STEP (.kind = 9999);
  fake_good_plan (plan);
  return WEIR_OK;
}

/* ---- confine ---- */

static void
test_full (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  assert_int_equal (confine ("good", &c, &err), WEIR_OK);
  assert_int_equal (c.missing, 0);
  assert_string_equal (c.plan->provider, "good");
  assert_string_equal (c.sandbox->adopted->name, "good");
  candidate_free (&c);
  assert_null (c.plan);
}

static void
test_axis_that_is_not_claimed (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL | WEIR_AXIS_DENY_READ);
  fake_policy.axes = WEIR_AXIS_DENY_READ | WEIR_AXIS_NETWORK_NONE;
  expect_error (confine ("good", &c, &err), WEIR_E_UNAVAILABLE, &err, policy_bit_name (WEIR_AXIS_NETWORK_NONE));
  assert_int_equal (confined, 0); /* it was not even asked */
  assert_null (c.plan);
}

static void
test_partial (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  fake_sandbox ("partial", partial_confine, WEIR_EFFECTS_ALL);
  assert_int_equal (confine ("partial", &c, &err), WEIR_OK);
  assert_int_equal (c.missing, WEIR_EFFECT_NAMES);
  candidate_free (&c);
  fake_policy.require_origin = "/etc/weir/weir.conf:7";
  expect_error (confine ("partial", &c, &err), WEIR_E_UNAVAILABLE, &err, "partial enforcement refused by /etc/weir/weir.conf:7");
  assert_int_equal (confine ("partial", &c, &err), WEIR_E_UNAVAILABLE);
  assert_string_equal (weir_error_hint_at (err, 0), "this kernel does not govern renames");
  error_clear (&err);
}

static void
test_failures_of_plugins (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  fake_sandbox ("silent", silent_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("invalid", invalid_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("empty", empty_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("sticky", sticky_confine, WEIR_EFFECTS_ALL);
  fake_add ("neither");
  expect_error (confine ("silent", &c, &err), WEIR_E_PLUGIN, &err, "did not say why");
  expect_error (confine ("invalid", &c, &err), WEIR_E_INVALID, &err, "option 'x' is wrong");
  expect_error (confine ("empty", &c, &err), WEIR_E_PLUGIN, &err, "empty");
  assert_int_not_equal (confine ("sticky", &c, &err), WEIR_OK);
  error_clear (&err);
  expect_error (confine ("neither", &c, &err), WEIR_E_INVALID, &err, "not a sandbox");
  expect_error (confine ("absent", &c, &err), WEIR_E_NOT_FOUND, &err, "absent");
}

static void
test_steps_that_the_world_lacks (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  fake_count = 0;
  fake_world (1u << WEIR_STEP_SUPERVISE);
  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  assert_int_not_equal (confine ("good", &c, &err), WEIR_OK);
  assert_non_null (err);
  error_clear (&err);
}

static void
test_bare (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;

  /* No name and a confined mode: never.  */
  expect_error (confine (NULL, &c, &err), WEIR_E_UNAVAILABLE, &err, "no sandbox was named");
  fake_policy.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  assert_int_equal (confine (NULL, &c, &err), WEIR_OK);
  assert_null (c.sandbox);
  assert_int_equal (c.plan->step_count, 1);
  assert_int_equal (c.plan->steps[0].kind, WEIR_STEP_SUPERVISE);
  candidate_free (&c);
}

/* ---- facts ---- */

static weir_status
start (const char *name, struct candidate *c, int *transient, weir_error **err)
{
  weir_call call = call_now ();
  struct weir_process process;

  return candidate_start (&fake_runtime, name, &command, &fake_policy, &stdio, &call, c, &process, transient, err);
}

static void
test_fact_is_taken_back (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;
  int transient;

  fake_sandbox ("tiered", tiered_confine, WEIR_EFFECTS_ALL);
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_NAMESPACES, WEIR_FACT_USER_NAMESPACES, EPERM };
  fake_answers[1] = (struct fake_spawn){ WEIR_OK };
  fake_answer_count = 2;
  assert_int_equal (start ("tiered", &c, &transient, &err), WEIR_OK);
  assert_int_equal (confined, 2);
  assert_int_equal (c.plan->steps[0].kind, WEIR_STEP_NO_NEW_PRIVILEGES);
  candidate_free (&c);
  /* It is remembered.  */
  assert_int_equal (start ("tiered", &c, &transient, &err), WEIR_OK);
  assert_int_equal (confined, 3);
  candidate_free (&c);
}

static void
test_facts_run_out (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;
  int transient;

  fake_sandbox ("tiered", tiered_confine, WEIR_EFFECTS_ALL);
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_NAMESPACES, WEIR_FACT_USER_NAMESPACES, EPERM };
  fake_answers[1] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_LANDLOCK_ENFORCE, WEIR_FACT_LANDLOCK_ABI, EOPNOTSUPP };
  fake_answer_count = 2;
  expect_error (start ("tiered", &c, &transient, &err), WEIR_E_UNAVAILABLE, &err, "nothing works here");
  assert_int_equal (confined, 3);
}

/* A plugin that goes on using what was taken back does not make us go round for ever.  */
static void
test_stubborn_plugin (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;
  int transient;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_NAMESPACES, WEIR_FACT_USER_NAMESPACES, EPERM };
  fake_answer_count = 1;
  expect_error (start ("good", &c, &transient, &err), WEIR_E_RUNNER, &err, "step 1 failed");
  assert_int_equal (confined, 2);
}

static void
test_shortage_takes_nothing_back (void **state UNUSED)
{
  static const int errnums[] = { EAGAIN, ENOMEM, EMFILE, ENFILE };
  struct candidate c;
  weir_error *err = NULL;
  int transient;

  fake_sandbox ("tiered", tiered_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  for (size_t i = 0; i < ARRAY_SIZE (errnums); i++) {
    fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_NAMESPACES, WEIR_FACT_USER_NAMESPACES, errnums[i] };
    expect_error (start ("tiered", &c, &transient, &err), WEIR_E_RUNNER, &err, "step 1 failed");
    assert_true (transient);
    assert_int_equal (atomic_load (&fake_runtime.facts.value[WEIR_FACT_USER_NAMESPACES]), 1);
  }
}

static void
test_missing_runner_is_not_the_commands_program (void **state UNUSED)
{
  struct candidate c;
  weir_error *err = NULL;
  int transient;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_E_NO_PROGRAM, WEIR_STAGE_RUNNER, 0, ENOENT };
  expect_error (start ("good", &c, &transient, &err), WEIR_E_RUNNER, &err, "execute");
  fake_answers[0] = (struct fake_spawn){ WEIR_E_NO_PROGRAM, WEIR_STAGE_EXEC, 0, ENOENT };
  expect_error (start ("good", &c, &transient, &err), WEIR_E_NO_PROGRAM, &err, "step 104 failed");
}

/* ---- proofs ---- */

static weir_status
prove (const char *name, weir_error **err)
{
  weir_call call = call_now ();

  return candidate_prove (&fake_runtime, name, &fake_policy, &call, err);
}

static void
test_proof_is_remembered (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL | WEIR_AXIS_NETWORK_NONE);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  assert_int_equal (prove ("good", &err), WEIR_OK);
  assert_int_equal (prove ("good", &err), WEIR_OK);
  assert_int_equal (fake_spawned, 1);
  assert_int_equal (fake_released, 1);
  /* Another kind of policy is another proof.  */
  fake_policy.network = WEIR_NETWORK_NONE;
  fake_policy.axes = WEIR_AXIS_NETWORK_NONE;
  assert_int_equal (prove ("good", &err), WEIR_OK);
  assert_int_equal (fake_spawned, 2);
}

static void
test_failure_is_remembered (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  fake_exit.code = 3;
  expect_error (prove ("good", &err), WEIR_E_UNAVAILABLE, &err, "exited with status 3");
  fake_exit.code = 0;
  expect_error (prove ("good", &err), WEIR_E_UNAVAILABLE, &err, "exited with status 3");
  assert_int_equal (fake_spawned, 1);
}

/* What fails for one policy's roots says nothing of another's.  */
static void
test_failure_is_of_one_view (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STEP_BIND, 0, EINVAL };
  assert_int_equal (view_add (&fake_policy.view, WEIR_ACCESS_WRITE, 0, "/usr", "/usr", "test", &err), WEIR_OK);
  expect_error (prove ("good", &err), WEIR_E_RUNNER, &err, "step 3 failed");
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  expect_error (prove ("good", &err), WEIR_E_RUNNER, &err, "step 3 failed");
  view_free (&fake_policy.view);
  assert_int_equal (prove ("good", &err), WEIR_OK);
  /* ...and a success holds for all of the kind.  */
  assert_int_equal (view_add (&fake_policy.view, WEIR_ACCESS_WRITE, 0, "/usr", "/usr", "test", &err), WEIR_OK);
  assert_int_equal (prove ("good", &err), WEIR_OK);
  assert_int_equal (fake_spawned, 2);
}

static void
test_timeout_of_a_probe_is_not_remembered (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  fake_wait_status = WEIR_E_TIMEOUT;
  expect_error (prove ("good", &err), WEIR_E_UNAVAILABLE, &err, "within the probe's time limit of 5000 ms");
  assert_int_equal (fake_released, 1);
  fake_wait_status = WEIR_OK;
  assert_int_equal (prove ("good", &err), WEIR_OK);
}

static void
test_shortage_in_a_probe_is_not_remembered (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_E_RUNNER, WEIR_STAGE_CLONE, 0, EAGAIN };
  expect_error (prove ("good", &err), WEIR_E_RUNNER, &err, "step 101 failed");
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  assert_int_equal (prove ("good", &err), WEIR_OK);
}

static void
test_no_op_that_is_not_found (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("good", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_E_NO_PROGRAM, WEIR_STAGE_EXEC, 0, ENOENT };
  expect_error (prove ("good", &err), WEIR_E_UNAVAILABLE, &err, "no-op could not be executed");
}

static void
test_endings_of_a_probe (void **state UNUSED)
{
  weir_error *err = NULL;

  fake_sandbox ("a", good_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("b", good_confine, WEIR_EFFECTS_ALL);
  fake_sandbox ("c", good_confine, WEIR_EFFECTS_ALL);
  fake_answer_count = 1;
  fake_answers[0] = (struct fake_spawn){ WEIR_OK };
  fake_exit = (struct weir_exit){ WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_SIGNALLED, .code = 9 };
  expect_error (prove ("a", &err), WEIR_E_UNAVAILABLE, &err, "ended by signal 9");
  fake_exit.kind = WEIR_EXIT_LOST;
  expect_error (prove ("b", &err), WEIR_E_UNAVAILABLE, &err, "without a word");
  fake_exit = (struct weir_exit){ WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_NOT_STARTED, .step = WEIR_STAGE_RUNNER,
                                  .errnum = EPERM, .detail = "/usr/bin/runner" };
  expect_error (prove ("c", &err), WEIR_E_UNAVAILABLE, &err, "/usr/bin/runner: Operation not permitted");
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_full),
    TEST (test_axis_that_is_not_claimed),
    TEST (test_partial),
    TEST (test_failures_of_plugins),
    TEST (test_steps_that_the_world_lacks),
    TEST (test_bare),
    TEST (test_fact_is_taken_back),
    TEST (test_facts_run_out),
    TEST (test_stubborn_plugin),
    TEST (test_shortage_takes_nothing_back),
    TEST (test_missing_runner_is_not_the_commands_program),
    TEST (test_proof_is_remembered),
    TEST (test_failure_is_remembered),
    TEST (test_failure_is_of_one_view),
    TEST (test_timeout_of_a_probe_is_not_remembered),
    TEST (test_shortage_in_a_probe_is_not_remembered),
    TEST (test_no_op_that_is_not_found),
    TEST (test_endings_of_a_probe),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
