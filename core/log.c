/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/log.h"

#include "core/util.h"

void
log_vline (weir_log *log, int level, const char *fmt, va_list ap)
{
  auto_strbuf struct strbuf b = { 0 };

  if (log == NULL || log->target == NULL || log->target->write == NULL)
    return;
  strbuf_fmt (&b, "%s: ", log->tag == NULL ? "weir" : log->tag);
  strbuf_vfmt (&b, fmt, ap);
  if (!b.failed)
    log->target->write (log->target->data, level, b.data);
}

void
log_line (weir_log *log, int level, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  log_vline (log, level, fmt, ap);
  va_end (ap);
}
