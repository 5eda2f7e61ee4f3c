/* weir/weir.h: run commands confined, in the world and under the sandbox that a file chose.
 *
 * Thread safety: a runtime may be used from any thread, and several runtimes may live in one process.
 * Calls block; each takes a cancel descriptor and a deadline.  A job belongs to one thread at a time,
 * except that weir_job_signal may be called from any.  Nothing process-wide is changed: no signal
 * handler, working directory, umask, locale, environment or limit.
 *
 * Errors: every fallible function returns WEIR_OK or a WEIR_E_* code and, when err is not NULL and the
 * call failed, stores an error that the caller frees with weir_error_free.
 *
 * Strings are bytes that end in NUL.  What a getter returns belongs to the object it was read from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_H
#define WEIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WEIR_API __attribute__ ((visibility ("default")))
#else
#define WEIR_API
#endif

#ifndef WEIR_PLUGIN_H /* the same values as in weir/plugin.h, where each is explained */
typedef int32_t weir_status;
typedef struct weir_error weir_error;
#define WEIR_OK 0
#define WEIR_E_INVALID 1
#define WEIR_E_NOT_FOUND 2
#define WEIR_E_DENIED 3
#define WEIR_E_UNAVAILABLE 4
#define WEIR_E_UNTRUSTED 5
#define WEIR_E_PLUGIN 6
#define WEIR_E_UNSUPPORTED 7
#define WEIR_E_CONFLICT 8
#define WEIR_E_TIMEOUT 9
#define WEIR_E_CANCELLED 10
#define WEIR_E_NOMEM 11
#define WEIR_E_IO 12
#define WEIR_E_NO_PROGRAM 13
#define WEIR_E_NOT_EXECUTABLE 14
#define WEIR_E_RUNNER 15
#define WEIR_MODE_READ_ONLY 1
#define WEIR_MODE_WORKSPACE_WRITE 2
#define WEIR_MODE_DANGER_FULL_ACCESS 3
#define WEIR_NETWORK_INHERIT 0
#define WEIR_NETWORK_LOOPBACK 1
#define WEIR_NETWORK_NONE 2
#endif

/* ---- errors ------------------------------------------------------------------------------------ */

WEIR_API weir_status weir_error_code (const weir_error *);
WEIR_API int weir_error_errno (const weir_error *);           /* 0: none */
WEIR_API const char *weir_error_message (const weir_error *); /* what was tried, on what, why it failed */
WEIR_API const weir_error *weir_error_cause (const weir_error *);              /* NULL: none */
WEIR_API const char *weir_error_hint_at (const weir_error *, size_t index);    /* NULL: no more */
WEIR_API const char *weir_status_name (weir_status);          /* "SANDBOX_UNAVAILABLE"; never NULL */
WEIR_API void weir_error_free (weir_error *);                 /* NULL: nothing */

/* ---- the runtime ------------------------------------------------------------------------------- */

typedef struct weir_runtime weir_runtime;

struct weir_runtime_options {
  uint32_t struct_size; /* sizeof (struct weir_runtime_options) */
  uint32_t flags;       /* WEIR_RUNTIME_* */
  const char *config;   /* this file alone; NULL: the system's file, then the user's */
  const char *const *set;  /* "sandbox.mode=read-only": values over the file; NULL-terminated or NULL */
  const char *plugin_dir;  /* NULL: the installed one */
  const char *state_dir;   /* NULL: the user's state directory */
  const char *const *environ; /* the environment to draw from; NULL: the process's */
  void (*log) (void *log_data, int level, const char *line); /* NULL: dropped */
  void *log_data;
};
/* Runs are not preceded by a proof that the sandbox works: the run is the proof.  For one-shot use.  */
#define WEIR_RUNTIME_ONE_SHOT 1u

/* Reads the configuration.  Plugins are loaded when a call first needs them.  */
WEIR_API weir_status weir_runtime_new (const struct weir_runtime_options *, weir_runtime **, weir_error **);
/* Ends the runtime: its jobs must have been freed.  Removes its session directories and spill files.  */
WEIR_API void weir_runtime_free (weir_runtime *);
WEIR_API const char *weir_version (void);

/* ---- a request ----------------------------------------------------------------------------------- */

#define WEIR_STREAM_COLLECT 0 /* stdin: what "input" holds; output: kept in the result, the rest spilled */
#define WEIR_STREAM_NULL 1
#define WEIR_STREAM_INHERIT 2 /* stream_fd */
#define WEIR_STREAM_PIPE 3    /* weir_job_stream gives our end */
#define WEIR_STREAM_PTY 4     /* all three: one terminal, weir_job_stream (job, 0) is our end */
/* Output is copied to stream_fd as it comes and its last part kept, so that denials can be explained.  */
#define WEIR_STREAM_TEE 5

