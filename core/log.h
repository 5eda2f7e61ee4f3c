/* Where log lines go: a sink that the embedder gave, a tag for who speaks.  Thread-safe.  */
#ifndef WEIR_CORE_LOG_H
#define WEIR_CORE_LOG_H

#include <stdarg.h>
#include "core/error.h"

struct log_target {
  void (*write) (void *data, int level, const char *line);
  void *data;
};
struct weir_log {
  const struct log_target *target; /* NULL or write NULL: dropped */
  char *tag;                       /* a plugin's name, or "core" */
};
void log_line (weir_log *, int level, const char *, ...) __attribute__ ((format (printf, 3, 4)));
void log_vline (weir_log *, int level, const char *, va_list);

#endif
