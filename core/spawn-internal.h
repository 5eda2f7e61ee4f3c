/* SPDX-License-Identifier: Apache-2.0 */
/* What spawn.c, spawn-child.c, spawn-fds.c, userns.c and process.c share.  */
#ifndef WEIR_CORE_SPAWN_INTERNAL_H
#define WEIR_CORE_SPAWN_INTERNAL_H

#include <pthread.h>
#include <sys/resource.h>

#include "core/carry.h"
#include "core/init-protocol.h"
#include "core/spawn.h"

/* ThreadSanitizer's wrapper takes every clone for a fork, and believes itself to be in a new process afterwards; and
 * what the child does with its own descriptor table it takes for ours.  */
#if defined(__SANITIZE_THREAD__)
#define SPAWN_PLAIN_CLONE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SPAWN_PLAIN_CLONE 1
#endif
#endif
#ifdef SPAWN_PLAIN_CLONE
int __clone (int (*) (void *), void *, int, void *, ...);
#define clone __clone
void AnnotateIgnoreReadsBegin (const char *, int);
void AnnotateIgnoreReadsEnd (const char *, int);
void AnnotateIgnoreWritesBegin (const char *, int);
void AnnotateIgnoreWritesEnd (const char *, int);
#define SPAWN_UNWATCHED_BEGIN                                                                                          \
  (AnnotateIgnoreReadsBegin (__FILE__, __LINE__), AnnotateIgnoreWritesBegin (__FILE__, __LINE__))
#define SPAWN_UNWATCHED_END (AnnotateIgnoreWritesEnd (__FILE__, __LINE__), AnnotateIgnoreReadsEnd (__FILE__, __LINE__))
#else
#define SPAWN_UNWATCHED_BEGIN ((void) 0)
#define SPAWN_UNWATCHED_END ((void) 0)
#endif

#define SPAWN_MAX_FD 1024 /* no plan descriptor has this number */
#define SPAWN_GONE_MS 20000 /* how long the end of a tree that was killed is waited for */

/* ---- descriptors of the child (spawn-fds.c) ---- */

struct spawn_fd {
  int source; /* ours */
  int number; /* in the child */
};
struct spawn_fds {
  struct spawn_fd *items; /* places of source are written by the child */
  size_t count, room;
  int first_free; /* above every number */
};

struct spawn_io {
  int child[3]; /* what the child's 0, 1 and 2 are made of */
  int owned[3]; /* the same, where we opened it and close it */
  int ours[3]; /* our ends, non-blocking; -1: none */
  int terminal;
};
/* Both fill *failure (STDIO and its errno) and return -1.  */
int spawn_io_open (const struct weir_stdio *, struct spawn_io *, struct carry_failure *);
void spawn_io_close_child (struct spawn_io *);
void spawn_io_free (struct spawn_io *);

/* The plan's own descriptors.  opened: ours, to be closed.  */
struct spawn_plan_fds {
  int *opened;
  size_t count;
  int status; /* our end of STATUS_JSON, -1 */
};
int spawn_plan_fds_open (const weir_plan *, int report, int harness, struct spawn_fds *, struct spawn_plan_fds *,
                         struct carry_failure *);
void spawn_plan_fds_free (struct spawn_plan_fds *);
int spawn_fds_add (struct spawn_fds *, int source, int number); /* -1: errno */

/* ---- between clone and exec (spawn-child.c) ---- */

/* Shared with the child, which has our memory while we are suspended.  */
struct spawn_child {
  const struct carry *carry;
  struct spawn_fds *fds;
  const char *cwd;
  int cwd_optional; /* a runner changes the directory itself */
  int user_namespace; /* descriptor of one to enter first, -1: none */
  unsigned long namespaces; /* CLONE_NEW*; with NEWUSER the child maps itself by the two texts */
  char uid_map[32], gid_map[32];
  int harness; /* pidfd of this process */
  int exec_fd; /* -1: exec_path */
  const char *exec_path;
  const char *const *argv, *const *env;
  int reset_signals; /* and forget the parent's death: no init does it */
  uint32_t exec_stage;
  /* Out.  */
  int pid, pidfd;
  int failed;
  struct carry_failure failure;
};
/* 0: child->pid executes its program; -1: failure, and nothing is left running.  */
int spawn_child_run (struct spawn_child *);

/* ---- user namespaces (userns.c) ---- */

/* A user namespace of this process in which every id of ours is mapped to itself, cached.  A new close-on-exec
 * descriptor; -1: *failure.  */
int userns_open (struct carry_failure *);

/* ---- helpers of this process (spawn-child.c) ---- */

struct spawn_stack {
  char *base; /* the guard page */
  size_t size;
};
int spawn_stack_get (struct spawn_stack *); /* -1: errno */
void spawn_stack_put (struct spawn_stack *);
static inline void *
spawn_stack_top (const struct spawn_stack *stack)
{
  return stack->base + stack->size;
}
int spawn_pidfd_open (int pid);
int spawn_pidfd_signal (int pidfd, int signo);
/* Reaps; usage may be NULL.  1: reaped, or somebody else did; 0: still alive; -1: errno.  */
int spawn_pidfd_reap (int pidfd, int block, struct rusage *usage, int *status);
/* Readable within ms (-1: for ever)?  Signals do not interrupt.  */
int spawn_fd_ready (int fd, int64_t ms);

/* ---- a running process (process.c) ---- */

struct process {
  pthread_mutex_t lock;
  int pidfd; /* of what we started: the init, or a runner that has the init inside */
  int inner; /* pidfd of an init inside a runner, -1 */
  int group; /* process group of what we started */
  int report; /* our end of the init's socket */
  int status; /* STATUS_JSON, -1 */
  int is_pid1; /* what we started is pid 1 of a pid namespace: its end is the tree's */
  int from_runner; /* the init executes a foreign runner */
  int terminal;
  int started, killed, done;
  int has_end, gone, leftover;
  struct init_message end;
  struct weir_exit exit;
};
struct process *process_new (void); /* NULL: out of memory */
/* Kills what is left, waits for its end, frees.  NULL is allowed.  */
void process_destroy (struct process *);
/* Reads what the report socket has.  failed, when not NULL: the INIT_FAILED that came.  1: hung up, 0: more may come.
 */
int process_drain (struct process *, struct init_message *failed);
/* Until one of the descriptors is readable (or hung up), the deadline or the cancel of the call.  */
weir_status process_await (const weir_call *, const int *fds, size_t count, weir_error **);

#endif
