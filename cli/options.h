/* Options as data: tables shared by the commands, one parser, one help printer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CLI_OPTIONS_H
#define WEIR_CLI_OPTIONS_H

#include "cli/cli.h"

struct option_spec {
  int id;               /* OPT_*; 0 ends a table */
  char letter;          /* 0: none */
  const char *name;     /* without the dashes */
  const char *argument; /* "PATH"; NULL: takes none */
  const char *help;
};

extern const struct option_spec options_global[], options_policy[], options_run[], options_json[], options_explain[],
  options_config[];

/* Parses argv[1..] by the tables of the command, or by the global options alone while there is no command.  Returns the index of the
 * first operand, having moved the operands to the end of argv in their order, or -1: said on stderr.  */
int options_parse (struct cli *, int argc, char **argv);
/* A line per option.  */
void options_help (const struct option_spec *);
/* The lists and the request that the options made, ready for the library.  */
const struct weir_request *options_request (struct cli *);
void options_free (struct cli *);

/* suggest.c: the entry of a NULL-terminated table that is nearest to word; NULL: nothing near.  */
const char *suggest (const char *word, const char *const *table);
/* duration.c: "90s", "1h30m", a bare number being seconds.  0: ok, -1: not a duration above zero.  */
int duration_parse (const char *, int64_t *ms);

#endif
