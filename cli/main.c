/* weir: the global options, which command, and help.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/print.h"

static const struct command *const commands[] = {
  &command_run, &command_plan, &command_explain, &command_doctor, &command_config, &command_plugin, &command_version,
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *
main_find (const char *name)
{
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

int
cli_usage (const struct cli *cli, const char *fmt, ...)
{
  char *text = NULL;
  va_list ap;

  va_start (ap, fmt);
  if (vasprintf (&text, fmt, ap) < 0)
    text = NULL;
  va_end (ap);
  print_say (cli, "%s", text != NULL ? text : "wrong usage");
  if (cli->command != NULL)
    print_hint (cli, "see: weir %s --help", cli->command->name);
  else
    print_hint (cli, "see: weir --help");
  free (text);
  return EXIT_WEIR;
}

int
cli_status (const weir_error *err)
{
  switch (weir_error_code (err)) {
  case WEIR_OK:
    return EXIT_WEIR; /* failed without an error */
  case WEIR_E_DENIED:
  case WEIR_E_NOT_EXECUTABLE:
    return EXIT_REFUSED;
  case WEIR_E_NO_PROGRAM:
    return EXIT_NO_PROGRAM;
  case WEIR_E_TIMEOUT:
    return EXIT_TIMED_OUT;
  case WEIR_E_CANCELLED:
    return 130;
  default:
    return EXIT_WEIR;
  }
}

int
cli_fail (const struct cli *cli, weir_error *err)
{
  int status = cli_status (err);

  print_error (cli, err);
  weir_error_free (err);
  return status;
}

int
cli_format (const struct cli *cli)
{
  return cli->json ? WEIR_FORMAT_JSON : WEIR_FORMAT_TEXT;
}

weir_runtime *
cli_runtime (struct cli *cli, uint32_t flags, weir_error **err)
{
  const struct weir_runtime_options options = {
    .struct_size = (uint32_t) sizeof options,
    .flags = flags,
    .config = cli->config,
    .set = cli->set.items,
    .plugin_dir = cli->plugin_dir,
    .state_dir = cli->state_dir,
    .log = print_log,
    .log_data = cli,
  };
  weir_runtime *runtime = NULL;

  return weir_runtime_new (&options, &runtime, err) == WEIR_OK ? runtime : NULL;
}

static int
main_overview (const struct cli *cli)
{
  print_text ("  weir run -- make check            run a command, confined to this directory\n"
              "  weir explain --path ~/.bashrc --op write\n"
              "\n"
              "Usage: weir [OPTION]... COMMAND [ARGUMENT]...\n"
              "\n"
              "Runs the commands of an agent confined, under the sandbox that a configuration file chose.\n"
              "\n"
              "Commands:\n");
  for (size_t i = 0; i < COMMANDS; i++)
    print_text ("  %-9s %s\n", commands[i]->name, commands[i]->summary);
  print_text ("\nOptions, before or after the command:\n");
  options_help (options_global);
  print_text ("\nHelp on a command: weir COMMAND --help, or weir-COMMAND(1).\n");
  return print_flush (cli);
}

static int
main_help (const struct cli *cli)
{
  const struct command *c = cli->command;

  if (c == NULL)
    return main_overview (cli);
  print_text ("%s\nUsage: weir %s [OPTION]...%s%s\n\n%s.\n", c->example, c->name, c->operands[0] != '\0' ? " " : "",
              c->operands, c->summary);
  if (c->text != NULL)
    print_text ("\n%s", c->text);
  print_text ("\nOptions:\n");
  for (const struct option_spec *const *t = c->tables; *t != NULL; t++) {
    if (*t == options_global)
      print_text ("\nEverywhere:\n");
    options_help (*t);
  }
  return print_flush (cli);
}

static int
main_unknown (const struct cli *cli, const char *word)
{
  const char *names[COMMANDS + 2], *near;

  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i]->name;
  names[COMMANDS] = "help";
  names[COMMANDS + 1] = NULL;
  near = suggest (word, names);
  if (near != NULL)
    return cli_usage (cli, "unknown command '%s' (did you mean '%s'?)", word, near);
  return cli_usage (cli, "unknown command '%s'; to run it confined: weir run -- %s", word, word);
}

/* weir help [COMMAND].  */
static int
main_help_command (struct cli *cli, int argc, char **argv)
{
  int first = options_parse (cli, argc, argv);

  if (first < 0)
    return EXIT_WEIR;
  if (first < argc && (cli->command = main_find (argv[first])) == NULL)
    return main_unknown (cli, argv[first]);
  return main_help (cli);
}

static int
main_command (struct cli *cli, int argc, char **argv)
{
  int first = options_parse (cli, argc, argv);

  if (first < 0)
    return EXIT_WEIR;
  if (cli->help)
    return main_help (cli);
  if (cli->version)
    return command_version.run (cli, 0, NULL);
  if (first < argc && cli->command == NULL) {
    if (strcmp (argv[first], "help") == 0)
      return main_help_command (cli, argc - first, argv + first);
    if ((cli->command = main_find (argv[first])) == NULL)
      return main_unknown (cli, argv[first]);
    return main_command (cli, argc - first, argv + first);
  }
  if (cli->command == NULL)
    return cli_usage (cli, "no command given");
  return cli->command->run (cli, argc - first, argv + first);
}

int
main (int argc, char **argv)
{
  struct cli cli = { .request = WEIR_REQUEST_INIT };
  int status;

  print_guard_streams (&cli);
  status = argc > 0 ? main_command (&cli, argc, argv) : EXIT_WEIR;
  options_free (&cli);
  return status;
}
