/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>

void
candidate_free (struct candidate *c)
{
  plan_free (c->plan);
  *c = (struct candidate){ 0 };
}

int
candidate_ends_call (weir_status status)
{
  switch (status) {
  case WEIR_E_INVALID:
  case WEIR_E_CONFLICT:
  case WEIR_E_TIMEOUT:
  case WEIR_E_CANCELLED:
  case WEIR_E_NOMEM:
  case WEIR_E_NO_PROGRAM:
  case WEIR_E_NOT_EXECUTABLE:
    return 1;
  default:
    return 0;
  }
}

/* ---- danger-full-access ---- */

static weir_status
candidate_bare (struct instance *world, const struct weir_command *command, const struct policy *policy,
                struct candidate *c, weir_error **err)
{
  if (policy->mode != WEIR_MODE_DANGER_FULL_ACCESS)
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "no sandbox was named for mode '%s'", policy_mode_name (policy->mode));
  c->plan = plan_new (command, err);
  if (c->plan == NULL)
    return WEIR_E_NOMEM;
  /* Confined by nothing, but supervised, so that its tree can be ended.  */
  if (world->adopted->process.steps >> WEIR_STEP_SUPERVISE & 1)
    plan_step (c->plan, &(struct weir_step){ WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SUPERVISE });
  if (c->plan->sticky != NULL) {
    weir_status status = error_move (err, steal (c->plan->sticky));
    candidate_free (c);
    return status;
  }
  return WEIR_OK;
}

/* ---- confined ---- */

static weir_status
candidate_sandbox (weir_runtime *rt, const char *name, const struct policy *policy, struct instance **out, weir_error **err)
{
  weir_status status = plugins_get (rt->plugins, name, out, err);
  uint64_t unknown;

  if (status != WEIR_OK)
    return status;
  if ((*out)->adopted->sandbox.struct_size == 0 || (*out)->adopted->sandbox.confine == NULL) {
    error_set (err, WEIR_E_INVALID, 0, "plugin '%s' is not a sandbox", name);
    return error_hint (err, "name sandboxes only in sandbox.chain; 'weir plugin list' shows which plugins are");
  }
  unknown = policy->axes & ~(*out)->adopted->sandbox.claims;
  if (unknown != 0) {
    auto_free char *names = policy_bit_names (unknown);
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "sandbox '%s' does not know how to govern: %s", name,
                      names == NULL ? "?" : names);
  }
  return WEIR_OK;
}

static weir_status
candidate_ask (struct instance *sandbox, const struct weir_command *command, const struct policy *policy,
               const weir_call *call, weir_plan *plan, weir_error **err)
{
  auto_error weir_error *answer = NULL;
  struct weir_policy view;
  weir_status status;

  policy_for_plugin (policy, &view);
  plugins_enter (sandbox);
  status = sandbox->adopted->sandbox.confine (sandbox->self, call, command, &view, plan, &answer);
  plugins_leave (sandbox);
  if (status == WEIR_OK && plan->sticky != NULL)
    return error_move (err, steal (plan->sticky));
  if (status == WEIR_OK)
    return WEIR_OK;
  if (answer == NULL)
    return error_set (err, WEIR_E_PLUGIN, 0, "confine of plugin '%s' failed and did not say why (status %d)",
                      sandbox->adopted->name, (int) status);
  return error_move (err, steal (answer));
}

/* "require": a candidate that governs less than was promised is not usable.  */
static weir_status
candidate_require (const struct candidate *c, const struct policy *policy, weir_error **err)
{
  auto_free char *names = NULL;

  if (c->missing == 0 || policy->require_origin == NULL)
    return WEIR_OK;
  names = policy_bit_names (c->missing);
  error_set (err, WEIR_E_UNAVAILABLE, 0, "partial enforcement refused by %s; not governed: %s", policy->require_origin,
             names == NULL ? "?" : names);
  for (size_t i = 0; i < c->plan->gap_count; i++)
    if (c->plan->gaps[i].bits & c->missing)
      error_hint (err, "%s", c->plan->gaps[i].text);
  return WEIR_E_UNAVAILABLE;
}

/* A runner reads the command's environment before it confines anything, unless Weir's init hands that over inside.  */
static weir_status
candidate_check_environment (const weir_plan *plan, weir_error **err)
{
  if (plan->runner == NULL || plan->inner_init)
    return WEIR_OK;
  for (size_t i = 0; i < plan->env.count; i++)
    if (env_loads_code (plan->env.items[i])) {
      error_set (err, WEIR_E_UNAVAILABLE, 0, "the variable '%.*s' would make the runner '%s' load code before it confines anything",
                 (int) strcspn (plan->env.items[i], "="), plan->env.items[i], plan->runner);
      return error_hint (err, "set it in the command: sh -c 'NAME=VALUE exec ...'");
    }
  return WEIR_OK;
}

