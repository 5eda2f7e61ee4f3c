/* weir/plugin.h: everything a Weir plugin sees.
 *
 * A plugin includes this header and links nothing of Weir.  It exports one symbol,
 * NAME_LTX_weir_plugin_v1, made by WEIR_PLUGIN_REGISTER, through which it receives the table of
 * host functions and gives back its descriptor.
 *
 * Rules of the boundary (weir-plugin(7) explains them):
 *  - every struct that crosses starts with its size; fields are added at the end; a signature never
 *    changes;
 *  - what is passed in is borrowed until the call returns; what is passed out goes through a host
 *    object (sink, plan, error); nothing is allocated on one side and freed on the other;
 *  - success returns WEIR_OK and leaves *err alone; failure returns a code and sets *err, where the
 *    first error wins;
 *  - plugin code never runs between fork and exec, prints nothing, and changes nothing process-wide.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_ABI_MAJOR 1 /* in the entry symbol: another major cannot be loaded */
#define WEIR_ABI_MINOR 0 /* counts additions */

#if defined(__GNUC__) || defined(__clang__)
#define WEIR_PRINTF_(f, a) __attribute__ ((format (printf, f, a)))
#define WEIR_EXPORT_ __attribute__ ((visibility ("default")))
#define WEIR_SHARED_ __attribute__ ((weak, visibility ("hidden")))
#else
#define WEIR_PRINTF_(f, a)
#define WEIR_EXPORT_
#define WEIR_SHARED_
#endif

/* ---- status codes: stable, never reused ------------------------------------------------------ */

typedef int32_t weir_status;
#define WEIR_OK 0
#define WEIR_E_INVALID 1         /* bad input: an argument, an option, a configuration */
#define WEIR_E_NOT_FOUND 2       /* a thing that was named does not exist */
#define WEIR_E_DENIED 3          /* the policy refuses it */
#define WEIR_E_UNAVAILABLE 4     /* SANDBOX_UNAVAILABLE: the mode cannot be enforced; nothing ran */
#define WEIR_E_UNTRUSTED 5       /* a file that another user could replace */
#define WEIR_E_PLUGIN 6          /* a plugin broke a rule of this header */
#define WEIR_E_UNSUPPORTED 7     /* not available in this build, on this system, in this world */
#define WEIR_E_CONFLICT 8        /* something changed under us */
#define WEIR_E_TIMEOUT 9         /* the deadline of the call passed */
#define WEIR_E_CANCELLED 10      /* the caller cancelled */
#define WEIR_E_NOMEM 11          /* out of memory */
#define WEIR_E_IO 12             /* the operating system refused; errno is kept */
#define WEIR_E_NO_PROGRAM 13     /* the command's program was not found (exit status 127) */
#define WEIR_E_NOT_EXECUTABLE 14 /* the program was found and cannot be executed (126) */
#define WEIR_E_RUNNER 15         /* the sandbox could not be set up; the command never ran */

/* ---- opaque host objects ------------------------------------------------------------------- */

typedef struct weir_error weir_error;   /* code, errno, message, hints, cause */
typedef struct weir_config weir_config; /* the checked options of one plugin */
typedef struct weir_sink weir_sink;     /* bytes going to the host */
typedef struct weir_plan weir_plan;     /* what a sandbox makes of a command and a policy */
typedef struct weir_log weir_log;       /* where an instance's log lines go */

#define WEIR_LOG_ERROR 0
#define WEIR_LOG_WARNING 1
#define WEIR_LOG_INFO 2
#define WEIR_LOG_DEBUG 3

/* ---- modes, effects, axes -------------------------------------------------------------------- */

#define WEIR_MODE_READ_ONLY 1
#define WEIR_MODE_WORKSPACE_WRITE 2
#define WEIR_MODE_DANGER_FULL_ACCESS 3

/* Effects: what a process can do to files.  A mode promises to govern some, a plan says which it
 * does govern; enforcement is "full" when nothing that was promised or asked is missing.  */
