/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors that a child is given: its standard streams and those that the plan numbers.  */
#include "config.h"
#include "core/spawn-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/util.h"

static int
spawn_stdio_fail (struct carry_failure *failure, int errnum, const char *what)
{
  memset (failure, 0, sizeof *failure);
  failure->step = WEIR_STAGE_STDIO;
  failure->errnum = errnum;
  snprintf (failure->detail, sizeof failure->detail, "%s", what);
  return -1;
}

int
spawn_fds_add (struct spawn_fds *fds, int source, int number)
{
  if (fds->count == fds->room) {
    size_t room = fds->room == 0 ? 16 : fds->room * 2;
    struct spawn_fd *items = realloc (fds->items, room * sizeof *items);
    if (items == NULL)
      return -1;
    fds->items = items;
    fds->room = room;
  }
  fds->items[fds->count].source = source;
  fds->items[fds->count++].number = number;
  if (number >= fds->first_free)
    fds->first_free = number + 1;
  return 0;
}

static int
spawn_nonblock (int fd)
{
  int flags = fcntl (fd, F_GETFL);
  return flags < 0 ? -1 : fcntl (fd, F_SETFL, flags | O_NONBLOCK);
}

/* The master's number in ours[0]; the other side becomes 0, 1 and 2.  TIOCGPTPEER needs no path, so it works whatever
 * /dev/pts is mounted where.  */
