/* The command: an ordinary user of the library.
 *
 *   main.c     globals, which command, help        options.c  option tables and their parser
 *   run.c      weir run (run-pty.c, run-json.c)    print.c    every word that is written
 *   plan.c doctor.c explain.c plugin.c config.c version.c     a command each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H

#include <weir/weir.h>

/* Exit statuses of weir itself.  Verdicts (doctor, explain, config check) are 0, 1 and 3.  */
#define EXIT_TIMED_OUT 124
#define EXIT_WEIR 125 /* weir failed, wrong usage, the sandbox is unavailable */
#define EXIT_REFUSED 126
#define EXIT_NO_PROGRAM 127

/* A NULL-terminated vector of borrowed words; items is NULL while it is empty, as the library wants it.  */
struct words {
  const char **items;
  size_t count;
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct command;

struct cli {
  const struct command *command; /* NULL: none was named yet */
  const char *config, *plugin_dir, *state_dir;
  struct words set;
  int quiet, verbose, json, origin, help, version;
  enum when color;
  enum when tty;
  const char *path, *operation;
  struct weir_request request;
  struct words write, read_only, deny_read, env, limits;
  int closed[3]; /* a standard stream that was closed when we started */
};

struct command {
  const char *name;
  const char *summary;  /* one line of the overview */
  const char *operands; /* after the options in the usage line */
  const char *example;  /* lines, each beginning with two blanks */
  const char *text;     /* what it does, exit status; NULL: nothing to add */
  const struct option_spec *const *tables; /* NULL-terminated */
  int stops; /* options end at the first operand, which belongs to somebody else */
  int (*run) (struct cli *, int argc, char **argv); /* operands only; NULL-terminated */
};

extern const struct command command_run, command_plan, command_doctor, command_explain, command_plugin,
  command_config, command_version;

/* main.c: a runtime as the global options say.  NULL: said on stderr.  */
weir_runtime *cli_runtime (struct cli *, uint32_t flags, weir_error **);
/* The usage error of a command: "weir: ..." and where help is.  Returns EXIT_WEIR.  */
int cli_usage (const struct cli *, const char *, ...) __attribute__ ((format (printf, 2, 3)));
/* The exit status that stands for an error of the library.  */
int cli_status (const weir_error *);
/* Prints the error, frees it and returns its exit status.  */
int cli_fail (const struct cli *, weir_error *);
int cli_format (const struct cli *);

#endif
