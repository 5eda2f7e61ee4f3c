/* SPDX-License-Identifier: Apache-2.0 */
/* Weir's init: pid 1 of a command's pid namespace, or the subreaper above it.  core/init-protocol.h says how it is
 * talked to.
 *
 * It has no C library: it is executed once for each command, and starting a libc would cost more than all that it does.
 * Every signal is blocked from before its exec on, and read from a descriptor; it handles none and is killed by KILL
 * only.  */
#include "core/init-protocol.h"
#include "init/raw.h"
#include "init/tree.h"

#define SIGNAL_LEADER 0 /* WEIR_SIGNAL_* and WEIR_STAGE_*: plugin.h is for hosted programs */
#define SIGNAL_GROUP 1
#define SIGNAL_TREE 3
#define STAGE_CLONE 101
#define STAGE_STDIO 102
#define STAGE_EXEC 104
#define STAGE_INIT 106

#define PR_SET_PDEATHSIG 1
#define PR_SET_DUMPABLE 4
#define PR_SET_NAME 15
#define PR_SET_CHILD_SUBREAPER 36
#define CLONE_VM_VFORK 0x4100
#define CLOSE_RANGE_CLOEXEC 4
#define TIOCSCTTY 0x540e
#define SIG_SETMASK 2
#define SFD_CLOEXEC RAW_O_CLOEXEC
#define MSG_QUIET 0x4040 /* DONTWAIT | NOSIGNAL */
#define SCM_RIGHTS 1
#define SOL_SOCKET 1

RAW_START;
RAW_CLONE_CALL;

static int report, harness, is_pid1;
static struct init_message start;
static char **command, **environment;
static int leader; /* pid of the command, 0: not started or ended */
static int exec_stage;
static volatile long exec_error; /* of the child, which shares our memory until its exec */

/* The compiler may call these for itself.  */
void *memset (void *, int, size_t);
void *memcpy (void *, const void *, size_t);
void init_main (long *);

void *
memset (void *to, int byte, size_t n)
{
  for (volatile char *at = to; n > 0; n--)
    *at++ = (char) byte;
  return to;
}

void *
memcpy (void *to, const void *from, size_t n)
{
  volatile char *at = to;
  for (const char *source = from; n > 0; n--)
    *at++ = *source++;
  return to;
}

static int
number (const char *text)
{
  int n = 0;

  if (*text == '-')
    return -1;
  for (; *text >= '0' && *text <= '9'; text++)
    n = n * 10 + (*text - '0');
  return n;
}

static void
send_message (struct init_message *message, int fd)
{
  struct raw_iovec iov = { message, sizeof *message };
  struct raw_rights rights = { sizeof rights - sizeof rights.padding, SOL_SOCKET, SCM_RIGHTS, fd, 0 };
  struct raw_msghdr header = { NULL, 0, &iov, 1, fd >= 0 ? &rights : NULL, fd >= 0 ? sizeof rights : 0, 0 };

  raw3 (sendmsg, report, &header, MSG_QUIET);
}

static __attribute__ ((noreturn)) void
leave (void)
{
  for (;;)
    raw1 (exit_group, 0);
}

static __attribute__ ((noreturn)) void
fail (int stage, long error, uint32_t flags)
{
  struct init_message message = { .kind = INIT_FAILED, .flags = flags, .what = stage, .code = (int32_t) -error };

  send_message (&message, -1);
  leave ();
}

static void
reaped (int pid, int status, const void *data)
{
  const struct raw_rusage *usage = data;
  struct init_message message = { .kind = INIT_ENDED };

  if (pid != leader)
    return;
  leader = 0;
  message.what = (status & 0x7f) == 0 ? INIT_EXITED : INIT_SIGNALLED;
  message.code = (status & 0x7f) == 0 ? status >> 8 & 0xff : status & 0x7f;
  message.cpu_usec =
      (uint64_t) ((usage->user_sec + usage->system_sec) * 1000000 + usage->user_usec + usage->system_usec);
  message.max_rss = (uint64_t) usage->max_rss * 1024;
  send_message (&message, -1);
}

/* As pid 1 our own end is the tree's: the kernel kills the rest of the namespace before anybody sees us gone.  */
static __attribute__ ((noreturn)) void
end_all (void)
{
  struct init_message message = { .kind = INIT_GONE };

  if (!is_pid1) {
    message.code = tree_kill (reaped);
    send_message (&message, -1);
  }
  leave ();
}

static void
reap (void)
{
  struct raw_rusage usage;
  int status;
  long pid;

  while ((pid = raw4 (wait4, -1, &status, RAW_WNOHANG | RAW_WALL, &usage)) > 0 || pid == -RAW_EINTR)
    if (pid > 0 && pid == leader) {
      reaped ((int) pid, status, &usage);
      end_all ();
    }
}

/* Between vfork and exec, in our memory.  Never touches the dumpable flag, which is the memory's and so ours too.  */
static void
child (void *unused)
{
  static const uint64_t none[4]; /* a struct sigaction of the kernel: default, no flags */
  const uint64_t *empty_mask = none;

  (void) unused;
  raw0 (setsid);
  if ((start.flags & INIT_TERMINAL) && (exec_error = raw3 (ioctl, 0, TIOCSCTTY, 0)) < 0) {
    exec_stage = STAGE_STDIO;
    return;
  }
  /* An ignored signal stays ignored over exec.  */
  for (int signo = 1; signo <= 64; signo++)
    if (signo != RAW_SIGKILL && signo != RAW_SIGSTOP)
      raw4 (rt_sigaction, signo, none, NULL, 8);
  if (start.ruleset_fd >= 0 && (exec_error = raw2 (landlock_restrict_self, start.ruleset_fd, 0)) < 0) {
    exec_stage = STAGE_INIT;
    return;
  }
  if ((exec_error = raw3 (close_range, start.last_fd + 1, ~0u, CLOSE_RANGE_CLOEXEC)) < 0) {
    exec_stage = STAGE_INIT;
    return;
  }
  raw4 (rt_sigprocmask, SIG_SETMASK, empty_mask, NULL, 8);
  exec_stage = STAGE_EXEC;
  if (start.program_fd >= 0)
    exec_error = raw5 (execveat, start.program_fd, "", command, environment, RAW_AT_EMPTY_PATH);
  else
    exec_error = raw3 (execve, command[0], command, environment);
}

