/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of landlock-run, so that a program written for it can use this one:
 *
 *   landlock-run [--ro PATH]... [--rw PATH]... -- ARGV...
 *   landlock-run --probe
 *
 * Its words, its statuses and its order are a contract; Weir itself relies on none of them.  Only the files' rights are
 * handled, never networks or scopes.  Nothing is allocated: the paths are read from argv twice.  */
#include "config.h"

#include "plugins/landlock/launcher/launcher.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "core/sys.h"

#define COMPAT_READ (SYS_LL_EXECUTE | SYS_LL_READ_FILE | SYS_LL_READ_DIR)
#define COMPAT_FULL_ABI 5

static int __attribute__ ((format (printf, 1, 2))) compat_fail (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fputs ("landlock-run: ", stderr);
  vfprintf (stderr, format, args);
  fputc ('\n', stderr);
  va_end (args);
  return LAUNCHER_FAILED;
}

/* ---- arguments ---- */

static int
compat_is_grant (const char *argument)
{
  return strcmp (argument, "--ro") == 0 || strcmp (argument, "--rw") == 0;
}

/* The index of the command, 0 for --probe, -1: wrong, and said so.  A grant takes the next argument whatever it is.  */
static int
compat_parse (int argc, char **argv)
{
  int i = 1;

  for (; i < argc && strcmp (argv[i], "--") != 0; i++) {
    if (strcmp (argv[i], "--probe") == 0) {
      if (argc == 2)
        return 0;
      compat_fail ("usage error: --probe takes no other arguments");
      return -1;
    }
    if (!compat_is_grant (argv[i])) {
      compat_fail ("usage error: unknown argument: %s", argv[i]);
      return -1;
    }
    if (++i == argc) {
      compat_fail ("usage error: %s requires a path", argv[i - 1]);
      return -1;
    }
  }
  if (i + 1 < argc)
    return i + 1;
  compat_fail ("usage error: missing '-- <argv>...' command");
  return -1;
}

/* ---- rules ---- */

/* 0, or the status with which to end.  */
static int
compat_rule (int ruleset, const char *path, uint64_t access)
{
  struct sys_landlock_path_beneath rule = { .access = access };
  struct stat st;
  int failed, fd = open (path, O_PATH | O_CLOEXEC);

  if (fd < 0)
    return compat_fail ("cannot open rule path: %s: %s", path, strerror (errno));
  /* Without knowing what it is, the kernel's own refusal is what fails.  */
  if (fstat (fd, &st) == 0 && !S_ISDIR (st.st_mode))
    rule.access &= SYS_LL_OF_FILES;
  rule.parent_fd = fd;
  failed = syscall (SYS_landlock_add_rule, ruleset, SYS_LANDLOCK_PATH_BENEATH, &rule, 0u) != 0;
  if (failed)
    compat_fail ("landlock ruleset error: %s", strerror (errno));
  close (fd);
  return failed ? LAUNCHER_FAILED : 0;
}

static int
compat_rules (int ruleset, char **argv, int command, const char *kind, uint64_t access)
{
  int status = 0;

  for (int i = 1; i + 2 < command && status == 0; i += 2)
    if (strcmp (argv[i], kind) == 0)
      status = compat_rule (ruleset, argv[i + 1], access);
  return status;
}

/* Read-only grants first, then the others, each in the order of the command line.  command 0: the probe's rule.  */
static int
compat_restrict (char **argv, int command, int *partial)
{
  struct sys_landlock_ruleset attr = { 0 };
  int status, ruleset;
  long abi = syscall (SYS_landlock_create_ruleset, NULL, (size_t) 0, SYS_LANDLOCK_VERSION);

  if (abi < 0)
    return compat_fail ("landlock is not enforced by this kernel: %s", strerror (errno));
  *partial = abi < COMPAT_FULL_ABI;
  attr.fs = sys_landlock_fs ((unsigned) abi);
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &attr, (size_t) SYS_LANDLOCK_RULESET_FS, 0u);
  if (ruleset < 0)
    return compat_fail ("landlock ruleset error: %s", strerror (errno));
  if (command == 0)
    status = compat_rule (ruleset, "/", COMPAT_READ);
  else {
    status = compat_rules (ruleset, argv, command, "--ro", COMPAT_READ);
    if (status == 0)
      status = compat_rules (ruleset, argv, command, "--rw", attr.fs);
  }
  if (status == 0 && (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall (SYS_landlock_restrict_self, ruleset, 0u)))
    status = compat_fail ("landlock ruleset error: %s", strerror (errno));
  close (ruleset);
  return status;
}

int
compat_main (int argc, char **argv)
{
  int partial = 0, status, command = compat_parse (argc, argv);

  if (command < 0)
    return LAUNCHER_FAILED;
  status = compat_restrict (argv, command, &partial);
  if (status)
    return status;
  if (command == 0) {
    int written = puts (partial ? "landlock: partially enforced (older ABI)" : "landlock: fully enforced");
    return written < 0 || fflush (stdout) ? compat_fail ("cannot write: %s", strerror (errno)) : 0;
  }
  if (partial)
    fputs ("landlock-run: partial enforcement (older Landlock ABI)\n", stderr);
  execvp (argv[command], argv + command);
  return compat_fail ("exec failed: %s", strerror (errno));
}
