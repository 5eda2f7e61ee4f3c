/* hosttable.c: the table of host functions that every plugin is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins.h"

#include <pthread.h>

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

/* Paths that plugins were given: a plugin owns nothing of ours, so they stay.  There are as many as there are runners.
 */
static pthread_mutex_t hosttable_lock = PTHREAD_MUTEX_INITIALIZER;
static struct strv hosttable_paths;

static weir_status
hosttable_intern (const char *path, const char **interned, weir_error **err)
{
  pthread_mutex_lock (&hosttable_lock);
  *interned = NULL;
  if (!strv_has (&hosttable_paths, path)) {
    strv_add (&hosttable_paths, path);
    hosttable_paths.failed = 0;
  }
  for (size_t i = 0; i < hosttable_paths.count; i++)
    if (strcmp (hosttable_paths.items[i], path) == 0)
      *interned = hosttable_paths.items[i];
  pthread_mutex_unlock (&hosttable_lock);
  return *interned == NULL ? error_nomem (err) : WEIR_OK;
}

static weir_status
hosttable_find_runner (const char *name, const char **found, weir_error **err)
{
  auto_free char *path = NULL;
  weir_status status = runner_find (name, &path, NULL, err);

  return status != WEIR_OK ? status : hosttable_intern (path, found, err);
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
  .plan_environment = plan_environment,
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
