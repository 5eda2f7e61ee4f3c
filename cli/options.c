/* Options as data, and the one parser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"

enum {
  OPT_CONFIG = 1, OPT_SET, OPT_PLUGIN_DIR, OPT_STATE_DIR, OPT_QUIET, OPT_VERBOSE, OPT_COLOR, OPT_HELP, OPT_VERSION,
  OPT_MODE, OPT_DIRECTORY, OPT_CWD, OPT_SANDBOX, OPT_RW, OPT_RO, OPT_DENY_READ, OPT_NETWORK, OPT_LIMIT, OPT_ENV,
  OPT_TIMEOUT, OPT_TTY, OPT_NO_TTY, OPT_JSON, OPT_KEEP, OPT_PATH, OPT_OP, OPT_ORIGIN
};

const struct option_spec options_global[] = {
  { OPT_CONFIG, 'c', "config", "FILE", "read this configuration file alone" },
  { OPT_SET, 's', "set", "KEY=VALUE", "a value over the configuration, as in sandbox.mode=read-only; repeatable" },
  { OPT_PLUGIN_DIR, 0, "plugin-dir", "DIR", "load plugins from here" },
  { OPT_STATE_DIR, 0, "state-dir", "DIR", "keep private temporary directories, spill files and caches here" },
  { OPT_QUIET, 'q', "quiet", NULL, "no explanations and warnings; errors of weir only" },
  { OPT_VERBOSE, 'v', "verbose", NULL, "say more on standard error; twice: still more" },
  { OPT_COLOR, 0, "color", "WHEN", "auto (a terminal, and NO_COLOR is not set), always or never" },
  { OPT_HELP, 'h', "help", NULL, "this text" },
  { OPT_VERSION, 0, "version", NULL, "the version" },
  { 0, 0, NULL, NULL, NULL },
};

const struct option_spec options_policy[] = {
  { OPT_MODE, 'm', "mode", "MODE", "read-only, workspace-write or danger-full-access" },
  { OPT_DIRECTORY, 'C', "directory", "DIR", "the workspace, and where the command starts (default: here)" },
  { OPT_CWD, 0, "cwd", "DIR", "where the command starts, when it is not the workspace" },
  { OPT_SANDBOX, 0, "sandbox", "NAME", "this sandbox alone, instead of the configured chain" },
  { OPT_RW, 0, "rw", "PATH", "one more writable root; repeatable" },
  { OPT_RO, 0, "ro", "PATH", "read-only inside a writable root; repeatable" },
  { OPT_DENY_READ, 0, "deny-read", "PATH", "hidden from the command; repeatable" },
  { OPT_NETWORK, 0, "network", "WHAT", "none, loopback or inherit" },
  { OPT_LIMIT, 0, "limit", "NAME=VALUE", "processes, memory, cpu, files, file_size or wall; repeatable" },
  { OPT_ENV, 'e', "env", "NAME[=VALUE]", "pass a variable on, or set it; repeatable" },
  { OPT_TIMEOUT, 0, "timeout", "TIME", "end the command after this time, as in 90s or 1h30m (a bare number: seconds)" },
  { 0, 0, NULL, NULL, NULL },
};

const struct option_spec options_run[] = {
  { OPT_TTY, 't', "tty", NULL, "give the command a terminal; an error where there is none" },
  { OPT_NO_TTY, 'T', "no-tty", NULL, "never give it one (default: when all three streams are a terminal)" },
  { OPT_KEEP, 0, "keep", "END", "with --json, which end of long output to keep in memory: tail or head" },
  { OPT_JSON, 0, "json", NULL, "collect the output, and print the result as one JSON object" },
  { 0, 0, NULL, NULL, NULL },
};

const struct option_spec options_json[] = {
  { OPT_JSON, 0, "json", NULL, "print JSON" },
  { 0, 0, NULL, NULL, NULL },
};

const struct option_spec options_explain[] = {
  { OPT_PATH, 0, "path", "PATH", "the path to ask about" },
  { OPT_OP, 0, "op", "OPERATION", "read, write, create, delete, rename, metadata or execute" },
  { OPT_JSON, 0, "json", NULL, "print JSON" },
  { 0, 0, NULL, NULL, NULL },
};

const struct option_spec options_config[] = {
  { OPT_ORIGIN, 0, "origin", NULL, "with show: the file and line that each value came from" },
  { OPT_JSON, 0, "json", NULL, "print JSON" },
  { 0, 0, NULL, NULL, NULL },
};

static const struct option_spec *const only_global[] = { options_global, NULL };

static int
words_add (struct words *w, const char *word)
{
  const char **items = realloc (w->items, (w->count + 2) * sizeof *items);

  if (items == NULL) {
    fputs ("weir: out of memory\n", stderr);
    return -1;
  }
  items[w->count++] = word;
  items[w->count] = NULL;
  w->items = items;
  return 0;
}

/* One of a few words, with its number; an error with a suggestion otherwise.  */
static int
options_choice (const struct cli *cli, const struct option_spec *o, const char *value, const char *const *words,
                const uint32_t *numbers, uint32_t *number)
{
  const char *near;

  for (size_t i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], value) == 0) {
      *number = numbers[i];
      return 0;
    }
  near = suggest (value, words);
  if (near != NULL)
    cli_usage (cli, "--%s: unknown %s '%s' (did you mean '%s'?)", o->name, o->name, value, near);
  else
    cli_usage (cli, "--%s: unknown %s '%s' (%s)", o->name, o->name, value, o->help);
  return -1;
}

