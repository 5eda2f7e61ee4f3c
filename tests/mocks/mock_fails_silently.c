/* Its create fails without a reason.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static weir_status
mock_fails_silently_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  (void) err;
  return WEIR_E_IO;
}

static const struct weir_plugin mock_fails_silently = {
  WEIR_PLUGIN (mock_fails_silently),
  MOCK_TEXTS,
  .threading = WEIR_PARALLEL,
  .create = mock_fails_silently_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_fails_silently);
