/* A plugin compiled against another version of weir/plugin.h than the core's: the frozen header of a release (ABI_OLD), or one
 * that a field was added to wherever "1.0 ends here" (ABI_FUTURE, made by future.sh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <weir/plugin.h>

#ifdef ABI_FUTURE
#define abi_plugin mock_abi_future
#else
#define abi_plugin mock_abi_1_0
#endif

static weir_status
abi_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) config;
  *self = NULL;
#ifdef ABI_FUTURE
  /* The core is older than this plugin: its table must not seem to have what it has not.  */
  if (WEIR_HOST_HAS (added_later))
    return weir_error_set (err, WEIR_E_PLUGIN, 0, "the core has a function that was added later");
#endif
  if (!WEIR_HOST_HAS (process_release))
    return weir_error_set (err, WEIR_E_PLUGIN, 0, "the core lacks a function of 1.0");
  weir_log_line (log, WEIR_LOG_INFO, "made with %d.%d", WEIR_ABI_MAJOR, WEIR_ABI_MINOR);
  return WEIR_OK;
}

static weir_status
abi_confine (void *self, const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
             weir_plan *plan, weir_error **err)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_NO_NEW_PRIVILEGES };

  (void) self;
  (void) policy;
  if (weir_fact (call, WEIR_FACT_UID) == 12345)
    return weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "not for this user");
  if (command->argv[0] == NULL)
    return weir_error_set (err, WEIR_E_INVALID, 0, "no command");
  weir_plan_step (plan, &step);
  step.kind = WEIR_STEP_SECCOMP;
  step.flags = WEIR_SECCOMP_BASE;
  weir_plan_step (plan, &step);
  weir_plan_governs (plan, WEIR_EFFECT_MOUNTS);
  return WEIR_OK;
}

static weir_status
abi_describe (void *self, const weir_call *call, weir_sink *sink, weir_error **err)
{
  (void) self;
  (void) call;
  return weir_sink_write (sink, "made=elsewhere\n", strlen ("made=elsewhere\n"), err);
}

static const struct weir_option abi_options[] = {
  { "word", WEIR_OPT_STRING, 0, "hello", "A string" },
  WEIR_OPTION_END,
};

static const struct weir_sandbox_ops abi_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = WEIR_EFFECTS_ALL,
  .confine = abi_confine,
  .describe = abi_describe,
#ifdef ABI_FUTURE
  .added_to_sandbox = (const void *) &abi_options,
#endif
};

#define ABI_PLUGIN(ident) WEIR_PLUGIN (ident)
#define ABI_REGISTER(ident) WEIR_PLUGIN_REGISTER (ident)

static const struct weir_plugin abi_plugin = {
  ABI_PLUGIN (abi_plugin),
  .version = "1.0",
  .summary = "A plugin of another version",
  .threading = WEIR_PARALLEL,
  .options = abi_options,
  .create = abi_create,
  .sandbox = &abi_sandbox,
#ifdef ABI_FUTURE
  .added_later_too = (const void *) &abi_options,
#endif
};

ABI_REGISTER (abi_plugin);
