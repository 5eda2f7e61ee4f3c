/* SPDX-License-Identifier: Apache-2.0 */
/* Reaching a process outside, and the supervisor inside.  */
#include "attack.h"

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* Marks, in attack_processes: the signal is SIGRTMIN + mark, the byte of the victim's memory memory + mark.  */
enum { KILL = 1, TKILL, TGKILL, PIDFD, QUEUE, TGQUEUE, GROUP, OWNER, VM_WRITE, PROC_MEM, POKE };
#define SIGNAL_OF(mark) (34 + 2 + (mark)) /* musl and glibc keep the first ones */

static int
kill_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_kill, c->pid, SIGNAL_OF (KILL)));
}
static int
tkill_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_tkill, c->pid, SIGNAL_OF (TKILL)));
}
static int
tgkill_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_tgkill, c->pid, c->pid, SIGNAL_OF (TGKILL)));
}
static int
pidfd_signal (const struct attack_context *c)
{
  int fd = (int) syscall (NR_PIDFD_OPEN, c->pid, 0);
  return fd < 0 ? -1 : attack_result (syscall (424, fd, SIGNAL_OF (PIDFD), NULL, 0));
}
static int
queue_call (const struct attack_context *c)
{
  siginfo_t info = { .si_code = SI_QUEUE };
  return attack_result (syscall (SYS_rt_sigqueueinfo, c->pid, SIGNAL_OF (QUEUE), &info));
}
static int
tgqueue_call (const struct attack_context *c)
{
  siginfo_t info = { .si_code = SI_QUEUE };
  return attack_result (syscall (SYS_rt_tgsigqueueinfo, c->pid, c->pid, SIGNAL_OF (TGQUEUE), &info));
}
static int
kill_group (const struct attack_context *c) /* the victim leads a group of its own */
{
  return attack_result (syscall (SYS_kill, -c->pid, SIGNAL_OF (GROUP)));
}
static int
owner_signal (const struct attack_context *c)
{
  int ends[2];
  if (pipe (ends) || fcntl (ends[0], F_SETOWN, c->pid) || fcntl (ends[0], 10 /* F_SETSIG */, SIGNAL_OF (OWNER))
      || fcntl (ends[0], F_SETFL, O_ASYNC))
    return -1;
  return attack_result (write (ends[1], "x", 1));
}
static int
vm_write (const struct attack_context *c)
{
  char byte = 'X';
  struct iovec here = { &byte, 1 }, there = { (void *) (c->memory + VM_WRITE), 1 };
  return attack_result (syscall (SYS_process_vm_writev, c->pid, &here, 1ul, &there, 1ul, 0ul));
}
static int
vm_read (const struct attack_context *c)
{
  char text[ATTACK_SECRET_LENGTH];
  struct iovec here = { text, sizeof text }, there = { (void *) c->secret, sizeof text };
  if (syscall (SYS_process_vm_readv, c->pid, &here, 1ul, &there, 1ul, 0ul) < 0)
    return -1;
  attack_found (c, text, sizeof text);
  return 0;
}
static int
open_of (int pid, const char *name, int flags)
{
  char path[4300];
  snprintf (path, sizeof path, "/proc/%d/%s", pid, name);
  return open (path, flags);
}
static int
proc_mem_write (const struct attack_context *c)
{
  int fd = open_of (c->pid, "mem", O_RDWR);
  return fd < 0 ? -1 : attack_result (pwrite (fd, "X", 1, (off_t) (c->memory + PROC_MEM)));
}
static int
proc_mem_read (const struct attack_context *c)
{
  char text[ATTACK_SECRET_LENGTH];
  int fd = open_of (c->pid, "mem", O_RDONLY);
  if (fd < 0 || pread (fd, text, sizeof text, (off_t) c->secret) < 0)
    return -1;
  attack_found (c, text, sizeof text);
  return 0;
}
static int
proc_environ (const struct attack_context *c)
{
  char text[8192];
  int fd = open_of (c->pid, "environ", O_RDONLY);
  ssize_t size = fd < 0 ? -1 : read (fd, text, sizeof text);
  if (size < 0)
    return -1;
  attack_found (c, text, (size_t) size);
  return 0;
}
static int
proc_root (const struct attack_context *c)
{
  char name[4200];
  snprintf (name, sizeof name, "root%s", attack_path (c, "file"));
  return attack_write (c, open_of (c->pid, name, O_WRONLY));
}
static int
proc_cwd (const struct attack_context *c) /* the victim is in the directory above AT */
{
  char name[4200];
  snprintf (name, sizeof name, "cwd/%s/file", c->name);
  return attack_write (c, open_of (c->pid, name, O_WRONLY));
}
static int
proc_fd (const struct attack_context *c)
{
  char name[64];
  snprintf (name, sizeof name, "fd/%d", c->file_fd);
  return attack_write (c, open_of (c->pid, name, O_WRONLY));
}
static int
get_descriptor (const struct attack_context *c)
{
  int fd = (int) syscall (NR_PIDFD_OPEN, c->pid, 0);
  return fd < 0 ? -1 : attack_write (c, (int) syscall (NR_PIDFD_GETFD, fd, c->file_fd, 0));
}
static int
trace_poke (const struct attack_context *c)
{
  uintptr_t address = (c->memory + POKE) & ~7ul;
  int status;
  long word;
  if (ptrace (PTRACE_ATTACH, c->pid, 0, 0))
    return -1;
  waitpid (c->pid, &status, 0x40000000 /* __WALL */);
  word = ptrace (PTRACE_PEEKDATA, c->pid, (void *) address, 0);
  ((char *) &word)[(c->memory + POKE) & 7] = 'X';
  ptrace (PTRACE_POKEDATA, c->pid, (void *) address, word);
  ptrace (PTRACE_DETACH, c->pid, 0, 0);
  return 0;
}
static int
trace_seize (const struct attack_context *c)
{
  return attack_result (ptrace (0x4206, c->pid, 0, 0));
}
static int
limit_other (const struct attack_context *c)
{
  struct rlimit limit = { 100, 100 };
  return attack_result (syscall (SYS_prlimit64, c->pid, RLIMIT_NOFILE, &limit, NULL));
}
static int
nice_other (const struct attack_context *c)
{
  return attack_result (syscall (SYS_setpriority, PRIO_PROCESS, c->pid, 7));
}
static int
nice_group (const struct attack_context *c)
{
  return attack_result (syscall (SYS_setpriority, PRIO_PGRP, c->pid, 8));
}
static int
nice_user (const struct attack_context *c) /* a nice value that nobody has, so it changes nothing unless it works */
{
  return attack_result (syscall (SYS_setpriority, PRIO_USER, 60000 + c->pid % 1000, 0));
}
static int
affinity_other (const struct attack_context *c)
{
  unsigned long set = 1;
  return attack_result (syscall (SYS_sched_setaffinity, c->pid, sizeof set, &set));
}
static int
scheduler_other (const struct attack_context *c)
{
  int priority = 0;
  return attack_result (syscall (SYS_sched_setscheduler, c->pid, 3 /* BATCH */, &priority));
}
static int
attributes_other (const struct attack_context *c)
{
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attr = { 48, 3, 0, 9, 0, 0, 0, 0 };
  return attack_result (syscall (SYS_sched_setattr, c->pid, &attr, 0u));
}
static int
io_priority_other (const struct attack_context *c)
{
  return attack_result (syscall (SYS_ioprio_set, 1, c->pid, 3 << 13));
}
static int
oom_other (const struct attack_context *c)
{
  int fd = open_of (c->pid, "oom_score_adj", O_WRONLY);
  return fd < 0 ? -1 : attack_result (write (fd, "900", 3));
}
static int
advise_other (const struct attack_context *c)
{
  struct iovec there = { (void *) (c->memory & ~4095ul), 4096 };
  int fd = (int) syscall (NR_PIDFD_OPEN, c->pid, 0);
  return fd < 0 ? -1 : attack_result (syscall (NR_PROCESS_MADVISE, fd, &there, 1ul, 21 /* PAGEOUT */, 0u));
}
static int
move_pages_other (const struct attack_context *c)
{
  void *page = (void *) (c->memory & ~4095ul);
  int status;
  return attack_result (syscall (SYS_move_pages, c->pid, 1ul, &page, NULL, &status, 0));
}

