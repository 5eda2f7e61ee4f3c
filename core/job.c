/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/job.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>

#define JOB_POLL_MS 10        /* where a world cannot tell by a descriptor that a process has ended */
#define JOB_KILL_LIMIT_MS 10000 /* to wait for a tree that was killed: only a process in the kernel's hands takes longer */

/* Operations of the job's own: neither the caller's deadline nor its cancel may cut the killing short.  */
static weir_call
job_call (const struct weir_job *job, int64_t deadline_ms)
{
  return (weir_call){ WEIR_SIZED (weir_call), .cancel = -1, .deadline_ms = deadline_ms, .session = job->session };
}

static weir_status
job_signal (struct weir_job *job, uint32_t scope, int signo, weir_error **err)
{
  struct instance *world = job->started.world;
  weir_call call = job_call (job, util_now_ms () + JOB_KILL_LIMIT_MS);
  weir_status status;

  pthread_mutex_lock (&job->lock);
  plugins_enter (world);
  status = world->adopted->process.signal (world->self, &call, &job->started.process, scope, signo, err);
  plugins_leave (world);
  pthread_mutex_unlock (&job->lock);
  return status;
}

/* 1: it has ended, and job->exit says how.  */
static int
job_wait_process (struct weir_job *job, int64_t deadline_ms)
{
  struct instance *world = job->started.world;
  auto_error weir_error *answer = NULL;
  weir_call call = job_call (job, deadline_ms);
  struct weir_exit end = { WEIR_SIZED (struct weir_exit) };
  weir_status status;

  pthread_mutex_lock (&job->lock);
  plugins_enter (world);
  status = world->adopted->process.wait (world->self, &call, &job->started.process, &end, &answer);
  plugins_leave (world);
  pthread_mutex_unlock (&job->lock);
  if (status == WEIR_E_TIMEOUT || (status == WEIR_OK && end.kind == WEIR_EXIT_RUNNING))
    return 0;
  if (status != WEIR_OK) {
    log_line (&job->rt->log, WEIR_LOG_ERROR, "wait for process %lld: %s", (long long) job->started.process.id,
              answer == NULL ? "no reason given" : weir_error_message (answer));
    end = (struct weir_exit){ WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_LOST };
  }
  job->exit = end;
  return 1;
}

/* ---- endings ---- */

static void
job_kill_tree (struct weir_job *job)
{
  auto_error weir_error *answer = NULL;

  if (job_signal (job, WEIR_SIGNAL_TREE, SIGKILL, &answer) == WEIR_OK)
    job->exit.flags |= WEIR_EXIT_TREE_GONE;
  else
    log_line (&job->rt->log, WEIR_LOG_WARNING, "kill what is left of process %lld: %s", (long long) job->started.process.id,
              answer == NULL ? "no reason given" : weir_error_message (answer));
}

/* The command has ended: nothing of its tree outlives it.  */
static void
job_enter_ended (struct weir_job *job)
{
  job->wall_usec = (uint64_t) (util_now_us () - job->started_us);
  if (!(job->exit.flags & WEIR_EXIT_TREE_GONE))
    job_kill_tree (job);
  job->phase = JOB_ENDED;
  if (job->timed_out || job->cancelled)
    job->drain_until = util_now_ms () + job->policy.grace_ms;
  watch_set (job, WATCH_ENDED, -1, 0);
  free (job->input);
  job->input = NULL;
  watch_set (job, WATCH_INPUT, -1, 0);
}

void
job_kill (struct weir_job *job)
{
  auto_error weir_error *ignored = NULL;
  uint32_t gone;

  if (job->phase >= JOB_ENDED || !job->started.running)
    return;
  gone = job_signal (job, WEIR_SIGNAL_TREE, SIGKILL, &ignored) == WEIR_OK ? WEIR_EXIT_TREE_GONE : 0;
  if (!job_wait_process (job, util_now_ms () + JOB_KILL_LIMIT_MS))
    job->exit = (struct weir_exit){ WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_LOST };
  job->exit.flags |= gone;
  job_enter_ended (job);
}

static void
job_terminate (struct weir_job *job)
{
  auto_error weir_error *ignored = NULL;

  job->phase = JOB_ENDING;
  job->kill_at = util_now_ms () + job->policy.grace_ms;
  watch_set (job, WATCH_CANCEL, -1, 0);
  job_signal (job, WEIR_SIGNAL_TREE, SIGTERM, &ignored);
  error_clear (&ignored);
  /* One that stopped itself would not see the TERM.  */
  job_signal (job, WEIR_SIGNAL_TREE, SIGCONT, &ignored);
}

/* ---- one pass ---- */

static int
job_readable (intptr_t fd)
{
  struct pollfd p = { .fd = (int) fd, .events = POLLIN };

  return fd >= 0 && poll (&p, 1, 0) == 1;
}

