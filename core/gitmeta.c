/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define BUDGET_BYTES ((size_t) 8 << 20)
#define BUDGET_ENTRIES 4096

static const char *
find_home (const struct strv *env)
{
  for (size_t i = 0; i < env->count; i++)
    if (strncmp (env->items[i], "HOME=/", 6) == 0)
      return env->items[i] + 5;
  return NULL;
}

/* The roots as they are now; lines that are added on the way are not roots.  */
static weir_status
find_roots (const struct policy *p, struct strv *roots, weir_error **err)
{
  for (size_t i = 0; i < p->view.count; i++) {
    const struct weir_view *line = p->view.lines[i];

    if (line->access == WEIR_ACCESS_WRITE && line->is_dir && strcmp (line->host, line->world) == 0
        && !strv_has (roots, line->host))
      strv_add (roots, line->host);
  }
  return roots->failed ? error_nomem (err) : WEIR_OK;
}

weir_status
gitmeta_apply (struct policy *p, weir_error **err)
{
  auto_strv struct strv roots = { 0 };
  struct gitbuild b = { .policy = p, .home = find_home (&p->env) };
  weir_status st;

  if (p->mode != WEIR_MODE_WORKSPACE_WRITE || p->git != NULL)
    return WEIR_OK;
  b.git = p->git = calloc (1, sizeof *p->git);
  if (p->git == NULL)
    return error_nomem (err);
  st = find_roots (p, &roots, err);
  for (size_t i = 0; st == WEIR_OK && i < roots.count; i++)
    if (gitguard_writable (&b, roots.items[i]) != NULL)
      st = gitrepo_root (&b, roots.items[i], err);
  strv_free (&b.pinned);
  strv_free (&b.repositories);
  gitrepo_free_configs (b.globals);
  if (st != WEIR_OK || (p->git->item_count == 0 && p->git->notes.count == 0)) {
    gitmeta_free (p->git);
    p->git = NULL;
  }
  return st == WEIR_OK ? WEIR_OK : error_wrap (err, "keep git's metadata in the writable roots");
}

void
gitmeta_set_held (struct gitmeta *g, int held)
{
  if (g != NULL)
    g->held = held;
}

/* The directory that path lies in, opened; *name: the last component.  */
static int
open_parent (const struct gitmeta *g, size_t base, const char *path, int make, const char **name, struct strv *warnings)
{
  auto_free char *parent = gitguard_parent (gitguard_relative (g, base, path), name);

  *name = strrchr (path, '/') + 1;
  if (parent == NULL) {
    errno = ENOMEM;
    return -1;
  }
  return gitsnap_walk (g->bases[base].fd, parent, make, g->bases[base].path, warnings);
}

static void
release (struct gitbaseline **before)
{
  gitbaseline_release (*before);
  *before = NULL;
}

static void
release_baselines (struct gitmeta *g)
{
  for (size_t i = 0; i < g->item_count; i++)
    release (&g->items[i].before);
  for (size_t i = 0; i < g->modules_count; i++)
    release (&g->modules[i].before);
  for (size_t i = 0; i < g->links_count; i++)
    release (&g->links[i].before);
}

/* Every run holds a shared lock on its roots, so that one that begins can see that it is not the only one: what it finds
 * could then have been planted by the other's command a moment ago.  Runs of this process share their snapshots instead
 * (gitbaseline.c).  A file system without locks counts as alone.  */