/* ---- our own supervisor: pid 1, or the process above the command ---- */

static int
supervisor (void)
{
  char text[512] = "";
  int fd, pid = 1;
  char *p;

  if (getsid (0) > 0 && access ("/proc/1/cmdline", R_OK) == 0 && getppid () == 2)
    return 1;
  /* The parent of the process that made us: the command's own.  */
  fd = open_of (getppid (), "stat", O_RDONLY);
  if (fd >= 0 && read (fd, text, sizeof text - 1) > 0 && (p = strrchr (text, ')')))
    pid = atoi (p + 4);
  return pid > 0 ? pid : 1;
}
static int
supervisor_memory (const struct attack_context *c)
{
  (void) c;
  return attack_result (open_of (supervisor (), "mem", O_RDWR));
}
static int
supervisor_trace (const struct attack_context *c)
{
  (void) c;
  return attack_result (ptrace (0x4206, supervisor (), 0, 0));
}
static int
supervisor_descriptor (const struct attack_context *c)
{
  int fd = (int) syscall (NR_PIDFD_OPEN, supervisor (), 0), result = -1;
  (void) c;
  for (int i = 3; fd >= 0 && i < 64 && result < 0; i++) {
    result = (int) syscall (NR_PIDFD_GETFD, fd, i, 0);
    if (result < 0 && errno == EPERM)
      break;
  }
  return attack_result (result);
}
static int
supervisor_environment (const struct attack_context *c)
{
  (void) c;
  return attack_result (open_of (supervisor (), "environ", O_RDONLY));
}
static int
daemon_outlives (const struct attack_context *c)
{
  char word[200];
  pid_t child = fork ();

  if (child == 0) {
    setsid ();
    signal (SIGTERM, SIG_IGN);
    signal (SIGHUP, SIG_IGN);
    if (fork () == 0) {
      snprintf (word, sizeof word, "daemon-%s", c->tag);
      for (int i = 0; i < 64; i++)
        close (i);
      execl ("/proc/self/exe", "weir-attack", "sleep", word, NULL);
    }
    _exit (0);
  }
  errno = 0;
  return ATTACK_NA; /* the driver looks for it afterwards */
}

