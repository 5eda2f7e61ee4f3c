/* SPDX-License-Identifier: Apache-2.0 */
/* A process that was started: how it ended, signals, its terminal.
 *
 * What the init says decides how the command ended; that the init (or the runner that holds it) ended is seen on a
 * pidfd, which works also when the embedder's own waitpid(-1), or an ignored SIGCHLD, took the child away from us.  */
#include "config.h"
#include "core/spawn-internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "core/util.h"

struct process *
process_new (void)
{
  struct process *p = calloc (1, sizeof *p);

  if (p == NULL)
    return NULL;
  if (pthread_mutex_init (&p->lock, NULL) != 0) {
    free (p);
    return NULL;
  }
  p->pidfd = p->inner = p->report = p->status = -1;
  return p;
}

/* ---- what the init says ---- */

static void
process_take_pidfd (struct process *p, struct msghdr *header)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (header); c != NULL; c = CMSG_NXTHDR (header, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN (sizeof (int))) {
      int fd;
      memcpy (&fd, CMSG_DATA (c), sizeof fd);
      util_close_ptr (&p->inner);
      p->inner = fd;
    }
}

static void
process_take (struct process *p, const struct init_message *message, struct init_message *failed)
{
  switch (message->kind) {
  case INIT_STARTED:
    p->started = 1;
    break;
  case INIT_FAILED:
    if (failed != NULL)
      *failed = *message;
    break;
  case INIT_ENDED:
    p->has_end = 1;
    p->end = *message;
    break;
  case INIT_GONE:
    p->gone = 1;
    p->leftover = message->code;
    break;
  default:
    break;
  }
}

int
process_drain (struct process *p, struct init_message *failed)
{
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE (sizeof (int))];
  } control;
  struct init_message message;

  for (;;) {
    struct iovec iov = { &message, sizeof message };
    struct msghdr header = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    ssize_t n = recvmsg (p->report, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno != EAGAIN;
    if (n == 0)
      return 1;
    process_take_pidfd (p, &header);
    if (n == (ssize_t) sizeof message)
      process_take (p, &message, failed);
  }
}

/* ---- waiting ---- */

