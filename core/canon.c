/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical paths, component by component, so that it is known which links were followed and so that the same walk
 * serves the command's world, where a path can lie elsewhere on the host.  */
#include "config.h"
#include "core/canon-internal.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/view-internal.h"

#define CANON_LINKS 40 /* the kernel's own limit (include/linux/namei.h: MAXSYMLINKS) */
#define CANON_LENGTH (64 * 1024u) /* of the text that is still to be walked */

struct walk {
  const struct canon_options *options;
  const char *given;
  struct strbuf done; /* canonical so far, without a slash at its end; "" is the root */
  char *pending; /* owned */
  const char *next; /* in pending */
  unsigned links;
  int missing; /* from here on nothing exists, or nothing can be seen */
};

static void
walk_free (struct walk *w)
{
  strbuf_free (&w->done);
  free (w->pending);
}

static const char *
walk_done (const struct walk *w)
{
  return w->done.size == 0 ? "/" : w->done.data;
}

static void
walk_up (struct walk *w)
{
  while (w->done.size > 0 && w->done.data[--w->done.size] != '/')
    continue;
  if (w->done.data != NULL)
    w->done.data[w->done.size] = '\0';
}

static char *
walk_host (const struct walk *w)
{
  return w->options->view == NULL ? strdup (walk_done (w)) : view_host (w->options->view, walk_done (w));
}

static weir_status
walk_error (const struct walk *w, int errnum, weir_error **err)
{
  switch (errnum) {
  case ENOENT:
    return error_set (err, WEIR_E_NOT_FOUND, ENOENT, "path '%s'", w->given);
  case ENOTDIR:
    return error_set (err, WEIR_E_INVALID, 0, "path '%s': a component of it is not a directory", w->given);
  case ELOOP:
    return error_set (err, WEIR_E_INVALID, 0, "path '%s': its symbolic links form a loop, or there are more than %d",
                      w->given, CANON_LINKS);
  case ENAMETOOLONG:
    return error_set (err, WEIR_E_INVALID, ENAMETOOLONG, "path '%.64s...'", w->given);
  case ENOMEM:
    return error_nomem (err);
  default:
    return error_set (err, WEIR_E_IO, errnum, "path '%s': look at '%s'", w->given, walk_done (w));
  }
}

/* 0, or the errno: what was walked so far is a directory.  */
static int
walk_is_directory (const struct walk *w)
{
  auto_free char *host = walk_host (w);
  struct stat st;

  if (host == NULL)
    return ENOMEM;
  if (w->options->view != NULL && view_holds_beneath (w->options->view, walk_done (w)))
    return 0;
  if (stat (host, &st) != 0)
    return errno;
  return S_ISDIR (st.st_mode) ? 0 : ENOTDIR;
}

/* The target of a link replaces its name.  */
static int
walk_follow (struct walk *w, const char *target, size_t size)
{
  auto_strbuf struct strbuf text = { 0 };

  if (++w->links > CANON_LINKS)
    return ELOOP;
  if (size == 0)
    return ENOENT;
  if (size + strlen (w->next) > CANON_LENGTH)
    return ENAMETOOLONG;
  if (w->options->links != NULL) {
    strv_add (w->options->links, walk_done (w));
    if (w->options->links->failed)
      return ENOMEM;
  }
  strbuf_add (&text, target, size);
  strbuf_str (&text, w->next);
  if (text.failed)
    return ENOMEM;
  walk_up (w);
  if (target[0] == '/') {
    w->done.size = 0;
    if (w->done.data != NULL)
      w->done.data[0] = '\0';
  }
  free (w->pending);
  w->pending = strbuf_steal (&text);
  w->next = w->pending;
  return 0;
}

/* done has got a component: does it exist, is it a link?  */
static int
walk_look (struct walk *w)
{
  const struct canon_options *o = w->options;
  const char *rest = w->next + strspn (w->next, "/");
  char target[PATH_MAX];
  ssize_t n;

  if (o->view != NULL) {
    const struct weir_view *line = view_find (o->view, walk_done (w));
    if (line != NULL && line->access == WEIR_ACCESS_NONE) {
      w->missing = 1;
      return 0;
    }
  }
  auto_free char *host = walk_host (w);
  if (host == NULL)
    return ENOMEM;
  n = readlink (host, target, sizeof target);
  if (n >= 0) {
    if ((size_t) n == sizeof target)
      return ENAMETOOLONG;
    return o->keep_last && *w->next == '\0' ? 0 : walk_follow (w, target, (size_t) n);
  }
  if (errno == EINVAL)
    return *rest == '\0' && *w->next == '/' ? walk_is_directory (w) : 0;
  if (errno != ENOENT)
    return errno;
  if (o->view != NULL && view_holds_beneath (o->view, walk_done (w)))
    return 0;
  if (!o->missing_ok)
    return ENOENT;
  w->missing = 1;
  return 0;
}

static int
walk_component (struct walk *w, const char *name, size_t size)
{
  int errnum;

  if (size == 0)
    return 0;
  if (name[0] == '.' && (size == 1 || (size == 2 && name[1] == '.'))) {
    /* The kernel knows no ".." of what is not there.  */
    errnum = w->missing ? ENOENT : walk_is_directory (w);
    if (errnum == 0 && size == 2)
      walk_up (w);
    return errnum;
  }
  if (size > NAME_MAX)
    return ENAMETOOLONG;
  strbuf_add (&w->done, "/", 1);
  strbuf_add (&w->done, name, size);
  if (w->done.failed)
    return ENOMEM;
  if (w->done.size >= PATH_MAX)
    return ENAMETOOLONG;
  return w->missing ? 0 : walk_look (w);
}

static int
walk_start (struct walk *w, const char *path, const char *base)
{
  char here[PATH_MAX];

  if (path[0] == '\0')
    return ENOENT;
  if (strlen (path) > CANON_LENGTH)
    return ENAMETOOLONG;
  if (path[0] != '/' && base == NULL) {
    /* A directory that was removed, or lies outside of our root, has no absolute path.  */
    if (getcwd (here, sizeof here) == NULL)
      return errno;
    if (here[0] != '/')
      return ENOENT;
    base = here;
  }
  w->pending = path[0] == '/' ? strdup (path) : util_fmt ("%s/%s", base, path);
  w->next = w->pending;
  return w->pending == NULL ? ENOMEM : 0;
}

weir_status
canon_walk (const char *path, const char *base, const struct canon_options *options, char **canonical, weir_error **err)
{
  struct walk w = { .options = options, .given = path };
  int errnum = walk_start (&w, path, base);
  weir_status status = WEIR_OK;

  while (errnum == 0 && *w.next != '\0') {
    const char *name = w.next + strspn (w.next, "/");
    size_t size = strcspn (name, "/");
    w.next = name + size;
    errnum = walk_component (&w, name, size);
  }
  if (errnum == 0) {
    *canonical = strdup (walk_done (&w));
    errnum = *canonical == NULL ? ENOMEM : 0;
  }
  if (errnum != 0)
    status = walk_error (&w, errnum, err);
  walk_free (&w);
  return status;
}

weir_status
canon_path (const char *path, const char *base, int missing_ok, char **canonical, weir_error **err)
{
  const struct canon_options options = { .missing_ok = missing_ok };

  return canon_walk (path, base, &options, canonical, err);
}