static int
spawn_io_terminal (const struct weir_stdio *stdio, struct spawn_io *io)
{
  struct winsize size = { .ws_row = stdio->rows, .ws_col = stdio->columns };
  auto_close int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  auto_close int peer = -1;

  if (master < 0 || grantpt (master) < 0 || unlockpt (master) < 0)
    return -1;
  peer = ioctl (master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (peer < 0 || ((size.ws_row != 0 || size.ws_col != 0) && ioctl (master, TIOCSWINSZ, &size) < 0)
      || spawn_nonblock (master) < 0)
    return -1;
  io->child[0] = io->child[1] = io->child[2] = peer;
  io->owned[0] = steal_fd (&peer);
  io->ours[0] = steal_fd (&master);
  io->terminal = 1;
  return 0;
}

static int
spawn_io_pipe (struct spawn_io *io, int which)
{
  int ends[2], mine = which == 0 ? 1 : 0;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  io->child[which] = io->owned[which] = ends[1 - mine];
  io->ours[which] = ends[mine];
  return spawn_nonblock (ends[mine]);
}

static int
spawn_io_one (const struct weir_stdio *stdio, struct spawn_io *io, int which, struct carry_failure *failure)
{
  static const char *const names[3] = { "standard input", "standard output", "standard error" };

  switch (stdio->kind[which]) {
  case WEIR_STDIO_NULL:
    io->child[which] = io->owned[which] = open ("/dev/null", O_RDWR | O_CLOEXEC);
    return io->child[which] < 0 ? spawn_stdio_fail (failure, errno, "/dev/null") : 0;
  case WEIR_STDIO_INHERIT:
    io->child[which] = (int) stdio->fd[which];
    return fcntl (io->child[which], F_GETFD) < 0 ? spawn_stdio_fail (failure, errno, names[which]) : 0;
  case WEIR_STDIO_PIPE:
    return spawn_io_pipe (io, which) < 0 ? spawn_stdio_fail (failure, errno, "a pipe") : 0;
  default:
    return spawn_stdio_fail (failure, EINVAL, names[which]);
  }
}

int
spawn_io_open (const struct weir_stdio *stdio, struct spawn_io *io, struct carry_failure *failure)
{
  for (int i = 0; i < 3; i++)
    io->child[i] = io->owned[i] = io->ours[i] = -1;
  io->terminal = 0;
  if (stdio->kind[0] == WEIR_STDIO_PTY || stdio->kind[1] == WEIR_STDIO_PTY || stdio->kind[2] == WEIR_STDIO_PTY) {
    if (stdio->kind[0] != stdio->kind[1] || stdio->kind[0] != stdio->kind[2])
      return spawn_stdio_fail (failure, EINVAL, "a terminal for some of the streams only");
    return spawn_io_terminal (stdio, io) < 0 ? spawn_stdio_fail (failure, errno, "a pseudo-terminal") : 0;
  }
  for (int i = 0; i < 3; i++)
    if (spawn_io_one (stdio, io, i, failure) < 0)
      return -1;
  return 0;
}

void
spawn_io_close_child (struct spawn_io *io)
{
  for (int i = 0; i < 3; i++) {
    util_close_ptr (&io->owned[i]);
    io->owned[i] = -1;
  }
}

void
spawn_io_free (struct spawn_io *io)
{
  spawn_io_close_child (io);
  for (int i = 0; i < 3; i++) {
    util_close_ptr (&io->ours[i]);
    io->ours[i] = -1;
  }
}

/* Identity as the plan recorded it, so that a path replaced since is noticed.  */
static int
spawn_open_path (const struct plan_fd *fd)
{
  struct stat st;
  auto_close int opened = open (fd->path, O_PATH | O_CLOEXEC);

  if (opened < 0)
    return -1;
  if (fd->ino != 0) {
    if (fstat (opened, &st) < 0)
      return -1;
    if (st.st_dev != fd->dev || st.st_ino != fd->ino) {
      errno = ESTALE;
      return -1;
    }
  }
  return steal_fd (&opened);
}

static int
spawn_status_pipe (struct spawn_plan_fds *out)
{
  int ends[2];

  if (out->status >= 0) {
    errno = EINVAL;
    return -1;
  }
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  out->status = ends[0];
  if (spawn_nonblock (ends[0]) < 0) {
    close (ends[1]);
    return -1;
  }
  return ends[1];
}

/* What the number stands for.  *borrowed: it is not ours to close.  -1: errno.  */
static int
spawn_plan_fd_open (const struct plan_fd *fd, int report, int harness, struct spawn_plan_fds *out, int *borrowed)
{
  const void *program;
  size_t count;

  *borrowed = 0;
  switch (fd->purpose) {
  case WEIR_FD_STATUS_JSON:
    return spawn_status_pipe (out);
  case WEIR_FD_SECCOMP:
    program = filter_program (fd->value, &count);
    if (program == NULL) {
      errno = EINVAL;
      return -1;
    }
    return util_memfd ("weir-filter", program, count * 8, 0);
  case WEIR_FD_PATH:
    return spawn_open_path (fd);
  case WEIR_FD_DATA:
    return util_memfd ("weir-data", fd->path, strlen (fd->path), 0);
  case WEIR_FD_INIT:
    *borrowed = 1;
    return init_fd ();
  case WEIR_FD_REPORT:
    *borrowed = 1;
    return report;
  case WEIR_FD_HARNESS:
    *borrowed = 1;
    return harness;
  default:
    errno = EINVAL;
    return -1;
  }
}

int
spawn_plan_fds_open (const weir_plan *plan, int report, int harness, struct spawn_fds *fds, struct spawn_plan_fds *out,
                     struct carry_failure *failure)
{
  memset (failure, 0, sizeof *failure);
  failure->step = WEIR_STAGE_RUNNER;
  out->count = 0;
  out->status = -1;
  out->opened = plan->fd_count == 0 ? NULL : malloc (plan->fd_count * sizeof *out->opened);
  if (plan->fd_count != 0 && out->opened == NULL) {
    failure->errnum = ENOMEM;
    return -1;
  }
  for (size_t i = 0; i < plan->fd_count; i++) {
    const struct plan_fd *want = &plan->fds[i];
    int borrowed, fd = -1;

    errno = EINVAL;
    if (want->number >= 3 && want->number < SPAWN_MAX_FD)
      fd = spawn_plan_fd_open (want, report, harness, out, &borrowed);
    if (fd >= 0 && !borrowed)
      out->opened[out->count++] = fd;
    if (fd < 0 || spawn_fds_add (fds, fd, want->number) < 0) {
      failure->errnum = errno;
      snprintf (failure->detail, sizeof failure->detail, "%s", want->path != NULL ? want->path : "a descriptor");
      return -1;
    }
  }
  return 0;
}

void
spawn_plan_fds_free (struct spawn_plan_fds *fds)
{
  for (size_t i = 0; i < fds->count; i++)
    close (fds->opened[i]);
  free (fds->opened);
  util_close_ptr (&fds->status);
  fds->opened = NULL;
  fds->count = 0;
  fds->status = -1;
}
