/* Every word that weir writes itself.  Data goes to standard output, words to standard error; colour only where a terminal
 * reads; nothing that came from elsewhere reaches a terminal with control characters in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CLI_PRINT_H
#define WEIR_CLI_PRINT_H

#include "cli/cli.h"

/* Puts something that cannot be read or written where a standard stream was closed, so that no later descriptor takes its
 * number, and remembers which were.  */
void print_guard_streams (struct cli *);

/* "weir: what", then lines "  because: ..." and "  hint: ...".  */
void print_error (const struct cli *, const weir_error *);
/* "weir: ..." on stderr.  */
void print_say (const struct cli *, const char *, ...) __attribute__ ((format (printf, 2, 3)));
void print_hint (const struct cli *, const char *, ...) __attribute__ ((format (printf, 2, 3)));
/* What was blocked, what the library warns of, how the command was ended; each a line on stderr.  */
void print_denials (const struct cli *, const weir_result *);
void print_ending (const struct cli *, const weir_result *);
/* The log of the runtime: what -v asks for.  */
void print_log (void *cli, int level, const char *line);

/* Data.  print_bytes is a weir_writer (data: unused).  print_flush returns 0, or an exit status after having said that the
 * data could not be written.  */
void print_bytes (void *data, const char *bytes, size_t size);
void print_text (const char *, ...) __attribute__ ((format (printf, 1, 2)));
int print_flush (const struct cli *);

const char *print_mode (uint32_t mode);

#endif
