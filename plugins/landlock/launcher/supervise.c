/* SPDX-License-Identifier: Apache-2.0 */
/* The command in a child of the launcher: pid 1 of the new pid namespace, or beneath Weir's init.  The launcher stays
 * outside, passes signals on, and ends as the command ended.  When it is killed, a pidfd of it tells the init, and a
 * parent death signal a command without one.  */
#include "config.h"

#include "plugins/landlock/launcher/launcher.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/init-protocol.h"
#include "core/spawn.h"
#include "core/sys.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

static const int supervise_signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };

struct supervise {
  const struct launcher *launcher;
  int report[2]; /* socket pair: ours, the init's */
  int failed[2]; /* pipe: a child that cannot become what it should writes its struct carry_failure */
  int self; /* pidfd of this process */
  int init; /* memory file of the init, -1: no SUPERVISE */
  int ruleset; /* of the command alone, -1 */
  sigset_t saved; /* mask */
  pid_t child;
};

static void __attribute__ ((noreturn)) supervise_stop (const char *what)
{
  struct carry_failure failure;
  launcher_failure (&failure, WEIR_STAGE_INIT, 0, what);
  launcher_fail (&failure);
}

/* ---- before the child ---- */

static int
supervise_init_file (void)
{
  int fd = memfd_create (WEIR_INIT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

  if (fd < 0 && errno == EINVAL) /* before Linux 6.3 every one is executable */
    fd = memfd_create (WEIR_INIT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || write (fd, init_bytes, init_size) != (ssize_t) init_size
      || fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
    supervise_stop (WEIR_INIT_NAME);
  return fd;
}

/* Where the init is no pid 1, a command of the same user could kill it; Landlock's signal scope keeps it from that.  */
static int
supervise_ruleset (const struct carry *c)
{
  struct sys_landlock_ruleset attr = { .scoped = SYS_LL_SCOPE_SIGNAL };
  int ruleset, enforced = 0;

  for (size_t i = 0; i < c->count; i++)
    enforced |= c->ops[i].kind == WEIR_STEP_LANDLOCK_ENFORCE;
  if (!enforced || (c->namespaces & WEIR_NS_PID) || sys_landlock_abi () < 6)
    return -1;
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &attr, (size_t) SYS_LANDLOCK_RULESET_SCOPED, 0u);
  if (ruleset < 0)
    supervise_stop ("a ruleset");
  return ruleset;
}

static void
supervise_prepare (struct supervise *s)
{
  sigset_t all;

  s->init = s->ruleset = s->report[0] = s->report[1] = -1;
  s->self = (int) syscall (SYS_pidfd_open, getpid (), 0u);
  if (s->self < 0)
    supervise_stop ("a pidfd");
  if (pipe2 (s->failed, O_CLOEXEC))
    supervise_stop ("a pipe");
  if (s->launcher->carry.supervise) {
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s->report))
      supervise_stop ("a socket");
    s->init = supervise_init_file ();
    s->ruleset = supervise_ruleset (&s->launcher->carry);
  }
  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, &s->saved);
}

/* ---- the child ---- */

static int
supervise_pass (int fd)
{
  return fd < 0 ? 0 : fcntl (fd, F_SETFD, 0);
}

/* The init's own descriptors lie above 2 and are closed to the command.  */
static void
supervise_become_init (struct supervise *s, struct carry_failure *failure)
{
  char report[16], harness[16], **argv, **command = s->launcher->argv;
  size_t count = 0;

  while (command[count])
    count++;
  argv = calloc (WEIR_INIT_ARGC + count + 1, sizeof *argv);
  snprintf (report, sizeof report, "%d", s->report[1]);
  snprintf (harness, sizeof harness, "%d", s->self);
  if (!argv || launcher_confine (s->launcher, failure)) {
    if (!argv)
      launcher_failure (failure, WEIR_STAGE_INIT, 0, "");
    return;
  }
  argv[0] = (char[]){ WEIR_INIT_NAME };
  argv[1] = report;
  argv[2] = harness;
  argv[WEIR_INIT_ARGC] = s->launcher->program;
  memcpy (argv + WEIR_INIT_ARGC + 1, command + 1, count * sizeof *argv);
  if (syscall (SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) || supervise_pass (s->report[1])
      || supervise_pass (s->self) || supervise_pass (s->ruleset)) {
    launcher_failure (failure, WEIR_STAGE_STDIO, 0, "descriptors");
    return;
  }
  syscall (SYS_execveat, s->init, "", argv, environ, AT_EMPTY_PATH);
  launcher_failure (failure, WEIR_STAGE_INIT, 0, WEIR_INIT_NAME);
}

static void __attribute__ ((noreturn)) supervise_child (struct supervise *s)
{
  struct carry_failure failure = { 0 };
  struct pollfd parent = { .fd = s->self, .events = POLLIN };

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (poll (&parent, 1, 0) > 0)
    _exit (LAUNCHER_FAILED);
  if (s->init >= 0) {
    setsid (); /* what the terminal sends comes through the launcher, once */
    supervise_become_init (s, &failure);
  }
  else {
    sigprocmask (SIG_SETMASK, &s->saved, NULL);
    launcher_become (s->launcher, &failure);
  }
  if (write (s->failed[1], &failure, sizeof failure) != (ssize_t) sizeof failure)
    _exit (LAUNCHER_FAILED);
  _exit (LAUNCHER_FAILED);
}

