/* Needs a library that is not there when it is loaded (local.mk links it with libmock_gone, which a test does not copy).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

extern int mock_gone (void);

static weir_status
mock_missing_dependency_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  (void) err;
  return mock_gone ();
}

static const struct weir_plugin mock_missing_dependency = {
  WEIR_PLUGIN (mock_missing_dependency),
  MOCK_TEXTS,
  .create = mock_missing_dependency_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_missing_dependency);
