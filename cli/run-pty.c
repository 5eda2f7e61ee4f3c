/* Our terminal, proxied to the one that the command has: keys go through as bytes (the interrupt and stop keys too: the command's
 * terminal makes signals of them), output comes back, a change of size is passed on.
 *
 *   terminal --0--> in --> master        master --> out --1--> terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* For the handlers below, which have no argument.  */
static struct pty *volatile pty_current;

static void
pty_restore (struct pty *pty)
{
  if (!pty->raw)
    return;
  pty->raw = 0;
  /* From the background this would stop us with TTOU, and the terminal is somebody else's then.  */
  if (tcgetpgrp (0) == getpgrp ())
    tcsetattr (0, TCSADRAIN, &pty->saved);
}

static void
pty_make_raw (struct pty *pty)
{
  struct termios raw;

  if (pty->raw || tcgetpgrp (0) != getpgrp () || tcgetattr (0, &pty->saved) != 0)
    return;
  raw = pty->saved;
  cfmakeraw (&raw);
  pty->raw = tcsetattr (0, TCSADRAIN, &raw) == 0;
}

static void
pty_at_exit (void)
{
  if (pty_current != NULL)
    pty_restore (pty_current);
}

static void
pty_at_crash (int signo)
{
  pty_at_exit (); /* tcsetattr, tcgetpgrp and getpgrp are async-signal-safe */
  raise (signo);  /* SA_RESETHAND: now it takes its course */
}

/* Signals that end us without passing the loop.  */
static void
pty_guard (void)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGALRM, SIGXCPU, SIGXFSZ };
  struct sigaction action = { .sa_handler = pty_at_crash, .sa_flags = (int) SA_RESETHAND };

  sigemptyset (&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    sigaction (signals[i], &action, NULL);
  atexit (pty_at_exit);
}

void
pty_size (struct weir_request *request)
{
  struct winsize size;

  if (ioctl (0, TIOCGWINSZ, &size) == 0) {
    request->rows = size.ws_row;
    request->columns = size.ws_col;
  }
}

void
pty_open (struct pty *pty, weir_job *job)
{
  int flags;

  pty->job = job;
  pty->master = (int) weir_job_stream (job, 0);
  if (pty->master < 0)
    return;
  flags = fcntl (pty->master, F_GETFL);
  if (flags >= 0)
    fcntl (pty->master, F_SETFL, flags | O_NONBLOCK);
  pty->active = 1;
  pty_current = pty;
  pty_guard ();
  pty_make_raw (pty);
}

static int
pty_wants (const struct pty_flow *f)
{
  return !f->from_ended && !f->to_ended && f->start == f->end;
}

static int
pty_has (const struct pty_flow *f)
{
  return !f->to_ended && f->start < f->end;
}

void
pty_polls (struct pty *pty, struct pollfd *polls)
{
  int on = pty->active;

  polls[0] = (struct pollfd) { .fd = on && pty_wants (&pty->in) ? 0 : -1, .events = POLLIN };
  polls[1] = (struct pollfd) { .fd = on && pty_has (&pty->in) ? pty->master : -1, .events = POLLOUT };
  polls[2] = (struct pollfd) { .fd = on && pty_wants (&pty->out) ? pty->master : -1, .events = POLLIN };
  polls[3] = (struct pollfd) { .fd = on && pty_has (&pty->out) ? 1 : -1, .events = POLLOUT };
}

static int
pty_again (void)
{
  return errno == EAGAIN || errno == EINTR;
}

static void
pty_read (struct pty_flow *f, int fd)
{
  ssize_t n = read (fd, f->data, sizeof f->data);

  f->start = 0;
  f->end = n > 0 ? (size_t) n : 0;
  /* EIO: the last holder of the other side is gone, or the terminal hung up.  */
  if (n == 0 || (n < 0 && !pty_again ()))
    f->from_ended = 1;
}

static void
pty_write (struct pty_flow *f, int fd)
{
  ssize_t n = write (fd, f->data + f->start, f->end - f->start);

  if (n > 0)
    f->start += (size_t) n;
  else if (n < 0 && !pty_again ())
    f->to_ended = 1;
}

static void
pty_read_output (struct pty *pty)
{
  pty_read (&pty->out, pty->master);
  weir_job_note_output (pty->job, 1, pty->out.data, pty->out.end);
}

void
pty_move (struct pty *pty, const struct pollfd *polls)
{
  if (polls[0].revents != 0)
    pty_read (&pty->in, 0);
  if (polls[1].revents != 0)
    pty_write (&pty->in, pty->master);
  if (polls[2].revents != 0)
    pty_read_output (pty);
  if (polls[3].revents != 0)
    pty_write (&pty->out, 1);
}

void
pty_resized (struct pty *pty)
{
  struct winsize size;

  if (pty->active && ioctl (0, TIOCGWINSZ, &size) == 0)
    weir_job_resize (pty->job, size.ws_row, size.ws_col, NULL);
}

void
pty_pause (struct pty *pty)
{
  if (pty->active)
    pty_restore (pty);
}

void
pty_continue (struct pty *pty)
{
  if (!pty->active)
    return;
  /* Whoever had the terminal in the meantime may have left it in any state: what is there now is what to return to.  After a
   * SIGSTOP we still believe it to be raw, and a shell has put its own settings back.  */
  if (pty->raw && tcgetpgrp (0) == getpgrp ()) {
    struct termios now;

    if (tcgetattr (0, &now) == 0 && (now.c_lflag & ICANON) != 0)
      pty->raw = 0;
  }
  pty_make_raw (pty);
  pty_resized (pty);
}

void
pty_close (struct pty *pty)
{
  if (!pty->active)
    return;
  while (!pty->out.to_ended && !pty->out.from_ended) {
    while (pty_has (&pty->out))
      pty_write (&pty->out, 1);
    pty_read_output (pty);
    if (pty->out.end == 0)
      break;
  }
  pty_restore (pty);
  pty_current = NULL;
  pty->active = 0;
}
