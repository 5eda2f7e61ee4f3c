/* Its entry returns nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <weir/plugin.h>

WEIR_EXPORT_ const struct weir_plugin *mock_null_entry_LTX_weir_plugin_v1 (const struct weir_host *);

const struct weir_plugin *
mock_null_entry_LTX_weir_plugin_v1 (const struct weir_host *host)
{
  (void) host;
  return NULL;
}