static void
lock_base (struct gitbase *base)
{
  int tries = 0;

  base->alone = 1;
  base->lock = openat (base->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (base->lock < 0)
    return;
  base->alone = flock (base->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  /* Others hold their exclusive lock only for a moment, to look.  */
  while (flock (base->lock, LOCK_SH | LOCK_NB) != 0 && tries++ < 50) {
    base->alone = 0;
    usleep (1000);
  }
}

static void
unlock_bases (struct gitmeta *g)
{
  for (size_t i = 0; i < g->base_count; i++) {
    if (g->bases[i].lock >= 0)
      close (g->bases[i].lock);
    g->bases[i].lock = -1;
  }
}

weir_status
gitmeta_before (struct gitmeta *g, weir_error **err)
{
  struct gitsnap_budget budget = { BUDGET_BYTES, BUDGET_ENTRIES };

  if (g == NULL || g->armed)
    return WEIR_OK;
  unlock_bases (g); /* of a call that failed half-way */
  release_baselines (g);
  for (size_t i = 0; i < g->base_count; i++)
    lock_base (&g->bases[i]);
  for (size_t i = 0; i < g->modules_count; i++) {
    g->modules[i].before = gitbaseline_list (g->modules[i].path, &g->modules[i].known);
    if (g->modules[i].before == NULL)
      return error_nomem (err);
  }
  for (size_t i = 0; i < g->links_count; i++) {
    g->links[i].before = gitbaseline_list (g->links[i].worktree, &g->links[i].known);
    if (g->links[i].before == NULL)
      return error_nomem (err);
  }
  for (size_t i = 0; i < g->item_count; i++) {
    struct gititem *item = &g->items[i];
    const char *name;
    auto_close int dirfd = -1;

    if (g->held && item->held)
      continue;
    dirfd = open_parent (g, item->base, item->path, 0, &name, NULL);
    item->before = gitbaseline_take (dirfd, name, item->path, g->bases[item->base].alone, &budget);
    if (item->before == NULL)
      return error_nomem (err);
  }
  g->armed = 1;
  return WEIR_OK;
}

/* ---- after ---- */

static int
is_same (int dirfd, const char *name, int fd)
{
  struct stat a, b;

  return fstatat (dirfd, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat (fd, &b) == 0 && a.st_ino == b.st_ino
         && a.st_dev == b.st_dev;
}

/* A git directory that was renamed gets its name back, wherever in its writable root it is now.  */
static void
return_directory (const struct gitmeta *g, const struct gitdir *d, struct strv *warnings)
{
  char link[64], where[4096];
  const char *name, *other;
  auto_close int to = -1, from = -1;
  ssize_t n;

  if (strcmp (d->path, g->bases[d->base].path) == 0)
    return;
  to = open_parent (g, d->base, d->path, 1, &name, warnings);
  if (to < 0 || is_same (to, name, d->fd))
    return;
  snprintf (link, sizeof link, "/proc/self/fd/%d", d->fd);
  n = readlink (link, where, sizeof where - 1);
  where[n < 0 ? 0 : n] = '\0';
  if (n <= 0 || !util_path_beneath (where, g->bases[d->base].path) || strcmp (where, g->bases[d->base].path) == 0)
    return;
  from = open_parent (g, d->base, where, 0, &other, NULL);
  if (from < 0 || !is_same (from, other, d->fd))
    return;
  auto_free char *parent = gitguard_parent (d->path, &name);
  if (parent == NULL || gitsnap_quarantine (to, name, parent, "took the place of a git directory", warnings) != 0)
    return;
  if (renameat (from, other, to, name) == 0)
    strv_fmt (warnings, "git: '%s' had been renamed to another place in its writable root; it has its name again", d->path);
  else
    strv_fmt (warnings, "git: '%s' had been renamed and could not be renamed back: %s", d->path, strerror (errno));
}

static int
leads_to (const struct strv *known, const char *rel)
{
  for (size_t i = 0; i < known->count; i++)
    if (util_path_beneath (rel, known->items[i]))
      return 1;
  return 0;
}

/* Beneath directory, in something that was there when this call began but not when the first of the overlapping calls
 * did.  */
static int
is_late (const char *path, const char *directory, const struct strv *ours, const struct gitbaseline *before)
{
  size_t n = strlen (directory);

  return before != NULL && strncmp (path, directory, n) == 0 && path[n] == '/' && leads_to (ours, path + n + 1)
         && !leads_to (gitbaseline_names (before), path + n + 1);
}

/* Then it is not put back, but judged like what appeared during the run.  */
static int
is_new (const struct gitmeta *g, const char *path)
{
  for (size_t i = 0; i < g->modules_count; i++)
    if (is_late (path, g->modules[i].path, &g->modules[i].known, g->modules[i].before))
      return 1;
  for (size_t i = 0; i < g->links_count; i++)
    if (is_late (path, g->links[i].worktree, &g->links[i].known, g->links[i].before))
      return 1;
  return 0;
}

/* A snapshot that could hold what a command planted is put back only where it can do no harm.  */
static int
is_harmless (const struct gititem *item)
{
  const struct gitsnap *s = gitbaseline_snap (item->before);
  const char *name = strrchr (item->path, '/') + 1;
  struct gitconfig c;
  int ok;

  if (s->type != GITSNAP_FILE || s->bytes == NULL || strcmp (name, "config") != 0)
    return 0;
  ok = gitconfig_parse (s->bytes, (size_t) s->st.st_size, &c) == 0;
  for (size_t i = 0; ok && i < c.count; i++)
    ok = gitconfig_harmless (&c.entries[i]) && strcmp (c.entries[i].key, "core.worktree") != 0;
  gitconfig_free (&c);
  return ok;
}

static void
restore_item (const struct gitmeta *g, const struct gititem *item, struct strv *warnings)
{
  const struct gitsnap *s = gitbaseline_snap (item->before);
  const char *name;
  unsigned flags = item->flags | (gitbaseline_alone (item->before) || is_harmless (item) ? 0 : GITSNAP_ASIDE);
  int make = s->type != GITSNAP_ABSENT && flags == 0;
  auto_close int dirfd = open_parent (g, item->base, item->path, make, &name, warnings);
  auto_free char *parent = gitguard_parent (item->path, &name);

  if (parent == NULL)
    return;
  if (dirfd >= 0)
    gitsnap_restore (dirfd, s, parent, flags, warnings);
  else if (errno != ENOENT || make)
    strv_fmt (warnings, "git: '%s' could not be checked: %s", item->path, strerror (errno));
}

void
gitmeta_after (struct gitmeta *g, struct strv *warnings)
{
  if (g == NULL || !g->armed)
    return;
  g->armed = 0;
  for (size_t i = 0; i < g->notes.count; i++)
    strv_add (warnings, g->notes.items[i]);
  for (size_t i = 0; !g->held && i < g->dir_count; i++)
    return_directory (g, &g->dirs[i], warnings);
  for (size_t i = 0; i < g->item_count; i++) {
    struct gititem *item = &g->items[i];

    if (item->before != NULL && !(g->held && item->held) && !is_new (g, item->path))
      restore_item (g, item, warnings);
  }
  for (size_t i = 0; i < g->modules_count; i++)
    gitmodules_check (g, &g->modules[i], warnings);
  for (size_t i = 0; i < g->links_count; i++)
    gitlinks_check (g, &g->links[i], warnings);
  release_baselines (g);
  unlock_bases (g);
}

/* ---- the end ---- */

/* The one that made a directory takes it away again, unless another call has it in use.  */
static void
remove_ghost (const struct gitmeta *g, const struct ghost *ghost)
{
  const char *name;
  auto_close int dirfd = -1;

  if (!ghost->ours || flock (ghost->fd, LOCK_EX | LOCK_NB) != 0)
    return;
  dirfd = open_parent (g, ghost->base, ghost->path, 0, &name, NULL);
  if (dirfd >= 0 && is_same (dirfd, name, ghost->fd))
    unlinkat (dirfd, name, AT_REMOVEDIR);
}

void
gitmeta_free (struct gitmeta *g)
{
  if (g == NULL)
    return;
  release_baselines (g);
  unlock_bases (g);
  for (size_t i = 0; i < g->ghost_count; i++) {
    remove_ghost (g, &g->ghosts[i]);
    close (g->ghosts[i].fd);
    free (g->ghosts[i].path);
  }
  for (size_t i = 0; i < g->item_count; i++)
    free (g->items[i].path);
  for (size_t i = 0; i < g->links_count; i++) {
    strv_free (&g->links[i].known);
    free (g->links[i].worktree);
    free (g->links[i].gitdir);
  }
  for (size_t i = 0; i < g->modules_count; i++) {
    strv_free (&g->modules[i].known);
    free (g->modules[i].worktree);
    free (g->modules[i].path);
  }
  for (size_t i = 0; i < g->dir_count; i++) {
    close (g->dirs[i].fd);
    free (g->dirs[i].path);
  }
  for (size_t i = 0; i < g->base_count; i++) {
    close (g->bases[i].fd);
    free (g->bases[i].path);
  }
  strv_free (&g->notes);
  free (g->ghosts);
  free (g->items);
  free (g->modules);
  free (g->links);
  free (g->dirs);
  free (g->bases);
  free (g);
}
