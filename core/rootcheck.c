/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/rootcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "core/env-internal.h"

#define PASSWD_LIMIT ((size_t) 16 << 20)

struct ancestor { /* a directory that holds something, or is it */
  uint64_t dev, ino;
  size_t home;
};

struct homes {
  struct strv paths; /* canonical */
  struct strv users;
  struct ancestor *ancestors;
  size_t count, room;
  int failed;
};

/* ---- home directories ---- */

static void
homes_add_ancestor (struct homes *h, const struct stat *st, size_t home)
{
  for (size_t i = 0; i < h->count; i++)
    if (h->ancestors[i].dev == st->st_dev && h->ancestors[i].ino == st->st_ino)
      return;
  if (h->count == h->room) {
    size_t room = h->room == 0 ? 32 : h->room * 2;
    struct ancestor *ancestors = reallocarray (h->ancestors, room, sizeof *ancestors);
    if (ancestors == NULL) {
      h->failed = 1;
      return;
    }
    h->ancestors = ancestors;
    h->room = room;
  }
  h->ancestors[h->count++] = (struct ancestor){ st->st_dev, st->st_ino, home };
}

/* Each directory from the home up to, not including, "/".  */
static void
homes_add_ancestors (struct homes *h, const char *canonical, size_t home)
{
  auto_free char *path = strdup (canonical);
  struct stat st;

  if (path == NULL)
    h->failed = 1;
  while (path != NULL && path[0] == '/' && path[1] != '\0') {
    if (stat (path, &st) == 0)
      homes_add_ancestor (h, &st, home);
    *strrchr (path, '/') = '\0';
  }
}

static void
homes_add (struct homes *h, const char *path, const char *user)
{
  auto_free char *canonical = NULL;
  auto_error weir_error *ignored = NULL;
  struct stat st;

  if (path == NULL || path[0] != '/' || stat (path, &st) != 0 || !S_ISDIR (st.st_mode))
    return;
  if (canon_path (path, NULL, 0, &canonical, &ignored) != WEIR_OK) {
    h->failed |= weir_error_code (ignored) == WEIR_E_NOMEM;
    return;
  }
  if (strcmp (canonical, "/") == 0 || strv_has (&h->paths, canonical))
    return;
  homes_add_ancestors (h, canonical, h->paths.count);
  strv_add (&h->paths, canonical);
  strv_add (&h->users, user);
}

/* "name:password:uid:gid:gecos:home:shell"  */
static void
homes_add_line (struct homes *h, char *line)
{
  char *fields[7] = { line };

  for (size_t i = 1; i < ARRAY_SIZE (fields); i++) {
    char *colon = strchr (fields[i - 1], ':');
    if (colon == NULL)
      return;
    *colon = '\0';
    fields[i] = colon + 1;
  }
  homes_add (h, fields[5], fields[0]);
}

struct homes *
homes_new (const char *passwd, const struct settings *settings, const char *const *environ)
{
  struct homes *h = calloc (1, sizeof *h);
  auto_free char *text = util_read_file (AT_FDCWD, passwd, PASSWD_LIMIT, NULL);
  char *save = NULL;

  if (h == NULL)
    return NULL;
  homes_add (h, env_get (environ, "HOME"), "whoever runs this");
  homes_add (h, settings->home, "whoever runs this");
  for (char *line = text == NULL ? NULL : strtok_r (text, "\n", &save); line != NULL;
       line = strtok_r (NULL, "\n", &save))
    homes_add_line (h, line);
  if (h->failed || h->paths.failed || h->users.failed) {
    homes_free (h);
    return NULL;
  }
  return h;
}

void
homes_free (struct homes *h)
{
  if (h == NULL)
    return;
  strv_free (&h->paths);
  strv_free (&h->users);
  free (h->ancestors);
  free (h);
}

/* ---- a root ---- */

struct root {
  const char *path, *what, *origin;
  struct stat st;
};

