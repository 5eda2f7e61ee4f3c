/* SPDX-License-Identifier: Apache-2.0 */
/* The git directories of submodules: those that are there are kept like the repository itself, those that a command makes
 * are looked at afterwards.  */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define ENTRIES_LIMIT 4096
#define DEPTH_LIMIT 16

struct scan {
  struct strv found; /* git directories, relative */
  struct strv links;
  size_t left;
  int overflow;
};

static int
is_gitdir (int dirfd)
{
  struct stat st;

  return fstatat (dirfd, "HEAD", &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR (st.st_mode);
}

static void scan_directory (int fd, const char *rel, unsigned depth, struct scan *);

static void
scan_entry (int dirfd, const char *name, const char *rel, unsigned depth, struct scan *s)
{
  auto_free char *path = util_fmt ("%s%s%s", rel, rel[0] != '\0' ? "/" : "", name);
  struct stat st;
  int fd;

  if (path == NULL)
    s->found.failed = 1;
  if (path == NULL || fstatat (dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (S_ISLNK (st.st_mode))
    strv_add (&s->links, path);
  if (!S_ISDIR (st.st_mode))
    return;
  fd = openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  if (is_gitdir (fd)) {
    strv_add (&s->found, path);
    close (fd);
  }
  else
    scan_directory (fd, path, depth + 1, s);
}

/* Takes fd.  */
static void
scan_directory (int fd, const char *rel, unsigned depth, struct scan *s)
{
  DIR *d = fdopendir (fd);
  const struct dirent *e;

  if (d == NULL) {
    close (fd);
    return;
  }
  s->overflow |= depth > DEPTH_LIMIT;
  while (!s->overflow && (e = readdir (d)) != NULL) {
    if (strcmp (e->d_name, ".") == 0 || strcmp (e->d_name, "..") == 0)
      continue;
    s->overflow = s->left-- == 0 || s->found.count + s->links.count > GIT_MODULES_LIMIT;
    if (!s->overflow)
      scan_entry (fd, e->d_name, rel, depth, s);
  }
  closedir (d);
}

static void
scan_free (struct scan *s)
{
  strv_free (&s->found);
  strv_free (&s->links);
}
#define auto_scan __attribute__ ((cleanup (scan_free)))

/* ---- before ---- */

/* Where the submodule's files are, by its configuration; NULL: not known.  */
static weir_status
find_worktree (struct gitbuild *b, const char *module, char **worktree, weir_error **err)
{
  auto_free char *config = util_fmt ("%s/config", module), *bytes = NULL, *path = NULL;
  struct gitconfig c = { 0 };
  const char *value;
  size_t size;

  *worktree = NULL;
  if (config == NULL)
    return error_nomem (err);
  bytes = gitguard_read (config, GIT_CONFIG_LIMIT, &size);
  if (bytes != NULL && gitconfig_parse (bytes, size, &c) == 0 && (value = gitconfig_last (&c, "core.worktree")) != NULL)
    path = gitconfig_path (value, b->home, module);
  gitconfig_free (&c);
  return path == NULL ? WEIR_OK : gitguard_trace (b, path, worktree, err);
}

static weir_status
protect_module (struct gitbuild *b, const char *path, weir_error **err)
{
  auto_free char *canonical = NULL, *worktree = NULL, *pointer = NULL;
  weir_status st = gitguard_trace (b, path, &canonical, err);
  struct stat s;

  if (st == WEIR_OK && canonical != NULL)
    st = find_worktree (b, canonical, &worktree, err);
  if (st != WEIR_OK || canonical == NULL)
    return st;
  pointer = worktree != NULL ? util_fmt ("%s/.git", worktree) : NULL;
  if (worktree != NULL && pointer == NULL)
    return error_nomem (err);
  if (pointer != NULL && lstat (pointer, &s) == 0)
    st = S_ISDIR (s.st_mode) ? gitrepo_protect (b, pointer, worktree, err)
                             : gitguard_protect (b, pointer, 0, "git pointer of a submodule", err);
  return st == WEIR_OK ? gitrepo_protect (b, canonical, worktree, err) : st;
}

static weir_status
remember (struct gitbuild *b, const char *path, const char *worktree, struct scan *s, weir_error **err)
{
  struct gitmeta *g = b->git;
  struct gitmodules *modules = reallocarray (g->modules, g->modules_count + 1, sizeof *modules), m = { 0 };

  if (modules == NULL)
    return error_nomem (err);
  g->modules = modules;
  if (gitguard_base (b, path, &m.base) != 0)
    return error_set (err, WEIR_E_CONFLICT, errno, "open the writable root of '%s'", path);
  for (size_t i = 0; i < s->found.count; i++)
    strv_add (&m.known, s->found.items[i]);
  for (size_t i = 0; i < s->links.count; i++)
    strv_add (&m.known, s->links.items[i]);
  m.path = strdup (path);
  m.worktree = worktree != NULL ? strdup (worktree) : NULL;
  modules[g->modules_count++] = m;
  return m.path == NULL || m.known.failed || (worktree != NULL && m.worktree == NULL) ? error_nomem (err) : WEIR_OK;
}

static weir_status
protect_all (struct gitbuild *b, const char *path, const struct strv *names, weir_error **err)
{
  weir_status st = WEIR_OK;

  for (size_t i = 0; st == WEIR_OK && i < names->count; i++) {
    auto_free char *module = util_fmt ("%s/%s", path, names->items[i]);

    st = module == NULL ? error_nomem (err) : protect_module (b, module, err);
  }
  return st;
}

weir_status
gitmodules_protect (struct gitbuild *b, const char *gitdir, const char *worktree, weir_error **err)
{
  auto_scan struct scan s = { .left = ENTRIES_LIMIT };
  auto_free char *named = util_fmt ("%s/modules", gitdir), *path = NULL;
  weir_status st;
  int fd;

  if (named == NULL)
    return error_nomem (err);
  st = gitguard_trace (b, named, &path, err);
  if (st != WEIR_OK || path == NULL || gitguard_writable (b, path) == NULL)
    return st;
  fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0)
    scan_directory (fd, "", 0, &s);
  if (s.found.failed || s.links.failed)
    return error_nomem (err);
  if (s.overflow || b->repositories.count + s.found.count + s.links.count > GIT_REPOSITORIES_LIMIT) {
    strv_fmt (&b->git->notes, "git: '%s' holds too many entries to keep each of them: it is read-only as a whole", path);
    return gitguard_protect (b, path, 0, "git submodules, too many to look at each", err);
  }
  st = remember (b, path, worktree, &s, err);
  if (st == WEIR_OK)
    st = protect_all (b, path, &s.found, err);
  return st == WEIR_OK ? protect_all (b, path, &s.links, err) : st;
}

/* ---- after ---- */

static int
harmless_worktree (const char *value, const char *module, const char *worktree)
{
  auto_free char *path = gitconfig_path (value, NULL, module), *canonical = NULL;

  /* A checkout in the submodule writes there.  */
  return path != NULL && worktree != NULL && canon_path (path, "/", 1, &canonical, NULL) == WEIR_OK
         && util_path_beneath (canonical, worktree);
}

static int
harmless_config (int dirfd, const char *module, const char *worktree)
{
  size_t size;
  auto_free char *bytes = gitsnap_read (dirfd, "config", GIT_CONFIG_LIMIT, &size);
  struct gitconfig c = { 0 };
  int ok;

  if (bytes == NULL)
    return errno == ENOENT;
  ok = gitconfig_parse (bytes, size, &c) == 0;
  for (size_t i = 0; ok && i < c.count; i++)
    ok = gitconfig_harmless (&c.entries[i])
         && (strcmp (c.entries[i].key, "core.worktree") != 0
             || (c.entries[i].value != NULL && harmless_worktree (c.entries[i].value, module, worktree)));
  gitconfig_free (&c);
  return ok;
}

static void check_directory (int fd, const char *path, const char *worktree, const struct strv *known, struct strv *warnings);

static void
check_hooks (int dirfd, const char *shown, struct strv *warnings)
{
  struct gitsnap none = { .name = (char[]) { "hooks" }, .type = GITSNAP_DIRECTORY };

  if (fstatat (dirfd, "hooks", &none.st, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (S_ISDIR (none.st.st_mode))
    gitsnap_restore (dirfd, &none, shown, 0, warnings);
  else
    gitsnap_quarantine (dirfd, "hooks", shown, "is no directory of a new submodule", warnings);
}

void
gitmodules_check_new (int fd, const char *path, const char *worktree, struct strv *warnings)
{
  static const char *const never[] = { "commondir", "config.worktree" };
  static const struct strv nothing = { 0 };
  struct stat st;
  int modules;

  check_hooks (fd, path, warnings);
  if (!harmless_config (fd, path, worktree))
    gitsnap_quarantine (fd, "config", path, "of a new submodule says more than git itself writes there", warnings);
  for (size_t i = 0; i < ARRAY_SIZE (never); i++)
    if (fstatat (fd, never[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
      gitsnap_quarantine (fd, never[i], path, "appeared in a new submodule", warnings);
  modules = openat (fd, "modules", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (modules < 0 && (errno == ELOOP || errno == ENOTDIR))
    gitsnap_quarantine (fd, "modules", path, "is no directory of a new submodule", warnings);
  auto_free char *inner = util_fmt ("%s/modules", path);
  if (modules >= 0 && inner != NULL)
    check_directory (modules, inner, worktree, &nothing, warnings);
  else if (modules >= 0)
    close (modules);
  close (fd);
}

/* An entry that leads to something that was there.  */
static int
leads_to (const struct strv *known, const char *name)
{
  size_t n = strlen (name);

  for (size_t i = 0; i < known->count; i++)
    if (strncmp (known->items[i], name, n) == 0 && (known->items[i][n] == '/' || known->items[i][n] == '\0'))
      return 1;
  return 0;
}

/* More than can be looked at: all that is new goes.  */
static void
clear_new (int fd, const char *path, const struct strv *known, struct strv *warnings)
{
  DIR *d = fdopendir (fd);
  const struct dirent *e;
  auto_strv struct strv fresh = { 0 };

  if (d == NULL) {
    close (fd);
    return;
  }
  rewinddir (d);
  while (fresh.count < ENTRIES_LIMIT && (e = readdir (d)) != NULL)
    if (strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0 && !leads_to (known, e->d_name))
      strv_add (&fresh, e->d_name);
  for (size_t i = 0; i < fresh.count; i++)
    gitsnap_quarantine (fd, fresh.items[i], path, "is new among more submodules than can be looked at", warnings);
  closedir (d);
}

/* Takes fd.  */
static void
check_directory (int fd, const char *path, const char *worktree, const struct strv *known, struct strv *warnings)
{
  auto_scan struct scan s = { .left = ENTRIES_LIMIT };
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 0);

  if (copy >= 0)
    scan_directory (copy, "", 0, &s);
  if (s.overflow || copy < 0) {
    clear_new (fd, path, known, warnings);
    return;
  }
  for (size_t i = 0; i < s.links.count; i++) {
    const char *name;
    auto_free char *parent = gitguard_parent (s.links.items[i], &name);
    auto_free char *shown = parent != NULL ? util_fmt ("%s/%s", path, parent) : NULL;
    auto_close int at = strv_has (known, s.links.items[i]) || shown == NULL ? -1 : gitsnap_walk (fd, parent, 0, path, NULL);

    if (at >= 0)
      gitsnap_quarantine (at, name, shown, "is a new link among the submodules", warnings);
  }
  for (size_t i = 0; i < s.found.count; i++) {
    auto_free char *shown = util_fmt ("%s/%s", path, s.found.items[i]);
    int at = strv_has (known, s.found.items[i]) || shown == NULL ? -1 : gitsnap_walk (fd, s.found.items[i], 0, path, NULL);

    if (at >= 0)
      gitmodules_check_new (at, shown, worktree, warnings);
  }
  close (fd);
}

void
gitmodules_check (struct gitmeta *g, const struct gitmodules *m, struct strv *warnings)
{
  const char *root = g->bases[m->base].path;
  auto_close int at = gitsnap_walk (g->bases[m->base].fd, gitguard_relative (g, m->base, m->path), 0, root, warnings);
  int fd = at < 0 ? -1 : openat (at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0)
    check_directory (fd, m->path, m->worktree, m->before != NULL ? gitbaseline_names (m->before) : &m->known, warnings);
}