#define WEIR_EFFECT_CONTENT (UINT64_C (1) << 0)     /* write, truncate, map */
#define WEIR_EFFECT_NAMES (UINT64_C (1) << 1)       /* create, rename, link, unlink */
#define WEIR_EFFECT_METADATA (UINT64_C (1) << 2)    /* mode, owner, times, attributes */
#define WEIR_EFFECT_DEVICES (UINT64_C (1) << 3)     /* device nodes and their ioctls, terminals */
#define WEIR_EFFECT_MOUNTS (UINT64_C (1) << 4)      /* mounts and namespaces */
#define WEIR_EFFECT_SOCKETS (UINT64_C (1) << 5)     /* by asking a process outside over a socket */
#define WEIR_EFFECT_DESCRIPTORS (UINT64_C (1) << 6) /* by descriptors inherited from the harness */
#define WEIR_EFFECT_PROCESSES (UINT64_C (1) << 7)   /* by signalling or tracing others */
#define WEIR_EFFECTS_ALL UINT64_C (0xff)

/* Axes: what a policy can ask beside its mode.  The core refuses a policy that uses an axis which
 * the sandbox's descriptor does not claim.  They share one 64-bit space with the effects, so that a
 * plan's gaps can name either.  */
#define WEIR_AXIS_NETWORK_NONE (UINT64_C (1) << 16)
#define WEIR_AXIS_NETWORK_LOOPBACK (UINT64_C (1) << 17)
#define WEIR_AXIS_DENY_READ (UINT64_C (1) << 18)
#define WEIR_AXIS_PROTECT (UINT64_C (1) << 19)     /* read-only paths inside writable roots */
#define WEIR_AXIS_PRIVATE_TMP (UINT64_C (1) << 20) /* a host directory seen as another path */
#define WEIR_AXIS_LIMIT_PROCESSES (UINT64_C (1) << 21)
#define WEIR_AXIS_LIMIT_MEMORY (UINT64_C (1) << 22) /* address space of each process */
#define WEIR_AXIS_LIMIT_CPU (UINT64_C (1) << 23)
#define WEIR_AXIS_LIMIT_FILES (UINT64_C (1) << 24)     /* open descriptors of each process */
#define WEIR_AXIS_LIMIT_FILE_SIZE (UINT64_C (1) << 25) /* size of a file written */

#define WEIR_NETWORK_INHERIT 0
#define WEIR_NETWORK_LOOPBACK 1
#define WEIR_NETWORK_NONE 2

/* ---- the policy of one call ------------------------------------------------------------------ */

/* One line of the view: what a path is for the command.  A later line wins beneath its path.
 * "host" is a canonical path of the host; "world" is where the command sees it (nearly always the
 * same).  dev and ino identify what "host" named when the policy was made.  */
struct weir_view {
  uint32_t struct_size;
  uint32_t access; /* WEIR_ACCESS_* */
  uint32_t is_dir;
  uint32_t flags; /* WEIR_VIEW_* */
  const char *host;
  const char *world;
  uint64_t dev;
  uint64_t ino;
  const char *origin; /* what asked for it, for people: "FILE:LINE", "built in", "--rw" */
};
#define WEIR_ACCESS_NONE 0  /* hidden: cannot be read */
#define WEIR_ACCESS_READ 1  /* readable, never writable */
#define WEIR_ACCESS_WRITE 2 /* writable with all beneath it */
#define WEIR_ACCESS_PIN 3   /* as what surrounds it, but it cannot be renamed, removed or replaced */

#define WEIR_VIEW_TMP 1u       /* the session's private temporary directory */
#define WEIR_VIEW_WORKSPACE 2u /* the workspace root */
#define WEIR_VIEW_DERIVED 4u   /* a default of Weir, or found by it (git's metadata): nobody asked for it by name */

struct weir_limits { /* 0: no limit */
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t processes;
  uint64_t memory;    /* bytes */
  uint64_t cpu;       /* seconds */
  uint64_t files;     /* descriptors */
  uint64_t file_size; /* bytes */
};

struct weir_policy {
  uint32_t struct_size;
  uint32_t mode;     /* READ_ONLY or WORKSPACE_WRITE; the other never reaches a sandbox */
  uint32_t network;  /* WEIR_NETWORK_* */
  uint32_t reserved;
  uint64_t promised; /* effects that the mode promises to govern */
  uint64_t axes;     /* axes that this policy uses */
  const char *workspace;
  const char *session; /* NULL: none */
  const struct weir_view *const *view;
  size_t view_count;
  const struct weir_limits *limits;
};

