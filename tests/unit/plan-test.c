/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/plan.h"

#include "core/carry.h"
#include "core/plan-encoding.h"
#include "plugin-support.h"

#define ALL_STEPS (~UINT64_C (0))

static const char *const argv[] = { "/bin/echo", "a b", NULL };
static const char *const env[] = { "PATH=/bin", "A=1", NULL };
static const struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = env,
                                             .cwd = "/srv" };

static weir_plan *
plan_begin (void)
{
  weir_error *err = NULL;
  weir_plan *plan = plan_new (&command, &err);

  assert_non_null (plan);
  assert_null (err);
  return plan;
}

static void
add (weir_plan *plan, uint32_t kind, uint64_t flags)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = kind, .flags = flags };

  plan_step (plan, &step);
}

static void
add_path (weir_plan *plan, uint32_t kind, uint64_t flags, const char *path, const char *target)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = kind, .flags = flags, .path = path,
                            .target = target };

  plan_step (plan, &step);
}

/* A whole plan that breaks no rule.  */
static weir_plan *
plan_whole (void)
{
  weir_plan *plan = plan_begin ();

  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_NETWORK);
  add (plan, WEIR_STEP_ROOT_READ_ONLY, 0);
  add (plan, WEIR_STEP_PROC, 0);
  add (plan, WEIR_STEP_DEV, 0);
  add_path (plan, WEIR_STEP_BIND, WEIR_BIND_MAKE, "/srv/work", NULL);
  add_path (plan, WEIR_STEP_HIDE, 0, "/root", NULL);
  add (plan, WEIR_STEP_LOOPBACK_UP, 0);
  add (plan, WEIR_STEP_LANDLOCK_HANDLE, 2);
  add_path (plan, WEIR_STEP_LANDLOCK_RULE, 2, "/srv/work", NULL);
  add (plan, WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_CPU);
  add (plan, WEIR_STEP_CAPABILITIES, 0);
  add (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0);
  add (plan, WEIR_STEP_LANDLOCK_ENFORCE, 0);
  add (plan, WEIR_STEP_SECCOMP, WEIR_SECCOMP_BASE);
  add (plan, WEIR_STEP_SUPERVISE, 0);
  plan_governs (plan, WEIR_EFFECTS_ALL);
  return plan;
}

static void
accepted (weir_plan *plan)
{
  weir_error *err = NULL;

  expect_success (plan_check (plan, ALL_STEPS, &err), &err);
  plan_free (plan);
}

static void
refused_with (weir_plan *plan, uint64_t world_steps, const char *part)
{
  weir_error *err = NULL;
  weir_status status = plan_check (plan, world_steps, &err);

  expect_failure (status, WEIR_E_PLUGIN, &err, part);
  plan_free (plan);
}

static void
refused (weir_plan *plan, const char *part)
{
  refused_with (plan, ALL_STEPS, part);
}

static void
starts_with_the_command (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  assert_int_equal (plan->argv.count, 2);
  assert_string_equal (plan->argv.items[1], "a b");
  assert_int_equal (plan->env.count, 2);
  assert_string_equal (plan->cwd, "/srv");
  assert_null (plan->runner);
  assert_int_equal (plan->step_count, 0);
  plan_free (plan);
  plan_free (NULL);
}

static void
copies_what_it_is_given (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();
  char path[] = "/srv/work", target[] = "/work", signature[] = "denied";
  int32_t codes[] = { 1, 125 };

  add_path (plan, WEIR_STEP_BIND, 0, path, target);
  plan_failure (plan, codes, 2, signature);
  plan_failure (plan, NULL, 0, signature);
  plan_denial (plan, signature);
  memset (path, 'x', sizeof path - 1);
  memset (target, 'x', sizeof target - 1);
  memset (signature, 'x', sizeof signature - 1);
  codes[1] = 7;
  assert_string_equal (plan->steps[0].path, "/srv/work");
  assert_string_equal (plan->steps[0].target, "/work");
  assert_int_equal (plan->rules[0].codes[1], 125);
  assert_int_equal (plan->rules[0].code_count, 2);
  assert_string_equal (plan->rules[0].signature, "denied");
  assert_null (plan->rules[1].codes);
  assert_string_equal (plan->denials.items[0], "denied");
  assert_null (plan->sticky);
  plan_free (plan);
}

