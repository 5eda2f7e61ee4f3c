/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "core/facts.h"
#include "core/sys.h"

static void
test_measured (void **state)
{
  struct facts facts;
  uint64_t out[WEIR_FACT_COUNT_];

  (void) state;
  facts_init (&facts);
  facts_snapshot (&facts, out);
  assert_int_equal (out[WEIR_FACT_UID], geteuid ());
  assert_int_equal (out[WEIR_FACT_LANDLOCK_ABI], sys_landlock_abi ());
  assert_int_equal (out[WEIR_FACT_USER_NAMESPACES], 1);
  assert_int_equal (out[WEIR_FACT_SECCOMP], 1);
  assert_int_equal (out[0], 0);
}

static void
test_taken_back (void **state)
{
  struct facts facts;
  uint64_t before[WEIR_FACT_COUNT_], after[WEIR_FACT_COUNT_];

  (void) state;
  facts_init (&facts);
  facts_snapshot (&facts, before);
  facts_take_back (&facts, WEIR_FACT_IPC_NAMESPACES);
  facts_take_back (&facts, WEIR_FACT_UID);
  facts_take_back (&facts, 0);
  facts_take_back (&facts, WEIR_FACT_COUNT_);
  facts_take_back (&facts, UINT32_MAX);
  facts_snapshot (&facts, after);
  for (uint32_t i = 0; i < WEIR_FACT_COUNT_; i++)
    assert_int_equal (after[i], i == WEIR_FACT_IPC_NAMESPACES ? 0 : before[i]);
}

static void
test_names (void **state)
{
  (void) state;
  for (uint32_t i = 1; i < WEIR_FACT_COUNT_; i++) {
    assert_string_not_equal (facts_name (i), "unknown");
    for (uint32_t j = 1; j < i; j++)
      assert_string_not_equal (facts_name (i), facts_name (j));
  }
  assert_string_equal (facts_name (0), "unknown");
  assert_string_equal (facts_name (WEIR_FACT_COUNT_), "unknown");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_measured),
    cmocka_unit_test (test_taken_back),
    cmocka_unit_test (test_names),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
