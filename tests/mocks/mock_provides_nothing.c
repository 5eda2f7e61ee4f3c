/* Provides neither a sandbox nor a world.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_plugin mock_provides_nothing = {
  WEIR_PLUGIN (mock_provides_nothing),
  MOCK_TEXTS,
};

WEIR_PLUGIN_REGISTER (mock_provides_nothing);
