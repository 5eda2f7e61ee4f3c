/* SPDX-License-Identifier: Apache-2.0 */
/* A user namespace with the identity map, made once and entered by each child: making one for each costs more than all
 * mounts, and only a process outside can map more than its own id.  */
#include "config.h"
#include "core/spawn-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/util.h"

#define USERNS_CACHED 4 /* identities of one process; more are made anew each time */

static pthread_mutex_t userns_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  uid_t uid;
  gid_t gid;
  int fd;
} userns_cache[USERNS_CACHED];
static int userns_count;

/* Waits for its death.  Shares our memory and runs beside us: nothing but system calls that cannot fail, which leave
 * errno alone, and no instrumentation.  */
#if defined(__clang__) || defined(__GNUC__)
__attribute__ ((no_sanitize ("address", "thread", "undefined"), no_stack_protector))
#endif
static int
userns_helper (void *parent)
{
  syscall (SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (syscall (SYS_getppid) != (long) (intptr_t) parent)
    return 0;
  for (;;)
    syscall (SYS_ppoll, NULL, 0, NULL, NULL, 8);
}

static int
userns_write (int pid, const char *name, const char *text)
{
  char path[64];
  auto_close int fd = -1;

  snprintf (path, sizeof path, "/proc/%d/%s", pid, name);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  return fd < 0 || write (fd, text, strlen (text)) < 0 ? -1 : 0;
}

/* Root maps what is mapped for it, each id to itself: all ids, or those of the container that it is in.  */
static char *
userns_identity (const char *map)
{
  auto_strbuf struct strbuf out = { 0 };
  auto_free char *text = util_read_file (AT_FDCWD, map, 65536, NULL);
  unsigned inside, outside, count;
  int used;

  if (text == NULL)
    return NULL;
  for (const char *at = text; sscanf (at, "%u %u %u%n", &inside, &outside, &count, &used) == 3; at += used)
    strbuf_fmt (&out, "%u %u %u\n", inside, inside, count);
  return strbuf_steal (&out);
}

static int
userns_map (int pid)
{
  auto_free char *uids = NULL, *gids = NULL;

  if (geteuid () == 0) {
    uids = userns_identity ("/proc/self/uid_map");
    gids = userns_identity ("/proc/self/gid_map");
  }
  else {
    uids = util_fmt ("%u %u 1\n", geteuid (), geteuid ());
    gids = util_fmt ("%u %u 1\n", getegid (), getegid ());
    if (userns_write (pid, "setgroups", "deny") < 0)
      return -1;
  }
  if (uids == NULL || gids == NULL)
    return -1;
  return userns_write (pid, "uid_map", uids) < 0 || userns_write (pid, "gid_map", gids) < 0 ? -1 : 0;
}

/* The descriptor; it must not be our own namespace, as it would be were /proc that of another pid namespace.  */
static int
userns_take (int pid)
{
  char path[64];
  struct stat own, made;
  auto_close int fd = -1;

  if (userns_map (pid) < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/%d/ns/user", pid);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &made) < 0 || stat ("/proc/self/ns/user", &own) < 0)
    return -1;
  if (own.st_dev == made.st_dev && own.st_ino == made.st_ino) {
    errno = ESRCH;
    return -1;
  }
  return steal_fd (&fd);
}

static int
userns_make (void)
{
  struct spawn_stack stack;
  sigset_t all, saved;
  int pid, pidfd = -1, fd = -1, errnum;

  if (spawn_stack_get (&stack) < 0)
    return -1;
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &saved);
  pid = clone (userns_helper, spawn_stack_top (&stack), CLONE_VM | CLONE_NEWUSER | CLONE_PIDFD,
               (void *) (intptr_t) getpid (), &pidfd);
  errnum = errno;
  pthread_sigmask (SIG_SETMASK, &saved, NULL);
  if (pid > 0) {
    fd = userns_take (pid);
    errnum = errno;
    spawn_pidfd_signal (pidfd, SIGKILL);
    spawn_pidfd_reap (pidfd, 1, NULL, NULL);
    close (pidfd);
  }
  spawn_stack_put (&stack);
  errno = errnum;
  return fd;
}

static int
userns_cached (void)
{
  uid_t uid = geteuid ();
  gid_t gid = getegid ();
  int fd;

  for (int i = 0; i < userns_count; i++)
    if (userns_cache[i].uid == uid && userns_cache[i].gid == gid)
      return fcntl (userns_cache[i].fd, F_DUPFD_CLOEXEC, 3);
  fd = userns_make ();
  if (fd < 0 || userns_count == USERNS_CACHED)
    return fd;
  userns_cache[userns_count].uid = uid;
  userns_cache[userns_count].gid = gid;
  userns_cache[userns_count++].fd = fd;
  return fcntl (fd, F_DUPFD_CLOEXEC, 3);
}

int
userns_open (struct carry_failure *failure)
{
  int fd;

  pthread_mutex_lock (&userns_lock);
  fd = userns_cached ();
  if (fd < 0) {
    memset (failure, 0, sizeof *failure);
    failure->step = WEIR_STEP_NAMESPACES;
    failure->errnum = errno;
    /* Not for want of descriptors or memory, which may be there the next time.  */
    if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != EAGAIN)
      failure->fact = WEIR_FACT_USER_NAMESPACES;
    snprintf (failure->detail, sizeof failure->detail, "a user namespace");
  }
  pthread_mutex_unlock (&userns_lock);
  return fd;
}
