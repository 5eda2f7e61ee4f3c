/* Bytes that a plugin hands to the host, bounded.  */
#ifndef WEIR_CORE_SINK_H
#define WEIR_CORE_SINK_H

#include "core/error.h"
#include "core/util.h"

struct weir_sink {
  struct strbuf bytes;
  size_t limit; /* more is WEIR_E_PLUGIN */
};
weir_status sink_write (weir_sink *, const void *, size_t, weir_error **);
#define SINK_INIT(max) { .limit = (max) }

#endif
