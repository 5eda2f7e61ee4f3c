/* Its sandbox claims nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_sandbox_ops mock_no_claims_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .confine = mock_confine,
};

static const struct weir_plugin mock_no_claims = {
  WEIR_PLUGIN (mock_no_claims),
  MOCK_TEXTS,
  .sandbox = &mock_no_claims_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_no_claims);
