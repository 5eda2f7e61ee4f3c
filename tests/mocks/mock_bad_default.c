/* The default of an option does not fit its type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_option mock_bad_default_options[] = {
  { "patience", WEIR_OPT_DURATION, 0, "soon", "A duration" },
  WEIR_OPTION_END,
};

static const struct weir_plugin mock_bad_default = {
  WEIR_PLUGIN (mock_bad_default),
  MOCK_TEXTS,
  .options = mock_bad_default_options,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_bad_default);
