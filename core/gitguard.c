/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping one path: lines for the view where the path exists, a watch for what lines cannot hold.  */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define LINKS_LIMIT 40

const struct weir_view *
gitguard_writable (const struct gitbuild *b, const char *path)
{
  const struct view *v = &b->policy->view;

  for (size_t i = v->count; i-- > 0;) {
    const struct weir_view *line = v->lines[i];

    if (line->access == WEIR_ACCESS_PIN)
      continue;
    /* Something else is seen at this path.  */
    if (strcmp (line->host, line->world) != 0) {
      if (util_path_beneath (path, line->world))
        return NULL;
      continue;
    }
    if (util_path_beneath (path, line->host))
      return line->access == WEIR_ACCESS_WRITE && line->is_dir ? line : NULL;
  }
  return NULL;
}

weir_status
gitguard_view (struct gitbuild *b, uint32_t access, const char *path, const char *origin, weir_error **err)
{
  return view_add (&b->policy->view, access, WEIR_VIEW_DERIVED, path, path, origin, err);
}

char *
gitguard_parent (const char *path, const char **name)
{
  const char *slash = strrchr (path, '/');

  *name = slash != NULL ? slash + 1 : path;
  return slash != NULL ? strndup (path, (size_t) (slash - path)) : strdup ("");
}

char *
gitguard_read (const char *canonical, size_t limit, size_t *size)
{
  struct stat st;

  /* Opening a device can do something, so look first.  */
  if (lstat (canonical, &st) != 0)
    return NULL;
  if (!S_ISREG (st.st_mode)) {
    errno = EINVAL;
    return NULL;
  }
  return util_read_file (AT_FDCWD, canonical, limit, size);
}

