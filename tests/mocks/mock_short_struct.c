/* Its descriptor ends before the sandbox.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_plugin mock_short_struct = {
  .struct_size = (uint32_t) offsetof (struct weir_plugin, sandbox),
  .abi_major = WEIR_ABI_MAJOR,
  .name = "mock_short_struct",
  MOCK_TEXTS,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_short_struct);
