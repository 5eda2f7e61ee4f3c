/* Says that it was made for another major version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_plugin mock_newer_major = {
  WEIR_SIZED (struct weir_plugin),
  .abi_major = WEIR_ABI_MAJOR + 1,
  .name = "mock_newer_major",
  MOCK_TEXTS,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_newer_major);