int
gitguard_base (struct gitbuild *b, const char *path, size_t *base)
{
  const struct weir_view *line = gitguard_writable (b, path);
  struct gitmeta *g = b->git;
  struct gitbase *bases;
  struct stat st;

  if (line == NULL)
    return -1;
  for (*base = 0; *base < g->base_count; ++*base)
    if (strcmp (g->bases[*base].path, line->host) == 0)
      return 0;
  bases = reallocarray (g->bases, g->base_count + 1, sizeof *bases);
  if (bases == NULL)
    return -1;
  g->bases = bases;
  auto_close int fd = open (line->host, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  auto_free char *copy = strdup (line->host);
  if (fd < 0 || copy == NULL || fstat (fd, &st) != 0)
    return -1;
  if (line->ino != 0 && (st.st_ino != line->ino || st.st_dev != line->dev)) {
    errno = ESTALE;
    return -1;
  }
  bases[g->base_count++] = (struct gitbase) { steal (copy), steal_fd (&fd), -1, 1 };
  return 0;
}

const char *
gitguard_relative (const struct gitmeta *g, size_t base, const char *path)
{
  const char *rel = path + strlen (g->bases[base].path);

  return *rel == '/' ? rel + 1 : rel;
}

static weir_status
add_item (struct gitbuild *b, const char *path, int held, unsigned flags, weir_error **err)
{
  struct gitmeta *g = b->git;
  struct gititem *items;
  size_t base;

  for (size_t i = 0; i < g->item_count; i++)
    if (strcmp (g->items[i].path, path) == 0) {
      g->items[i].held &= held;
      return WEIR_OK;
    }
  if (gitguard_base (b, path, &base) != 0)
    return error_set (err, WEIR_E_CONFLICT, errno, "open the writable root of '%s'", path);
  items = reallocarray (g->items, g->item_count + 1, sizeof *items);
  if (items == NULL)
    return error_nomem (err);
  g->items = items;
  auto_free char *copy = strdup (path);
  if (copy == NULL)
    return error_nomem (err);
  items[g->item_count++] = (struct gititem) { .base = base, .path = steal (copy), .held = held, .flags = flags };
  return WEIR_OK;
}

/* ---- links ---- */

static void
drop_component (struct strbuf *at)
{
  while (at->size > 0 && at->data[--at->size] != '/')
    ;
  if (at->data != NULL)
    at->data[at->size] = '\0';
}

/* candidate is a link: *rest becomes what it names and what was left behind it.  */
static weir_status
follow (struct gitbuild *b, struct strbuf *at, const char *candidate, char **rest, const char *left, weir_error **err)
{
  char target[4096];
  ssize_t n = readlink (candidate, target, sizeof target - 1);
  weir_status st = WEIR_OK;
  char *longer;

  if (n < 0)
    return error_set (err, WEIR_E_CONFLICT, errno, "read the link '%s'", candidate);
  target[n] = '\0';
  if (gitguard_writable (b, candidate) != NULL)
    st = add_item (b, candidate, 0, 0, err);
  if (st != WEIR_OK)
    return st;
  if (target[0] == '/') {
    at->size = 0;
    strbuf_str (at, "");
  }
  longer = util_fmt ("%s/%s", target, left);
  if (longer == NULL)
    return error_nomem (err);
  free (*rest);
  *rest = longer;
  return WEIR_OK;
}

weir_status
gitguard_trace (struct gitbuild *b, const char *path, char **canonical, weir_error **err)
{
  auto_strbuf struct strbuf at = { 0 };
  auto_free char *rest = strdup (path);
  size_t done = 0;
  int links = 0;

  *canonical = NULL;
  strbuf_str (&at, "");
  while (rest != NULL && !at.failed && rest[done] != '\0') {
    const char *start = rest + done;
    size_t n = strcspn (start, "/");
    struct stat st;

    done += n + (start[n] == '/');
    if (n == 0 || (n == 1 && start[0] == '.'))
      continue;
    if (n == 2 && memcmp (start, "..", 2) == 0) {
      drop_component (&at);
      continue;
    }
    auto_free char *candidate = util_fmt ("%s/%.*s", at.size ? at.data : "", (int) n, start);
    if (candidate == NULL)
      return error_nomem (err);
    if (lstat (candidate, &st) == 0 && S_ISLNK (st.st_mode)) {
      if (++links > LINKS_LIMIT)
        return WEIR_OK;
      weir_status s = follow (b, &at, candidate, &rest, rest + done, err);
      if (s != WEIR_OK)
        return s;
      done = 0;
      continue;
    }
    at.size = 0;
    strbuf_str (&at, candidate);
  }
  if (rest == NULL || at.failed)
    return error_nomem (err);
  *canonical = strdup (at.size ? at.data : "/");
  return *canonical == NULL ? error_nomem (err) : WEIR_OK;
}

/* ---- lines ---- */

weir_status
gitguard_pin (struct gitbuild *b, const char *directory, const char *origin, weir_error **err)
{
  const struct weir_view *line = gitguard_writable (b, directory);
  size_t root = line != NULL ? strlen (line->host) : 0, length = strlen (directory);
  weir_status st = WEIR_OK;

  if (line == NULL)
    return WEIR_OK;
  for (size_t end = root + 1; st == WEIR_OK && end <= length; end++) {
    if (directory[end] != '/' && directory[end] != '\0')
      continue;
    auto_free char *part = strndup (directory, end);
    if (part == NULL)
      return error_nomem (err);
    if (strv_has (&b->pinned, part))
      continue;
    strv_add (&b->pinned, part);
    st = gitguard_view (b, WEIR_ACCESS_PIN, part, origin, err);
  }
  return b->pinned.failed ? error_nomem (err) : st;
}

/* path: canonical and writable.  */
static weir_status
hold (struct gitbuild *b, const char *path, unsigned flags, const char *origin, weir_error **err)
{
  const char *name;
  auto_free char *parent = gitguard_parent (path, &name);
  struct stat s;
  weir_status st;
  int held;

  if (parent == NULL)
    return error_nomem (err);
  if (lstat (path, &s) != 0 || (!S_ISREG (s.st_mode) && !S_ISDIR (s.st_mode)))
    return add_item (b, path, 0, flags, err);
  /* A file with a second name can be written by that one.  */
  held = S_ISDIR (s.st_mode) || s.st_nlink == 1;
  st = add_item (b, path, held, flags, err);
  if (st == WEIR_OK)
    st = gitguard_pin (b, parent, origin, err);
  if (st == WEIR_OK)
    st = gitguard_view (b, WEIR_ACCESS_READ, path, origin, err);
  return st;
}

weir_status
gitguard_protect (struct gitbuild *b, const char *path, unsigned flags, const char *origin, weir_error **err)
{
  auto_free char *canonical = NULL;
  weir_status st = gitguard_trace (b, path, &canonical, err);
  const struct weir_view *line;

  if (st != WEIR_OK || canonical == NULL)
    return st;
  line = gitguard_writable (b, canonical);
  if (line == NULL)
    return WEIR_OK;
  if (strcmp (line->host, canonical) == 0) {
    strv_fmt (&b->git->notes, "git: '%s' is a writable root that git's configuration names: it is not protected", path);
    return b->git->notes.failed ? error_nomem (err) : WEIR_OK;
  }
  return hold (b, canonical, flags, origin, err);
}

/* ---- hooks ---- */

/* Git's names of hooks (githooks(5)), for a directory that must stay writable otherwise.  */
static const char *const hook_names[] = {
  "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
  "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive",
  "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite",
  "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist", "p4-post-changelist",
  "p4-pre-submit", "post-index-change", NULL,
};

static weir_status
protect_by_name (struct gitbuild *b, const char *directory, weir_error **err)
{
  weir_status st = WEIR_OK;

  for (size_t i = 0; st == WEIR_OK && hook_names[i] != NULL; i++) {
    auto_free char *path = util_fmt ("%s/%s", directory, hook_names[i]);

    if (path == NULL)
      return error_nomem (err);
    st = gitguard_protect (b, path, 0, "git hook", err);
  }
  return st;
}

/* The directory is locked for as long as its line is in use, so that no other call removes it; see gitmeta_free.  Not
 * having the lock means that the mount over it may go during the run: *fd is -1 then.  */
static int
lock_directory (int dirfd, const char *name)
{
  struct stat a, b;
  auto_close int fd = openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (fd < 0 || flock (fd, LOCK_SH | LOCK_NB) != 0 || fstat (fd, &a) != 0
      || fstatat (dirfd, name, &b, AT_SYMLINK_NOFOLLOW) != 0 || a.st_ino != b.st_ino || a.st_dev != b.st_dev)
    return -1;
  return steal_fd (&fd);
}

static int
is_empty (int dirfd, const char *name)
{
  auto_close int fd = openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd < 0 ? NULL : fdopendir (fd);
  int entries = 0;

  if (d == NULL)
    return 0;
  fd = -1;
  while (entries < 3 && readdir (d) != NULL)
    entries++;
  closedir (d);
  return entries < 3;
}

/* Makes an empty directory where there is none, so that something can be mounted over it.  One that is empty may have
 * been made by another call, which would remove it.  *loose: it may go during the run.  */
static weir_status
make_ghost (struct gitbuild *b, const char *path, int *loose, weir_error **err)
{
  struct gitmeta *g = b->git;
  struct ghost *ghosts;
  const char *name;
  auto_free char *copy = strdup (path), *parent = NULL;
  auto_close int dirfd = -1, fd = -1;
  struct stat st;
  size_t base;
  int ours = 0;

  if (gitguard_base (b, path, &base) != 0)
    return WEIR_OK;
  parent = gitguard_parent (gitguard_relative (g, base, path), &name);
  ghosts = reallocarray (g->ghosts, g->ghost_count + 1, sizeof *ghosts);
  if (copy == NULL || parent == NULL || ghosts == NULL)
    return error_nomem (err);
  g->ghosts = ghosts;
  dirfd = gitsnap_walk (g->bases[base].fd, parent, 0, g->bases[base].path, NULL);
  if (dirfd < 0 || (fstatat (dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !is_empty (dirfd, name)))
    return WEIR_OK;
  for (int tries = 0; fd < 0 && tries < 4; tries++) {
    if (mkdirat (dirfd, name, 0755) == 0) {
      ours = 1;
      if (fstat (dirfd, &st) == 0 && st.st_uid != geteuid () && fchownat (dirfd, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
        ours = 2; /* it stays ours in both senses */
    }
    fd = lock_directory (dirfd, name);
  }
  *loose = fd < 0;
  if (fd >= 0)
    ghosts[g->ghost_count++] = (struct ghost) { base, steal (copy), steal_fd (&fd), ours };
  return WEIR_OK;
}

weir_status
gitguard_hooks (struct gitbuild *b, const char *path, int make, weir_error **err)
{
  auto_free char *canonical = NULL;
  weir_status st = gitguard_trace (b, path, &canonical, err);
  const struct view *v = &b->policy->view;
  int loose = 0;

  if (st != WEIR_OK || canonical == NULL || gitguard_writable (b, canonical) == NULL)
    return st;
  for (size_t i = 0; i < v->count; i++)
    if (v->lines[i]->access != WEIR_ACCESS_READ && util_path_beneath (v->lines[i]->host, canonical))
      return protect_by_name (b, canonical, err);
  if (make)
    st = make_ghost (b, canonical, &loose, err);
  if (st == WEIR_OK)
    st = gitguard_protect (b, canonical, 0, "git hooks", err);
  if (st == WEIR_OK && loose)
    st = add_item (b, canonical, 0, 0, err);
  return st;
}
