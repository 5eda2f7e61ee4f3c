/* The library that mock_missing_dependency is linked with and does not find.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <weir/plugin.h>

WEIR_EXPORT_ int mock_gone (void);

int
mock_gone (void)
{
  return 0;
}
