/* SPDX-License-Identifier: Apache-2.0 */
/* The code between clone and exec.  The child shares our memory and we are suspended until its exec
 * (CLONE_VM|CLONE_VFORK), so its cost does not grow with our memory; in return it must not allocate, lock, or return
 * from what called it.
 *
 * With a user namespace that is there two children: the first enters it, which would be final for us, and makes the
 * second, which is our child (CLONE_PARENT) and in the namespaces from birth.  The first shares our descriptor table
 * (CLONE_FILES), so that the pidfd that it is given is ours; the second has its own.  */
#include "config.h"
#include "core/spawn-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/util.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_UNPOISON_MEMORY_REGION
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void) (at), (void) (size))
#endif

#define SPAWN_STACK_SIZE 262144
#define SPAWN_GUARD_SIZE 65536

/* ---- stacks ---- */

/* One is kept: mapping it and faulting its pages in would be a tenth of the cost of a child.  */
static _Atomic (char *) spawn_spare_stack;

int
spawn_stack_get (struct spawn_stack *stack)
{
  stack->size = SPAWN_STACK_SIZE + SPAWN_GUARD_SIZE;
  stack->base = atomic_exchange (&spawn_spare_stack, NULL);
  if (stack->base != NULL)
    return 0;
  stack->base =
      mmap (NULL, stack->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack->base == MAP_FAILED)
    return -1;
  if (mprotect (stack->base, SPAWN_GUARD_SIZE, PROT_NONE) < 0) {
    int saved = errno;
    munmap (stack->base, stack->size);
    errno = saved;
    return -1;
  }
  return 0;
}

void
spawn_stack_put (struct spawn_stack *stack)
{
  char *none = NULL;

  /* The frames of the child were never left.  */
  ASAN_UNPOISON_MEMORY_REGION (stack->base + SPAWN_GUARD_SIZE, SPAWN_STACK_SIZE);
  if (!atomic_compare_exchange_strong (&spawn_spare_stack, &none, stack->base))
    munmap (stack->base, stack->size);
}

/* ---- processes by descriptor ---- */

int
spawn_pidfd_open (int pid)
{
  return (int) syscall (SYS_pidfd_open, pid, 0u);
}

int
spawn_pidfd_signal (int pidfd, int signo)
{
  return (int) syscall (SYS_pidfd_send_signal, pidfd, signo, NULL, 0u);
}

int
spawn_pidfd_reap (int pidfd, int block, struct rusage *usage, int *status)
{
  siginfo_t info;
  long n;

  memset (&info, 0, sizeof info);
  /* The C library's waitid has no usage.  */
  do
    n = syscall (SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | __WALL | (block ? 0 : WNOHANG), usage);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return errno == ECHILD ? 1 : -1;
  if (info.si_pid == 0)
    return 0;
  if (status != NULL)
    *status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return 1;
}

int
spawn_fd_ready (int fd, int64_t ms)
{
  struct pollfd polled = { .fd = fd, .events = POLLIN };
  int64_t limit = ms < 0 ? 0 : util_now_ms () + ms;
  int n;

  for (;;) {
    n = poll (&polled, 1, ms < 0 ? -1 : (int) ms);
    if (n > 0)
      return 1;
    if (n == 0)
      return 0;
    if (errno != EINTR && errno != EAGAIN)
      return 0;
    if (ms >= 0 && (ms = limit - util_now_ms ()) < 0)
      ms = 0;
  }
}

/* ---- in the child ---- */

static int
spawn_child_fail (struct spawn_child *child, uint32_t stage, const char *detail)
{
  size_t i = 0;

  child->failure.errnum = errno;
  child->failure.step = stage;
  child->failure.fact = 0;
  for (; detail != NULL && detail[i] != '\0' && i + 1 < sizeof child->failure.detail; i++)
    child->failure.detail[i] = detail[i];
  child->failure.detail[i] = '\0';
  child->failed = 1;
  return 1;
}

/* Each descriptor to its number.  First every source that stands where a number will be moves up, so that none is
 * overwritten before it was copied.  */
