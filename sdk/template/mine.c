/* mine: a sandbox of your own.  Copy, rename "mine" everywhere (the file too), make.
 * SPDX-License-Identifier: Apache-2.0 */
#include <weir/plugin.h>

/* Called for each command: says what is to be done to it.  It starts nothing, and prints nothing.  */
static weir_status
mine_confine (void *self, const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
              weir_plan *plan, weir_error **err)
{
  struct weir_step privileges = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_NO_NEW_PRIVILEGES };
  struct weir_step filter = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SECCOMP, .flags = WEIR_SECCOMP_BASE };

  (void) self, (void) command, (void) policy;
  if (weir_fact (call, WEIR_FACT_SECCOMP) == 0)
    return weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "this kernel refuses seccomp filters");
  weir_plan_step (plan, &privileges);
  weir_plan_step (plan, &filter);
  weir_plan_governs (plan, WEIR_EFFECT_MOUNTS);
  return WEIR_OK;
}

static const struct weir_sandbox_ops mine_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = WEIR_EFFECT_MOUNTS, /* what it can govern somewhere; policies that ask for other axes are refused */
  .confine = mine_confine,
};

static const struct weir_plugin mine = {
  WEIR_PLUGIN (mine),
  .version = "0.1",
  .summary = "A sandbox of my own",
  .threading = WEIR_PARALLEL,
  .sandbox = &mine_sandbox,
};

WEIR_PLUGIN_REGISTER (mine);
