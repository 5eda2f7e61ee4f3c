/* Its create fails, and says why; a second reason changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

#include <errno.h>

static weir_status
mock_fails_loudly_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  weir_error_set (err, WEIR_E_NOT_FOUND, ENOENT, "open root '/srv/x'");
  weir_error_set (err, WEIR_E_IO, 0, "clean up");
  return weir_error_hint (err, "set 'root' to an existing directory");
}

static const struct weir_plugin mock_fails_loudly = {
  WEIR_PLUGIN (mock_fails_loudly),
  MOCK_TEXTS,
  .threading = WEIR_PARALLEL,
  .create = mock_fails_loudly_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_fails_loudly);
