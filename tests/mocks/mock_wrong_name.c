/* Calls itself something else than its file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_plugin mock_wrong_name = {
  WEIR_PLUGIN (another_name),
  MOCK_TEXTS,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_wrong_name);
