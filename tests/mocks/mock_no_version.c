/* Has no version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_plugin mock_no_version = {
  WEIR_PLUGIN (mock_no_version),
  .summary = "A plugin for tests",
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_no_version);
