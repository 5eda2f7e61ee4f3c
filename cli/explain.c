/* weir explain: would this be allowed, by which rule, and what would allow it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/options.h"
#include "cli/print.h"

static int
explain_run (struct cli *cli, int argc, char **argv)
{
  weir_error *err = NULL;
  weir_runtime *runtime;
  int answer = 0, status;

  if (argc > 0)
    return cli_usage (cli, "explain takes its path by --path: --path %s", argv[0]);
  if (cli->path == NULL)
    return cli_usage (cli, "no path given: --path PATH");
  runtime = cli_runtime (cli, WEIR_RUNTIME_ONE_SHOT, &err);
  if (runtime == NULL)
    return cli_fail (cli, err);
  if (weir_explain (runtime, options_request (cli), cli->path, cli->operation != NULL ? cli->operation : "write",
                    cli_format (cli), &answer, print_bytes, NULL, &err) != WEIR_OK)
    status = cli_fail (cli, err);
  else if ((status = print_flush (cli)) == 0)
    status = answer == WEIR_ANSWER_ALLOWED ? 0 : 1;
  weir_runtime_free (runtime);
  return status;
}

static const struct option_spec *const explain_tables[] = { options_explain, options_policy, options_global, NULL };

const struct command command_explain = {
  .name = "explain",
  .summary = "Say whether an operation on a path would be allowed, and why",
  .operands = "--path PATH [--op OPERATION]",
  .example = "  weir explain --path /etc/passwd --op write\n"
             "  weir explain -m read-only --path src/main.c --op create --json\n",
  .text = "Nothing is run.  The operation is write when none is given.\n"
          "Exit status: 0 allowed, 1 denied, 125 the question could not be answered.\n",
  .tables = explain_tables,
  .run = explain_run,
};