struct weir_command {
  uint32_t struct_size;
  uint32_t flags;
  const char *const *argv; /* argv[0] is an absolute path; NULL-terminated */
  const char *const *env;  /* "NAME=VALUE", NULL-terminated: all that the command gets */
  const char *cwd;         /* as the command sees it */
};

/* ---- facts of the host ------------------------------------------------------------------------- */

/* What is known of this machine.  A fact that was never tried is assumed, tried by the run itself,
 * and taken back when the step that needs it fails; confine is then asked again.  */
#define WEIR_FACT_USER_NAMESPACES 1 /* 0 or 1: with mounts inside */
#define WEIR_FACT_FRESH_PROC 2      /* 0 or 1: a new proc can be mounted in a new pid namespace */
#define WEIR_FACT_LANDLOCK_ABI 3    /* 0: none */
#define WEIR_FACT_NETWORK_NAMESPACES 4
#define WEIR_FACT_IPC_NAMESPACES 5
#define WEIR_FACT_SECCOMP 6
#define WEIR_FACT_UID 7        /* the effective uid */
#define WEIR_FACT_PID_LIMIT 8  /* 0 or 1: a pid namespace can have a pid_max of its own (Linux 6.14) */
#define WEIR_FACT_COUNT_ 9     /* not a fact */

/* ---- plans --------------------------------------------------------------------------------------- */

/* A step for the child before exec, carried out in the order in which the plan lists them.  Steps
 * are data: numbered kinds known to the core.  Unused fields are zero.  */
struct weir_step {
  uint32_t struct_size;
  uint32_t kind;  /* WEIR_STEP_* */
  uint64_t flags; /* per kind */
  const char *path;
  const char *target;
  uint64_t dev; /* identity that path must have, when ino is not 0 */
  uint64_t ino;
  uint64_t value;
  uint32_t fact; /* WEIR_FACT_* that is taken back when this step fails, 0: none */
  uint32_t reserved;
};

#define WEIR_STEP_NAMESPACES 1 /* flags: WEIR_NS_*.  First step; a user namespace with the identity
                                  map is always part of it */
#define WEIR_STEP_ROOT_READ_ONLY 2 /* every mount private, then read-only, nosuid and without devices'
                                      being creatable; later BIND steps are cloned before it */
#define WEIR_STEP_BIND 3           /* path appears at target (NULL: path itself); flags: WEIR_BIND_* */
#define WEIR_STEP_TMPFS 4          /* an empty tmpfs over path, value: size in bytes; flags: WEIR_BIND_READ_ONLY */
#define WEIR_STEP_HIDE 5           /* path cannot be read: an empty unreadable directory over it (flags 0), or an unreadable
                                      file (flags 1) */
#define WEIR_STEP_PROC 6           /* a fresh proc over /proc, its dangerous parts closed; value: the pid namespace's
                                      pid_max, 0: as it is */
#define WEIR_STEP_DEV 7            /* a private /dev: null zero full random urandom tty pts ptmx shm */
#define WEIR_STEP_LANDLOCK_HANDLE 8 /* flags: access rights handled (the running kernel's bits);
                                       value: net rights | scopes << 32 */
#define WEIR_STEP_LANDLOCK_RULE 9   /* path may: flags = access rights.  path is the host's, opened before any mount,
                                       unless value has WEIR_RULE_INSIDE.  Absent paths are skipped when value has
                                       WEIR_OPTIONAL */
#define WEIR_STEP_LANDLOCK_ENFORCE 10
#define WEIR_STEP_SECCOMP 11     /* flags: WEIR_SECCOMP_* groups refused, in one program */
#define WEIR_STEP_NO_NEW_PRIVILEGES 12
#define WEIR_STEP_CAPABILITIES 13 /* flags: bit mask of capabilities kept in every set */
#define WEIR_STEP_LIMIT 14        /* flags: one WEIR_AXIS_LIMIT_*; value */
#define WEIR_STEP_LOOPBACK_UP 15  /* bring up lo of a new network namespace */
#define WEIR_STEP_SUPERVISE 16    /* run the command beneath Weir's init: pid 1 of a new pid namespace, or a
                                     subreaper.  Always last */
#define WEIR_STEP_COUNT_ 17       /* not a step */

