/* SPDX-License-Identifier: Apache-2.0 */
/* weir-landlock-run --weir-plan FD [--weir-report FD] -- ARGV...: reads an encoded plan from a sealed memory file,
 * carries it out in this process and executes ARGV.  The report says, in one line, what failed; it is closed without a
 * word when the command was executed.  */
#include "config.h"

#include "plugins/landlock/launcher/launcher.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/plan-encoding.h"
#include "core/steps-internal.h"
#include "core/sys.h"

/* F_ADD_SEALS, F_GET_SEALS and the seals, which <fcntl.h> has with _GNU_SOURCE.  */
#define PLAN_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int report = -1;

/* ---- what is said ---- */

void
launcher_failure (struct carry_failure *failure, uint32_t step, uint32_t fact, const char *detail)
{
  steps_fill (failure, step, fact, errno, detail);
}

static int
launcher_status (const struct carry_failure *failure)
{
  if (failure->step != WEIR_STAGE_EXEC)
    return LAUNCHER_FAILED;
  return failure->errnum == ENOENT || failure->errnum == ENOTDIR ? LAUNCHER_NO_PROGRAM : LAUNCHER_NOT_EXECUTABLE;
}

/* One line of four words, of which the last goes to its end and may hold any byte but NUL.  */
static void
launcher_report (const struct carry_failure *failure)
{
  char line[sizeof failure->detail + 64];
  int length = snprintf (line, sizeof line, "step=%u errno=%d fact=%u detail=%s\n", failure->step, failure->errnum,
                         failure->fact, failure->detail);

  signal (SIGPIPE, SIG_IGN); /* nobody may be reading; we do not execute anything any more */
  if (report >= 0 && write (report, line, (size_t) length) != length)
    return; /* stderr says it too */
}

/* As core/plan-words.c has them.  */
static const char *
launcher_word (uint32_t step)
{
  static const char *const words[] = { "step 0",
                                       "namespaces",
                                       "read-only root",
                                       "bind",
                                       "tmpfs",
                                       "hide",
                                       "fresh /proc",
                                       "private /dev",
                                       "access rules",
                                       "access rule",
                                       "enforce access rules",
                                       "system call filter",
                                       "no new privileges",
                                       "capabilities",
                                       "limit",
                                       "loopback up",
                                       "supervise" };
  static const char *const stages[] = {
    "clone", "standard streams", "working directory", "execute the command", "execute the runner", "init"
  };

  if (step < sizeof words / sizeof words[0])
    return words[step];
  step -= WEIR_STAGE_CLONE;
  return step < sizeof stages / sizeof stages[0] ? stages[step] : "step";
}

void
launcher_fail (const struct carry_failure *failure)
{
  launcher_report (failure);
  fprintf (stderr, "weir-landlock-run: %s%s%s: %s\n", launcher_word (failure->step), *failure->detail ? " " : "",
           failure->detail, strerror (failure->errnum));
  exit (launcher_status (failure));
}

void
launcher_started (void)
{
  if (report >= 0)
    close (report);
  report = -1;
}

static void __attribute__ ((noreturn)) plan_stop (const char *what, const char *object)
{
  fprintf (stderr, "weir-landlock-run: %s%s\n", what, object);
  exit (LAUNCHER_FAILED);
}

static void *
plan_memory (void *memory)
{
  if (!memory)
    plan_stop ("out of memory", "");
  return memory;
}

/* ---- arguments ---- */

static int
plan_number (const char *option, const char *text)
{
  int number = 0;

  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9' || number > 99999)
      plan_stop ("not a descriptor: ", text);
    number = number * 10 + (*c - '0');
  }
  if (!*text || fcntl (number, F_SETFD, FD_CLOEXEC))
    plan_stop ("descriptor is not open: ", option);
  return number;
}

static char **
plan_arguments (int argc, char **argv, int *plan)
{
  int i = 1;

  *plan = -1;
  for (; i < argc && strcmp (argv[i], "--") != 0; i += 2) {
    int is_plan = strcmp (argv[i], "--weir-plan") == 0;
    if (!is_plan && strcmp (argv[i], "--weir-report") != 0)
      plan_stop ("unknown argument: ", argv[i]);
    if (i + 1 == argc)
      plan_stop ("descriptor missing after ", argv[i]);
    *(is_plan ? plan : &report) = plan_number (argv[i], argv[i + 1]);
  }
  if (*plan < 0)
    plan_stop ("--weir-plan is missing", "");
  if (i + 1 >= argc)
    plan_stop ("'-- ARGV...' is missing", "");
  return argv + i + 1;
}

