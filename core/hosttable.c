/* hosttable.c: the table of host functions that every plugin is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins.h"

#include "core/plan.h"
#include "core/sink.h"
#include "core/spawn.h"

/* A fact that the caller did not know of (an older core, no facts at all) is 0: not there.  */
static uint64_t
hosttable_fact (const weir_call *call, uint32_t which)
{
  if (call == NULL || call->struct_size < offsetof (weir_call, facts) + sizeof call->facts || call->facts == NULL)
    return 0;
  return which > 0 && which < WEIR_FACT_COUNT_ ? call->facts[which] : 0;
}

static weir_status
hosttable_find_runner (const char *name, weir_sink *sink, weir_error **err)
{
  auto_free char *path = NULL;
  weir_status status = runner_find (name, &path, NULL, err);

  return status != WEIR_OK ? status : sink_write (sink, path, strlen (path), err);
}

const struct weir_host host_table = {
  WEIR_SIZED (struct weir_host),
  .abi_major = WEIR_ABI_MAJOR,
  .abi_minor = WEIR_ABI_MINOR,
  .log = log_line,
  .error_set = error_set,
  .error_wrap = error_wrap,
  .error_hint = error_hint,
  .config_string = settings_config_string,
  .config_integer = settings_config_integer,
  .config_list = settings_config_list,
  .config_origin = settings_config_origin,
  .sink_write = sink_write,
  .plan_step = plan_step,
  .plan_runner = plan_runner,
  .plan_argument = plan_argument,
  .plan_fd = plan_fd,
  .plan_supervisor = plan_supervisor,
  .plan_governs = plan_governs,
  .plan_gap = plan_gap,
  .plan_asserted = plan_asserted,
  .plan_denial = plan_denial,
  .plan_failure = plan_failure,
  .plan_informational = plan_informational,
  .fact = hosttable_fact,
  .find_runner = hosttable_find_runner,
  .process_spawn = process_spawn,
  .process_wait = process_wait,
  .process_signal = process_signal,
  .process_resize = process_resize,
  .process_close_stdin = process_close_stdin,
  .process_release = process_release,
};
