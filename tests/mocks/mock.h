/* What the mock plugins share: a sandbox and a descriptor that break no rule.  A mock defines MOCK_NAME, and the macro of the
 * one thing that it does wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_TESTS_MOCK_H
#define WEIR_TESTS_MOCK_H

#include <stdlib.h>
#include <string.h>

#include <weir/plugin.h>

/* The least that counts as a confinement: new privileges are given up and one group of system calls is refused.  */
static inline weir_status
mock_confine (void *self, const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
              weir_plan *plan, weir_error **err)
{
  struct weir_step privileges = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_NO_NEW_PRIVILEGES };
  struct weir_step filter = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SECCOMP, .flags = WEIR_SECCOMP_BASE };

  (void) self;
  (void) call;
  (void) command;
  (void) err;
  weir_plan_step (plan, &privileges);
  weir_plan_step (plan, &filter);
  weir_plan_governs (plan, WEIR_EFFECT_MOUNTS);
  weir_plan_gap (plan, policy->promised & ~WEIR_EFFECT_MOUNTS, "a mock confines nothing else");
  return WEIR_OK;
}

#define MOCK_ALL_CLAIMS (WEIR_EFFECTS_ALL | UINT64_C (0x03ff0000))

static const struct weir_sandbox_ops mock_sandbox __attribute__ ((unused)) = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = MOCK_ALL_CLAIMS,
  .confine = mock_confine,
};

#define MOCK_TEXTS .version = "1.0", .summary = "A plugin for tests"

#endif