static int
options_timeout (struct cli *cli, const char *name, const char *value)
{
  if (duration_parse (value, &cli->request.timeout_ms) == 0)
    return 0;
  cli_usage (cli, "%s: '%s' is not a time above zero, as in 90s, 5m or 1h30m", name, value);
  return -1;
}

static int
options_limit (struct cli *cli, const char *value)
{
  const char *eq = strchr (value, '=');

  if (eq == NULL || eq == value || eq[1] == '\0') {
    cli_usage (cli, "--limit: '%s' is not NAME=VALUE, as in processes=64", value);
    return -1;
  }
  if (strncmp (value, "wall=", 5) == 0)
    return options_timeout (cli, "--limit wall", eq + 1);
  return words_add (&cli->limits, value);
}

static int
options_pair (const struct cli *cli, struct words *list, const struct option_spec *o, const char *value, int need_value)
{
  const char *eq = strchr (value, '=');

  if (value[0] == '\0' || eq == value || (need_value && eq == NULL)) {
    cli_usage (cli, "--%s: '%s' is not %s", o->name, value, o->argument);
    return -1;
  }
  return words_add (list, value);
}

static int
options_set_choice (struct cli *cli, const struct option_spec *o, const char *value)
{
  static const char *const modes[] = { "read-only", "workspace-write", "danger-full-access", NULL };
  static const uint32_t mode_numbers[] = { WEIR_MODE_READ_ONLY, WEIR_MODE_WORKSPACE_WRITE,
                                           WEIR_MODE_DANGER_FULL_ACCESS };
  static const char *const networks[] = { "none", "loopback", "inherit", NULL };
  static const uint32_t network_numbers[] = { WEIR_NETWORK_NONE, WEIR_NETWORK_LOOPBACK, WEIR_NETWORK_INHERIT };
  static const char *const whens[] = { "auto", "always", "never", NULL };
  static const uint32_t when_numbers[] = { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
  static const char *const ends[] = { "tail", "head", NULL };
  static const uint32_t end_numbers[] = { WEIR_KEEP_TAIL, WEIR_KEEP_HEAD };
  uint32_t number;
  int r;

  switch (o->id) {
  case OPT_MODE:
    return options_choice (cli, o, value, modes, mode_numbers, &cli->request.mode);
  case OPT_NETWORK:
    cli->request.network_set = 1;
    return options_choice (cli, o, value, networks, network_numbers, &cli->request.network);
  case OPT_KEEP:
    return options_choice (cli, o, value, ends, end_numbers, &cli->request.keep);
  default:
    r = options_choice (cli, o, value, whens, when_numbers, &number);
    cli->color = r == 0 ? (enum when) number : cli->color;
    return r;
  }
}

/* Stores one option; -1: said.  */
static int
options_set (struct cli *cli, const struct option_spec *o, const char *value)
{
  if (value != NULL && value[0] == '\0') {
    cli_usage (cli, "--%s: an empty %s", o->name, o->argument);
    return -1;
  }
  switch (o->id) {
  case OPT_CONFIG: cli->config = value; return 0;
  case OPT_SET: return options_pair (cli, &cli->set, o, value, 1);
  case OPT_PLUGIN_DIR: cli->plugin_dir = value; return 0;
  case OPT_STATE_DIR: cli->state_dir = value; return 0;
  case OPT_QUIET: cli->quiet = 1; return 0;
  case OPT_VERBOSE: cli->verbose++; return 0;
  case OPT_HELP: cli->help = 1; return 0;
  case OPT_VERSION: cli->version = 1; return 0;
  case OPT_DIRECTORY: cli->request.workspace = value; return 0;
  case OPT_CWD: cli->request.cwd = value; return 0;
  case OPT_SANDBOX: cli->request.sandbox = value; return 0;
  case OPT_RW: return words_add (&cli->write, value);
  case OPT_RO: return words_add (&cli->read_only, value);
  case OPT_DENY_READ: return words_add (&cli->deny_read, value);
  case OPT_LIMIT: return options_limit (cli, value);
  case OPT_ENV: return options_pair (cli, &cli->env, o, value, 0);
  case OPT_TIMEOUT: return options_timeout (cli, "--timeout", value);
  case OPT_TTY: cli->tty = WHEN_ALWAYS; return 0;
  case OPT_NO_TTY: cli->tty = WHEN_NEVER; return 0;
  case OPT_JSON: cli->json = 1; return 0;
  case OPT_PATH: cli->path = value; return 0;
  case OPT_OP: cli->operation = value; return 0;
  case OPT_ORIGIN: cli->origin = 1; return 0;
  default: return options_set_choice (cli, o, value);
  }
}

static const struct option_spec *
options_find (const struct option_spec *const *tables, char letter, const char *name, size_t size)
{
  for (; *tables != NULL; tables++)
    for (const struct option_spec *o = *tables; o->id != 0; o++)
      if (name != NULL ? strlen (o->name) == size && memcmp (o->name, name, size) == 0 : o->letter == letter)
        return o;
  return NULL;
}

static void
options_unknown (const struct cli *cli, const struct option_spec *const *tables, const char *word, size_t size)
{
  char name[64] = "";
  const char *names[64], *near;
  size_t n = 0;

  for (; *tables != NULL; tables++)
    for (const struct option_spec *o = *tables; o->id != 0 && n + 1 < sizeof names / sizeof names[0]; o++)
      names[n++] = o->name;
  names[n] = NULL;
  if (size < sizeof name)
    memcpy (name, word, size);
  near = suggest (name, names);
  if (near != NULL)
    cli_usage (cli, "unknown option '--%.*s' (did you mean '--%s'?)", (int) size, word, near);
  else
    cli_usage (cli, "unknown option '--%.*s'", (int) size, word);
}

/* --name, --name=value, --name value.  Advances *i over a value that stands by itself.  */
static int
options_long (struct cli *cli, const struct option_spec *const *tables, int argc, char **argv, int *i)
{
  const char *word = argv[*i] + 2, *value = strchr (word, '=');
  size_t size = value != NULL ? (size_t) (value++ - word) : strlen (word);
  const struct option_spec *o = options_find (tables, 0, word, size);

  if (o == NULL) {
    options_unknown (cli, tables, word, size);
    return -1;
  }
  if (o->argument == NULL && value != NULL) {
    cli_usage (cli, "--%s takes no value", o->name);
    return -1;
  }
  if (o->argument != NULL && value == NULL) {
    if (*i + 1 >= argc) {
      cli_usage (cli, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
      return -1;
    }
    value = argv[++*i];
  }
  return options_set (cli, o, value);
}

/* -x, -xVALUE, -x VALUE, -xyz.  */
static int
options_short (struct cli *cli, const struct option_spec *const *tables, int argc, char **argv, int *i)
{
  for (const char *p = argv[*i] + 1; *p != '\0'; p++) {
    const struct option_spec *o = options_find (tables, *p, NULL, 0);
    const char *value = NULL;

    if (o == NULL) {
      cli_usage (cli, "unknown option '-%c'", *p);
      return -1;
    }
    if (o->argument != NULL) {
      value = p[1] != '\0' ? p + 1 : *i + 1 < argc ? argv[++*i] : NULL;
      if (value == NULL) {
        cli_usage (cli, "-%c needs a value: -%c %s", *p, *p, o->argument);
        return -1;
      }
    }
    if (options_set (cli, o, value) != 0)
      return -1;
    if (value != NULL)
      break;
  }
  return 0;
}

int
options_parse (struct cli *cli, int argc, char **argv)
{
  const struct option_spec *const *tables = cli->command != NULL ? cli->command->tables : only_global;
  int stops = cli->command == NULL || cli->command->stops, operands = 0, i;

  for (i = 1; i < argc; i++) {
    if (argv[i][0] != '-' || argv[i][1] == '\0') {
      if (stops)
        break;
      argv[1 + operands++] = argv[i]; /* never overtakes i */
    } else if (strcmp (argv[i], "--") == 0) {
      i++;
      break;
    } else if ((argv[i][1] == '-' ? options_long : options_short) (cli, tables, argc, argv, &i) != 0)
      return -1;
  }
  for (int k = operands; k > 0; k--)
    argv[i - 1 - (operands - k)] = argv[k];
  return i - operands;
}

void
options_help (const struct option_spec *o)
{
  for (; o->id != 0; o++) {
    char left[64] = { o->letter != 0 ? '-' : ' ', o->letter != 0 ? o->letter : ' ', o->letter != 0 ? ',' : ' ', '\0' };
    size_t n = 3;
    const char *const parts[] = { " --", o->name, o->argument != NULL ? " " : "", o->argument != NULL ? o->argument : "" };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
      size_t size = strlen (parts[i]);

      if (n + size < sizeof left) {
        memcpy (left + n, parts[i], size + 1);
        n += size;
      }
    }
    print_text ("  %-27s  %s\n", left, o->help);
  }
}

const struct weir_request *
options_request (struct cli *cli)
{
  cli->request.write = cli->write.items;
  cli->request.read_only = cli->read_only.items;
  cli->request.deny_read = cli->deny_read.items;
  cli->request.env = cli->env.items;
  cli->request.limits = cli->limits.items;
  return &cli->request;
}

void
options_free (struct cli *cli)
{
  struct words *all[] = { &cli->set, &cli->write, &cli->read_only, &cli->deny_read, &cli->env, &cli->limits };

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free (all[i]->items);
}
