/* Calls a function that nobody has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

extern int mock_nobody_has_this (void);

static weir_status
mock_undefined_symbol_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  (void) err;
  return mock_nobody_has_this ();
}

static const struct weir_plugin mock_undefined_symbol = {
  WEIR_PLUGIN (mock_undefined_symbol),
  MOCK_TEXTS,
  .create = mock_undefined_symbol_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_undefined_symbol);
