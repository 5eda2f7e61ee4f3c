/* weir version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/options.h"
#include "cli/print.h"

static int
version_run (struct cli *cli, int argc, char **argv)
{
  if (argc > 0)
    return cli_usage (cli, "version takes no arguments: '%s'", argv[0]);
  if (cli->json)
    print_text ("{\"schema_version\":1,\"version\":\"%s\"}\n", weir_version ());
  else
    print_text ("weir %s\n", weir_version ());
  return print_flush (cli);
}

static const struct option_spec *const version_tables[] = { options_json, options_global, NULL };

const struct command command_version = {
  .name = "version",
  .summary = "Print the version",
  .operands = "",
  .example = "  weir version\n",
  .tables = version_tables,
  .run = version_run,
};
