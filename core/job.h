/* A running command: the loop that feeds it, reads it, ends it.  */
#ifndef WEIR_CORE_JOB_H
#define WEIR_CORE_JOB_H

#include "core/collect.h"
#include "core/exec.h"

/* What a job waits for.  */
enum watch {
  WATCH_INPUT,
  WATCH_OUT,
  WATCH_ERR,
  WATCH_COPY_OUT,
  WATCH_COPY_ERR,
  WATCH_ENDED,
  WATCH_CANCEL,
  WATCH_TIMER,
  WATCH_COUNT
};

enum job_phase {
  JOB_RUNNING,
  JOB_ENDING, /* TERM was sent; KILL follows when the grace is over */
  JOB_ENDED,  /* how it ended is known; what it wrote is still being read */
  JOB_DONE
};

struct weir_job {
  weir_runtime *rt;
  struct weir_request request; /* pointers in it are the caller's: valid while starting only */
  struct policy policy;
  struct started started;
  struct collect collect;
  char *session;
  char *input;
  size_t input_size, input_done;
  int child_ends[2]; /* of a pipe that we made, until it is spawned; -1 */
  int guarded;       /* the git metadata was looked at before */
  struct strv warnings;

  int epoll, timer;
  struct {
    int fd;
    uint32_t events;
  } watched[WATCH_COUNT];
  int64_t timer_at; /* when something is to be looked at, 0: never */
  int looking;      /* something cannot be waited for: it is looked at every few milliseconds */

  enum job_phase phase;
  int64_t deadline_ms; /* 0: none */
  int64_t kill_at;     /* of ENDING */
  int64_t drain_until; /* of ENDED, 0: as long as it takes */
  int64_t started_us;
  uint64_t wall_usec;
  struct weir_exit exit;
  int timed_out, cancelled;
  int told; /* the result was handed out */
  pthread_mutex_t lock; /* of started.process: weir_job_signal comes from any thread */
};

/* streams.c: what the request says about the three streams, as the world is told, and as we collect.  */
weir_status streams_prepare (struct weir_job *, struct weir_stdio *, weir_error **);
/* After spawn: our ends.  */
weir_status streams_adopt (struct weir_job *, weir_error **);
/* Writes what standard input still takes.  */
void streams_feed (struct weir_job *);
/* Reads what is there.  1: nothing more can come from the streams that are open, when the tree is gone.  */
int streams_drain (struct weir_job *);

/* watch.c: the descriptor that an event loop waits for.  timer: times make it readable too.  */
weir_status watch_open (struct weir_job *, int timer, weir_error **);
void watch_set (struct weir_job *, enum watch, int fd, uint32_t events); /* events 0: not any more */
void watch_timer (struct weir_job *, int64_t at_ms);                     /* 0: off */
void watch_wait (struct weir_job *); /* until there is something to do */
void watch_close (struct weir_job *);

/* job.c */
void job_pass (struct weir_job *); /* what can be done without blocking */
void job_kill (struct weir_job *); /* everything, and waits until it is gone */

#endif
