/* weir config check|show: the configuration, as it was understood.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <string.h>

#include "cli/options.h"
#include "cli/print.h"

static void
config_discard (void *data, const char *bytes, size_t size)
{
  (void) data;
  (void) bytes;
  (void) size;
}

/* Check: the whole of it is read, plugin options included, and shown to nobody.  1: something is wrong with it.  */
static int
config_read (struct cli *cli, int check)
{
  weir_error *err = NULL;
  weir_runtime *runtime = cli_runtime (cli, WEIR_RUNTIME_ONE_SHOT, &err);
  weir_status st = WEIR_E_INVALID;
  int status;

  if (runtime != NULL)
    st = weir_show_config (runtime, cli_format (cli), cli->origin ? WEIR_SHOW_ORIGIN : 0,
                           check ? config_discard : print_bytes, NULL, &err);
  if (st != WEIR_OK) {
    status = cli_fail (cli, err);
    status = check ? 1 : status;
  } else {
    if (check && cli->json)
      print_text ("{\"schema_version\":1,\"ok\":true}\n");
    else if (check && !cli->quiet)
      print_text ("ok\n");
    status = print_flush (cli);
  }
  weir_runtime_free (runtime);
  return status;
}

static int
config_run (struct cli *cli, int argc, char **argv)
{
  static const char *const verbs[] = { "check", "show", NULL };
  const char *near;

  if (argc == 0)
    return cli_usage (cli, "config: check, or show?");
  if (argc > 1)
    return cli_usage (cli, "config %s takes no arguments: '%s'", argv[0], argv[1]);
  if (strcmp (argv[0], "check") == 0 || strcmp (argv[0], "show") == 0)
    return config_read (cli, argv[0][0] == 'c');
  near = suggest (argv[0], verbs);
  return near != NULL ? cli_usage (cli, "config: unknown '%s' (did you mean '%s'?)", argv[0], near)
                      : cli_usage (cli, "config: unknown '%s' (check, show)", argv[0]);
}

static const struct option_spec *const config_tables[] = { options_config, options_global, NULL };

const struct command command_config = {
  .name = "config",
  .summary = "Check the configuration, or show it with the origin of each value",
  .operands = "check | show",
  .example = "  weir config show --origin\n"
             "  weir --config ./weir.conf config check\n",
  .text = "Exit status: 0, 1 when check finds something wrong, 125 when it cannot be shown.\n",
  .tables = config_tables,
  .run = config_run,
};
