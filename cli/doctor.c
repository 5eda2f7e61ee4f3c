/* weir doctor: functional checks, each with what to do about it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/options.h"
#include "cli/print.h"

static int
doctor_run (struct cli *cli, int argc, char **argv)
{
  weir_error *err = NULL;
  weir_runtime *runtime;
  int worst = 0, status;

  if (argc > 0)
    return cli_usage (cli, "doctor takes no arguments: '%s'", argv[0]);
  runtime = cli_runtime (cli, 0, &err);
  if (runtime == NULL)
    return cli_fail (cli, err);
  if (weir_doctor (runtime, cli_format (cli), &worst, print_bytes, NULL, &err) != WEIR_OK)
    status = cli_fail (cli, err);
  else if ((status = print_flush (cli)) == 0)
    status = worst;
  weir_runtime_free (runtime);
  return status;
}

static const struct option_spec *const doctor_tables[] = { options_json, options_global, NULL };

const struct command command_doctor = {
  .name = "doctor",
  .summary = "Check, by doing it, what this machine can enforce",
  .operands = "",
  .example = "  weir doctor\n"
             "  weir doctor --json | jq '.checks[] | select (.status != \"ok\")'\n",
  .text = "Exit status: 0 all is well, 1 something fails, 3 no sandbox is usable, 125 the checks could not be made.\n",
  .tables = doctor_tables,
  .run = doctor_run,
};
