/* local.c: the world "local": this machine.  Its processes are made by the host's own functions; what is its own is how a
 * command's program is found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/plugin.h>

/* ---- finding programs ---- */

/* What a search has found so far.  */
struct local_search {
  const char *name;
  char *refused; /* first file of the name that is there and cannot be executed */
  int why;       /* errno of it */
};

/* DIR/NAME, or beneath cwd when DIR is relative.  NULL: out of memory.  */
static char *
local_join (const char *cwd, const char *dir, size_t dir_length, const char *name)
{
  int relative = dir_length == 0 || dir[0] != '/';
  size_t size = strlen (cwd) + dir_length + strlen (name) + 3;
  char *path = malloc (size);
  char *end = path;

  if (path == NULL)
    return NULL;
  if (relative) {
    end = stpcpy (end, cwd);
    *end++ = '/';
  }
  if (dir_length > 0) {
    end = (char *) memcpy (end, dir, dir_length) + dir_length;
    *end++ = '/';
  }
  strcpy (end, name);
  return path;
}

/* 0: a file that may be executed; else errno, where ENOENT and ENOTDIR mean that there is nothing.  */
static int
local_try (const char *path)
{
  struct stat st;

  if (stat (path, &st) != 0)
    return errno;
  if (!S_ISREG (st.st_mode))
    return S_ISDIR (st.st_mode) ? EISDIR : EACCES;
  /* The command runs with our effective ids, which are what exec asks for.  */
  return faccessat (AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static weir_status
local_refuse (const struct local_search *s, weir_error **err)
{
  if (s->refused == NULL)
    return WEIR_OK;
  weir_error_set (err, WEIR_E_NOT_EXECUTABLE, s->why, "execute '%s'", s->refused);
  if (s->why != EACCES)
    return WEIR_E_NOT_EXECUTABLE;
  return weir_error_hint (err, "make it executable with 'chmod +x', or name its interpreter: 'sh %s'", s->name);
}

static weir_status
local_in_path (struct local_search *s, const char *path, const char *cwd, weir_sink *sink, weir_error **err)
{
  for (const char *dir = path != NULL ? path : ""; *dir != '\0';) {
    size_t length = strcspn (dir, ":");
    char *candidate;
    int errnum;

    if (length > 0) {
      candidate = local_join (cwd, dir, length, s->name);
      if (candidate == NULL)
        return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
      errnum = local_try (candidate);
      if (errnum == 0) {
        weir_status status = weir_sink_write (sink, candidate, strlen (candidate), err);

        free (candidate);
        return status;
      }
      /* A directory of the name hides nothing, and what may not even be looked at is not there: as in a shell.  */
      if (errnum == EACCES && s->refused == NULL && access (candidate, F_OK) == 0) {
        s->refused = candidate;
        s->why = errnum;
      }
      else {
        free (candidate);
      }
    }
    dir += length + (dir[length] == ':');
  }
  if (s->refused != NULL)
    return local_refuse (s, err);
  weir_error_set (err, WEIR_E_NO_PROGRAM, 0, "program '%s' was not found in PATH", s->name);
  return weir_error_hint (err, "the command's PATH is '%s'", path != NULL ? path : "");
}

/* A name with a slash is the file itself.  */
static weir_status
local_at (struct local_search *s, const char *cwd, weir_sink *sink, weir_error **err)
{
  char *path = s->name[0] == '/' ? strdup (s->name) : local_join (cwd, "", 0, s->name);
  weir_status status;
  int errnum;

  if (path == NULL)
    return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
  errnum = local_try (path);
  if (errnum == 0) {
    status = weir_sink_write (sink, path, strlen (path), err);
  }
  else if (errnum == ENOENT || errnum == ENOTDIR) {
    status = weir_error_set (err, WEIR_E_NO_PROGRAM, errnum, "execute '%s'", path);
  }
  else {
    s->refused = path;
    s->why = errnum;
    return local_refuse (s, err);
  }
  free (path);
  return status;
}

static weir_status
local_find_executable (void *self, const weir_call *call, const char *name, const char *path, const char *cwd,
                       weir_sink *sink, weir_error **err)
{
  struct local_search search = { .name = name };
  weir_status status;

  (void) self;
  (void) call;
  if (name == NULL || name[0] == '\0')
    return weir_error_set (err, WEIR_E_NO_PROGRAM, 0, "the command's name is empty");
  if (cwd == NULL || cwd[0] != '/')
    return weir_error_set (err, WEIR_E_INVALID, 0, "look for '%s': the working directory '%s' is not absolute", name,
                           cwd != NULL ? cwd : "");
  status = strchr (name, '/') != NULL ? local_at (&search, cwd, sink, err) : local_in_path (&search, path, cwd, sink, err);
  free (search.refused);
  return status;
}

/* ---- processes ---- */

static weir_status
local_spawn (void *self, const weir_call *call, const weir_plan *plan, const struct weir_stdio *stdio,
             struct weir_process *process, weir_error **err)
{
  (void) self;
  return weir_process_spawn (call, plan, stdio, process, err);
}

static weir_status
local_wait (void *self, const weir_call *call, struct weir_process *process, struct weir_exit *how, weir_error **err)
{
  (void) self;
  return weir_process_wait (call, process, how, err);
}

static weir_status
local_signal (void *self, const weir_call *call, struct weir_process *process, uint32_t scope, int signo, weir_error **err)
{
  (void) self;
  return weir_process_signal (call, process, scope, signo, err);
}

static weir_status
local_resize (void *self, struct weir_process *process, uint16_t rows, uint16_t columns, weir_error **err)
{
  (void) self;
  return weir_process_resize (process, rows, columns, err);
}

static weir_status
local_close_stdin (void *self, struct weir_process *process, weir_error **err)
{
  (void) self;
  return weir_process_close_stdin (process, err);
}

static weir_status
local_release (void *self, struct weir_process *process, weir_error **err)
{
  (void) self;
  return weir_process_release (process, err);
}

static const struct weir_process_ops local_process = {
  WEIR_SIZED (struct weir_process_ops),
  .steps = (UINT64_C (1) << WEIR_STEP_COUNT_) - 2, /* every kind that there is; there is no kind 0 */
  .find_executable = local_find_executable,
  .spawn = local_spawn,
  .wait = local_wait,
  .signal = local_signal,
  .resize = local_resize,
  .close_stdin = local_close_stdin,
  .release = local_release,
};

static const struct weir_world_ops local_world = {
  WEIR_SIZED (struct weir_world_ops),
  .flags = WEIR_WORLD_LOCAL,
  .process = &local_process,
};

static const struct weir_plugin local = {
  WEIR_PLUGIN (local),
  .version = "1.0",
  .summary = "This machine",
  .threading = WEIR_PARALLEL,
  .world = &local_world,
};

WEIR_PLUGIN_REGISTER (local);