#define WEIR_NS_MOUNT 1u
#define WEIR_NS_PID 2u
#define WEIR_NS_IPC 4u
#define WEIR_NS_NETWORK 8u
#define WEIR_NS_UTS 16u
#define WEIR_NS_CGROUP 32u

#define WEIR_BIND_READ_ONLY 1u
#define WEIR_BIND_OPTIONAL 2u /* absent: skipped */
#define WEIR_BIND_DEVICES 4u  /* device nodes work beneath it */
#define WEIR_BIND_MAKE 8u     /* target is made (directories, an empty file) when an earlier BIND hid it */
#define WEIR_OPTIONAL 1u
#define WEIR_RULE_INSIDE 2u /* path is opened in the child, after the steps before this one: for what PROC, DEV and TMPFS
                               mount there (/dev/pts, /dev/shm) */

/* Groups of system calls that WEIR_STEP_SECCOMP refuses.  */
#define WEIR_SECCOMP_BASE 1u        /* mount and namespace calls, ptrace-likes of others' memory, keyrings, bpf, perf,
                                       userfaultfd, io_uring, kernel administration, TIOCSTI, odd socket families */
#define WEIR_SECCOMP_SETID_BITS 2u  /* making set-user-ID, set-group-ID files */
#define WEIR_SECCOMP_METADATA 4u    /* chmod, chown, utimes, xattrs, file flags */
#define WEIR_SECCOMP_UNIX_SOCKETS 8u /* socket(AF_UNIX); socketpair stays */
#define WEIR_SECCOMP_NETWORK 16u    /* socket of every other family */
#define WEIR_SECCOMP_FAST_OPEN 32u  /* ways around Landlock's TCP rules: MSG_FASTOPEN, MPTCP */
#define WEIR_SECCOMP_OTHERS 64u     /* prlimit, setpriority, affinity of other processes */
#define WEIR_SECCOMP_GROUPS 7

/* Descriptors that a runner's argv names.  plan_fd returns the number that the child will have.  */
#define WEIR_FD_STATUS_JSON 1 /* pipe that the core reads: bubblewrap's --json-status-fd */
#define WEIR_FD_SECCOMP 2     /* value: WEIR_SECCOMP_*; the program's bytes, to be read from offset 0 */
#define WEIR_FD_PATH 3        /* path opened with O_PATH, identity checked against dev and ino unless ino is 0 */
#define WEIR_FD_INIT 4        /* Weir's init, executable */
#define WEIR_FD_REPORT 5      /* the descriptor on which Weir's init reports */
#define WEIR_FD_HARNESS 7     /* a pidfd of this process, for Weir's init */
#define WEIR_FD_DATA 6        /* path's bytes (the string itself) in a sealed memory file */

/* ---- the host's functions ------------------------------------------------------------------------- */

/* The world's side of a running process.  */
struct weir_stdio {
  uint32_t struct_size;
  uint32_t kind[3]; /* WEIR_STDIO_* of 0, 1 and 2 */
  intptr_t fd[3];   /* of INHERIT; stays the caller's */
  uint16_t rows, columns; /* of PTY */
};
#define WEIR_STDIO_NULL 0
#define WEIR_STDIO_INHERIT 1
#define WEIR_STDIO_PIPE 2
#define WEIR_STDIO_PTY 3 /* in all three or in none: one terminal; streams[0] is its other side */

struct weir_process { /* filled by spawn; release ends it */
  uint32_t struct_size;
  uint32_t reserved;
  intptr_t streams[3]; /* our ends of PIPE and PTY, -1: none; the process owns them */
  intptr_t ended;      /* becomes readable when wait would not block, -1: not available */
  int64_t id;          /* for people: the pid of what was started */
  void *handle;
};

struct weir_exit {
  uint32_t struct_size;
  uint32_t kind;  /* WEIR_EXIT_* */
  int32_t code;   /* of EXITED: status; of SIGNALLED: signal */
  int32_t errnum; /* of NOT_STARTED */
  uint32_t step;  /* of NOT_STARTED: WEIR_STEP_* or WEIR_STAGE_* that failed */
  uint32_t flags; /* WEIR_EXIT_* flags */
  uint64_t cpu_usec, max_rss; /* microseconds, bytes; 0: not known */
  char detail[256];           /* of NOT_STARTED: the object that the step acted on, or "" */
};
#define WEIR_EXIT_RUNNING 0
#define WEIR_EXIT_EXITED 1
#define WEIR_EXIT_SIGNALLED 2
#define WEIR_EXIT_NOT_STARTED 3
#define WEIR_EXIT_LOST 4 /* what supervised it ended without a word */

