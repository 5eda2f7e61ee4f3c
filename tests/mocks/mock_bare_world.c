/* Its world cannot spawn.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

static weir_status
mock_bare_world_find (void *self, const weir_call *call, const char *name, const char *path, const char *cwd, weir_sink *sink,
                      weir_error **err)
{
  (void) self;
  (void) call;
  (void) path;
  (void) cwd;
  return weir_sink_write (sink, name, strlen (name), err);
}

static const struct weir_process_ops mock_bare_world_process = {
  WEIR_SIZED (struct weir_process_ops),
  .find_executable = mock_bare_world_find,
};

static const struct weir_world_ops mock_bare_world_world = {
  WEIR_SIZED (struct weir_world_ops),
  .process = &mock_bare_world_process,
};

static const struct weir_plugin mock_bare_world = {
  WEIR_PLUGIN (mock_bare_world),
  MOCK_TEXTS,
  .world = &mock_bare_world_world,
};

WEIR_PLUGIN_REGISTER (mock_bare_world);