#define WEIR_KEEP_TAIL 0
#define WEIR_KEEP_HEAD 1

struct weir_request {
  uint32_t struct_size; /* sizeof (struct weir_request); WEIR_REQUEST_INIT sets it and the descriptors */
  uint32_t flags;       /* 0 */
  const char *const *argv; /* NULL-terminated; argv[0] is looked up in the command's PATH */
  const char *cwd;         /* NULL: the workspace */
  const char *workspace;   /* NULL: the process's working directory */
  const char *session;     /* NULL: none; calls of one session share /tmp */
  uint32_t mode;           /* 0: the deployment's */
  uint32_t network_set;    /* 0: the deployment's, 1: as network says */
  uint32_t network;
  uint32_t keep;           /* WEIR_KEEP_* of collected output */
  const char *sandbox;     /* NULL: the deployment's chain; else this one alone */
  const char *const *write;     /* more writable roots; NULL or NULL-terminated, like all that follow */
  const char *const *read_only; /* read-only inside writable roots */
  const char *const *deny_read;
  const char *const *env;    /* "NAME" passes it on, "NAME=VALUE" sets it */
  const char *const *limits; /* "processes=64", "memory=1G", "cpu=10s", "files=256", "file_size=1G" */
  int64_t timeout_ms;   /* 0: the deployment's wall limit */
  uint64_t output_limit; /* bytes kept in memory per stream; 0: the deployment's */
  uint32_t stream[3];   /* WEIR_STREAM_* of stdin, stdout, stderr */
  uint32_t reserved;
  intptr_t stream_fd[3];
  const void *input;    /* of a COLLECT stdin */
  size_t input_size;
  uint16_t rows, columns; /* of PTY */
  uint32_t reserved2;
  intptr_t cancel_fd;   /* readable: cancelled; -1: none */
};
#define WEIR_REQUEST_INIT \
  { .struct_size = (uint32_t) sizeof (struct weir_request), .stream_fd = { -1, -1, -1 }, .cancel_fd = -1 }

/* ---- results -------------------------------------------------------------------------------------- */

typedef struct weir_result weir_result;

#define WEIR_OUTCOME_EXITED 1
#define WEIR_OUTCOME_SIGNALLED 2
#define WEIR_OUTCOME_RUNNER_FAILED 3 /* the sandbox could not be set up; the command did not run */
#define WEIR_OUTCOME_TIMED_OUT 4
#define WEIR_OUTCOME_CANCELLED 5
#define WEIR_OUTCOME_LIMIT 6 /* a limit of the policy ended it; weir_result_limit names it */

#define WEIR_ENFORCEMENT_NONE 0 /* danger-full-access */
#define WEIR_ENFORCEMENT_PARTIAL 1
#define WEIR_ENFORCEMENT_FULL 2

WEIR_API int weir_result_outcome (const weir_result *);
WEIR_API int weir_result_code (const weir_result *);   /* exit status, -1: it did not exit */
WEIR_API int weir_result_signal (const weir_result *); /* 0: none */
WEIR_API int weir_result_exit_status (const weir_result *); /* as a shell says it: code, 128+n, 124 timed out,
                                                               125 runner failed, 137 limit, 130 cancelled */
WEIR_API const char *weir_result_limit (const weir_result *);    /* "output", "cpu"...; NULL: none */
WEIR_API int weir_result_tree_gone (const weir_result *);        /* 1: it was checked that no process is left */
WEIR_API int weir_result_enforcement (const weir_result *);
WEIR_API const char *weir_result_enforcement_origin (const weir_result *); /* "asserted by FILE:LINE"; NULL: computed */
WEIR_API const char *weir_result_gap (const weir_result *, size_t index);  /* what is not governed, and why; NULL: no more */
WEIR_API const char *weir_result_provider (const weir_result *); /* the sandbox's name; NULL: none */
WEIR_API uint32_t weir_result_mode (const weir_result *);
WEIR_API uint64_t weir_result_cpu_usec (const weir_result *);
WEIR_API uint64_t weir_result_max_rss (const weir_result *); /* bytes */
WEIR_API uint64_t weir_result_wall_usec (const weir_result *);

/* Collected output.  which: 1 or 2.  Bytes [offset, offset + size) of the whole stream are in memory.  */
struct weir_output {
  uint32_t struct_size;
  uint32_t truncated; /* 1: total > size */
  const void *data;
  size_t size;
  uint64_t offset;
  uint64_t total;
  const char *spill; /* file with the whole stream, removed with the result; NULL: none */
};
WEIR_API void weir_result_output (const weir_result *, int which, struct weir_output *);
/* Order of arrival: the index-th piece; returns 0 when there are no more.  */
WEIR_API int weir_result_order (const weir_result *, size_t index, int *which, uint64_t *offset, uint64_t *size);