/* ---- the launcher ---- */

static void
supervise_send (const struct supervise *s, const struct init_message *message)
{
  if (send (s->report[0], message, sizeof *message, MSG_NOSIGNAL) < 0)
    return; /* the init is gone: its end is seen next */
}

static void
supervise_forward (const struct supervise *s, int signo)
{
  const struct init_message message = { .kind = INIT_SIGNAL, .what = WEIR_SIGNAL_GROUP, .code = signo };

  if (s->init >= 0)
    supervise_send (s, &message);
  else
    kill (s->child, signo);
}

/* Waits until the child is what it should be, or ends with its failure.  */
static void
supervise_await_exec (struct supervise *s)
{
  struct carry_failure failure;
  ssize_t got;

  close (s->failed[1]);
  while ((got = read (s->failed[0], &failure, sizeof failure)) < 0 && errno == EINTR)
    ;
  close (s->failed[0]);
  if (got == (ssize_t) sizeof failure) {
    waitpid (s->child, NULL, 0);
    launcher_fail (&failure);
  }
}

static void __attribute__ ((noreturn)) supervise_end (const struct supervise *s, int signalled, int code)
{
  struct rlimit none = { 0, 0 };
  sigset_t set;

  (void) s;
  if (!signalled)
    exit (code);
  /* Die of it too, but leave no core file of a launcher that did nothing wrong.  */
  setrlimit (RLIMIT_CORE, &none);
  signal (code, SIG_DFL);
  sigemptyset (&set);
  sigaddset (&set, code);
  sigprocmask (SIG_UNBLOCK, &set, NULL);
  raise (code);
  exit (128 + code);
}

static void __attribute__ ((noreturn)) supervise_end_as_child (const struct supervise *s)
{
  int status = 0;

  while (waitpid (s->child, &status, 0) < 0 && errno == EINTR)
    ;
  supervise_end (s, WIFSIGNALED (status), WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
}

/* A message of the init; *end is set by that of the command's end.  0: hung up.  */
static int
supervise_message (struct supervise *s, struct init_message *end)
{
  struct init_message message = { 0 };
  struct carry_failure failure;
  ssize_t got = recv (s->report[0], &message, sizeof message, 0);

  if (got <= 0)
    return got < 0 && errno == EINTR;
  if (message.kind == INIT_STARTED)
    launcher_started ();
  else if (message.kind == INIT_ENDED)
    *end = message;
  else if (message.kind == INIT_FAILED) {
    errno = message.code;
    launcher_failure (&failure, (uint32_t) message.what, 0, s->launcher->program);
    waitpid (s->child, NULL, 0);
    launcher_fail (&failure);
  }
  return 1;
}

static void
supervise_start (struct supervise *s)
{
  const struct init_message start = { .kind = INIT_START, .ruleset_fd = s->ruleset, .program_fd = -1, .last_fd = 2 };

  close (s->report[1]);
  supervise_send (s, &start);
}

static void __attribute__ ((noreturn)) supervise_loop (struct supervise *s)
{
  struct signalfd_siginfo info;
  struct init_message end = { 0 };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  for (size_t i = 0; i < sizeof supervise_signals / sizeof supervise_signals[0]; i++)
    sigaddset (&set, supervise_signals[i]);
  sigprocmask (SIG_SETMASK, &set, NULL);
  int signals = signalfd (-1, &set, SFD_CLOEXEC);
  if (signals < 0)
    supervise_stop ("a signalfd");
  for (;;) {
    struct pollfd polled[] = { { .fd = signals, .events = POLLIN }, { .fd = s->report[0], .events = POLLIN } };
    if (poll (polled, 2, -1) < 0)
      continue;
    if (polled[1].revents && !supervise_message (s, &end)) {
      waitpid (s->child, NULL, 0);
      if (end.kind == INIT_ENDED)
        supervise_end (s, end.what == INIT_SIGNALLED, end.code);
      supervise_end (s, 1, SIGKILL); /* the init was killed, and all with it */
    }
    if (!polled[0].revents || read (signals, &info, sizeof info) != (ssize_t) sizeof info)
      continue;
    if (info.ssi_signo != SIGCHLD)
      supervise_forward (s, (int) info.ssi_signo);
    else if (s->init < 0) {
      siginfo_t ended = { 0 };
      if (waitid (P_PID, (id_t) s->child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == s->child)
        supervise_end_as_child (s);
    }
  }
}

void
launcher_supervise (const struct launcher *launcher)
{
  struct supervise s = { .launcher = launcher };

  supervise_prepare (&s);
  s.child = fork ();
  if (s.child == 0)
    supervise_child (&s);
  if (s.child < 0)
    supervise_stop ("a child");
  supervise_await_exec (&s);
  if (s.init >= 0)
    supervise_start (&s);
  else
    launcher_started ();
  supervise_loop (&s);
}
