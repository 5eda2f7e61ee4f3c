/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/spawn-internal.h"
#include "core/sys.h"

/* Everything of one spawn that ends with it.  */
struct spawn {
  const weir_plan *plan;
  struct process *process;
  struct carry carry;
  struct spawn_io io;
  struct spawn_fds fds;
  struct spawn_plan_fds plan_fds;
  struct spawn_child child;
  struct carry_failure failure;
  struct strv argv;
  struct strv wrapped; /* the command's environment on its way through a runner */
  char *runner; /* path that was judged */
  int runner_fd;
  int report; /* the child's end */
  int harness;
  int ruleset;
  struct init_message start;
};

static void
spawn_free (struct spawn *s)
{
  carry_free (&s->carry);
  spawn_io_free (&s->io);
  free (s->fds.items);
  spawn_plan_fds_free (&s->plan_fds);
  strv_free (&s->argv);
  strv_free (&s->wrapped);
  free (s->runner);
  util_close_ptr (&s->runner_fd);
  util_close_ptr (&s->report);
  util_close_ptr (&s->harness);
  util_close_ptr (&s->ruleset);
  util_close_ptr (&s->child.user_namespace);
  process_destroy (s->process);
}

/* ---- errors ---- */

static int
spawn_fail_at (struct spawn *s, uint32_t stage, int errnum, const char *detail)
{
  memset (&s->failure, 0, sizeof s->failure);
  s->failure.step = stage;
  s->failure.errnum = errnum;
  snprintf (s->failure.detail, sizeof s->failure.detail, "%s", detail == NULL ? "" : detail);
  return -1;
}

static weir_status
spawn_status (const struct carry_failure *f, int exists)
{
  switch (f->step) {
  case WEIR_STAGE_EXEC:
    return (f->errnum == ENOENT && !exists) || f->errnum == ENOTDIR ? WEIR_E_NO_PROGRAM : WEIR_E_NOT_EXECUTABLE;
  case WEIR_STAGE_STDIO:
    return f->errnum == EBADF || f->errnum == EINVAL ? WEIR_E_INVALID : WEIR_E_IO;
  default:
    if (f->errnum == ESTALE)
      return WEIR_E_CONFLICT;
    return f->errnum == ENOMEM ? WEIR_E_NOMEM : WEIR_E_RUNNER;
  }
}

/* Tells what failed: to the plan, for the core, and to the error, for people.  exists: the program is there all the
 * same.  */
static weir_status
spawn_error (struct spawn *s, int exists, weir_error **err)
{
  const struct carry_failure *f = &s->failure;
  struct weir_plan *plan = (struct weir_plan *) (uintptr_t) s->plan; /* plan.h allows it */
  weir_status status = spawn_status (f, exists);

  plan->failed_step = f->step;
  plan->failed_errno = f->errnum;
  plan->failed_fact = f->fact;
  if (f->step == WEIR_STAGE_EXEC && exists && f->errnum == ENOENT) {
    status = error_set (err, status, f->errnum, "execute '%s', whose interpreter is missing", f->detail);
    return error_hint (
        err, "install the interpreter that the first line of '%s' names, or the loader that it was linked for",
        f->detail);
  }
  if (f->step == WEIR_STAGE_EXEC) {
    status = error_set (err, status, f->errnum, "execute '%s'", f->detail);
    return f->errnum == ENOEXEC
               ? error_hint (err, "a script needs a first line that names its interpreter, as \"#!/bin/sh\"")
               : status;
  }
  return error_set (err, status, f->errnum, f->detail[0] != '\0' ? "%s on '%s'" : "%s", plan_step_name (f->step),
                    f->detail);
}

/* ---- preparing ---- */

static int
spawn_has_step (const weir_plan *plan, uint32_t kind)
{
  for (size_t i = 0; i < plan->step_count; i++)
    if (plan->steps[i].kind == kind)
      return 1;
  return 0;
}

static int
spawn_limits_processes (const weir_plan *plan)
{
  for (size_t i = 0; i < plan->step_count; i++)
    if (plan->steps[i].kind == WEIR_STEP_LIMIT && plan->steps[i].flags == WEIR_AXIS_LIMIT_PROCESSES)
      return 1;
  return 0;
}

