/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define NOTICE "landlock-run: partial enforcement"

static struct weir_plan *
rules_new (const char *signature, const int32_t *codes, size_t count, const char *line)
{
  static const char *const argv[] = { "/bin/true", NULL }, *const env[] = { NULL };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = env, .cwd = "/" };
  struct weir_plan *plan = plan_new (&command, NULL);

  assert_non_null (plan);
  if (signature != NULL)
    plan_failure (plan, codes, count, signature);
  if (line != NULL)
    plan_informational (plan, line);
  return plan;
}

static void
check_failure (const struct weir_plan *plan, int code, const char *text, const char *expected)
{
  size_t length = 0;
  const char *line = classify_runner_failure (plan, code, text, strlen (text), &length);

  if (expected == NULL) {
    assert_null (line);
    return;
  }
  assert_non_null (line);
  assert_int_equal (length, strlen (expected));
  assert_memory_equal (line, expected, length);
}

/* The vectors of a launcher that prints a notice, and "landlock-run: ..." with status 125 when it fails.  */
static void
test_launcher_vectors (void **state)
{
  static const int32_t codes[] = { 125 };
  struct weir_plan *plan = rules_new ("landlock-run: ", codes, 1, NOTICE);

  (void) state;
  check_failure (plan, 1, NOTICE "\n", NULL);
  check_failure (plan, 2, NOTICE "\n", NULL);
  check_failure (plan, 125, NOTICE "\n", NULL);
  check_failure (plan, 125, "LANDLOCK-RUN: PARTIAL ENFORCEMENT\n", NULL);
  check_failure (plan, 125, NOTICE ": extra detail\n", NOTICE ": extra detail");
  check_failure (plan, 125, NOTICE "\nlandlock-run: exec failed: x\n", "landlock-run: exec failed: x");
  check_failure (plan, 125, NOTICE "\r\nlandlock-run: exec failed: x\r\n", "landlock-run: exec failed: x");
  check_failure (plan, 1, NOTICE "\nlandlock-run: exec failed: x\n", NULL);
  check_failure (plan, 2, NOTICE "\nlandlock-run: exec failed: x\n", NULL);
  check_failure (plan, -1, "landlock-run: exec failed: x\n", NULL);
  check_failure (plan, 0, "landlock-run: exec failed: x\n", NULL);
  check_failure (plan, 125, "", NULL);
  check_failure (plan, 125, "a line of the command\nLANDLOCK-RUN: of an unknown kind", "LANDLOCK-RUN: of an unknown kind");
  check_failure (plan, 126, "landlock-run: x\n", NULL);
  plan_free (plan);
}

static void
test_blank_signatures (void **state)
{
  struct weir_plan *plan = rules_new (NULL, NULL, 0, NOTICE);

  (void) state;
  /* The builder may refuse blank ones; the classifier must not depend on that.  */
  plan->rules = calloc (3, sizeof *plan->rules);
  assert_non_null (plan->rules);
  plan->rules[0].signature = strdup ("");
  plan->rules[1].signature = strdup (" \t");
  plan->rule_count = 2;
  check_failure (plan, 125, "", NULL);
  check_failure (plan, 125, NOTICE "\n", NULL);
  check_failure (plan, 125, " \t\n", NULL);
  plan->rules[2].signature = strdup ("landlock-run: ");
  plan->rule_count = 3;
  check_failure (plan, 125, NOTICE "\nchild says \t so\nlandlock-run: fatal\n", "landlock-run: fatal");
  plan_free (plan);
}

static void
test_other_runner (void **state)
{
  static const int32_t codes[] = { 127 };
  struct weir_plan *plan = rules_new ("windows-acl-run: ", codes, 1, NULL);

  (void) state;
  check_failure (plan, 3, "windows-acl-run: x\n", NULL);
  check_failure (plan, 127, "windows-acl-run: x\n", "windows-acl-run: x");
  plan_free (plan);
}

static void
test_any_status (void **state)
{
  struct weir_plan *plan = rules_new ("acme: ", NULL, 0, NULL);

  (void) state;
  check_failure (plan, 1, "x\nACME: no such profile\ny\n", "ACME: no such profile");
  check_failure (plan, 3, "see acme: docs", "see acme: docs");
  check_failure (plan, 0, "acme: warning\n", NULL);
  plan_free (plan);
}

/* ---- denials ---- */

static size_t
count_denials (const struct weir_plan *plan, int code, const char *text)
{
  size_t at = 0, length, count = 0;

  while (classify_denial (plan, code, text, strlen (text), &at, &length) != NULL)
    count++;
  return count;
}

static void
test_denials (void **state)
{
  struct weir_plan *erofs = rules_new (NULL, NULL, 0, NULL), *eacces = rules_new (NULL, NULL, 0, NULL);

  (void) state;
  plan_denial (erofs, "Read-only file system");
  plan_denial (eacces, "Permission denied");
  assert_int_equal (count_denials (erofs, 1, "touch: cannot touch '/x': Read-only file system\n"), 1);
  assert_int_equal (count_denials (erofs, 1, "touch: cannot touch '/x': READ-ONLY FILE SYSTEM"), 1);
  assert_int_equal (count_denials (erofs, 1, "touch: cannot touch '/x': Permission denied\n"), 0);
  assert_int_equal (count_denials (eacces, 1, "touch: cannot touch '/x': Permission denied\n"), 1);
  assert_int_equal (count_denials (eacces, 1, "mount: x: Operation not permitted\n"), 0);
  assert_int_equal (count_denials (eacces, 0, "touch: cannot touch '/x': Permission denied\n"), 0);
  assert_int_equal (count_denials (eacces, -1, "touch: cannot touch '/x': Permission denied\n"), 0);
  assert_int_equal (count_denials (eacces, 1, "a: Permission denied\nfine\nb: permission denied\r\nc: Permission denied"), 3);
  assert_int_equal (count_denials (eacces, 1, ""), 0);
  plan_free (erofs);
  plan_free (eacces);
}

static void
test_bytes_that_are_no_text (void **state)
{
  struct weir_plan *plan = rules_new ("acme: ", NULL, 0, NULL);
  static const char text[] = "\0\xff\nab\0acme: x\0\n";
  size_t length;
  const char *line = classify_runner_failure (plan, 1, text, sizeof text - 1, &length);

  (void) state;
  assert_ptr_equal (line, text + 3);
  assert_int_equal (length, 11);
  plan_free (plan);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_launcher_vectors), cmocka_unit_test (test_blank_signatures),
    cmocka_unit_test (test_other_runner),     cmocka_unit_test (test_any_status),
    cmocka_unit_test (test_denials),          cmocka_unit_test (test_bytes_that_are_no_text),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
