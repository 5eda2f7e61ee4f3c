/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

#include "core/job.h"
#include "core/result.h"

/* ---- starting ---- */

static weir_status
exec_cancelled (const struct weir_request *request, weir_error **err)
{
  struct pollfd p = { .fd = (int) request->cancel_fd, .events = POLLIN };

  if (request->cancel_fd < 0 || poll (&p, 1, 0) != 1)
    return WEIR_OK;
  if (p.revents & POLLNVAL)
    return error_set (err, WEIR_E_INVALID, EBADF, "cancel descriptor %d", (int) request->cancel_fd);
  return error_set (err, WEIR_E_CANCELLED, 0, "cancelled before the command was started");
}

static int64_t
exec_timeout (const struct weir_job *job)
{
  return job->request.timeout_ms != 0 ? job->request.timeout_ms : job->policy.wall_ms;
}

/* Starting has a limit too, but not one that would turn a short time-out into "could not be started".  */
static int64_t
exec_start_deadline (const struct weir_job *job)
{
  int64_t timeout = exec_timeout (job), least = 10000 + job->rt->settings->probe_timeout_ms;

  return timeout == 0 ? 0 : util_now_ms () + (timeout < INT64_MAX / 4 ? timeout : INT64_MAX / 4) + least;
}

static weir_status
exec_spawn (struct weir_job *job, weir_error **err)
{
  struct weir_stdio stdio;
  weir_call call = { WEIR_SIZED (weir_call), .cancel = job->request.cancel_fd, .deadline_ms = exec_start_deadline (job),
                     .session = job->session };
  weir_status status = streams_prepare (job, &stdio, err);

  if (status == WEIR_OK && job->policy.git != NULL && job->policy.mode != WEIR_MODE_DANGER_FULL_ACCESS) {
    status = gitmeta_before (job->policy.git, err);
    job->guarded = status == WEIR_OK;
  }
  if (status == WEIR_OK)
    status = started_run (job->rt, &job->policy, &job->request, &stdio, &call, &job->started, err);
  if (status != WEIR_OK) {
    job->guarded = 0; /* nothing ran */
    return status;
  }
  job->started_us = util_now_us ();
  if (job->guarded)
    gitmeta_set_held (job->policy.git, job->started.used.sandbox != NULL
                                         && (job->started.used.plan->governs & ~job->started.used.missing & WEIR_AXIS_PROTECT) != 0);
  util_close_ptr (&job->child_ends[0]);
  job->child_ends[0] = -1;
  return streams_adopt (job, err);
}

static void
exec_begin (struct weir_job *job)
{
  int64_t timeout = exec_timeout (job), now = util_now_ms ();

  job->deadline_ms = timeout == 0 || timeout > INT64_MAX / 2 ? 0 : now + timeout;
  watch_set (job, WATCH_ENDED, (int) job->started.process.ended, job->started.process.ended >= 0 ? EPOLLIN : 0);
  watch_set (job, WATCH_CANCEL, (int) job->request.cancel_fd, job->request.cancel_fd >= 0 ? EPOLLIN : 0);
  job_pass (job);
}

static struct weir_job *
exec_new (weir_runtime *rt)
{
  struct weir_job *job = calloc (1, sizeof *job);

  if (job == NULL)
    return NULL;
  job->rt = rt;
  job->epoll = job->timer = -1;
  job->child_ends[0] = job->child_ends[1] = -1;
  job->started.process.ended = -1;
  for (int i = 0; i < 3; i++)
    job->started.process.streams[i] = -1;
  collect_init (&job->collect);
  pthread_mutex_init (&job->lock, NULL);
  return job;
}

/* What is the caller's is not looked at after the start.  */
static void
exec_forget_request (struct weir_job *job)
{
  struct weir_request *r = &job->request;

  r->argv = r->write = r->read_only = r->deny_read = r->env = r->limits = NULL;
  r->cwd = r->workspace = r->session = r->sandbox = NULL;
  r->input = NULL;
}

static weir_status
exec_prepare (struct weir_job *job, const struct weir_request *request, int timer, weir_error **err)
{
  weir_status status = request_check (request, 1, &job->request, err);

  if (status == WEIR_OK)
    status = exec_cancelled (&job->request, err);
  if (status == WEIR_OK && job->request.session != NULL && (job->session = strdup (job->request.session)) == NULL)
    status = error_nomem (err);
  if (status == WEIR_OK)
    status = watch_open (job, timer, err);
  return status == WEIR_OK ? runtime_policy (job->rt, &job->request, &job->policy, err) : status;
}

