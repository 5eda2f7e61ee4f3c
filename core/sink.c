/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/sink.h"

weir_status
sink_write (weir_sink *sink, const void *bytes, size_t size, weir_error **err)
{
  if (size > sink->limit - sink->bytes.size)
    return error_set (err, WEIR_E_PLUGIN, 0, "a plugin wrote more than %zu bytes to its sink", sink->limit);
  strbuf_add (&sink->bytes, bytes, size);
  return sink->bytes.failed ? error_nomem (err) : WEIR_OK;
}
