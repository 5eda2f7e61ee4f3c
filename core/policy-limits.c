/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/policy-internal.h"

#include <errno.h>

#include "core/units.h"

static const char *const limit_names[] = { "processes", "memory", "cpu", "files", "file_size", "wall", "output", NULL };
enum { LIMIT_PROCESSES, LIMIT_MEMORY, LIMIT_CPU, LIMIT_FILES, LIMIT_FILE_SIZE, LIMIT_WALL, LIMIT_OUTPUT, LIMIT_COUNT };

static int
limit_count (const char *text, uint64_t *value)
{
  char *end;

  if (text[0] < '0' || text[0] > '9')
    return -1;
  errno = 0;
  unsigned long long n = strtoull (text, &end, 10);
  if (errno != 0 || *end != '\0')
    return -1;
  *value = n;
  return 0;
}

/* 0: ok; none is 0.  */
static int
limit_value (int which, const char *text, uint64_t *value)
{
  int64_t ms;

  *value = 0;
  if (strcmp (text, "none") == 0 || strcmp (text, "0") == 0)
    return 0;
  switch (which) {
  case LIMIT_PROCESSES:
  case LIMIT_FILES:
    return limit_count (text, value);
  case LIMIT_CPU:
  case LIMIT_WALL:
    if (units_duration (text, &ms) != 0)
      return -1;
    /* The kernel counts in seconds; part of one is not none.  */
    *value = which == LIMIT_WALL ? (uint64_t) ms : (uint64_t) ms / 1000 + (ms % 1000 != 0);
    return 0;
  default:
    return units_size (text, value);
  }
}

static void
limit_store (struct policy *p, int which, uint64_t value)
{
  switch (which) {
  case LIMIT_PROCESSES:
    p->limits.processes = value;
    break;
  case LIMIT_MEMORY:
    p->limits.memory = value;
    break;
  case LIMIT_CPU:
    p->limits.cpu = value;
    break;
  case LIMIT_FILES:
    p->limits.files = value;
    break;
  case LIMIT_FILE_SIZE:
    p->limits.file_size = value;
    break;
  case LIMIT_WALL:
    p->wall_ms = (int64_t) value;
    break;
  default:
    p->output_limit = value;
  }
}

static int
limit_origin (struct policy *p, int which, const char *origin)
{
  if (which >= (int) ARRAY_SIZE (p->limits_origin))
    return 0;
  free (p->limits_origin[which]);
  p->limits_origin[which] = strdup (origin);
  return p->limits_origin[which] == NULL ? -1 : 0;
}

static weir_status
limit_unknown (const char *text, size_t size, weir_error **err)
{
  auto_free char *name = strndup (text, size);
  const char *near = name == NULL ? NULL : util_nearest (name, limit_names);

  if (name == NULL)
    return error_nomem (err);
  error_set (err, WEIR_E_INVALID, 0, "limit '%s': there is no limit '%s'", text, name);
  return near != NULL ? error_hint (err, "Did you mean '%s'?", near)
                      : error_hint (err, "The limits are processes, memory, cpu, files, file_size, wall and output.");
}

static weir_status
limit_parse (struct policy *p, const char *text, weir_error **err)
{
  size_t size = strcspn (text, "=");
  uint64_t value;

  for (int i = 0; i < LIMIT_COUNT; i++) {
    if (strlen (limit_names[i]) != size || strncmp (limit_names[i], text, size) != 0)
      continue;
    if (text[size] != '=' || limit_value (i, text + size + 1, &value) != 0 || (i == LIMIT_OUTPUT && value == 0)) {
      error_set (err, WEIR_E_INVALID, 0, "limit '%s' is not of the form that it needs", text);
      return error_hint (err, "Write for example processes=64, memory=1G, cpu=10s, files=256, file_size=1G, wall=5m or "
                              "output=10M; NAME=none lifts a limit.");
    }
    limit_store (p, i, value);
    return limit_origin (p, i, RESOLVE_COMMAND_LINE) != 0 ? error_nomem (err) : WEIR_OK;
  }
  return limit_unknown (text, size, err);
}

static void
limit_axes (struct policy *p)
{
  p->axes |= p->limits.processes != 0 ? WEIR_AXIS_LIMIT_PROCESSES : 0;
  p->axes |= p->limits.memory != 0 ? WEIR_AXIS_LIMIT_MEMORY : 0;
  p->axes |= p->limits.cpu != 0 ? WEIR_AXIS_LIMIT_CPU : 0;
  p->axes |= p->limits.files != 0 ? WEIR_AXIS_LIMIT_FILES : 0;
  p->axes |= p->limits.file_size != 0 ? WEIR_AXIS_LIMIT_FILE_SIZE : 0;
}

weir_status
resolve_limits (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  struct policy *p = r->policy;
  int free_of_limits = p->mode == WEIR_MODE_DANGER_FULL_ACCESS;
  weir_status status = WEIR_OK;

  p->limits = (struct weir_limits){ WEIR_SIZED (struct weir_limits) };
  if (!free_of_limits) {
    p->limits.processes = s->limit_processes;
    p->limits.memory = s->limit_memory;
    p->limits.cpu = s->limit_cpu;
    p->limits.files = s->limit_files;
    p->limits.file_size = s->limit_file_size;
  }
  for (int i = 0; i < (int) ARRAY_SIZE (p->limits_origin); i++)
    if (limit_origin (p, i, s->limits_origin[i] != NULL ? s->limits_origin[i] : RESOLVE_BUILT_IN) != 0)
      return error_nomem (err);
  p->wall_ms = s->wall_ms;
  p->output_limit = s->output_limit;
  p->spill_limit = s->spill_limit;
  p->grace_ms = s->grace_ms;
  for (const char *const *l = r->request->limits; l != NULL && *l != NULL && status == WEIR_OK; l++)
    status = limit_parse (p, *l, err);
  if (status != WEIR_OK)
    return status;
  if (r->request->timeout_ms < 0)
    return error_set (err, WEIR_E_INVALID, 0, "the time-out of %lld ms is negative",
                      (long long) r->request->timeout_ms);
  if (r->request->timeout_ms > 0)
    p->wall_ms = r->request->timeout_ms;
  if (r->request->output_limit > 0)
    p->output_limit = r->request->output_limit;
  limit_axes (p);
  if (free_of_limits && p->axes != 0) {
    error_set (err, WEIR_E_INVALID, 0,
               "mode \"danger-full-access\" confines nothing: a limit that was asked for cannot be held");
    return error_hint (err, "Leave the limit out, or use mode \"workspace-write\".");
  }
  return WEIR_OK;
}
