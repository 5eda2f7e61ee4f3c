/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/view-internal.h"

#include <errno.h>
#include <sys/stat.h>

static void
view_line_free (struct weir_view *line)
{
  if (line == NULL)
    return;
  free ((char *) line->host);
  free ((char *) line->world);
  free ((char *) line->origin);
  free (line);
}

static struct weir_view *
view_line_new (uint32_t access, uint32_t flags, const char *host, const char *world, const char *origin,
               const struct stat *st)
{
  struct weir_view *line = calloc (1, sizeof *line);

  if (line == NULL)
    return NULL;
  *line = (struct weir_view){ WEIR_SIZED (struct weir_view),   .access = access,      .flags = flags,
                              .is_dir = S_ISDIR (st->st_mode), .host = strdup (host), .world = strdup (world),
                              .origin = strdup (origin),       .dev = st->st_dev,     .ino = st->st_ino };
  if (line->host == NULL || line->world == NULL || line->origin == NULL) {
    view_line_free (line);
    return NULL;
  }
  return line;
}

static int
view_grow (struct view *view)
{
  size_t room = view->room == 0 ? 8 : view->room * 2;
  struct weir_view **lines;

  if (view->count < view->room)
    return 0;
  lines = reallocarray (view->lines, room, sizeof *lines);
  if (lines == NULL)
    return -1;
  view->lines = lines;
  view->room = room;
  return 0;
}

/* A PIN is a mount of a directory over itself: made after a line for something in it, it would cover that.  */
static size_t
view_position (const struct view *view, const struct weir_view *line)
{
  if (line->access == WEIR_ACCESS_PIN)
    for (size_t i = 0; i < view->count; i++)
      if (strcmp (view->lines[i]->world, line->world) != 0 && util_path_beneath (view->lines[i]->world, line->world))
        return i;
  return view->count;
}

weir_status
view_add (struct view *view, uint32_t access, uint32_t flags, const char *host, const char *world, const char *origin,
          weir_error **err)
{
  struct weir_view *line;
  struct stat st;
  size_t at;

  if (stat (host, &st) != 0)
    return error_set (err, errno == ENOENT || errno == ENOTDIR ? WEIR_E_NOT_FOUND : WEIR_E_IO, errno,
                      "look at '%s' (%s)", host, origin);
  line = view_line_new (access, flags, host, world, origin, &st);
  if (line == NULL || view_grow (view) != 0) {
    view_line_free (line);
    view->failed = 1;
    return error_nomem (err);
  }
  at = view_position (view, line);
  memmove (view->lines + at + 1, view->lines + at, (view->count - at) * sizeof *view->lines);
  view->lines[at] = line;
  view->count++;
  return WEIR_OK;
}

void
view_free (struct view *view)
{
  for (size_t i = 0; i < view->count; i++)
    view_line_free (view->lines[i]);
  free (view->lines);
  *view = (struct view){ 0 };
}

const struct weir_view *
view_find (const struct view *view, const char *world_path)
{
  for (size_t i = view->count; i-- > 0;) {
    const struct weir_view *line = view->lines[i];
    if (line->access != WEIR_ACCESS_PIN && util_path_beneath (world_path, line->world))
      return line;
  }
  return NULL;
}

char *
view_host (const struct view *view, const char *world_path)
{
  const struct weir_view *line = view_find (view, world_path);
  const char *rest;

  if (line == NULL || strcmp (line->host, line->world) == 0)
    return strdup (world_path);
  rest = world_path + (strcmp (line->world, "/") == 0 ? 0 : strlen (line->world));
  return util_fmt ("%s%s", line->host, rest);
}

int
view_holds_beneath (const struct view *view, const char *world_path)
{
  for (size_t i = 0; i < view->count; i++)
    if (strcmp (view->lines[i]->world, world_path) != 0 && util_path_beneath (view->lines[i]->world, world_path))
      return 1;
  return 0;
}

int
view_shows (const struct view *view, const char *path)
{
  const struct weir_view *line = view_find (view, path);

  return line == NULL || (line->access != WEIR_ACCESS_NONE && strcmp (line->host, line->world) == 0);
}

const struct weir_view *
view_pin (const struct view *view, const char *world_path)
{
  for (size_t i = view->count; i-- > 0;)
    if (view->lines[i]->access == WEIR_ACCESS_PIN && strcmp (view->lines[i]->world, world_path) == 0)
      return view->lines[i];
  return NULL;
}

/* ---- order ---- */

/* Stable: of two lines with the same world path the later one goes on winning.  Views are short.  */
static void
view_sort (struct view *view)
{
  for (size_t i = 1; i < view->count; i++) {
    struct weir_view *line = view->lines[i];
    size_t k = i;
    for (; k > 0 && strcmp (view->lines[k - 1]->world, line->world) > 0; k--)
      view->lines[k] = view->lines[k - 1];
    view->lines[k] = line;
  }
}

/* The line adds nothing: what decides about its path without it is a directory that is written to under the same name.
 */
static int
view_superfluous (const struct view *view, size_t index)
{
  const struct weir_view *line = view->lines[index];

  if (line->access != WEIR_ACCESS_WRITE || line->flags != 0)
    return 0;
  for (size_t i = view->count; i-- > 0;) {
    const struct weir_view *other = view->lines[i];
    if (i == index || !util_path_beneath (line->world, other->world))
      continue;
    /* Of two equal lines the unflagged or the later one goes.  */
    if (strcmp (other->world, line->world) == 0 && other->flags == 0 && i > index)
      continue;
    return other->access == WEIR_ACCESS_WRITE && strcmp (other->host, other->world) == 0
           && strcmp (line->host, line->world) == 0;
  }
  return 0;
}

void
view_settle (struct view *view)
{
  view_sort (view);
  for (size_t i = 0; i < view->count;) {
    if (!view_superfluous (view, i)) {
      i++;
      continue;
    }
    view_line_free (view->lines[i]);
    memmove (view->lines + i, view->lines + i + 1, (view->count - i - 1) * sizeof *view->lines);
    view->count--;
  }
}