/* ---- the plan ---- */

/* What the seals promise, the bytes keep: nobody changes them between our checks and our use.  */
static unsigned char *
plan_read (int fd, size_t *size)
{
  struct stat st;
  int seals = fcntl (fd, F_GET_SEALS);
  unsigned char *bytes;
  size_t used = 0;

  if (seals < 0 || (seals & PLAN_SEALS) != PLAN_SEALS)
    plan_stop ("the plan is not a sealed memory file", "");
  if (fstat (fd, &st) || st.st_size <= 0 || (uint64_t) st.st_size > PLAN_ENCODING_MAX_SIZE)
    plan_stop ("the plan is empty or too large", "");
  *size = (size_t) st.st_size;
  bytes = plan_memory (malloc (*size));
  while (used < *size) {
    ssize_t got = pread (fd, bytes + used, *size - used, (off_t) used);
    if (got <= 0 && errno != EINTR)
      plan_stop ("the plan cannot be read", "");
    used += got > 0 ? (size_t) got : 0;
  }
  close (fd);
  return bytes;
}

/* The program is found before anything is hidden; the result is what execve is given.  */
static char *
plan_program (const char *name)
{
  struct carry_failure failure;
  const char *path = getenv ("PATH");
  int errnum = ENOENT;

  if (strchr (name, '/'))
    return plan_memory (strdup (name));
  for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *name; at++) {
    size_t length = strcspn (at, ":");
    char *found = plan_memory (malloc (length + strlen (name) + 3));
    sprintf (found, "%.*s/%s", (int) (length ? length : 1), length ? at : ".", name);
    struct stat st;
    if (stat (found, &st) == 0 && S_ISREG (st.st_mode)) {
      if (access (found, X_OK) == 0)
        return found;
      errnum = EACCES;
    }
    free (found);
    at += length;
    if (!*at)
      break;
  }
  errno = errnum;
  launcher_failure (&failure, WEIR_STAGE_EXEC, 0, name);
  launcher_fail (&failure);
}

/* ---- carrying it out ---- */

int
launcher_confine (const struct launcher *l, struct carry_failure *failure)
{
  if (carry_do (&l->carry, failure))
    return -1;
  if (chdir (l->cwd)) {
    launcher_failure (failure, WEIR_STAGE_CWD, 0, l->cwd);
    return -1;
  }
  return 0;
}

void
launcher_become (const struct launcher *l, struct carry_failure *failure)
{
  if (launcher_confine (l, failure))
    return;
  if (syscall (SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC)) {
    launcher_failure (failure, WEIR_STAGE_STDIO, 0, "descriptors");
    return;
  }
  execv (l->program, l->argv);
  launcher_failure (failure, WEIR_STAGE_EXEC, 0, l->program);
}

int
plan_main (int argc, char **argv)
{
  struct launcher l = { 0 };
  struct carry_failure failure = { 0 };
  struct weir_step *steps;
  size_t size, count;
  int plan;

  l.argv = plan_arguments (argc, argv, &plan);
  unsigned char *bytes = plan_read (plan, &size);
  if (carry_decode (bytes, size, &steps, &count))
    plan_stop ("the plan is malformed, or of another version", "");
  l.program = plan_program (l.argv[0]);
  l.cwd = getcwd (NULL, 0);
  if (!l.cwd) {
    launcher_failure (&failure, WEIR_STAGE_CWD, 0, ".");
    launcher_fail (&failure);
  }
  if (carry_prepare (steps, count, sys_landlock_abi (), &l.carry, &failure)
      || (l.carry.has_namespaces && launcher_namespaces (l.carry.namespaces, &failure)))
    launcher_fail (&failure);
  if (l.carry.supervise || (l.carry.namespaces & WEIR_NS_PID))
    launcher_supervise (&l);
  launcher_become (&l, &failure);
  launcher_fail (&failure);
}
