/* Its create leaves a thread running, until the process ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

#include <pthread.h>
#include <unistd.h>

static pthread_t thread;

static void *
mock_leaks_thread_run (void *data)
{
  for (;;)
    pause ();
  return data;
}

static weir_status
mock_leaks_thread_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  (void) log;
  (void) config;
  (void) self;
  return pthread_create (&thread, NULL, mock_leaks_thread_run, NULL) == 0
           ? WEIR_OK
           : weir_error_set (err, WEIR_E_IO, 0, "start a thread");
}

static const struct weir_plugin mock_leaks_thread = {
  WEIR_PLUGIN (mock_leaks_thread),
  MOCK_TEXTS,
  .threading = WEIR_PARALLEL,
  .create = mock_leaks_thread_create,
  .sandbox = &mock_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_leaks_thread);