/* A plugin of an older minor has a shorter step; one of a later minor a longer.  */
static void
reads_only_the_size_of_a_step (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();
  struct {
    struct weir_step step;
    uint64_t later;
  } longer = { { .struct_size = sizeof longer, .kind = WEIR_STEP_DEV, .fact = WEIR_FACT_SECCOMP }, 1 };
  struct weir_step shorter = { .struct_size = offsetof (struct weir_step, path),
                               .kind = WEIR_STEP_PROC,
                               .flags = 5,
                               .path = (const char *) 1,
                               .fact = 3 };
  struct weir_step unsized = { .kind = WEIR_STEP_PROC };

  plan_step (plan, &longer.step);
  plan_step (plan, &shorter);
  assert_int_equal (plan->steps[0].fact, WEIR_FACT_SECCOMP);
  assert_int_equal (plan->steps[1].flags, 5);
  assert_null (plan->steps[1].path);
  assert_int_equal (plan->steps[1].fact, 0);
  assert_int_equal (plan->steps[1].struct_size, sizeof (struct weir_step));
  assert_null (plan->sticky);
  plan_step (plan, &unsized);
  refused (plan, "step 3 of the plan has no struct_size");
}

static void
numbers_descriptors (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  assert_int_equal (plan_fd (plan, WEIR_FD_STATUS_JSON, NULL, 0, 0, 0), 3);
  assert_int_equal (plan_fd (plan, WEIR_FD_PATH, "/srv", 1, 2, 0), 4);
  assert_int_equal (plan_fd (plan, WEIR_FD_SECCOMP, NULL, 0, 0, WEIR_SECCOMP_BASE), 5);
  assert_string_equal (plan->fds[1].path, "/srv");
  assert_int_equal (plan->fds[1].ino, 2);
  plan_free (plan);
}

static void
supervises_inside_a_runner (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  plan_runner (plan, "/usr/bin/runner");
  plan_fd (plan, WEIR_FD_STATUS_JSON, NULL, 0, 0, 0);
  plan_argument (plan, "--");
  plan_supervisor (plan);
  assert_true (plan->inner_init);
  assert_int_equal (plan->runner_arguments.count, 4);
  assert_string_equal (plan->runner_arguments.items[1], "/proc/self/fd/4");
  assert_string_equal (plan->runner_arguments.items[2], "5");
  assert_string_equal (plan->runner_arguments.items[3], "6");
  assert_int_equal (plan->fds[1].purpose, WEIR_FD_INIT);
  assert_int_equal (plan->fds[2].purpose, WEIR_FD_REPORT);
  assert_int_equal (plan->fds[3].purpose, WEIR_FD_HARNESS);
  plan_governs (plan, 1);
  accepted (plan);
}

static void
sets_the_environment (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  plan_environment (plan, "A", "2");
  plan_environment (plan, "B", "");
  plan_environment (plan, "P", "x");
  assert_int_equal (plan->env.count, 4);
  assert_string_equal (plan->env.items[0], "PATH=/bin");
  assert_string_equal (plan->env.items[1], "A=2");
  assert_string_equal (plan->env.items[2], "B=");
  assert_string_equal (plan->env.items[3], "P=x");
  plan_environment (plan, "C=D", "1");
  refused (plan, "'C=D'");
}

static void
keeps_the_first_failure (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();
  weir_error *err = NULL;

  plan->provider = strdup ("mine");
  plan_denial (plan, "");
  plan_runner (plan, "relative");
  expect_failure (plan_check (plan, ALL_STEPS, &err), WEIR_E_PLUGIN, &err,
                  "the plan of 'mine' breaks a rule: the plan was given a denial");
  refused (plan, "a denial signature without text");
}