#define SIGNALS "cannot keep a command from signalling"
const struct attack attack_processes[] = {
  { "kill", kill_call, 0, KILL, SIGNALS },
  { "tkill", tkill_call, 0, TKILL, SIGNALS },
  { "tgkill", tgkill_call, 0, TGKILL, SIGNALS },
  { "pidfd-send-signal", pidfd_signal, 0, PIDFD, SIGNALS },
  { "rt-sigqueueinfo", queue_call, 0, QUEUE, SIGNALS },
  { "rt-tgsigqueueinfo", tgqueue_call, 0, TGQUEUE, SIGNALS },
  { "kill-group", kill_group, 0, GROUP, SIGNALS },
  { "f-setown-sigio", owner_signal, 0, OWNER, SIGNALS },
  { "process-vm-writev", vm_write, 0, VM_WRITE, NULL },
  { "proc-mem-write", proc_mem_write, 0, PROC_MEM, NULL },
  { "ptrace-poke", trace_poke, 0, POKE, NULL },
  { "process-vm-readv", vm_read, 0, 0, NULL },
  { "proc-mem-read", proc_mem_read, 0, 0, NULL },
  { "proc-environ", proc_environ, 0, 0, NULL },
  { "proc-root", proc_root, 0, 0, NULL },
  { "proc-cwd", proc_cwd, 0, 0, NULL },
  { "proc-fd", proc_fd, 0, 0, NULL },
  { "pidfd-getfd", get_descriptor, 0, 0, NULL },
  { "ptrace-seize", trace_seize, ATTACK_BOAST, 0, NULL },
  { "prlimit", limit_other, 0, 0, NULL },
  { "setpriority", nice_other, 0, 0, NULL },
  { "setpriority-group", nice_group, 0, 0, NULL },
  { "setpriority-user", nice_user, 0, 0, NULL },
  { "sched-setaffinity", affinity_other, 0, 0, NULL },
  { "sched-setscheduler", scheduler_other, 0, 0, NULL },
  { "sched-setattr", attributes_other, 0, 0, NULL },
  { "ioprio-set", io_priority_other, 0, 0, NULL },
  { "oom-score-adj", oom_other, 0, 0, NULL },
  { "process-madvise", advise_other, ATTACK_BOAST, 0, NULL },
  { "move-pages", move_pages_other, ATTACK_BOAST, 0, NULL },
  { "supervisor-mem", supervisor_memory, ATTACK_BOAST, 0, NULL },
  { "supervisor-ptrace", supervisor_trace, ATTACK_BOAST, 0, NULL },
  { "supervisor-pidfd-getfd", supervisor_descriptor, ATTACK_BOAST, 0, NULL },
  { "supervisor-environ", supervisor_environment, ATTACK_BOAST, 0, NULL },
  { "daemon-outlives", daemon_outlives, 0, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
