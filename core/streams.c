/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/quiet.h"

#define STREAMS_TEE_KEEP 65536 /* of a copied stream; enough for what explains a denial */

static const uint32_t streams_kinds[] = {
  [WEIR_STREAM_COLLECT] = WEIR_STDIO_PIPE, [WEIR_STREAM_NULL] = WEIR_STDIO_NULL, [WEIR_STREAM_INHERIT] = WEIR_STDIO_INHERIT,
  [WEIR_STREAM_PIPE] = WEIR_STDIO_PIPE,    [WEIR_STREAM_PTY] = WEIR_STDIO_PTY,   [WEIR_STREAM_TEE] = WEIR_STDIO_PIPE,
};

static int
streams_nonblocking (int fd)
{
  int flags = fcntl (fd, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) ? flags : fcntl (fd, F_SETFL, flags | O_NONBLOCK);
}

/* Never one of 0, 1 and 2, which may be closed in this process: the child's streams are made of these.  */
static int
streams_pipe (int ends[2])
{
  int low[2];

  if (pipe2 (low, O_CLOEXEC) != 0)
    return -1;
  for (int i = 0; i < 2; i++) {
    ends[i] = low[i] > 2 ? low[i] : fcntl (low[i], F_DUPFD_CLOEXEC, 3);
    if (ends[i] != low[i])
      close (low[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0)
    return 0;
  for (int i = 0; i < 2; i++)
    util_close_ptr (&ends[i]);
  return -1;
}

/* Both output streams write to one place: one pipe for both keeps the order.  */
static weir_status
streams_merge (struct weir_job *job, struct weir_stdio *stdio, weir_error **err)
{
  int ends[2];

  if (streams_pipe (ends) != 0)
    return error_set (err, WEIR_E_IO, errno, "make a pipe");
  job->collect.stream[0].fd = ends[0];
  job->child_ends[0] = ends[1];
  stdio->kind[1] = stdio->kind[2] = WEIR_STDIO_INHERIT;
  stdio->fd[1] = stdio->fd[2] = ends[1];
  return WEIR_OK;
}

static void
streams_collect (struct weir_job *job, int i)
{
  const struct weir_request *r = &job->request;
  struct stream *s = &job->collect.stream[i - 1];
  auto_error weir_error *ignored = NULL;
  struct sessiondir *sessions;

  s->limit = r->output_limit != 0 ? r->output_limit : job->policy.output_limit;
  if (r->stream[i] == WEIR_STREAM_TEE) {
    s->limit = s->limit < STREAMS_TEE_KEEP ? s->limit : STREAMS_TEE_KEEP;
    return;
  }
  s->keep_head = r->keep == WEIR_KEEP_HEAD;
  s->spill_limit = job->policy.spill_limit;
  if (s->spill_limit > 0 && runtime_sessions (job->rt, &sessions, &ignored) == WEIR_OK)
    s->spill_dir = sessiondir_spill (sessions, &ignored);
  if (ignored != NULL)
    log_line (&job->rt->log, WEIR_LOG_WARNING, "output that is too large is not kept in a file: %s", weir_error_message (ignored));
}

static weir_status
streams_tee (struct weir_job *job, int i, weir_error **err)
{
  struct stream *s = &job->collect.stream[i - 1];

  s->copy_fd = quiet_reopen ((int) job->request.stream_fd[i], &s->copy_blocking);
  return s->copy_fd < 0 ? error_set (err, WEIR_E_IO, errno, "copy descriptor %d", (int) job->request.stream_fd[i]) : WEIR_OK;
}

static weir_status
streams_input (struct weir_job *job, struct weir_stdio *stdio, weir_error **err)
{
  const struct weir_request *r = &job->request;

  if (r->stream[0] != WEIR_STREAM_COLLECT)
    return WEIR_OK;
  if (r->input_size == 0) {
    stdio->kind[0] = WEIR_STDIO_NULL;
    return WEIR_OK;
  }
  job->input = malloc (r->input_size);
  if (job->input == NULL)
    return error_nomem (err);
  memcpy (job->input, r->input, r->input_size);
  job->input_size = r->input_size;
  return WEIR_OK;
}

weir_status
streams_prepare (struct weir_job *job, struct weir_stdio *stdio, weir_error **err)
{
  const struct weir_request *r = &job->request;
  int merged = r->stream[1] == WEIR_STREAM_TEE && r->stream[2] == WEIR_STREAM_TEE
               && quiet_same ((int) r->stream_fd[1], (int) r->stream_fd[2]);
  weir_status status;

  *stdio = (struct weir_stdio){ WEIR_SIZED (struct weir_stdio), .fd = { -1, -1, -1 }, .rows = r->rows, .columns = r->columns };
  for (int i = 0; i < 3; i++) {
    stdio->kind[i] = streams_kinds[r->stream[i]];
    if (r->stream[i] == WEIR_STREAM_INHERIT)
      stdio->fd[i] = r->stream_fd[i];
    if (i > 0 && (r->stream[i] == WEIR_STREAM_COLLECT || r->stream[i] == WEIR_STREAM_TEE))
      streams_collect (job, i);
  }
  status = streams_input (job, stdio, err);
  for (int i = 1; i < 3 && status == WEIR_OK; i++)
    if (r->stream[i] == WEIR_STREAM_TEE && !(merged && i == 2))
      status = streams_tee (job, i, err);
  return status == WEIR_OK && merged ? streams_merge (job, stdio, err) : status;
}

weir_status
streams_adopt (struct weir_job *job, weir_error **err)
{
  struct weir_process *process = &job->started.process;

  for (int i = 1; i < 3; i++) {
    struct stream *s = &job->collect.stream[i - 1];
    uint32_t kind = job->request.stream[i];
    if ((kind != WEIR_STREAM_COLLECT && kind != WEIR_STREAM_TEE) || (process->streams[i] < 0 && s->fd < 0))
      continue;
    if (s->fd < 0) {
      s->fd = (int) process->streams[i];
      s->borrowed = 1; /* the process closes it */
    }
    if (streams_nonblocking (s->fd) < 0)
      return error_set (err, WEIR_E_IO, errno, "make the pipe of %s non-blocking", s->name);
  }
  if (job->input_size > 0 && process->streams[0] >= 0 && streams_nonblocking ((int) process->streams[0]) < 0)
    return error_set (err, WEIR_E_IO, errno, "make the pipe of stdin non-blocking");
  return WEIR_OK;
}

/* ---- while it runs ---- */

static void
streams_close_input (struct weir_job *job)
{
  auto_error weir_error *ignored = NULL;
  struct instance *world = job->started.world;

  watch_set (job, WATCH_INPUT, -1, 0);
  free (job->input);
  job->input = NULL;
  pthread_mutex_lock (&job->lock);
  plugins_enter (world);
  world->adopted->process.close_stdin (world->self, &job->started.process, &ignored);
  plugins_leave (world);
  pthread_mutex_unlock (&job->lock);
}

void
streams_feed (struct weir_job *job)
{
  int fd = (int) job->started.process.streams[0];

  if (job->input == NULL)
    return;
  while (fd >= 0 && job->input_done < job->input_size) {
    ssize_t n = quiet_write (fd, job->input + job->input_done, job->input_size - job->input_done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      watch_set (job, WATCH_INPUT, fd, EPOLLOUT);
      return;
    }
    if (n < 0)
      break; /* the command does not want it: that is no failure */
    job->input_done += (size_t) n;
  }
  streams_close_input (job);
}

static void
streams_watch (struct weir_job *job, int which)
{
  const struct stream *s = &job->collect.stream[which - 1];
  int copying = collect_copying (&job->collect, which);

  /* A descriptor with nothing asked of it would still report its hang-up, for ever.  */
  watch_set (job, which == 1 ? WATCH_OUT : WATCH_ERR, s->fd, s->fd >= 0 && !copying ? EPOLLIN : 0);
  watch_set (job, which == 1 ? WATCH_COPY_OUT : WATCH_COPY_ERR, s->copy_fd, copying ? EPOLLOUT : 0);
}

static int
streams_empty (const struct stream *s)
{
  struct pollfd p = { .fd = s->fd, .events = POLLIN };

  return s->fd < 0 || poll (&p, 1, 0) == 0;
}

int
streams_drain (struct weir_job *job)
{
  int empty = 1;

  for (int which = 1; which <= 2; which++) {
    const struct stream *s = &job->collect.stream[which - 1];
    int before = s->fd;
    if (s->fd < 0 && !collect_copying (&job->collect, which))
      continue;
    if (collect_read (&job->collect, which) < 0)
      collect_end (&job->collect, which);
    /* The consumer of the copy is gone: the command is to meet a closed pipe, as it would without us.  */
    streams_watch (job, which);
    if (before >= 0 && s->fd < 0 && s->borrowed && s->copy_errno != 0) {
      close (before);
      job->started.process.streams[which] = -1;
    }
    empty &= !collect_copying (&job->collect, which) && streams_empty (s);
  }
  return empty;
}

void
weir_job_note_output (weir_job *job, int which, const void *bytes, size_t size)
{
  uint32_t kind = which == 1 || which == 2 ? job->request.stream[which] : WEIR_STREAM_NULL;

  if (job->told || size == 0 || (kind != WEIR_STREAM_PIPE && kind != WEIR_STREAM_PTY))
    return;
  job->collect.stream[which - 1].limit = STREAMS_TEE_KEEP;
  collect_take (&job->collect, which, bytes, size);
}