static int
spawn_channels (struct spawn *s)
{
  int ends[2];

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
    return spawn_fail_at (s, WEIR_STAGE_INIT, errno, "a socket");
  s->process->report = ends[0];
  s->report = ends[1];
  /* Made each time: a cached one would mean the wrong process after a fork.  */
  s->harness = spawn_pidfd_open (getpid ());
  if (s->harness < 0)
    return spawn_fail_at (s, WEIR_STAGE_INIT, errno, "a pidfd");
  return init_fd () < 0 ? spawn_fail_at (s, WEIR_STAGE_INIT, errno, "a memory file") : 0;
}

/* A command of our user in our pid namespace could kill the init that ends it.  One more Landlock layer, on the command
 * alone, takes that away.  Only where the plan confines anyway: without, nothing is kept from the command.  */
static int
spawn_ruleset (struct spawn *s)
{
  struct sys_landlock_ruleset attr = { .scoped = SYS_LL_SCOPE_SIGNAL };

  if (s->process->is_pid1 || !spawn_has_step (s->plan, WEIR_STEP_LANDLOCK_ENFORCE) || sys_landlock_abi () < 6)
    return 0;
  s->ruleset = (int) syscall (SYS_landlock_create_ruleset, &attr, (size_t) SYS_LANDLOCK_RULESET_SCOPED, 0u);
  return s->ruleset < 0 ? spawn_fail_at (s, WEIR_STAGE_INIT, errno, "a ruleset") : 0;
}

/* One of the init's own descriptors, above those that the command keeps.  */
static int
spawn_init_fd (struct spawn *s, int fd)
{
  int number = s->fds.first_free;

  if (fd < 0)
    return -1;
  return spawn_fds_add (&s->fds, fd, number) < 0 ? -2 : number;
}

/* The init is what we execute.  */
static int
spawn_outer_init (struct spawn *s)
{
  int report, harness;

  s->start.last_fd = s->fds.first_free - 1;
  report = spawn_init_fd (s, s->report);
  harness = spawn_init_fd (s, s->harness);
  s->start.ruleset_fd = spawn_init_fd (s, s->ruleset);
  s->start.program_fd = spawn_init_fd (s, s->runner_fd);
  if (report < 0 || harness < 0 || s->start.ruleset_fd == -2 || s->start.program_fd == -2)
    return spawn_fail_at (s, WEIR_STAGE_INIT, ENOMEM, NULL);
  strv_add (&s->argv, WEIR_INIT_NAME);
  strv_fmt (&s->argv, "%d", report);
  strv_fmt (&s->argv, "%d", harness);
  s->child.exec_fd = init_fd ();
  s->child.exec_stage = WEIR_STAGE_INIT;
  return 0;
}

/* A runner is what we execute; it executes the init.  */
static void
spawn_inner_init (struct spawn *s)
{
  s->start.last_fd = 2;
  s->start.ruleset_fd = s->start.program_fd = -1;
  s->start.flags |= INIT_SEND_PIDFD | INIT_UNWRAP;
  for (size_t i = 0; i < s->plan->env.count; i++)
    strv_fmt (&s->wrapped, INIT_WRAP "%s", s->plan->env.items[i]);
  s->child.exec_fd = s->runner_fd;
  s->child.exec_path = s->runner;
  s->child.exec_stage = WEIR_STAGE_RUNNER;
  s->child.reset_signals = 1;
}

static int
spawn_command (struct spawn *s)
{
  if (s->plan->inner_init)
    spawn_inner_init (s);
  else if (spawn_outer_init (s) < 0)
    return -1;
  if (s->runner != NULL) {
    strv_add (&s->argv, s->runner);
    for (size_t i = 0; i < s->plan->runner_arguments.count; i++)
      strv_add (&s->argv, s->plan->runner_arguments.items[i]);
  }
  for (size_t i = 0; i < s->plan->argv.count; i++)
    strv_add (&s->argv, s->plan->argv.items[i]);
  if (s->argv.failed || s->wrapped.failed)
    return spawn_fail_at (s, WEIR_STAGE_INIT, ENOMEM, NULL);
  s->child.argv = strv_items (&s->argv);
  s->child.env = strv_items (s->plan->inner_init ? &s->wrapped : &s->plan->env);
  s->child.cwd = s->plan->cwd != NULL ? s->plan->cwd : "/";
  s->child.cwd_optional = s->runner != NULL;
  s->child.carry = &s->carry;
  s->child.fds = &s->fds;
  s->child.harness = s->harness;
  return 0;
}

