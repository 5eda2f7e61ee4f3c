/* Its create leaves a descriptor open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

#include <errno.h>
#include <fcntl.h>

static weir_status
mock_leaks_descriptor_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  if (open ("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
    return weir_error_set (err, WEIR_E_IO, errno, "open '/dev/null'");
  return WEIR_OK;
}

static const struct weir_plugin mock_leaks_descriptor = {
  WEIR_PLUGIN (mock_leaks_descriptor),
  MOCK_TEXTS,
  .threading = WEIR_PARALLEL,
  .create = mock_leaks_descriptor_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_leaks_descriptor);
