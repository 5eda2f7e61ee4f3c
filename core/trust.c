/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util.h"

#define TRUST_MAX_LINKS 40 /* as the kernel's own limit */
#define TRUST_MAX_STEPS 4096

/* A walk from "/" towards a path, one component at a time.  */
struct trust_walk {
  const char *wanted;     /* what the caller named, for messages */
  int dir;                /* O_PATH: the directory reached */
  int object;             /* O_PATH: the last component, not a link; -1: still a directory of the walk */
  char *name;             /* of object in dir */
  struct strbuf at;       /* path of dir; "" is the root */
  char *rest;             /* components that are left */
  unsigned links, steps;
  struct stat st;         /* of object, or of dir */
  weir_error *fault;      /* the first thing that another user could replace */
};

static void
trust_walk_free (struct trust_walk *w)
{
  util_close_ptr (&w->dir);
  util_close_ptr (&w->object);
  free (w->name);
  free (w->rest);
  strbuf_free (&w->at);
  error_clear (&w->fault);
}

static const char *
trust_kind_name (mode_t mode)
{
  return S_ISREG (mode)    ? "a file"
         : S_ISDIR (mode)  ? "a directory"
         : S_ISFIFO (mode) ? "a FIFO"
         : S_ISSOCK (mode) ? "a socket"
         : S_ISCHR (mode) || S_ISBLK (mode) ? "a device"
                                             : "a symbolic link";
}

/* Notes the first object on the way that is not ours or root's alone.  The walk goes on: that something is missing is
 * told rather than that it would not be trusted.  */
static void
trust_judge (struct trust_walk *w, const char *path, const struct stat *st)
{
  unsigned mode = st->st_mode & 07777u;

  if (w->fault != NULL)
    return;
  if (st->st_uid != 0 && st->st_uid != geteuid ()) {
    error_set (&w->fault, WEIR_E_UNTRUSTED, 0,
               "'%s' is not trusted: '%s' belongs to uid %u (mode %04o), who could replace it", w->wanted, path,
               (unsigned) st->st_uid, mode);
    error_hint (&w->fault, "Only root and uid %u may own it: run \"chown %u '%s'\", or keep the file elsewhere.",
                (unsigned) geteuid (), (unsigned) geteuid (), path);
  }
  else if ((mode & (S_IWGRP | S_IWOTH)) != 0) {
    error_set (&w->fault, WEIR_E_UNTRUSTED, 0,
               "'%s' is not trusted: '%s' is writable by %s (owner uid %u, mode %04o), who could replace it", w->wanted,
               path, (mode & S_IWOTH) != 0 ? "everybody" : "its group", (unsigned) st->st_uid, mode);
    if ((mode & S_ISVTX) != 0)
      error_hint (&w->fault,
                  "Keep the file in a directory that only its owner can write to, and all of whose parents are so.");
    else
      error_hint (&w->fault, "Run \"chmod go-w '%s'\", or keep the file elsewhere.", path);
  }
}

static const char *
trust_at (const struct trust_walk *w)
{
  return w->at.size == 0 ? "/" : w->at.data;
}

/* fd becomes the directory of the walk.  */
static weir_status
trust_enter (struct trust_walk *w, int *fd, weir_error **err)
{
  if (fstat (*fd, &w->st) != 0)
    return error_set (err, WEIR_E_IO, errno, "stat '%s'", trust_at (w));
  trust_judge (w, trust_at (w), &w->st);
  util_close_ptr (&w->dir);
  w->dir = steal_fd (fd);
  return WEIR_OK;
}

static weir_status
trust_root (struct trust_walk *w, weir_error **err)
{
  auto_close int fd = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

  w->at.size = 0;
  if (fd < 0)
    return error_set (err, WEIR_E_IO, errno, "open '/'");
  return trust_enter (w, &fd, err);
}