#define WEIR_EXIT_TREE_GONE 1u    /* no process of the command's tree is left: it was checked */
#define WEIR_EXIT_FROM_RUNNER 2u  /* code is the foreign runner's own exit status: whether the command started is
                                     not known out of band */

/* What failed when it was no step.  */
#define WEIR_STAGE_CLONE 101
#define WEIR_STAGE_STDIO 102
#define WEIR_STAGE_CWD 103
#define WEIR_STAGE_EXEC 104   /* the command's program */
#define WEIR_STAGE_RUNNER 105 /* the sandbox's own program */
#define WEIR_STAGE_INIT 106

#define WEIR_SIGNAL_LEADER 0
#define WEIR_SIGNAL_GROUP 1
#define WEIR_SIGNAL_FOREGROUND 2 /* the terminal's foreground group */
#define WEIR_SIGNAL_TREE 3       /* with SIGKILL: every process, and waits until they are gone */

/* First argument of every operation.  */
typedef struct weir_call {
  uint32_t struct_size;
  uint32_t flags;
  intptr_t cancel;      /* readable: cancelled; -1: none */
  int64_t deadline_ms;  /* CLOCK_MONOTONIC milliseconds; 0: none */
  const char *session;  /* NULL: none */
  const uint64_t *facts; /* WEIR_FACT_COUNT_ values, for weir_fact */
} weir_call;

struct weir_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;

  /* Thread-safe.  A line for the operator; level: WEIR_LOG_*.  */
  void (*log) (weir_log *, int level, const char *fmt, ...) WEIR_PRINTF_ (3, 4);

  /* Errors.  Each returns the code that stands in *err (or the one given when err is NULL).  errnum 0:
   * none.  wrap puts a layer around *err and keeps its code; hint adds a sentence to a person.  */
  weir_status (*error_set) (weir_error **, weir_status, int errnum, const char *fmt, ...) WEIR_PRINTF_ (4, 5);
  weir_status (*error_wrap) (weir_error **, const char *fmt, ...) WEIR_PRINTF_ (2, 3);
  weir_status (*error_hint) (weir_error **, const char *fmt, ...) WEIR_PRINTF_ (2, 3);

  /* Options, checked against the descriptor: a missing one has its default.  Strings and lists are
   * borrowed until destroy.  config_origin: "FILE:LINE", or "default".  */
  const char *(*config_string) (const weir_config *, const char *key);
  int64_t (*config_integer) (const weir_config *, const char *key); /* also sizes (bytes), durations (ms), booleans */
  size_t (*config_list) (const weir_config *, const char *key, const char *const **items);
  const char *(*config_origin) (const weir_config *, const char *key);

  weir_status (*sink_write) (weir_sink *, const void *, size_t, weir_error **);

  /* Plans.  A failure (out of memory, bad step) sticks to the plan and is reported after confine.  */
  void (*plan_step) (weir_plan *, const struct weir_step *);
  void (*plan_runner) (weir_plan *, const char *program); /* absolute; checked and executed by what was
                                                              checked; the command's argv follows its arguments */
  void (*plan_argument) (weir_plan *, const char *argument);
  int (*plan_fd) (weir_plan *, uint32_t purpose, const char *path, uint64_t dev, uint64_t ino, uint64_t value);
  /* Appends the arguments by which a runner executes Weir's init as pid 1 of the pid namespace that the runner made, with
   * a /proc of that namespace, before the command: exact exit, signals, death with the harness.  Instead of SUPERVISE.  */
  void (*plan_supervisor) (weir_plan *);
  /* Sets a variable of the command's environment.  */
  void (*plan_environment) (weir_plan *, const char *name, const char *value);
  void (*plan_governs) (weir_plan *, uint64_t effects_and_axes);
  void (*plan_gap) (weir_plan *, uint64_t effects_and_axes, const char *fmt, ...) WEIR_PRINTF_ (3, 4);
  void (*plan_asserted) (weir_plan *, const char *origin); /* governed by an operator's word only */
  void (*plan_denial) (weir_plan *, const char *signature); /* text of last resort, see weir-plugin(7) */
  void (*plan_failure) (weir_plan *, const int32_t *exit_codes, size_t exit_code_count, const char *signature);
  void (*plan_informational) (weir_plan *, const char *line);

  uint64_t (*fact) (const weir_call *, uint32_t which);
  /* The absolute path of a program that only root or we could replace: by name in the trusted directories (/usr/local/bin,
   * /usr/bin, /bin), or judged where an absolute path says.  *path lives as long as the process.  */
  weir_status (*find_runner) (const char *name, const char **path, weir_error **);

  /* Processes of this machine: what a world uses whose processes are local.  */
  weir_status (*process_spawn) (const weir_call *, const weir_plan *, const struct weir_stdio *,
                                struct weir_process *, weir_error **);
  weir_status (*process_wait) (const weir_call *, struct weir_process *, struct weir_exit *, weir_error **);
  weir_status (*process_signal) (const weir_call *, struct weir_process *, uint32_t scope, int signo, weir_error **);
  weir_status (*process_resize) (struct weir_process *, uint16_t rows, uint16_t columns, weir_error **);
  weir_status (*process_close_stdin) (struct weir_process *, weir_error **);
  weir_status (*process_release) (struct weir_process *, weir_error **); /* kills what is left; streams are closed */
  /* 1.0 ends here.  Add at the end, and name the minor that added it.  */
};
#define WEIR_HOST_HAS(field) \
  (weir_host->struct_size >= offsetof (struct weir_host, field) + sizeof weir_host->field)

