/* weir plugin list|info: what can be loaded, and the options that each plugin has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <string.h>

#include "cli/options.h"
#include "cli/print.h"

static int
plugin_show (struct cli *cli, const char *name)
{
  weir_error *err = NULL;
  weir_runtime *runtime = cli_runtime (cli, WEIR_RUNTIME_ONE_SHOT, &err);
  int status;

  if (runtime == NULL)
    return cli_fail (cli, err);
  if (weir_show_plugins (runtime, name, cli_format (cli), print_bytes, NULL, &err) != WEIR_OK)
    status = cli_fail (cli, err);
  else
    status = print_flush (cli);
  weir_runtime_free (runtime);
  return status;
}

static int
plugin_run (struct cli *cli, int argc, char **argv)
{
  static const char *const verbs[] = { "list", "info", NULL };
  const char *near;

  if (argc == 0)
    return cli_usage (cli, "plugin: list, or info NAME?");
  if (strcmp (argv[0], "list") == 0)
    return argc == 1 ? plugin_show (cli, NULL) : cli_usage (cli, "plugin list takes no arguments: '%s'", argv[1]);
  if (strcmp (argv[0], "info") == 0)
    return argc == 2 ? plugin_show (cli, argv[1]) : cli_usage (cli, "plugin info takes one name");
  near = suggest (argv[0], verbs);
  return near != NULL ? cli_usage (cli, "plugin: unknown '%s' (did you mean '%s'?)", argv[0], near)
                      : cli_usage (cli, "plugin: unknown '%s' (list, info)", argv[0]);
}

static const struct option_spec *const plugin_tables[] = { options_json, options_global, NULL };

const struct command command_plugin = {
  .name = "plugin",
  .summary = "List the plugins, or show what one provides and its options",
  .operands = "list | info NAME",
  .example = "  weir plugin list\n"
             "  weir plugin info landlock\n",
  .tables = plugin_tables,
  .run = plugin_run,
};
