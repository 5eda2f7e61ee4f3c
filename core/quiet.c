/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/quiet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* SIGPIPE of write(2) is directed at the writing thread, so blocking it there and taking it away again is enough.  */
static ssize_t
quiet_write_masked (int fd, const void *bytes, size_t size)
{
  static const struct timespec now = { 0, 0 };
  sigset_t pipe_set, old, pending;
  int was_pending, saved;
  ssize_t n;

  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  sigemptyset (&pending);
  sigpending (&pending);
  was_pending = sigismember (&pending, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe_set, &old);
  n = write (fd, bytes, size);
  saved = errno;
  if (n < 0 && saved == EPIPE && !was_pending)
    while (sigtimedwait (&pipe_set, NULL, &now) < 0 && errno == EINTR)
      ;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
  return n;
}

ssize_t
quiet_write (int fd, const void *bytes, size_t size)
{
  ssize_t n = send (fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

  if (n < 0 && errno == ENOTSOCK)
    n = quiet_write_masked (fd, bytes, size);
  return n;
}

int
quiet_reopen (int fd, int *blocking)
{
  struct stat st;
  int copy = -1, flags;

  *blocking = 0;
  flags = fcntl (fd, F_GETFL);
  if (flags < 0 || fstat (fd, &st) != 0)
    return -1;
  if ((S_ISFIFO (st.st_mode) || S_ISCHR (st.st_mode)) && !(flags & O_NONBLOCK)) {
    char path[40];
    snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
    copy = open (path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (copy >= 0 && copy < 3) {
      int high = fcntl (copy, F_DUPFD_CLOEXEC, 3);
      int saved = errno;
      close (copy);
      errno = saved;
      return high;
    }
    *blocking = copy < 0;
  }
  return copy >= 0 ? copy : fcntl (fd, F_DUPFD_CLOEXEC, 3);
}

int
quiet_same (int a, int b)
{
  struct stat sa, sb;

  if (a == b)
    return 1;
  if (fstat (a, &sa) != 0 || fstat (b, &sb) != 0 || sa.st_dev != sb.st_dev || sa.st_ino != sb.st_ino)
    return 0;
  if (!S_ISREG (sa.st_mode))
    return 1;
  /* Two descriptions of one file at one offset, or both appending: separate writers would overwrite each other or race.  */
  return lseek (a, 0, SEEK_CUR) == lseek (b, 0, SEEK_CUR)
         || (fcntl (a, F_GETFL) & fcntl (b, F_GETFL) & O_APPEND) != 0;
}
