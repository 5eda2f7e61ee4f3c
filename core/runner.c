/* SPDX-License-Identifier: Apache-2.0 */
/* Runners: programs of others that confine.  They run with all that the harness may, so only what nobody else could
 * replace is executed, and by the descriptor that was judged.  */
#include "config.h"
#include "core/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "core/trust.h"
#include "core/util.h"

#define RUNNER_LINE 256 /* as much of a first line as the kernel reads */

static const char *const runner_dirs[] = { "/usr/local/bin", "/usr/bin", "/bin" };

/* The first line's program of a script into interpreter; 0: it is none.  */
static int
runner_interpreter (int judged, char interpreter[RUNNER_LINE])
{
  char path[64], line[RUNNER_LINE];
  auto_close int fd = -1;
  ssize_t n;
  char *at = line + 2, *end;

  snprintf (path, sizeof path, "/proc/self/fd/%d", judged);
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  n = fd < 0 ? -1 : pread (fd, line, sizeof line - 1, 0);
  if (n < 2 || line[0] != '#' || line[1] != '!')
    return 0; /* what we may execute and not read is no script: its interpreter could not read it either */
  line[n] = '\0';
  while (*at == ' ' || *at == '\t')
    at++;
  for (end = at; *end != '\0' && !isspace ((unsigned char) *end); end++)
    ;
  *end = '\0';
  memcpy (interpreter, at, (size_t) (end - at) + 1);
  return 1;
}

/* A script is executed by its path, since the kernel hands its interpreter a path and not what we opened.  */
static weir_status
runner_judge_script (const char *path, const char *interpreter, weir_error **err)
{
  auto_close int fd = -1;
  const char *base = strrchr (interpreter, '/');
  weir_status status;

  if (interpreter[0] != '/') {
    error_set (err, WEIR_E_INVALID, 0, "runner '%s' is a script whose first line names no absolute path", path);
    return error_hint (err, "let the first line of '%s' begin with \"#!/\" and the path of its interpreter", path);
  }
  if (strcmp (base + 1, "env") == 0) {
    error_set (err, WEIR_E_UNTRUSTED, 0, "runner '%s' is a script whose interpreter is looked for in PATH", path);
    return error_hint (err, "name the interpreter itself in the first line of '%s'", path);
  }
  status = trust_open (interpreter, TRUST_PROGRAM, &fd, NULL, err);
  if (status != WEIR_OK)
    error_wrap (err, "the interpreter of runner '%s'", path);
  return status;
}

static weir_status
runner_judge (const char *path, char **canonical, int *out, weir_error **err)
{
  char interpreter[RUNNER_LINE];
  auto_close int fd = -1;
  auto_free char *real = NULL;
  weir_status status = trust_open (path, TRUST_PROGRAM, &fd, &real, err);

  if (status != WEIR_OK) {
    error_wrap (err, "runner '%s'", path);
    return status;
  }
  if (runner_interpreter (fd, interpreter)) {
    status = runner_judge_script (real, interpreter, err);
    if (status != WEIR_OK)
      return status;
    close (steal_fd (&fd));
  }
  *canonical = steal (real);
  if (out != NULL)
    *out = steal_fd (&fd);
  return WEIR_OK;
}

weir_status
runner_find (const char *name, char **path, int *fd, weir_error **err)
{
  *path = NULL;
  if (fd != NULL)
    *fd = -1;
  if (name[0] == '/')
    return runner_judge (name, path, fd, err);
  if (name[0] == '\0' || strchr (name, '/') != NULL)
    return error_set (err, WEIR_E_INVALID, 0, "runner '%s' is neither a name nor an absolute path", name);
  for (size_t i = 0; i < ARRAY_SIZE (runner_dirs); i++) {
    auto_free char *candidate = util_fmt ("%s/%s", runner_dirs[i], name);
    if (candidate == NULL)
      return error_nomem (err);
    /* The first of that name is the one: were it passed over for its owner, nobody would learn of it.  */
    if (faccessat (AT_FDCWD, candidate, F_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0)
      return runner_judge (candidate, path, fd, err);
  }
  error_set (err, WEIR_E_NOT_FOUND, 0, "no program '%s' in %s, %s or %s", name, runner_dirs[0], runner_dirs[1],
             runner_dirs[2]);
  return error_hint (err, "install '%s', or name it by its absolute path", name);
}
