/* SPDX-License-Identifier: Apache-2.0
 *
 * A runner of the operator's own, which takes bubblewrap's options.  What it enforces is the operator's word: partial,
 * unless the file asserts more.  Whether it failed is told by text on its stderr, which the operator names.
 */
#include <weir/plugin.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../bwrap-profile/bwrap-profile.h"

struct custom_runner {
  const char *const *command;
  size_t command_count;
  const char *const *signatures;
  size_t signature_count;
  int assert_full;
  const char *origin; /* of the assertion */
};

static int
custom_runner_blank (const char *text)
{
  while (isspace ((unsigned char) *text))
    text++;
  return *text == '\0';
}

static weir_status
custom_runner_check (const struct custom_runner *c, const weir_config *config, weir_error **err)
{
  if (c->command_count == 0 || c->command[0][0] != '/') {
    weir_error_set (err, WEIR_E_INVALID, 0, "%s: 'command' must begin with the absolute path of the runner",
                    weir_config_origin (config, "command"));
    return weir_error_hint (err, "write for example: command = [ \"/opt/acme/run\" ];");
  }
  if (c->signature_count == 0)
    return weir_error_set (err, WEIR_E_INVALID, 0, "%s: 'failure_signatures' is empty: without it a failure of the runner "
                                                   "could not be told from one of the command",
                           weir_config_origin (config, "failure_signatures"));
  for (size_t i = 0; i < c->signature_count; i++)
    if (custom_runner_blank (c->signatures[i]) || strpbrk (c->signatures[i], "\r\n") != NULL)
      return weir_error_set (err, WEIR_E_INVALID, 0, "%s: each of 'failure_signatures' must be part of one line, and not blank",
                             weir_config_origin (config, "failure_signatures"));
  return WEIR_OK;
}

static weir_status
custom_runner_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  struct custom_runner *c = calloc (1, sizeof *c);
  weir_status status;

  (void) log;
  if (c == NULL)
    return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
  c->command_count = weir_config_list (config, "command", &c->command);
  c->signature_count = weir_config_list (config, "failure_signatures", &c->signatures);
  c->assert_full = strcmp (weir_config_string (config, "assert"), "full") == 0;
  c->origin = weir_config_origin (config, c->assert_full ? "assert" : "command");
  status = custom_runner_check (c, config, err);
  if (status != WEIR_OK) {
    free (c);
    return status;
  }
  *self = c;
  return WEIR_OK;
}

static void
custom_runner_destroy (void *self)
{
  free (self);
}

static weir_status
custom_runner_confine (void *self, const weir_call *call, const struct weir_command *command,
                       const struct weir_policy *policy, weir_plan *plan, weir_error **err)
{
  const struct custom_runner *c = self;
  struct weir_step supervise = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_SUPERVISE };
  const char *program = NULL;
  weir_status status = weir_find_runner (c->command[0], &program, err);

  if (status != WEIR_OK)
    return weir_error_wrap (err, "plugins.custom_runner.command (%s)", c->origin);
  weir_plan_runner (plan, program);
  for (size_t i = 1; i < c->command_count; i++)
    weir_plan_argument (plan, c->command[i]);
  bwrap_profile (plan, call, policy, command->cwd, 0);
  weir_plan_argument (plan, "--");
  bwrap_profile_limits (plan, call, policy->limits);
  weir_plan_step (plan, &supervise);
  for (size_t i = 0; i < c->signature_count; i++)
    weir_plan_failure (plan, NULL, 0, c->signatures[i]);
  weir_plan_denial (plan, "read-only file system");
  weir_plan_denial (plan, "permission denied");
  weir_plan_governs (plan, WEIR_EFFECT_DESCRIPTORS);
  weir_plan_asserted (plan, c->origin);
  if (c->assert_full)
    weir_plan_governs (plan, WEIR_EFFECTS_ALL | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT | WEIR_AXIS_PRIVATE_TMP
                               | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK);
  else
    weir_plan_gap (plan, WEIR_EFFECTS_ALL & ~WEIR_EFFECT_DESCRIPTORS,
                   "what the runner enforces is not known to Weir; set assert = \"full\" to answer for it");
  return WEIR_OK;
}

static const struct weir_option custom_runner_options[] = {
  { "command", WEIR_OPT_LIST, WEIR_OPT_REQUIRED, NULL, "the runner and its first arguments; bubblewrap's options follow" },
  { "failure_signatures", WEIR_OPT_LIST, WEIR_OPT_REQUIRED, NULL,
    "text on a line of stderr that shows that the runner itself failed" },
  { "assert", WEIR_OPT_CHOICE, 0, "partial", "partial|full: what the operator answers for" },
  WEIR_OPTION_END,
};

static const struct weir_sandbox_ops custom_runner_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = WEIR_EFFECTS_ALL | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT
            | WEIR_AXIS_PRIVATE_TMP | WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU
            | WEIR_AXIS_LIMIT_FILES | WEIR_AXIS_LIMIT_FILE_SIZE,
  .confine = custom_runner_confine,
};

static const struct weir_plugin custom_runner = {
  WEIR_PLUGIN (custom_runner),
  .version = "1.0",
  .summary = "a runner of the operator's own that takes bubblewrap's options",
  .threading = WEIR_PARALLEL,
  .options = custom_runner_options,
  .create = custom_runner_create,
  .destroy = custom_runner_destroy,
  .sandbox = &custom_runner_sandbox,
};

WEIR_PLUGIN_REGISTER (custom_runner);