static void
bounds_what_a_plugin_can_add (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  for (int i = 0; i < 5000; i++)
    add (plan, WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_CPU);
  assert_int_equal (plan->step_count, 4096);
  refused (plan, "more than 4096");
}

static void
accepts_a_whole_plan (void **state UNUSED)
{
  accepted (plan_whole ());
}

static void
refuses_what_does_not_confine (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  refused (plan, "neither a runner nor a step that confines");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0);
  add (plan, WEIR_STEP_SUPERVISE, 0);
  plan_governs (plan, WEIR_EFFECTS_ALL);
  refused (plan, "neither a runner nor a step that confines");
  plan = plan_whole ();
  plan->governs = 0;
  refused (plan, "it governs nothing");
}

static void
refuses_a_wrong_order (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();

  add (plan, WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_FILES);
  refused (plan, "step 15 (supervise): it is not the last step");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0);
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
  refused (plan, "step 2 (namespaces): it is not the first step");
  plan = plan_begin ();
  add_path (plan, WEIR_STEP_LANDLOCK_RULE, 2, "/srv", NULL);
  refused (plan, "no rights were handled before");
  plan = plan_begin ();
  add (plan, WEIR_STEP_LANDLOCK_HANDLE, 2);
  add (plan, WEIR_STEP_LANDLOCK_ENFORCE, 0);
  add_path (plan, WEIR_STEP_LANDLOCK_RULE, 2, "/srv", NULL);
  refused (plan, "the rules are enforced already");
  plan = plan_begin ();
  add (plan, WEIR_STEP_LANDLOCK_HANDLE, 2);
  refused (plan, "never enforced");
}

static void
refuses_what_lacks_its_ground (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  add_path (plan, WEIR_STEP_BIND, 0, "/srv", NULL);
  refused (plan, "the plan has no mount namespace");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
  add (plan, WEIR_STEP_PROC, 0);
  refused (plan, "the plan has no pid namespace");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
  add (plan, WEIR_STEP_LOOPBACK_UP, 0);
  refused (plan, "the plan has no network namespace");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_PID);
  refused (plan, "its pid namespace has no supervisor");
  plan = plan_begin ();
  add (plan, WEIR_STEP_SECCOMP, WEIR_SECCOMP_BASE);
  refused (plan, "without giving up new privileges");
}

static void
refuses_wrong_values (void **state UNUSED)
{
  static const char *const paths[] = {
    NULL, "", "srv", "/srv/../etc", "/srv/./x", "/srv//x", "/srv/", "/srv/..", "/.."
  };
  static const struct {
    uint32_t kind;
    uint64_t flags;
    const char *part;
  } steps[] = {
    { 0, 0, "there is no step of kind 0" },
    { WEIR_STEP_COUNT_, 0, "there is no step of kind 17" },
    { 4711, 0, "there is no step of kind 4711" },
    { WEIR_STEP_SECCOMP, 0, "no groups" },
    { WEIR_STEP_SECCOMP, UINT64_C (1) << 40, "no groups, or unknown ones" },
    { WEIR_STEP_LIMIT, 0, "it names no limit" },
    { WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_CPU | WEIR_AXIS_LIMIT_FILES, "it names no limit, or several" },
    { WEIR_STEP_LIMIT, WEIR_AXIS_NETWORK_NONE, "it names no limit" },
    { WEIR_STEP_NAMESPACES, 1 << 20, "unknown namespaces" },
  };
  weir_plan *plan;

  for (size_t i = 0; i < ARRAY_SIZE (steps); i++) {
    plan = plan_begin ();
    add (plan, steps[i].kind, steps[i].flags);
    refused (plan, steps[i].part);
  }
  for (size_t i = 0; i < ARRAY_SIZE (paths); i++) {
    plan = plan_begin ();
    add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
    add_path (plan, WEIR_STEP_BIND, 0, paths[i], NULL);
    refused (plan, "is no plain absolute path");
  }
  plan = plan_begin ();
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
  add_path (plan, WEIR_STEP_BIND, 0, "/", "/srv/../x");
  refused (plan, "'/srv/../x' is no plain absolute path");
  plan = plan_begin ();
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT);
  plan->steps[0].fact = WEIR_FACT_COUNT_;
  refused (plan, "there is no fact ");
  plan = plan_begin ();
  add (plan, WEIR_STEP_DEV, 0);
  add (plan, WEIR_STEP_DEV, 0);
  plan->steps[0].kind = WEIR_STEP_CAPABILITIES;
  plan->steps[1].kind = WEIR_STEP_CAPABILITIES;
  refused (plan, "the plan has it twice");
}

