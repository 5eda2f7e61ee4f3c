/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded init as something to execute.  */
#include "config.h"
#include "core/spawn.h"

#include <errno.h>
#include <pthread.h>

#include "core/util.h"

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static int init_memfd = -1;

int
init_fd (void)
{
  int fd, saved;

  pthread_mutex_lock (&init_lock);
  if (init_memfd < 0)
    init_memfd = util_memfd ("weir-init", init_bytes, init_size, 1);
  fd = init_memfd;
  saved = errno;
  pthread_mutex_unlock (&init_lock);
  errno = saved;
  return fd;
}