/* Set by WEIR_PLUGIN_REGISTER before any callback runs.  */
WEIR_SHARED_ extern const struct weir_host *weir_host;

#ifndef WEIR_NO_HOST_MACROS
#define weir_log_line weir_host->log
#define weir_error_set weir_host->error_set
#define weir_error_wrap weir_host->error_wrap
#define weir_error_hint weir_host->error_hint
#define weir_config_string weir_host->config_string
#define weir_config_integer weir_host->config_integer
#define weir_config_list weir_host->config_list
#define weir_config_origin weir_host->config_origin
#define weir_sink_write weir_host->sink_write
#define weir_plan_step weir_host->plan_step
#define weir_plan_runner weir_host->plan_runner
#define weir_plan_argument weir_host->plan_argument
#define weir_plan_fd weir_host->plan_fd
#define weir_plan_supervisor weir_host->plan_supervisor
#define weir_plan_environment weir_host->plan_environment
#define weir_plan_governs weir_host->plan_governs
#define weir_plan_gap weir_host->plan_gap
#define weir_plan_asserted weir_host->plan_asserted
#define weir_plan_denial weir_host->plan_denial
#define weir_plan_failure weir_host->plan_failure
#define weir_plan_informational weir_host->plan_informational
#define weir_fact weir_host->fact
#define weir_find_runner weir_host->find_runner
#define weir_process_spawn weir_host->process_spawn
#define weir_process_wait weir_host->process_wait
#define weir_process_signal weir_host->process_signal
#define weir_process_resize weir_host->process_resize
#define weir_process_close_stdin weir_host->process_close_stdin
#define weir_process_release weir_host->process_release
#endif

/* ---- the seams ------------------------------------------------------------------------------------- */

struct weir_sandbox_ops {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t claims; /* effects and axes that this sandbox knows how to govern somewhere */
  /* Makes a plan of a command and a policy and starts nothing.  A pure function of its arguments and
   * the facts.  WEIR_E_UNAVAILABLE: cannot work with these facts (say which); WEIR_E_INVALID: the
   * operator's options are wrong, which ends the call instead of going on in the chain.  */
  weir_status (*confine) (void *self, const weir_call *, const struct weir_command *, const struct weir_policy *,
                          weir_plan *, weir_error **);
  /* Lines "NAME=VALUE" for weir doctor and weir plugin info: what it would use here.  May be NULL.  */
  weir_status (*describe) (void *self, const weir_call *, weir_sink *, weir_error **);
};