static weir_status
candidate_plan (struct instance *world, const struct weir_command *command, const struct policy *policy,
                const weir_call *call, struct candidate *c, weir_error **err)
{
  weir_status status;

  c->plan = plan_new (command, err);
  if (c->plan == NULL)
    return WEIR_E_NOMEM;
  c->plan->provider = strdup (c->sandbox->adopted->name);
  if (c->plan->provider == NULL)
    return error_nomem (err);
  status = candidate_ask (c->sandbox, command, policy, call, c->plan, err);
  if (status == WEIR_OK)
    status = plan_check (c->plan, world->adopted->process.steps, err);
  if (status == WEIR_OK)
    status = candidate_check_environment (c->plan, err);
  if (status != WEIR_OK)
    return status;
  c->missing = plan_missing (c->plan, policy->promised, policy->axes);
  return candidate_require (c, policy, err);
}

weir_status
candidate_confine (weir_runtime *rt, const char *sandbox, const struct weir_command *command, const struct policy *policy,
                   const weir_call *call, struct candidate *c, weir_error **err)
{
  struct instance *world;
  weir_status status = runtime_world (rt, &world, err);

  *c = (struct candidate){ 0 };
  if (status != WEIR_OK)
    return status;
  if (sandbox == NULL)
    return candidate_bare (world, command, policy, c, err);
  status = candidate_sandbox (rt, sandbox, policy, &c->sandbox, err);
  if (status == WEIR_OK)
    status = candidate_plan (world, command, policy, call, c, err);
  if (status != WEIR_OK)
    candidate_free (c);
  return status;
}

/* ---- starting ---- */

static int
candidate_transient (int errnum)
{
  return errnum == EAGAIN || errnum == ENOMEM || errnum == EMFILE || errnum == ENFILE || errnum == EINTR
         || errnum == ETIMEDOUT;
}

/* One spawn.  A missing runner is the sandbox's failure, not that of the command's program.  */
static weir_status
candidate_spawn (struct instance *world, const struct candidate *c, const struct weir_stdio *stdio, const weir_call *call,
                 struct weir_process *process, weir_error **err)
{
  auto_error weir_error *answer = NULL;
  weir_status status;

  *process = (struct weir_process){ WEIR_SIZED (struct weir_process), .streams = { -1, -1, -1 }, .ended = -1 };
  c->plan->failed_step = c->plan->failed_fact = 0;
  c->plan->failed_errno = 0;
  plugins_enter (world);
  status = world->adopted->process.spawn (world->self, call, c->plan, stdio, process, &answer);
  plugins_leave (world);
  if (status == WEIR_OK)
    return WEIR_OK;
  if (answer == NULL)
    return error_set (err, WEIR_E_PLUGIN, 0, "spawn of plugin '%s' failed and did not say why (status %d)",
                      world->adopted->name, (int) status);
  if ((status == WEIR_E_NO_PROGRAM || status == WEIR_E_NOT_EXECUTABLE) && c->plan->failed_step == WEIR_STAGE_RUNNER) {
    error_set (err, WEIR_E_RUNNER, weir_error_errno (answer), "execute '%s'",
               c->plan->runner == NULL ? "?" : c->plan->runner);
    return WEIR_E_RUNNER;
  }
  return error_move (err, steal (answer));
}

weir_status
candidate_start (weir_runtime *rt, const char *sandbox, const struct weir_command *command, const struct policy *policy,
                 const struct weir_stdio *stdio, const weir_call *call, struct candidate *c, struct weir_process *process,
                 int *transient, weir_error **err)
{
  uint64_t facts[WEIR_FACT_COUNT_];
  weir_call asked = *call;
  struct instance *world;
  weir_status status = runtime_world (rt, &world, err);

  *transient = 0;
  *c = (struct candidate){ 0 };
  asked.facts = facts;
  /* Each round takes a fact back, so there cannot be more rounds than facts.  */
  for (int round = 0; status == WEIR_OK && round <= WEIR_FACT_COUNT_; round++) {
    auto_error weir_error *answer = NULL;
    facts_snapshot (&rt->facts, facts);
    status = policy_recheck (policy, err);
    if (status == WEIR_OK)
      status = candidate_confine (rt, sandbox, command, policy, &asked, c, err);
    if (status != WEIR_OK)
      break;
    status = candidate_spawn (world, c, stdio, &asked, process, &answer);
    if (status == WEIR_OK)
      return WEIR_OK;
    *transient = status == WEIR_E_TIMEOUT || candidate_transient (c->plan->failed_errno);
    uint32_t fact = c->plan->failed_fact;
    candidate_free (c);
    if (*transient || candidate_ends_call (status) || fact == 0 || fact >= WEIR_FACT_COUNT_ || facts[fact] == 0)
      return error_move (err, steal (answer));
    log_line (&rt->log, WEIR_LOG_INFO, "%s is not available here: %s", facts_name (fact), weir_error_message (answer));
    facts_take_back (&rt->facts, fact);
    status = WEIR_OK;
  }
  return status != WEIR_OK ? status : error_set (err, WEIR_E_UNAVAILABLE, 0, "sandbox '%s' found no plan that works here", sandbox);
}