struct weir_denial {
  uint32_t struct_size;
  uint32_t enforced;     /* 1: told by an out-of-band channel; 0: inferred from text */
  const char *operation; /* "write", "read", "connect"...; never NULL */
  const char *path;      /* NULL: not known */
  const char *rule;      /* why, for people */
  const char *origin;    /* "FILE:LINE", "built in"... */
  const char *remedy;    /* what would allow it; NULL: nothing */
};
WEIR_API int weir_result_denial (const weir_result *, size_t index, struct weir_denial *); /* 0: no more */
/* Things that the command changed which Weir put right or warns of (git metadata).  NULL: no more.  */
WEIR_API const char *weir_result_warning (const weir_result *, size_t index);
WEIR_API void weir_result_free (weir_result *);

/* ---- running --------------------------------------------------------------------------------------- */

typedef struct weir_job weir_job;

/* Runs a command to its end.  Returns WEIR_OK with a result when it ran, whatever its exit status, and when
 * it was ended by a time-out, a cancel or a limit.  Nothing ran when an error is returned; every confined call
 * that cannot be confined returns WEIR_E_UNAVAILABLE.  */
WEIR_API weir_status weir_run (weir_runtime *, const struct weir_request *, weir_result **, weir_error **);

WEIR_API weir_status weir_start (weir_runtime *, const struct weir_request *, weir_job **, weir_error **);
/* Our end of a PIPE or PTY stream, non-blocking, owned by the job; -1: none.  */
WEIR_API intptr_t weir_job_stream (const weir_job *, int which);
/* Readable when weir_job_step has something to do; for an event loop.  */
WEIR_API intptr_t weir_job_fd (const weir_job *);
/* Does what can be done without blocking; *done becomes 1 when weir_job_wait would not block.  */
WEIR_API weir_status weir_job_step (weir_job *, int *done, weir_error **);
WEIR_API weir_status weir_job_wait (weir_job *, weir_result **, weir_error **);
#define WEIR_SIGNAL_LEADER 0
#define WEIR_SIGNAL_GROUP 1
#define WEIR_SIGNAL_FOREGROUND 2
#define WEIR_SIGNAL_TREE 3
WEIR_API weir_status weir_job_signal (weir_job *, int scope, int signo, weir_error **);
WEIR_API weir_status weir_job_resize (weir_job *, uint16_t rows, uint16_t columns, weir_error **);
WEIR_API weir_status weir_job_close_stdin (weir_job *, weir_error **);
/* What the caller itself read from a PIPE (which: 1 or 2) or PTY (1) stream.  Its last part is kept, as of a TEE stream, so
 * that denials can be explained.  Nothing after the job is done.  */
WEIR_API void weir_job_note_output (weir_job *, int which, const void *, size_t);
/* Kills what is still running.  NULL: nothing.  */
WEIR_API void weir_job_free (weir_job *);

/* ---- looking without running -------------------------------------------------------------------------- */

/* Text goes to the writer in lines, JSON in one piece.  */
typedef void (*weir_writer) (void *data, const char *bytes, size_t size);

#define WEIR_FORMAT_TEXT 0
#define WEIR_FORMAT_JSON 1

/* What would be executed.  */
WEIR_API weir_status weir_show_plan (weir_runtime *, const struct weir_request *, int format, weir_writer, void *data,
                                weir_error **);

#define WEIR_ANSWER_ALLOWED 1
#define WEIR_ANSWER_DENIED 2
/* Would this operation ("read", "write", "create", "delete", "rename", "metadata", "execute") on this path be allowed?
 * request gives the policy; its argv may be NULL.  */
WEIR_API weir_status weir_explain (weir_runtime *, const struct weir_request *, const char *path, const char *operation,
                                   int format, int *answer, weir_writer, void *data, weir_error **);

/* Functional checks.  *worst: 0 all ok, 1 something fails, 3 no sandbox is usable.  */
WEIR_API weir_status weir_doctor (weir_runtime *, int format, int *worst, weir_writer, void *data, weir_error **);

#define WEIR_SHOW_ORIGIN 1u
WEIR_API weir_status weir_show_config (weir_runtime *, int format, uint32_t flags, weir_writer, void *data,
                                       weir_error **);
/* name NULL: every plugin of the directory, a line each.  */
WEIR_API weir_status weir_show_plugins (weir_runtime *, const char *name, int format, weir_writer, void *data,
                                       weir_error **);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_H */
