/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/job.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

weir_status
watch_open (struct weir_job *job, int timer, weir_error **err)
{
  for (int i = 0; i < WATCH_COUNT; i++)
    job->watched[i].fd = -1;
  job->timer = -1;
  job->epoll = epoll_create1 (EPOLL_CLOEXEC);
  if (job->epoll < 0)
    return error_set (err, WEIR_E_IO, errno, "make an epoll descriptor");
  if (timer && (job->timer = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
    return error_set (err, WEIR_E_IO, errno, "make a timer");
  return WEIR_OK;
}

void
watch_close (struct weir_job *job)
{
  util_close_ptr (&job->epoll);
  util_close_ptr (&job->timer);
  job->epoll = job->timer = -1;
}

void
watch_set (struct weir_job *job, enum watch which, int fd, uint32_t events)
{
  struct epoll_event event = { .events = events, .data.u32 = (uint32_t) which };
  int old = job->watched[which].fd;

  if (events == 0)
    fd = -1;
  if (old == fd && (fd < 0 || job->watched[which].events == events))
    return;
  /* A descriptor that was closed meanwhile has left by itself.  */
  if (old >= 0 && old != fd)
    epoll_ctl (job->epoll, EPOLL_CTL_DEL, old, NULL);
  /* Without memory for it, or for a kind that epoll does not take: looked at from time to time.  */
  if (fd >= 0 && epoll_ctl (job->epoll, old == fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
    job->looking = 1;
  job->watched[which].fd = fd;
  job->watched[which].events = events;
}

void
watch_timer (struct weir_job *job, int64_t at_ms)
{
  struct itimerspec when = { .it_value = { at_ms / 1000, at_ms % 1000 * 1000000 } };

  if (at_ms == job->timer_at)
    return;
  job->timer_at = at_ms;
  /* Setting it also takes back that it went off.  */
  if (job->timer < 0 || timerfd_settime (job->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0)
    return;
  watch_set (job, WATCH_TIMER, at_ms == 0 ? -1 : job->timer, at_ms == 0 ? 0 : EPOLLIN);
}

void
watch_wait (struct weir_job *job)
{
  struct pollfd p = { .fd = job->epoll, .events = POLLIN };
  int64_t left = job->timer_at == 0 ? -1 : job->timer_at - util_now_ms ();

  poll (&p, 1, job->timer_at == 0 ? -1 : left < 0 ? 0 : left > 3600000 ? 3600000 : (int) left + 1);
}