weir_status
process_await (const weir_call *call, const int *fds, size_t count, weir_error **err)
{
  struct pollfd polled[4];
  int64_t deadline = call != NULL ? call->deadline_ms : 0;

  for (size_t i = 0; i < count; i++)
    polled[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
  polled[count] = (struct pollfd){ .fd = call != NULL ? (int) call->cancel : -1, .events = POLLIN };
  for (;;) {
    int64_t left = deadline == 0 ? -1 : deadline - util_now_ms ();
    int n = poll (polled, count + 1, deadline == 0 ? -1 : left <= 0 ? 0 : left > 3600000 ? 3600000 : (int) left);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return error_set (err, WEIR_E_IO, errno, "wait for a process");
    if (n > 0)
      for (size_t i = 0; i < count; i++)
        if (polled[i].revents != 0)
          return WEIR_OK;
    if (n > 0)
      return error_set (err, WEIR_E_CANCELLED, 0, "the call was cancelled");
    if (n == 0 && deadline != 0 && util_now_ms () >= deadline)
      return error_set (err, WEIR_E_TIMEOUT, 0, "the call's time was up");
  }
}

/* "exit-code": N, of a runner that reports how its command ended.  -1: it never ran, or the runner did not live to see
 * it.  */
static int
process_status_code (struct process *p)
{
  char text[4097];
  size_t size = 0;
  ssize_t n;
  const char *at;
  int code;

  while (size < sizeof text - 1 && (n = read (p->status, text + size, sizeof text - 1 - size)) > 0)
    size += (size_t) n;
  text[size] = '\0';
  at = strstr (text, "\"exit-code\"");
  return at != NULL && sscanf (at, "\"exit-code\" : %d", &code) == 1 ? code : -1;
}

static void
process_end_by_message (struct process *p)
{
  struct weir_exit *exit = &p->exit;

  exit->kind = p->end.what == INIT_EXITED ? WEIR_EXIT_EXITED : WEIR_EXIT_SIGNALLED;
  exit->code = p->end.code;
  exit->cpu_usec = p->end.cpu_usec;
  exit->max_rss = p->end.max_rss;
  if (!p->from_runner)
    return;
  if (p->status < 0) {
    exit->flags |= WEIR_EXIT_FROM_RUNNER;
    return;
  }
  exit->code = process_status_code (p);
  if (exit->code >= 0) {
    exit->kind = WEIR_EXIT_EXITED;
    return;
  }
  exit->kind = WEIR_EXIT_NOT_STARTED;
  exit->step = WEIR_STAGE_RUNNER;
  exit->code = p->end.code;
  snprintf (exit->detail, sizeof exit->detail, "it ended with status %d and did not report the command's end",
            p->end.code);
}

/* What we started has ended.  An init inside a runner that went before it is ended now: nobody watches the rest.  */
static void
process_finish (struct process *p)
{
  struct rusage usage;
  int inner_gone = 0;

  memset (&usage, 0, sizeof usage);
  spawn_pidfd_reap (p->pidfd, 0, &usage, NULL);
  if (p->inner >= 0) {
    if (!spawn_fd_ready (p->inner, 0))
      spawn_pidfd_signal (p->inner, SIGKILL);
    inner_gone = spawn_fd_ready (p->inner, SPAWN_GONE_MS);
  }
  process_drain (p, NULL);
  p->exit.struct_size = sizeof p->exit;
  if (p->has_end)
    process_end_by_message (p);
  else {
    p->exit.kind = p->killed ? WEIR_EXIT_SIGNALLED : WEIR_EXIT_LOST;
    p->exit.code = p->killed ? SIGKILL : 0;
    p->exit.cpu_usec = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
                       + (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    p->exit.max_rss = (uint64_t) usage.ru_maxrss * 1024;
  }
  if (p->is_pid1 || inner_gone || (p->gone && p->leftover == 0))
    p->exit.flags |= WEIR_EXIT_TREE_GONE;
  p->done = 1;
}

static void
process_exit_copy (const struct weir_exit *from, struct weir_exit *to)
{
  size_t size = to->struct_size != 0 && to->struct_size < sizeof *to ? to->struct_size : sizeof *to;

  memcpy (to, from, size);
  to->struct_size = (uint32_t) size;
}

weir_status
process_wait (const weir_call *call, struct weir_process *process, struct weir_exit *exit, weir_error **err)
{
  struct process *p = process->handle;
  weir_status status;

  if (p == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "wait for a process that was not started");
  status = process_await (call, &p->pidfd, 1, err);
  if (status != WEIR_OK)
    return status;
  pthread_mutex_lock (&p->lock);
  if (!p->done)
    process_finish (p);
  process_exit_copy (&p->exit, exit);
  pthread_mutex_unlock (&p->lock);
  return WEIR_OK;
}

/* ---- signals ---- */

static int
process_tell (struct process *p, uint32_t scope, int signo)
{
  struct init_message message = { .kind = INIT_SIGNAL, .what = (int32_t) scope, .code = signo };

  return send (p->report, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* A runner that has not come to execute the init.  What it made so far is in its group, which is its number as long as
 * it was not reaped; what it made in a new session finds the report socket hung up when it executes the init.  */
static void
process_kill_runner (struct process *p)
{
  if (p->group > 0 && spawn_pidfd_signal (p->pidfd, 0) == 0)
    kill (-p->group, SIGKILL);
  spawn_pidfd_signal (p->pidfd, SIGKILL);
}

/* Kills every process and waits until they are gone.  0; -1: something is left after the time that this may take.  */
static int
process_kill_tree (struct process *p)
{
  p->killed = 1;
  if (p->is_pid1)
    spawn_pidfd_signal (p->pidfd, SIGKILL);
  else if (p->inner >= 0) {
    spawn_pidfd_signal (p->inner, SIGKILL);
    if (!spawn_fd_ready (p->inner, SPAWN_GONE_MS))
      return -1;
    if (!spawn_fd_ready (p->pidfd, SPAWN_GONE_MS / 4))
      process_kill_runner (p);
  }
  else if (!p->started) {
    process_kill_runner (p);
  }
  else {
    /* A subreaper has to live to find its descendants; it may have been stopped.  */
    spawn_pidfd_signal (p->pidfd, SIGCONT);
    if (process_tell (p, WEIR_SIGNAL_TREE, SIGKILL) < 0 || !spawn_fd_ready (p->pidfd, SPAWN_GONE_MS))
      spawn_pidfd_signal (p->pidfd, SIGKILL);
  }
  return spawn_fd_ready (p->pidfd, SPAWN_GONE_MS) ? 0 : -1;
}

/* The kernel sends three signals for the other side of a terminal; the rest goes to the group that is in the foreground
 * now.  */
static int
process_signal_foreground (const struct weir_process *process, int signo)
{
  int master = (int) process->streams[0];
  pid_t group;

  if (signo == SIGINT || signo == SIGQUIT || signo == SIGTSTP)
    return ioctl (master, TIOCSIG, signo);
  group = tcgetpgrp (master);
  if (group <= 1) {
    errno = ESRCH;
    return -1;
  }
  return kill (-group, signo);
}

static weir_status
process_signal_locked (struct weir_process *process, struct process *p, uint32_t scope, int signo, weir_error **err)
{
  int sent;

  if (scope == WEIR_SIGNAL_TREE && signo == SIGKILL) {
    if (p->done || spawn_fd_ready (p->pidfd, 0))
      return WEIR_OK;
    return process_kill_tree (p) == 0
               ? WEIR_OK
               : error_set (err, WEIR_E_TIMEOUT, 0,
                            "a process of the command did not end in %d seconds after it was killed",
                            SPAWN_GONE_MS / 1000);
  }
  if (p->done || spawn_fd_ready (p->pidfd, 0))
    return error_set (err, WEIR_E_NOT_FOUND, ESRCH, "signal a command that has ended");
  sent = scope == WEIR_SIGNAL_FOREGROUND ? process_signal_foreground (process, signo) : process_tell (p, scope, signo);
  if (sent < 0)
    return error_set (err, errno == ESRCH || errno == EPIPE || errno == ECONNRESET ? WEIR_E_NOT_FOUND : WEIR_E_IO,
                      errno, "send signal %d to the command", signo);
  return WEIR_OK;
}

weir_status
process_signal (const weir_call *call, struct weir_process *process, uint32_t scope, int signo, weir_error **err)
{
  struct process *p = process->handle;
  weir_status status;

  (void) call; /* a kill is waited for after the deadline too: that is when it is sent */
  if (p == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "signal a process that was not started");
  if (signo < 1 || signo >= NSIG || scope > WEIR_SIGNAL_TREE)
    return error_set (err, WEIR_E_INVALID, 0, "signal %d to scope %u: there is no such signal or scope", signo, scope);
  if (scope == WEIR_SIGNAL_FOREGROUND && (!p->terminal || process->streams[0] < 0))
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "signal the foreground group of a command without a terminal");
  pthread_mutex_lock (&p->lock);
  status = process_signal_locked (process, p, scope, signo, err);
  pthread_mutex_unlock (&p->lock);
  return status;
}

/* ---- streams ---- */

weir_status
process_resize (struct weir_process *process, uint16_t rows, uint16_t columns, weir_error **err)
{
  struct process *p = process->handle;
  struct winsize size = { .ws_row = rows, .ws_col = columns };

  if (p == NULL || !p->terminal || process->streams[0] < 0)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "resize a command without a terminal");
  return ioctl ((int) process->streams[0], TIOCSWINSZ, &size) < 0
             ? error_set (err, WEIR_E_IO, errno, "resize a terminal")
             : WEIR_OK;
}

/* A terminal has no end to close: its end-of-file character says it, where lines are read.  */
static weir_status
process_end_of_file (int master, weir_error **err)
{
  struct termios modes;

  if (tcgetattr (master, &modes) < 0)
    return error_set (err, WEIR_E_IO, errno, "ask a terminal for its modes");
  if (!(modes.c_lflag & ICANON))
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "end the input of a terminal that is in raw mode");
  return write (master, &modes.c_cc[VEOF], 1) != 1 ? error_set (err, WEIR_E_IO, errno, "write to a terminal") : WEIR_OK;
}

weir_status
process_close_stdin (struct weir_process *process, weir_error **err)
{
  struct process *p = process->handle;

  if (p == NULL || process->streams[0] < 0)
    return WEIR_OK;
  if (p->terminal)
    return process_end_of_file ((int) process->streams[0], err);
  close ((int) process->streams[0]);
  process->streams[0] = -1;
  return WEIR_OK;
}

/* ---- the end ---- */

void
process_destroy (struct process *p)
{
  if (p == NULL)
    return;
  if (p->pidfd >= 0 && !p->done) {
    if (!spawn_fd_ready (p->pidfd, 0))
      process_kill_tree (p);
    process_finish (p);
  }
  util_close_ptr (&p->pidfd);
  util_close_ptr (&p->inner);
  util_close_ptr (&p->report);
  util_close_ptr (&p->status);
  pthread_mutex_destroy (&p->lock);
  free (p);
}

weir_status
process_release (struct weir_process *process, weir_error **err)
{
  (void) err;
  process_destroy (process->handle);
  process->handle = NULL;
  process->ended = -1;
  for (int i = 0; i < 3; i++) {
    if (process->streams[i] >= 0)
      close ((int) process->streams[i]);
    process->streams[i] = -1;
  }
  return WEIR_OK;
}