static unsigned long
spawn_namespaces (uint64_t wanted)
{
  static const struct {
    uint64_t ours;
    unsigned long kernels;
  } map[] = { { WEIR_NS_MOUNT, CLONE_NEWNS },    { WEIR_NS_PID, CLONE_NEWPID }, { WEIR_NS_IPC, CLONE_NEWIPC },
              { WEIR_NS_NETWORK, CLONE_NEWNET }, { WEIR_NS_UTS, CLONE_NEWUTS }, { WEIR_NS_CGROUP, CLONE_NEWCGROUP } };
  unsigned long flags = 0;

  for (size_t i = 0; i < ARRAY_SIZE (map); i++)
    if (wanted & map[i].ours)
      flags |= map[i].kernels;
  return flags;
}

/* A user namespace that is there already, except for a plan that limits the number of processes: the kernel counts
 * those of a user in each user namespace, and commands that shared one would use up each other's.  Root is not counted.
 */
static int
spawn_user_namespace (struct spawn *s)
{
  if (geteuid () != 0 && spawn_limits_processes (s->plan)) {
    s->child.namespaces |= CLONE_NEWUSER;
    snprintf (s->child.uid_map, sizeof s->child.uid_map, "%u %u 1", geteuid (), geteuid ());
    snprintf (s->child.gid_map, sizeof s->child.gid_map, "%u %u 1", getegid (), getegid ());
    return 0;
  }
  s->child.user_namespace = userns_open (&s->failure);
  return s->child.user_namespace < 0 ? -1 : 0;
}

static int
spawn_steps (struct spawn *s)
{
  if (carry_prepare (s->plan->steps, s->plan->step_count, sys_landlock_abi (), &s->carry, &s->failure) < 0)
    return -1;
  if (!s->carry.has_namespaces)
    return 0;
  s->child.namespaces = spawn_namespaces (s->carry.namespaces);
  if (spawn_user_namespace (s) < 0)
    return -1;
  s->process->is_pid1 = !s->plan->inner_init && (s->carry.namespaces & WEIR_NS_PID) != 0;
  return 0;
}

/* What carry_do uses may not stand where the child's descriptors will be.  */
static int
spawn_lift (struct spawn *s)
{
  for (size_t i = 0; i < s->carry.count; i++) {
    int fd, low = s->carry.ops[i].fd;
    if (low < 0 || low >= s->fds.first_free)
      continue;
    fd = fcntl (low, F_DUPFD_CLOEXEC, s->fds.first_free);
    if (fd < 0)
      return spawn_fail_at (s, WEIR_STAGE_STDIO, errno, "descriptors");
    /* A rule and what enforces it share one.  */
    for (size_t k = i; k < s->carry.count; k++)
      if (s->carry.ops[k].fd == low)
        s->carry.ops[k].fd = fd;
    close (low);
  }
  return 0;
}

static int
spawn_prepare (struct spawn *s, const struct weir_stdio *stdio)
{
  if (s->plan->argv.count == 0)
    return spawn_fail_at (s, WEIR_STAGE_EXEC, ENOENT, "");
  if (spawn_io_open (stdio, &s->io, &s->failure) < 0 || spawn_steps (s) < 0 || spawn_channels (s) < 0
      || spawn_ruleset (s) < 0)
    return -1;
  for (int i = 0; i < 3; i++)
    if (spawn_fds_add (&s->fds, s->io.child[i], i) < 0)
      return spawn_fail_at (s, WEIR_STAGE_STDIO, ENOMEM, NULL);
  if (spawn_plan_fds_open (s->plan, s->report, s->harness, &s->fds, &s->plan_fds, &s->failure) < 0)
    return -1;
  s->process->status = steal_fd (&s->plan_fds.status);
  s->process->terminal = s->io.terminal;
  s->process->from_runner = s->runner != NULL && !s->plan->inner_init;
  s->start.kind = INIT_START;
  if (s->io.terminal)
    s->start.flags |= INIT_TERMINAL;
  if (spawn_command (s) < 0)
    return -1;
  return spawn_lift (s);
}

/* ---- starting ---- */

