/* One of its options has no name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static const struct weir_option mock_nameless_option_options[] = {
  { "first", WEIR_OPT_STRING, 0, NULL, "An option" },
  { NULL, WEIR_OPT_STRING, 0, NULL, "An option whose name was forgotten" },
  WEIR_OPTION_END,
};

static const struct weir_plugin mock_nameless_option = {
  WEIR_PLUGIN (mock_nameless_option),
  MOCK_TEXTS,
  .options = mock_nameless_option_options,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_nameless_option);
