/* Signals as numbers read from a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static int signals_pipe[2] = { -1, -1 };
static volatile sig_atomic_t signals_cancel = -1;

static void
signals_note (int signo)
{
  unsigned char byte = (unsigned char) signo;
  uint64_t one = 1;
  int saved = errno;

  /* A full pipe holds more signals than anybody could have meant.  */
  if (write (signals_pipe[1], &byte, 1) < 0)
    errno = saved;
  if (signals_cancel >= 0 && (signo == SIGINT || signo == SIGTERM || signo == SIGHUP || signo == SIGQUIT)
      && write (signals_cancel, &one, sizeof one) < 0)
    errno = saved;
  errno = saved;
}

static void
signals_nothing (int signo)
{
  (void) signo;
}

int
signals_open (const int *list)
{
  struct sigaction action = { .sa_handler = signals_note, .sa_flags = 0 }, old;

  if (pipe2 (signals_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return -1;
  sigemptyset (&action.sa_mask);
  for (; *list != 0; list++)
    if (sigaction (*list, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (*list, &action, NULL);
  action.sa_handler = signals_nothing;
  if (sigaction (SIGPIPE, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction (SIGPIPE, &action, NULL);
  return signals_pipe[0];
}

int
signals_next (int fd)
{
  unsigned char byte;

  return read (fd, &byte, 1) == 1 ? byte : 0;
}

void
signals_cancels (int cancel_fd)
{
  signals_cancel = cancel_fd;
}

void
signals_stop_self (void)
{
  kill (getpid (), SIGSTOP);
}