static void
job_pass_alive (struct weir_job *job)
{
  intptr_t ended = job->started.process.ended;
  int64_t now;

  if ((ended < 0 || job_readable (ended)) && job_wait_process (job, util_now_ms ())) {
    job_enter_ended (job);
    return;
  }
  now = util_now_ms ();
  if (job->phase == JOB_RUNNING) {
    job->cancelled = job_readable (job->request.cancel_fd);
    job->timed_out = !job->cancelled && job->deadline_ms != 0 && now >= job->deadline_ms;
    if (job->cancelled || job->timed_out)
      job_terminate (job);
  }
  if (job->phase == JOB_ENDING && util_now_ms () >= job->kill_at)
    job_kill (job);
}

/* A consumer of copied output that does not read must not hold up a call that was to have ended.  */
static int
job_drained (struct weir_job *job, int empty)
{
  int64_t now = util_now_ms ();

  if (empty && (job->exit.flags & WEIR_EXIT_TREE_GONE))
    return 1;
  if (job->drain_until == 0
      && (job_readable (job->request.cancel_fd) || (job->deadline_ms != 0 && now >= job->deadline_ms)
          || !(job->exit.flags & WEIR_EXIT_TREE_GONE)))
    job->drain_until = now + job->policy.grace_ms;
  if (job->drain_until != 0)
    watch_set (job, WATCH_CANCEL, -1, 0);
  if (job->drain_until == 0 || now < job->drain_until)
    return 0;
  if (!empty)
    strv_add (&job->warnings, "the last part of the output was not read: its consumer, or a process that is left, held it up");
  return 1;
}

static void
job_set_timer (struct weir_job *job)
{
  int64_t at = 0;

  switch (job->phase) {
  case JOB_RUNNING:
    at = job->deadline_ms;
    break;
  case JOB_ENDING:
    at = job->kill_at;
    break;
  case JOB_ENDED:
    at = job->drain_until != 0 ? job->drain_until : job->deadline_ms;
    break;
  case JOB_DONE:
    break;
  }
  if (job->looking || (job->phase < JOB_ENDED && job->started.process.ended < 0)) {
    int64_t poll_at = util_now_ms () + JOB_POLL_MS;
    at = at == 0 || poll_at < at ? poll_at : at;
  }
  watch_timer (job, at);
}

void
job_pass (struct weir_job *job)
{
  int empty;

  if (job->phase == JOB_DONE)
    return;
  if (job->phase < JOB_ENDED)
    streams_feed (job);
  streams_drain (job);
  if (job->phase < JOB_ENDED)
    job_pass_alive (job);
  if (job->phase == JOB_ENDED) {
    /* Asked after the end was known: what was written before it is in the pipes.  */
    empty = streams_drain (job);
    if (job_drained (job, empty))
      job->phase = JOB_DONE;
  }
  job_set_timer (job);
}

/* ---- the public side ---- */

intptr_t
weir_job_stream (const weir_job *job, int which)
{
  if (which < 0 || which > 2)
    return -1;
  if (job->request.stream[which] == WEIR_STREAM_PTY)
    return which == 0 ? job->started.process.streams[0] : -1;
  return job->request.stream[which] == WEIR_STREAM_PIPE ? job->started.process.streams[which] : -1;
}

intptr_t
weir_job_fd (const weir_job *job)
{
  return job->epoll;
}

weir_status
weir_job_step (weir_job *job, int *done, weir_error **err)
{
  (void) err;
  job_pass (job);
  if (done != NULL)
    *done = job->phase == JOB_DONE;
  return WEIR_OK;
}

weir_status
weir_job_signal (weir_job *job, int scope, int signo, weir_error **err)
{
  if (scope < WEIR_SIGNAL_LEADER || scope > WEIR_SIGNAL_TREE || signo < 1 || signo > 64)
    return error_set (err, WEIR_E_INVALID, 0, "signal %d to scope %d", signo, scope);
  return job_signal (job, (uint32_t) scope, signo, err);
}

weir_status
weir_job_resize (weir_job *job, uint16_t rows, uint16_t columns, weir_error **err)
{
  struct instance *world = job->started.world;
  weir_status status;

  if (job->request.stream[0] != WEIR_STREAM_PTY)
    return error_set (err, WEIR_E_INVALID, 0, "the command has no terminal to resize");
  pthread_mutex_lock (&job->lock);
  plugins_enter (world);
  status = world->adopted->process.resize (world->self, &job->started.process, rows, columns, err);
  plugins_leave (world);
  pthread_mutex_unlock (&job->lock);
  return status;
}

weir_status
weir_job_close_stdin (weir_job *job, weir_error **err)
{
  struct instance *world = job->started.world;
  weir_status status;

  pthread_mutex_lock (&job->lock);
  plugins_enter (world);
  status = world->adopted->process.close_stdin (world->self, &job->started.process, err);
  plugins_leave (world);
  pthread_mutex_unlock (&job->lock);
  return status;
}