static int
spawn_child_fds (struct spawn_child *child)
{
  struct spawn_fds *fds = child->fds;
  int first = fds->first_free;
  unsigned char wanted[SPAWN_MAX_FD / 8 + 2] = { 0 };

  for (size_t i = 0; i < fds->count; i++)
    if (fds->items[i].source < first
        && (fds->items[i].source = fcntl (fds->items[i].source, F_DUPFD_CLOEXEC, first)) < 0)
      return -1;
  if (child->exec_fd >= 0 && child->exec_fd < first
      && (child->exec_fd = fcntl (child->exec_fd, F_DUPFD_CLOEXEC, first)) < 0)
    return -1;
  for (size_t i = 0; i < fds->count; i++) {
    /* By the system call: ThreadSanitizer's dup3 would give the number, which in the parent is another thread's, what it
     * knows of the source.  */
    if (syscall (SYS_dup3, fds->items[i].source, fds->items[i].number, 0) < 0)
      return -1;
    wanted[fds->items[i].number / 8] |= (unsigned char) (1u << fds->items[i].number % 8);
  }
  for (int fd = 3; fd < first; fd++)
    if ((wanted[fd / 8] & 1u << fd % 8) == 0)
      fcntl (fd, F_SETFD, FD_CLOEXEC);
  return (int) syscall (SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC);
}

/* By the system calls: a sanitizer's wrappers keep tables in our memory.  */
static void
spawn_child_signals (void)
{
  static const uint64_t none[4]; /* a struct sigaction of the kernel: default, no flags; also an empty mask */

  /* An ignored signal stays ignored over exec.  */
  for (int signo = 1; signo <= 64; signo++)
    syscall (SYS_rt_sigaction, signo, none, NULL, (size_t) 8);
  prctl (PR_SET_PDEATHSIG, 0);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, (size_t) 8);
}

static int
spawn_child_write (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : write (fd, text, strlen (text));
  int saved = errno;

  if (fd >= 0)
    close (fd);
  errno = saved;
  return n < 0 ? -1 : 0;
}

static int
spawn_child_map (struct spawn_child *child)
{
  if ((child->namespaces & CLONE_NEWUSER) == 0
      || (spawn_child_write ("/proc/self/setgroups", "deny") == 0
          && spawn_child_write ("/proc/self/uid_map", child->uid_map) == 0
          && spawn_child_write ("/proc/self/gid_map", child->gid_map) == 0))
    return 0;
  spawn_child_fail (child, WEIR_STEP_NAMESPACES, "a user namespace");
  child->failure.fact = WEIR_FACT_USER_NAMESPACES;
  return -1;
}

static int
spawn_child_main (void *data)
{
  struct spawn_child *child = data;
  struct pollfd harness = { .fd = child->harness, .events = POLLIN };

  /* Until the init watches the harness itself.  */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (poll (&harness, 1, 0) > 0)
    return 1;
  setsid ();
  if (spawn_child_map (child) < 0)
    return 1;
  if (spawn_child_fds (child) < 0)
    return spawn_child_fail (child, WEIR_STAGE_STDIO, "descriptors");
  if (carry_do (child->carry, &child->failure) < 0) {
    child->failed = 1;
    return 1;
  }
  if (chdir (child->cwd) < 0 && (!child->cwd_optional || chdir ("/") < 0))
    return spawn_child_fail (child, WEIR_STAGE_CWD, child->cwd);
  if (child->reset_signals)
    spawn_child_signals ();
  if (child->exec_fd >= 0)
    syscall (SYS_execveat, child->exec_fd, "", child->argv, child->env, AT_EMPTY_PATH);
  else
    execve (child->exec_path, (char *const *) (uintptr_t) child->argv, (char *const *) (uintptr_t) child->env);
  return spawn_child_fail (child, child->exec_stage, child->exec_path);
}

/* ---- making it ---- */

struct spawn_entrant {
  struct spawn_child *child;
  char *stack;
};

static int
spawn_nothing (void *unused)
{
  (void) unused;
  return 0;
}