static void
refuses_what_the_world_cannot (void **state UNUSED)
{
  refused_with (plan_whole (), ALL_STEPS & ~(UINT64_C (1) << WEIR_STEP_SECCOMP),
                "step 14 (system call filter): the world cannot carry it out");
  refused_with (plan_whole (), 0, "step 1 (namespaces): the world cannot");
}

static void
refuses_wrong_runners (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();

  plan_argument (plan, "--x");
  refused (plan, "arguments of a runner and no runner");
  plan = plan_whole ();
  plan_runner (plan, "bin/runner");
  refused (plan, "'bin/runner' is no absolute path");
  plan = plan_whole ();
  plan_runner (plan, "/bin/../runner");
  refused (plan, "'/bin/../runner' is no plain absolute path");
  plan = plan_whole ();
  plan_runner (plan, "/bin/a");
  plan_runner (plan, "/bin/b");
  refused (plan, "two runners, '/bin/a' and '/bin/b'");
  plan = plan_whole ();
  plan_runner (plan, "/bin/a");
  plan_supervisor (plan);
  refused (plan, "supervised twice");
  plan = plan_whole ();
  plan_fd (plan, WEIR_FD_DATA, "x", 0, 0, 0);
  refused (plan, "it passes descriptor 3 and has no runner");
  plan = plan_whole ();
  plan_runner (plan, "/bin/a");
  plan_fd (plan, 99, NULL, 0, 0, 0);
  refused (plan, "descriptor 3 has the unknown purpose 99");
}

static void
refuses_a_relative_command (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();
  weir_error *err = NULL;

  plan->argv.items[0][0] = 'b';
  expect_failure (plan_check (plan, ALL_STEPS, &err), WEIR_E_INVALID, &err, "is no absolute path");
  plan_free (plan);
}

static void
says_what_is_missing (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();

  plan_governs (plan, WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES | WEIR_AXIS_DENY_READ);
  assert_int_equal (plan_missing (plan, WEIR_EFFECT_CONTENT, WEIR_AXIS_DENY_READ), 0);
  assert_int_equal (plan_missing (plan, WEIR_EFFECT_CONTENT | WEIR_EFFECT_SOCKETS, 0), WEIR_EFFECT_SOCKETS);
  assert_int_equal (plan_missing (plan, WEIR_EFFECT_CONTENT, WEIR_AXIS_PROTECT), WEIR_AXIS_PROTECT);
  /* A gap takes back what is said to be governed; one in what nobody asked for takes nothing.  */
  plan_gap (plan, WEIR_EFFECT_NAMES | WEIR_EFFECT_DEVICES, "on %s", "Tuesdays");
  assert_int_equal (plan_missing (plan, WEIR_EFFECT_CONTENT, 0), 0);
  assert_int_equal (plan_missing (plan, WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES, 0), WEIR_EFFECT_NAMES);
  assert_string_equal (plan->gaps[0].text, "on Tuesdays");
  plan_free (plan);
}