struct weir_process_ops {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t steps; /* bit 1 << WEIR_STEP_*: what its spawn can carry out; the core refuses other plans */
  /* Writes the absolute path of NAME (which may hold slashes: relative to cwd) to the sink.  PATH: a
   * colon-separated list.  WEIR_E_NO_PROGRAM or WEIR_E_NOT_EXECUTABLE.  */
  weir_status (*find_executable) (void *self, const weir_call *, const char *name, const char *path,
                                  const char *cwd, weir_sink *, weir_error **);
  weir_status (*spawn) (void *self, const weir_call *, const weir_plan *, const struct weir_stdio *,
                        struct weir_process *, weir_error **);
  /* Until it has ended, the deadline (WEIR_E_TIMEOUT) or the cancel (WEIR_E_CANCELLED).  */
  weir_status (*wait) (void *self, const weir_call *, struct weir_process *, struct weir_exit *, weir_error **);
  weir_status (*signal) (void *self, const weir_call *, struct weir_process *, uint32_t scope, int signo,
                         weir_error **);
  weir_status (*resize) (void *self, struct weir_process *, uint16_t rows, uint16_t columns, weir_error **);
  weir_status (*close_stdin) (void *self, struct weir_process *, weir_error **);
  weir_status (*release) (void *self, struct weir_process *, weir_error **);
};

struct weir_world_ops {
  uint32_t struct_size;
  uint32_t flags; /* WEIR_WORLD_* */
  const struct weir_process_ops *process;
  /* filesystem operations are added here */
};
#define WEIR_WORLD_LOCAL 1u /* paths are this machine's; sandboxes apply */

/* ---- options and the descriptor ---------------------------------------------------------------------- */

struct weir_option { /* frozen: an array of these never grows in width */
  const char *name;
  uint32_t type;  /* WEIR_OPT_* */
  uint32_t flags; /* WEIR_OPT_REQUIRED */
  const char *fallback; /* default in the file's own spelling, NULL: none; choices: first of them */
  const char *help;     /* one line; of a CHOICE: "a|b|c: text" */
};
#define WEIR_OPT_STRING 1
#define WEIR_OPT_PATH 2     /* absolute, or "~/..." */
#define WEIR_OPT_BOOLEAN 3
#define WEIR_OPT_SIZE 4     /* "10M" */
#define WEIR_OPT_DURATION 5 /* "5s" */
#define WEIR_OPT_INTEGER 6
#define WEIR_OPT_LIST 7   /* of strings */
#define WEIR_OPT_CHOICE 8 /* help begins with the choices */
#define WEIR_OPT_REQUIRED 1u
#define WEIR_OPTION_END { NULL, 0, 0, NULL, NULL }

struct weir_plugin {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  const char *name; /* the file's name without ".so", a C identifier */
  const char *version;
  const char *summary;
  uint32_t threading; /* WEIR_SERIAL: the core calls one callback at a time */
  uint32_t reserved;
  const struct weir_option *options; /* NULL: none */
  weir_status (*create) (weir_log *, const weir_config *, void **self, weir_error **); /* NULL: self is NULL */
  void (*destroy) (void *self);                     /* only after a successful create; may be NULL */
  const struct weir_sandbox_ops *sandbox;           /* NULL: not provided */
  const struct weir_world_ops *world;               /* NULL: not provided */
  /* 1.0 ends here.  */
};
#define WEIR_SERIAL 0
#define WEIR_PARALLEL 1

#define WEIR_SIZED(type) .struct_size = (uint32_t) sizeof (type)
#define WEIR_PLUGIN(ident) \
  WEIR_SIZED (struct weir_plugin), .abi_major = WEIR_ABI_MAJOR, .abi_minor = WEIR_ABI_MINOR, .name = #ident

typedef const struct weir_plugin *(*weir_plugin_entry) (const struct weir_host *);

#define WEIR_PLUGIN_REGISTER(ident)                                                    \
  const struct weir_host *weir_host;                                                   \
  WEIR_EXPORT_ const struct weir_plugin *ident##_LTX_weir_plugin_v1 (const struct weir_host *host); \
  const struct weir_plugin *ident##_LTX_weir_plugin_v1 (const struct weir_host *host)  \
  {                                                                                    \
    weir_host = host;                                                                  \
    return &ident;                                                                     \
  }                                                                                    \
  struct weir_register_needs_a_semicolon_

#ifdef __cplusplus
}
#endif
#endif /* WEIR_PLUGIN_H */