static weir_status
exec_start (weir_runtime *rt, const struct weir_request *request, int timer, weir_job **out, weir_error **err)
{
  struct weir_job *job = exec_new (rt);
  weir_status status;

  *out = NULL;
  if (job == NULL)
    return error_nomem (err);
  status = exec_prepare (job, request, timer, err);
  if (status == WEIR_OK)
    status = exec_spawn (job, err);
  if (status != WEIR_OK) {
    weir_job_free (job);
    return status;
  }
  exec_forget_request (job);
  exec_begin (job);
  *out = job;
  return WEIR_OK;
}

weir_status
weir_start (weir_runtime *rt, const struct weir_request *request, weir_job **out, weir_error **err)
{
  return exec_start (rt, request, 1, out, err);
}

/* ---- the end ---- */

static void
exec_release (struct weir_job *job)
{
  struct instance *world = job->started.world;
  auto_error weir_error *answer = NULL;

  if (!job->started.running)
    return;
  plugins_enter (world);
  if (world->adopted->process.release (world->self, &job->started.process, &answer) != WEIR_OK)
    log_line (&job->rt->log, WEIR_LOG_WARNING, "release process %lld: %s", (long long) job->started.process.id,
              answer == NULL ? "no reason given" : weir_error_message (answer));
  plugins_leave (world);
  job->started.running = 0;
}

static void
exec_unguard (struct weir_job *job)
{
  const struct weir_plan *plan = job->started.used.plan;

  if (job->guarded) {
    gitmeta_set_held (job->policy.git, plan != NULL && plan_missing (plan, 0, WEIR_AXIS_PROTECT) == 0);
    gitmeta_after (job->policy.git, &job->warnings);
  }
  job->guarded = 0;
}

void
weir_job_free (weir_job *job)
{
  if (job == NULL)
    return;
  job_kill (job);
  exec_unguard (job);
  collect_free (&job->collect);
  exec_release (job);
  watch_close (job);
  candidate_free (&job->started.used);
  runtime_policy_end (job->rt, &job->policy);
  util_close_ptr (&job->child_ends[0]);
  strv_free (&job->warnings);
  free (job->input);
  free (job->session);
  pthread_mutex_destroy (&job->lock);
  free (job);
}

static void
exec_copy_warnings (struct weir_job *job)
{
  for (int i = 0; i < 2; i++) {
    const struct stream *s = &job->collect.stream[i];
    if (s->copy_errno != 0 && s->copy_errno != EPIPE) {
      char text[128];
      strv_fmt (&job->warnings, "%s could not be passed on: %s", s->name, strerror_r (s->copy_errno, text, sizeof text));
    }
  }
}

weir_status
weir_job_wait (weir_job *job, weir_result **out, weir_error **err)
{
  struct ending end = { .policy = &job->policy, .used = &job->started.used };
  weir_status status;

  *out = NULL;
  if (job->told)
    return error_set (err, WEIR_E_INVALID, 0, "the result of this job was handed out already");
  for (job_pass (job); job->phase != JOB_DONE; job_pass (job))
    watch_wait (job);
  exec_unguard (job);
  exec_copy_warnings (job);
  end.exit = job->exit;
  end.timed_out = job->timed_out;
  end.cancelled = job->cancelled;
  end.wall_usec = job->wall_usec;
  status = outcome_make (&end, &job->collect, out, err);
  if (status != WEIR_OK)
    return status;
  job->told = 1;
  for (size_t i = 0; i < job->warnings.count; i++)
    strv_add (&(*out)->warnings, job->warnings.items[i]);
  return WEIR_OK;
}

weir_status
weir_run (weir_runtime *rt, const struct weir_request *request, weir_result **out, weir_error **err)
{
  weir_job *job;
  weir_status status;

  *out = NULL;
  for (int i = 0; request != NULL && request->struct_size >= sizeof *request && i < 3; i++)
    if (request->stream[i] == WEIR_STREAM_PIPE || request->stream[i] == WEIR_STREAM_PTY)
      return error_set (err, WEIR_E_INVALID, 0, "weir_run cannot serve a pipe or a terminal; weir_start can");
  status = exec_start (rt, request, 0, &job, err); /* nobody else waits: no timer is needed */
  if (status != WEIR_OK)
    return status;
  status = weir_job_wait (job, out, err);
  weir_job_free (job);
  return status;
}
