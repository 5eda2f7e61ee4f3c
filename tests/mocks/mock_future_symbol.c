/* Has the entry symbol of another major version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <weir/plugin.h>

WEIR_EXPORT_ const struct weir_plugin *mock_future_symbol_LTX_weir_plugin_v2 (const struct weir_host *);

const struct weir_plugin *
mock_future_symbol_LTX_weir_plugin_v2 (const struct weir_host *host)
{
  (void) host;
  return NULL;
}