/* Which fact is wrong: a kind of namespace without which it goes, or all.  */
static uint32_t
spawn_blame (unsigned long namespaces, char *stack)
{
  static const struct {
    unsigned long flag;
    uint32_t fact;
  } kinds[] = { { CLONE_NEWNET, WEIR_FACT_NETWORK_NAMESPACES }, { CLONE_NEWIPC, WEIR_FACT_IPC_NAMESPACES } };

  for (size_t i = 0; i < ARRAY_SIZE (kinds); i++) {
    unsigned long rest = namespaces & ~kinds[i].flag;
    int pid;
    if (rest == namespaces)
      continue;
    pid = clone (spawn_nothing, stack, (int) (CLONE_VM | CLONE_VFORK | rest), NULL);
    if (pid < 0)
      continue;
    while (waitpid (pid, NULL, __WALL) < 0 && errno == EINTR)
      ;
    return kinds[i].fact;
  }
  return WEIR_FACT_USER_NAMESPACES;
}

static void
spawn_child_make (struct spawn_child *child, char *stack, unsigned long flags)
{
  int errnum;

  child->pid = clone (spawn_child_main, stack, (int) (CLONE_VM | CLONE_VFORK | CLONE_PIDFD | flags | child->namespaces),
                      child, &child->pidfd);
  if (child->pid >= 0)
    return;
  errnum = errno;
  spawn_child_fail (child, child->namespaces != 0 ? WEIR_STEP_NAMESPACES : WEIR_STAGE_CLONE, NULL);
  if (child->namespaces != 0 && errnum != EAGAIN && errnum != ENOMEM && errnum != EMFILE)
    child->failure.fact = spawn_blame (child->namespaces, stack);
}

static int
spawn_entrant_main (void *data)
{
  struct spawn_entrant *entrant = data;

  if (setns (entrant->child->user_namespace, CLONE_NEWUSER) < 0) {
    spawn_child_fail (entrant->child, WEIR_STEP_NAMESPACES, "a user namespace");
    entrant->child->failure.fact = WEIR_FACT_USER_NAMESPACES;
    return 1;
  }
  spawn_child_make (entrant->child, entrant->stack, CLONE_PARENT);
  return 0;
}

/* ---- the parent ---- */

static void
spawn_child_clone (struct spawn_child *child, struct spawn_stack *stack)
{
  char *top = spawn_stack_top (stack);
  struct spawn_entrant entrant = { child, top };
  int pid;

  if (child->user_namespace < 0) {
    spawn_child_make (child, top, 0);
    return;
  }
  pid = clone (spawn_entrant_main, top - SPAWN_STACK_SIZE / 4 * 3, CLONE_VM | CLONE_VFORK | CLONE_FILES, &entrant);
  if (pid < 0)
    spawn_child_fail (child, WEIR_STAGE_CLONE, NULL);
  /* It made no exec, so its end is without a signal and only __WALL finds it.  */
  while (pid > 0 && waitpid (pid, NULL, __WALL) < 0 && errno == EINTR)
    ;
}

int
spawn_child_run (struct spawn_child *child)
{
  struct spawn_stack stack;
  sigset_t all, saved;

  child->pid = child->pidfd = -1;
  child->failed = 0;
  if (spawn_stack_get (&stack) < 0) {
    spawn_child_fail (child, WEIR_STAGE_CLONE, "a stack");
    return -1;
  }
  /* No handler of ours may run in the child, on our memory.  By the system call: the C library's function leaves out
   * the signals that it uses itself, of which SIGSETXID would do harm.  */
  memset (&all, 0xff, sizeof all);
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved, (size_t) 8);
  SPAWN_UNWATCHED_BEGIN;
  spawn_child_clone (child, &stack);
  SPAWN_UNWATCHED_END;
  syscall (SYS_rt_sigprocmask, SIG_SETMASK, &saved, NULL, (size_t) 8);
  spawn_stack_put (&stack);
  if (!child->failed && child->pid > 0)
    return 0;
  if (!child->failed) { /* ended before it said why: killed from outside */
    errno = ECHILD;
    spawn_child_fail (child, WEIR_STAGE_CLONE, NULL);
  }
  if (child->pidfd >= 0) {
    spawn_pidfd_reap (child->pidfd, 1, NULL, NULL);
    close (child->pidfd);
    child->pidfd = -1;
  }
  return -1;
}