static weir_status
trust_parent (struct trust_walk *w, weir_error **err)
{
  auto_close int fd = openat (w->dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

  while (w->at.size > 0 && w->at.data[--w->at.size] != '/')
    ;
  if (w->at.data != NULL)
    w->at.data[w->at.size] = '\0';
  if (fd < 0)
    return error_set (err, WEIR_E_IO, errno, "open '%s'", trust_at (w));
  return trust_enter (w, &fd, err);
}

/* The link's text takes the place of its name in what is left.  */
static weir_status
trust_link (struct trust_walk *w, const char *path, int fd, weir_error **err)
{
  char target[PATH_MAX];
  ssize_t n = readlinkat (fd, "", target, sizeof target);
  char *rest;

  if (n < 0)
    return error_set (err, WEIR_E_IO, errno, "read the link '%s'", path);
  if (++w->links > TRUST_MAX_LINKS)
    return error_set (err, WEIR_E_INVALID, ELOOP, "follow '%s'", w->wanted);
  if (n == 0 || (size_t) n == sizeof target)
    return error_set (err, WEIR_E_INVALID, n == 0 ? ENOENT : ENAMETOOLONG, "follow the link '%s'", path);
  rest = util_fmt ("%.*s/%s", (int) n, target, w->rest);
  if (rest == NULL)
    return error_nomem (err);
  /* No slash may be made up: "link" at the end may name a file.  */
  if (w->rest[0] == '\0')
    rest[n] = '\0';
  free (w->rest);
  w->rest = rest;
  return target[0] == '/' ? trust_root (w, err) : WEIR_OK;
}

static weir_status
trust_missing (const struct trust_walk *w, const char *path, int errnum, weir_error **err)
{
  if (errnum == ENOENT || errnum == ENOTDIR)
    return error_set (err, WEIR_E_NOT_FOUND, errnum, "open '%s'", w->wanted);
  return error_set (err, errnum == ENAMETOOLONG ? WEIR_E_INVALID : WEIR_E_IO, errnum, "open '%s'", path);
}

/* Goes to one name in the directory reached; last: nothing follows it, not even a slash.  */
static weir_status
trust_component (struct trust_walk *w, const char *name, int last, weir_error **err)
{
  auto_close int fd = openat (w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  int errnum = errno;
  auto_free char *path = util_fmt ("%s/%s", w->at.size == 0 ? "" : w->at.data, name);
  struct stat st;

  if (path == NULL)
    return error_nomem (err);
  if (fd < 0)
    return trust_missing (w, path, errnum, err);
  if (fstat (fd, &st) != 0)
    return error_set (err, WEIR_E_IO, errno, "stat '%s'", path);
  if (S_ISLNK (st.st_mode))
    return trust_link (w, path, fd, err);
  if (S_ISDIR (st.st_mode)) {
    strbuf_fmt (&w->at, "/%s", name);
    return w->at.failed ? error_nomem (err) : trust_enter (w, &fd, err);
  }
  if (!last)
    return trust_missing (w, path, ENOTDIR, err);
  trust_judge (w, path, &st);
  w->st = st;
  w->object = steal_fd (&fd);
  w->name = strdup (name);
  return w->name == NULL ? error_nomem (err) : WEIR_OK;
}

static weir_status
trust_walk (struct trust_walk *w, weir_error **err)
{
  weir_status status = trust_root (w, err);

  while (status == WEIR_OK && w->object < 0) {
    char *p = w->rest + strspn (w->rest, "/");
    size_t n = strcspn (p, "/");
    char name[NAME_MAX + 1];
    int last = p[n] == '\0';

    if (n == 0)
      break;
    if (n > NAME_MAX)
      return error_set (err, WEIR_E_INVALID, ENAMETOOLONG, "open '%s'", w->wanted);
    if (++w->steps > TRUST_MAX_STEPS)
      return error_set (err, WEIR_E_INVALID, ELOOP, "follow '%s'", w->wanted);
    memcpy (name, p, n);
    name[n] = '\0';
    memmove (w->rest, p + n, strlen (p + n) + 1);
    if (strcmp (name, ".") == 0)
      continue;
    status = strcmp (name, "..") == 0 ? trust_parent (w, err) : trust_component (w, name, last, err);
  }
  return status;
}

/* Opens for reading what was judged.  By its name, not through /proc, which may be missing; what is opened must be the
 * same object, and must not block when it became a FIFO meanwhile.  */
static weir_status
trust_reopen (const struct trust_walk *w, int directory, int *fd, weir_error **err)
{
  struct stat st;
  int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (directory ? O_DIRECTORY : 0);
  auto_close int opened = openat (w->dir, directory ? "." : w->name, flags);

  if (opened < 0 || fstat (opened, &st) != 0)
    return error_set (err, errno == ENOENT ? WEIR_E_NOT_FOUND : WEIR_E_IO, errno, "open '%s'", w->wanted);
  if (st.st_dev != w->st.st_dev || st.st_ino != w->st.st_ino)
    return error_set (err, WEIR_E_CONFLICT, 0, "'%s' was replaced while it was opened", w->wanted);
  *fd = steal_fd (&opened);
  return WEIR_OK;
}

static weir_status
trust_check_kind (const struct trust_walk *w, int kind, weir_error **err)
{
  static const char *const wanted[] = { "a file", "a directory", "a program" };
  int directory = w->object < 0;

  if (directory != (kind == TRUST_DIRECTORY) || (!directory && !S_ISREG (w->st.st_mode)))
    return error_set (err, WEIR_E_INVALID, 0, "'%s' is %s, not %s", w->wanted, trust_kind_name (w->st.st_mode),
                      wanted[kind]);
  if (kind == TRUST_PROGRAM && faccessat (w->dir, w->name, X_OK, AT_EACCESS) != 0)
    return error_set (err, WEIR_E_NOT_EXECUTABLE, errno, "execute '%s'", w->wanted);
  return WEIR_OK;
}

weir_status
trust_open (const char *path, int kind, int *fd, char **canonical, weir_error **err)
{
  struct trust_walk w = { .wanted = path, .dir = -1, .object = -1 };
  auto_free char *real = NULL;
  auto_close int opened = -1;
  weir_status status;

  if (path[0] != '/')
    return error_set (err, WEIR_E_INVALID, 0, "'%s' is not an absolute path", path);
  w.rest = strdup (path);
  status = w.rest == NULL ? error_nomem (err) : trust_walk (&w, err);
  if (status == WEIR_OK)
    status = trust_check_kind (&w, kind, err);
  if (status == WEIR_OK && w.fault != NULL)
    status = error_move (err, steal (w.fault));
  if (status == WEIR_OK && fd != NULL) {
    if (kind == TRUST_PROGRAM)
      opened = steal_fd (&w.object);
    else
      status = trust_reopen (&w, kind == TRUST_DIRECTORY, &opened, err);
  }
  if (status == WEIR_OK && canonical != NULL) {
    real = w.name != NULL ? util_fmt ("%s/%s", w.at.size == 0 ? "" : w.at.data, w.name) : strdup (trust_at (&w));
    if (real == NULL)
      status = error_nomem (err);
    else
      *canonical = steal (real);
  }
  if (status == WEIR_OK && fd != NULL)
    *fd = steal_fd (&opened);
  trust_walk_free (&w);
  return status;
}
