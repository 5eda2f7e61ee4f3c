/* What became of a command, where only text tells: the rules of last resort (docs/operators.md says when).  Pure functions.  */
#ifndef WEIR_CORE_CLASSIFY_H
#define WEIR_CORE_CLASSIFY_H

#include "core/plan.h"

/* The line of stderr that shows that the runner failed, or NULL.  exit_code < 0: ended by a signal.  *length: of the line.  */
const char *classify_runner_failure (const weir_plan *, int exit_code, const char *text, size_t size, size_t *length);
/* A line of stderr that holds a denial signature of the plan (case-insensitive), exit_code not 0; NULL: none.  Finds the next one
 * after *at.  */
const char *classify_denial (const weir_plan *, int exit_code, const char *text, size_t size, size_t *at, size_t *length);
/* The path that a line such as "touch: cannot touch '/etc/x': Permission denied" names, NULL: none.  Owned.  */
char *classify_path (const char *line, size_t length, const char *cwd);
/* "write", "connect", ... guessed from the line; never NULL.  */
const char *classify_operation (const char *line, size_t length);
/* Where word begins in text, ignoring case, NULL: nowhere.  */
const char *classify_find (const char *text, size_t size, const char *word);

#endif