/* What a runner wrote before it failed, where we have its standard error: the reason, for people.  */
static void
spawn_runner_words (struct spawn *s)
{
  char text[1024];
  int fd = s->io.ours[2] >= 0 ? s->io.ours[2] : -1;
  ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
  char *end;

  if (n <= 0)
    return;
  text[n] = '\0';
  end = strchr (text, '\n');
  if (end != NULL)
    *end = '\0';
  snprintf (s->failure.detail, sizeof s->failure.detail, "%.255s", text);
}

static int
spawn_lost (struct spawn *s)
{
  spawn_fail_at (s, s->plan->inner_init ? WEIR_STAGE_RUNNER : WEIR_STAGE_INIT, 0,
                 s->runner != NULL ? s->runner : "it ended before the command started");
  if (s->plan->inner_init)
    spawn_runner_words (s);
  return -1;
}

/* Until the command's exec, or what prevented it.  1: a failure that *err already tells.  */
static int
spawn_await (struct spawn *s, const weir_call *call, int *exists, weir_error **err)
{
  struct process *p = s->process;
  int fds[2] = { p->report, p->pidfd };

  while (!p->started) {
    struct init_message failed = { 0 };
    int ended, hung_up;
    if (process_await (call, fds, 2, err) != WEIR_OK)
      return 1;
    ended = spawn_fd_ready (p->pidfd, 0); /* asked first: what it said before is then there to be read */
    hung_up = process_drain (p, &failed);
    if (failed.kind == INIT_FAILED) {
      uint32_t stage = (uint32_t) failed.what;
      if (stage == WEIR_STAGE_EXEC && p->from_runner)
        stage = WEIR_STAGE_RUNNER;
      *exists = (failed.flags & INIT_PROGRAM_EXISTS) != 0;
      return spawn_fail_at (s, stage, failed.code,
                            stage == WEIR_STAGE_RUNNER ? s->runner
                            : stage == WEIR_STAGE_EXEC ? s->plan->argv.items[0]
                                                       : NULL);
    }
    if (!p->started && (ended || hung_up))
      return spawn_lost (s);
  }
  return 0;
}

static int
spawn_start (struct spawn *s)
{
  int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

  if (send (s->process->report, &s->start, sizeof s->start, flags) != (ssize_t) sizeof s->start)
    return spawn_fail_at (s, WEIR_STAGE_INIT, errno, "a socket");
  if (spawn_child_run (&s->child) < 0) {
    s->failure = s->child.failure;
    return -1;
  }
  s->process->pidfd = s->child.pidfd;
  s->process->group = s->child.pid;
  /* The child has them; ours would keep a pipe open, or the report socket from hanging up.  */
  spawn_io_close_child (&s->io);
  util_close_ptr (&s->report);
  s->report = -1;
  return 0;
}

static void
spawn_fill (struct spawn *s, struct weir_process *out)
{
  for (int i = 0; i < 3; i++)
    out->streams[i] = steal_fd (&s->io.ours[i]);
  out->ended = s->process->pidfd;
  out->id = s->child.pid;
  out->handle = steal (s->process);
}

weir_status
process_spawn (const weir_call *call, const weir_plan *plan, const struct weir_stdio *stdio, struct weir_process *out,
               weir_error **err)
{
  struct spawn s = { .plan = plan, .runner_fd = -1, .report = -1, .harness = -1, .ruleset = -1 };
  weir_status status = WEIR_OK;
  int exists = 0, failed;

  for (int i = 0; i < 3; i++) {
    s.io.child[i] = s.io.owned[i] = s.io.ours[i] = -1;
    out->streams[i] = -1;
  }
  out->ended = -1;
  out->handle = NULL;
  s.plan_fds.status = s.child.user_namespace = s.child.exec_fd = -1;
  s.process = process_new ();
  if (s.process == NULL)
    return error_nomem (err);
  if (plan->runner != NULL)
    status = runner_find (plan->runner, &s.runner, &s.runner_fd, err);
  if (status == WEIR_OK) {
    failed = spawn_prepare (&s, stdio) < 0 || spawn_start (&s) < 0 ? -1 : spawn_await (&s, call, &exists, err);
    if (failed < 0)
      status = spawn_error (&s, exists, err);
    else if (failed > 0)
      status = err != NULL ? weir_error_code (*err) : WEIR_E_TIMEOUT;
    else
      spawn_fill (&s, out);
  }
  spawn_free (&s);
  return status;
}