static weir_status
root_refuse (const struct root *r, weir_error **err, const char *fmt, ...)
{
  auto_strbuf struct strbuf why = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&why, fmt, ap);
  va_end (ap);
  if (why.failed)
    return error_nomem (err);
  error_set (err, WEIR_E_DENIED, 0, "%s '%s' (%s) is refused: %s", r->what, r->path, r->origin, why.data);
  return error_hint (
      err, "Choose a directory that holds only what commands may change, such as the directory of one project.");
}

static weir_status
root_check_system (const struct root *r, weir_error **err)
{
  struct stat st;

  if (strcmp (r->path, "/") == 0 || (stat ("/", &st) == 0 && st.st_dev == r->st.st_dev && st.st_ino == r->st.st_ino))
    return root_refuse (r, err, "it is the root of the file system: a command could change everything");
  if (util_path_beneath (r->path, "/proc") || util_path_beneath (r->path, "/sys"))
    return root_refuse (r, err, "a command could change the kernel's settings and other processes through it");
  if (strcmp (r->path, "/dev") == 0)
    return root_refuse (r, err, "a command could write to the machine's devices");
  return WEIR_OK;
}

/* 1: the root is one of the directories that hold path.  */
static int
root_holds_by_identity (const struct root *r, const char *path)
{
  auto_free char *at = strdup (path);
  struct stat st;

  while (at != NULL && at[0] == '/' && at[1] != '\0') {
    if (stat (at, &st) == 0 && st.st_dev == r->st.st_dev && st.st_ino == r->st.st_ino)
      return 1;
    *strrchr (at, '/') = '\0';
  }
  return 0;
}

static weir_status
root_check_place (const struct root *r, const char *place, const char *reason, weir_error **err)
{
  if (strcmp (place, r->path) == 0)
    return root_refuse (r, err, "it is %s, which decides about confinement", reason);
  if (util_path_beneath (place, r->path) || root_holds_by_identity (r, place))
    return root_refuse (r, err, "it holds '%s', %s, which decides about confinement", place, reason);
  if (util_path_beneath (r->path, place))
    return root_refuse (r, err, "it lies in '%s', %s, which decides about confinement", place, reason);
  return WEIR_OK;
}

/* Told before what else lies in it: it is what people will have meant.  */
static weir_status
root_check_home (const struct root *r, const struct homes *homes, weir_error **err)
{
  for (size_t i = 0; i < homes->paths.count; i++)
    if (strcmp (homes->paths.items[i], r->path) == 0)
      return root_refuse (r, err,
                          "it is the home directory of %s: a command could change what is run at the next login",
                          homes->users.items[i]);
  return WEIR_OK;
}

static weir_status
root_check_holds_home (const struct root *r, const struct homes *homes, weir_error **err)
{
  for (size_t i = 0; i < homes->paths.count; i++) {
    const char *home = homes->paths.items[i];
    if (util_path_beneath (home, r->path))
      return root_refuse (
          r, err, "it holds '%s', the home directory of %s: a command could change what is run at the next login", home,
          homes->users.items[i]);
  }
  for (size_t i = 0; i < homes->count; i++) {
    const struct ancestor *a = &homes->ancestors[i];
    if (a->dev == r->st.st_dev && a->ino == r->st.st_ino)
      return root_refuse (r, err, "under another name it is, or holds, '%s', the home directory of %s",
                          homes->paths.items[a->home], homes->users.items[a->home]);
  }
  return WEIR_OK;
}

weir_status
rootcheck (const char *canonical, const char *what, const char *origin, const struct places *places,
           const struct homes *homes, weir_error **err)
{
  struct root r = { .path = canonical, .what = what, .origin = origin };
  weir_status status;

  if (stat (canonical, &r.st) != 0)
    return error_set (err, WEIR_E_NOT_FOUND, errno, "%s '%s' (%s)", what, canonical, origin);
  status = root_check_system (&r, err);
  if (status == WEIR_OK && homes != NULL)
    status = root_check_home (&r, homes, err);
  for (size_t i = 0; places != NULL && i < places->paths.count && status == WEIR_OK; i++)
    status = root_check_place (&r, places->paths.items[i], places->reasons.items[i], err);
  if (status == WEIR_OK && homes != NULL)
    status = root_check_holds_home (&r, homes, err);
  return status;
}
