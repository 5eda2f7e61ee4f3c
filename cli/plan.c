/* weir plan: what would be executed, without executing it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/options.h"
#include "cli/print.h"

static int
plan_run (struct cli *cli, int argc, char **argv)
{
  weir_error *err = NULL;
  weir_runtime *runtime;
  int status;

  if (argc == 0)
    return cli_usage (cli, "no command given to plan");
  cli->request.argv = (const char *const *) argv;
  runtime = cli_runtime (cli, WEIR_RUNTIME_ONE_SHOT, &err);
  if (runtime == NULL)
    return cli_fail (cli, err);
  if (weir_show_plan (runtime, options_request (cli), cli_format (cli), print_bytes, NULL, &err) != WEIR_OK)
    status = cli_fail (cli, err);
  else
    status = print_flush (cli);
  weir_runtime_free (runtime);
  return status;
}

static const struct option_spec *const plan_tables[] = { options_json, options_policy, options_global, NULL };

const struct command command_plan = {
  .name = "plan",
  .summary = "Say what would be executed, one line a step, and run nothing",
  .operands = "[--] COMMAND [ARGUMENT]...",
  .example = "  weir plan -- make check\n"
             "  weir plan -m read-only --network none -- ls\n",
  .text = "Exit status: 0, or as weir run would fail: 125, 126 or 127.\n",
  .tables = plan_tables,
  .stops = 1,
  .run = plan_run,
};
