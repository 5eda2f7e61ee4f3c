/* Its sandbox has no confine.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_sandbox_ops mock_null_confine_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = MOCK_ALL_CLAIMS,
};

static const struct weir_plugin mock_null_confine = {
  WEIR_PLUGIN (mock_null_confine),
  MOCK_TEXTS,
  .sandbox = &mock_null_confine_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_null_confine);