static void
encodes_what_decodes (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();
  struct strbuf bytes = { 0 };
  struct weir_step *steps = NULL;
  weir_error *err = NULL;
  size_t count = 0;

  plan->steps[4].dev = UINT64_C (0x0123456789abcdef);
  plan->steps[4].ino = UINT64_MAX;
  plan->steps[9].value = UINT64_C (1) << 63;
  plan->steps[0].fact = WEIR_FACT_USER_NAMESPACES;
  add_path (plan, WEIR_STEP_BIND, 1, "", "/target");
  expect_success (plan_encode (plan, &bytes, &err), &err);
  assert_int_equal (plan_encoding_get32 ((unsigned char *) bytes.data + 12), bytes.size);
  assert_int_equal (carry_decode (bytes.data, bytes.size, &steps, &count), 0);
  assert_int_equal (count, plan->step_count);
  for (size_t i = 0; i < count; i++) {
    const struct weir_step *a = &plan->steps[i], *b = &steps[i];

    assert_true (a->kind == b->kind && a->flags == b->flags && a->dev == b->dev && a->ino == b->ino
                 && a->value == b->value && a->fact == b->fact);
    assert_true ((a->path == NULL) == (b->path == NULL) && (a->target == NULL) == (b->target == NULL));
    if (a->path != NULL)
      assert_string_equal (a->path, b->path);
    if (a->target != NULL)
      assert_string_equal (a->target, b->target);
  }
  free (steps);
  strbuf_free (&bytes);
  plan_free (plan);
}

/* Every shorter piece and every changed byte of the header: refused or decoded, never read beyond.  The bytes are in a
 * block of their own, so that a sanitizer sees what lies behind.  */
static void
decodes_nothing_malformed (void **state UNUSED)
{
  weir_plan *plan = plan_whole ();
  struct strbuf bytes = { 0 };
  struct weir_step *steps;
  weir_error *err = NULL;
  size_t count;

  expect_success (plan_encode (plan, &bytes, &err), &err);
  for (size_t size = 0; size < bytes.size; size++) {
    char *piece = malloc (size > 0 ? size : 1);

    memcpy (piece, bytes.data, size);
    steps = NULL;
    assert_int_equal (carry_decode (piece, size, &steps, &count), -1);
    free (piece);
  }
  for (size_t at = 0; at < bytes.size; at++) {
    char *piece = malloc (bytes.size);

    memcpy (piece, bytes.data, bytes.size);
    piece[at] = (char) ~piece[at];
    steps = NULL;
    if (carry_decode (piece, bytes.size, &steps, &count) == 0)
      free (steps);
    free (piece);
  }
  strbuf_free (&bytes);
  plan_free (plan);
}

static void
encodes_no_steps (void **state UNUSED)
{
  weir_plan *plan = plan_begin ();
  struct strbuf bytes = { 0 };
  weir_error *err = NULL;

  expect_success (plan_encode (plan, &bytes, &err), &err);
  assert_int_equal (bytes.size, PLAN_ENCODING_HEADER);
  assert_memory_equal (bytes.data, "WEIRPLAN\1\0\0\0\30\0\0\0\0\0\0\0\0\0\0\0", PLAN_ENCODING_HEADER);
  strbuf_free (&bytes);
  plan_free (plan);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (starts_with_the_command),       cmocka_unit_test (copies_what_it_is_given),
    cmocka_unit_test (reads_only_the_size_of_a_step), cmocka_unit_test (numbers_descriptors),
    cmocka_unit_test (supervises_inside_a_runner),    cmocka_unit_test (sets_the_environment),
    cmocka_unit_test (keeps_the_first_failure),       cmocka_unit_test (bounds_what_a_plugin_can_add),
    cmocka_unit_test (accepts_a_whole_plan),          cmocka_unit_test (refuses_what_does_not_confine),
    cmocka_unit_test (refuses_a_wrong_order),         cmocka_unit_test (refuses_what_lacks_its_ground),
    cmocka_unit_test (refuses_wrong_values),          cmocka_unit_test (refuses_what_the_world_cannot),
    cmocka_unit_test (refuses_wrong_runners),         cmocka_unit_test (refuses_a_relative_command),
    cmocka_unit_test (says_what_is_missing),          cmocka_unit_test (encodes_what_decodes),
    cmocka_unit_test (decodes_nothing_malformed),     cmocka_unit_test (encodes_no_steps),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