/* Keeps what was wrapped for the command, unwrapped.  */
static void
unwrap_environment (void)
{
  static const char wrap[] = INIT_WRAP;
  char **to = environment;

  for (char **from = environment; *from != NULL; from++) {
    unsigned i = 0;
    while (wrap[i] != '\0' && (*from)[i] == wrap[i])
      i++;
    if (wrap[i] == '\0')
      *to++ = *from + i;
  }
  *to = NULL;
}

static void
start_command (void)
{
  struct init_message message = { .kind = INIT_STARTED };
  char stack[2048] __attribute__ ((aligned (16))); /* of the child: on our own, whose page is there already */
  int pidfd = -1;
  long pid;

  pid = raw_clone_call (CLONE_VM_VFORK | RAW_SIGCHLD, stack + sizeof stack, child, NULL);
  if (pid < 0)
    fail (STAGE_CLONE, pid, 0);
  if (exec_error < 0)
    fail (exec_stage, exec_error,
          exec_stage == STAGE_EXEC && raw3 (faccessat, RAW_AT_FDCWD, command[0], 0) == 0 ? INIT_PROGRAM_EXISTS : 0);
  leader = message.code = (int) pid;
  if (start.flags & INIT_SEND_PIDFD)
    pidfd = (int) raw2 (pidfd_open, raw0 (getpid), 0);
  send_message (&message, pidfd);
  if (pidfd >= 0)
    raw1 (close, pidfd);
}

static void
send_signal (int scope, int signo)
{
  if (scope == SIGNAL_TREE && signo == RAW_SIGKILL)
    end_all ();
  if (leader == 0)
    return;
  if (scope == SIGNAL_TREE && is_pid1)
    raw2 (kill, -1, signo); /* all of the namespace but us */
  else if (scope == SIGNAL_TREE)
    tree_signal (signo);
  else
    raw2 (kill, scope == SIGNAL_LEADER ? leader : -leader, signo);
}

/* A packet: 0 when there is none after all.  */
static void
take_message (void)
{
  struct init_message message;
  long n = raw5 (recvfrom, report, &message, sizeof message, 0x40 /* DONTWAIT */, NULL);

  if (n == 0) /* hung up */
    end_all ();
  if (n != (long) sizeof message)
    return;
  if (message.kind == INIT_START && leader == 0) {
    start = message;
    if (start.flags & INIT_UNWRAP)
      unwrap_environment ();
    start_command ();
  }
  else if (message.kind == INIT_SIGNAL)
    send_signal (message.what, message.code);
}

static void
take_signal (int fd)
{
  struct {
    uint32_t signo;
    char rest[124];
  } info; /* signalfd_siginfo */

  if (raw3 (read, fd, &info, sizeof info) != (long) sizeof info)
    return;
  if (info.signo == RAW_SIGCHLD)
    reap ();
  else
    send_signal (SIGNAL_GROUP, (int) info.signo);
}

static int
prepare (void)
{
  static const uint64_t none[4];
  uint64_t all = ~UINT64_C (0), mine;
  int fd;

  /* The spawner had us killed at its own death until here; from here on the pidfd tells.  */
  raw2 (prctl, PR_SET_PDEATHSIG, 0);
  raw2 (prctl, PR_SET_DUMPABLE, 0);
  raw2 (prctl, PR_SET_NAME, WEIR_INIT_NAME);
  if (!is_pid1)
    raw2 (prctl, PR_SET_CHILD_SUBREAPER, 1);
  /* An ignored CHLD would reap for us.  */
  raw4 (rt_sigaction, RAW_SIGCHLD, none, NULL, 8);
  raw4 (rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  mine = UINT64_C (1) << (RAW_SIGCHLD - 1) | UINT64_C (1) << (RAW_SIGTERM - 1) | UINT64_C (1) << (RAW_SIGINT - 1)
         | UINT64_C (1) << (RAW_SIGHUP - 1) | UINT64_C (1) << (RAW_SIGQUIT - 1);
  fd = (int) raw4 (signalfd4, -1, &mine, 8, SFD_CLOEXEC);
  if (fd < 0)
    fail (STAGE_INIT, fd, 0);
  return fd;
}

void
init_main (long *stack)
{
  struct raw_pollfd polled[3] = { 0 };
  long argc = stack[0];

  command = (char **) (stack + 1);
  environment = command + argc + 1;
  if (argc <= WEIR_INIT_ARGC)
    leave ();
  report = number (command[1]);
  harness = number (command[2]);
  command += WEIR_INIT_ARGC;
  is_pid1 = raw0 (getpid) == 1;
  polled[0].fd = harness; /* negative: skipped */
  polled[1].fd = report;
  polled[2].fd = prepare ();
  polled[0].events = polled[1].events = polled[2].events = RAW_POLLIN;
  for (;;) {
    if (raw5 (ppoll, polled, 3, NULL, NULL, 8) < 0)
      continue;
    if (polled[0].revents != 0)
      end_all ();
    if (polled[1].revents != 0)
      take_message ();
    if (polled[2].revents != 0)
      take_signal (polled[2].fd);
  }
}
