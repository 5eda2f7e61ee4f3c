/* SPDX-License-Identifier: Apache-2.0 */
/* The submodules that the index names: git looks into each of them when it is asked about the superproject, so a repository
 * that a command makes at such a place can have git on the host run something.  */
#include "config.h"

#include "core/gitindex.h"
#include "core/gitmeta-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#define LINKS_LIMIT 4096
#define SHARED_LIMIT 8

/* All that the index and the files that it can be split into name.  Takes fd, the git directory.  */
static void
read_links (int fd, size_t hash, struct strv *links)
{
  DIR *d = fdopendir (fd);
  const struct dirent *e;
  int shared = 0;

  if (d == NULL) {
    close (fd);
    return;
  }
  gitindex_links (fd, "index", hash, LINKS_LIMIT, links);
  while (shared < SHARED_LIMIT && (e = readdir (d)) != NULL)
    if (fnmatch ("sharedindex.*", e->d_name, 0) == 0) {
      gitindex_links (fd, e->d_name, hash, LINKS_LIMIT, links);
      shared++;
    }
  closedir (d);
}

/* ---- before ---- */

static weir_status
remember (struct gitbuild *b, const char *gitdir, const char *worktree, size_t hash, struct gitlinks **out, weir_error **err)
{
  struct gitmeta *g = b->git;
  struct gitlinks *all = reallocarray (g->links, g->links_count + 1, sizeof *all), l = { .hash = hash };

  if (all == NULL)
    return error_nomem (err);
  g->links = all;
  if (gitguard_base (b, worktree, &l.base) != 0 || gitguard_base (b, gitdir, &l.gitdir_base) != 0)
    return error_set (err, WEIR_E_CONFLICT, errno, "open the writable root of '%s'", worktree);
  l.worktree = strdup (worktree);
  l.gitdir = strdup (gitdir);
  *out = &all[g->links_count];
  all[g->links_count++] = l;
  return l.worktree == NULL || l.gitdir == NULL ? error_nomem (err) : WEIR_OK;
}

/* A submodule's place with something called .git in it.  */
static weir_status
protect_place (struct gitbuild *b, const char *place, weir_error **err)
{
  auto_free char *canonical = NULL;
  weir_status st = gitguard_trace (b, place, &canonical, err);

  /* Git takes a place behind a link for something else than a submodule.  */
  if (st != WEIR_OK || canonical == NULL || strcmp (canonical, place) != 0)
    return st;
  return gitrepo_root (b, place, err);
}

weir_status
gitlinks_protect (struct gitbuild *b, const char *gitdir, const char *worktree, size_t hash, weir_error **err)
{
  auto_strv struct strv links = { 0 }, known = { 0 };
  struct gitlinks *l;
  weir_status st;
  size_t protected = 0, index;
  struct stat s;
  int fd;

  if (worktree == NULL || gitguard_writable (b, worktree) == NULL || gitguard_writable (b, gitdir) == NULL)
    return WEIR_OK;
  st = remember (b, gitdir, worktree, hash, &l, err);
  index = b->git->links_count - 1;
  fd = st == WEIR_OK ? open (gitdir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (fd >= 0)
    read_links (fd, hash, &links);
  for (size_t i = 0; st == WEIR_OK && i < links.count; i++) {
    auto_free char *place = util_fmt ("%s/%s", worktree, links.items[i]), *dotgit = util_fmt ("%s/%s/.git", worktree, links.items[i]);

    if (place == NULL || dotgit == NULL)
      return error_nomem (err);
    if (lstat (dotgit, &s) != 0)
      continue;
    strv_fmt (&known, "%s/.git", links.items[i]);
    if (protected++ < GIT_MODULES_LIMIT)
      st = protect_place (b, place, err);
  }
  /* Protecting a place may have moved the array.  */
  b->git->links[index].known = known;
  memset (&known, 0, sizeof known);
  if (st == WEIR_OK && protected > GIT_MODULES_LIMIT)
    strv_fmt (&b->git->notes, "git: '%s' has more submodules than can be kept: %zu of them are not", worktree,
              protected - GIT_MODULES_LIMIT);
  return st == WEIR_OK && (links.failed || b->git->links[index].known.failed) ? error_nomem (err) : st;
}

/* ---- after ---- */

/* Honest pointers lead to the superproject's own modules, which are looked at where they are.  */
static int
leads_to_modules (int dirfd, const char *place, const char *gitdir)
{
  size_t size;
  auto_free char *text = gitsnap_read (dirfd, ".git", GIT_POINTER_LIMIT, &size), *canonical = NULL;
  auto_free char *modules = util_fmt ("%s/modules", gitdir);

  if (text == NULL || modules == NULL || strncmp (text, "gitdir: ", 8) != 0)
    return 0;
  while (size > 8 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
    text[--size] = '\0';
  return canon_path (text + 8, place, 1, &canonical, NULL) == WEIR_OK && util_path_beneath (canonical, modules);
}

/* dirfd: the submodule's place.  */
static void
check_place (int dirfd, const char *place, const char *gitdir, struct strv *warnings)
{
  struct stat st;
  int fd;

  if (fstatat (dirfd, ".git", &st, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (S_ISDIR (st.st_mode)) {
    auto_free char *path = util_fmt ("%s/.git", place);

    fd = openat (dirfd, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && path != NULL) {
      gitmodules_check_new (fd, path, place, warnings);
      return;
    }
    if (fd >= 0)
      close (fd);
  }
  else if (S_ISREG (st.st_mode) && leads_to_modules (dirfd, place, gitdir))
    return;
  gitsnap_quarantine (dirfd, ".git", place, "appeared in a submodule and leads elsewhere", warnings);
}

void
gitlinks_check (struct gitmeta *g, const struct gitlinks *l, struct strv *warnings)
{
  const struct strv *known = l->before != NULL ? gitbaseline_names (l->before) : &l->known;
  auto_strv struct strv links = { 0 };
  auto_close int root = gitsnap_walk (g->bases[l->base].fd, gitguard_relative (g, l->base, l->worktree), 0, l->worktree, NULL);
  auto_close int gitdir = gitsnap_walk (g->bases[l->gitdir_base].fd, gitguard_relative (g, l->gitdir_base, l->gitdir), 0,
                                        l->gitdir, NULL);
  int fd = gitdir < 0 ? -1 : openat (gitdir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0)
    read_links (fd, l->hash, &links);
  for (size_t i = 0; root >= 0 && i < links.count; i++) {
    auto_free char *place = util_fmt ("%s/%s", l->worktree, links.items[i]), *name = util_fmt ("%s/.git", links.items[i]);
    /* "." and ".." are no names that git would follow.  */
    int odd = place == NULL || name == NULL || strstr (name, "../") != NULL || strstr (name, "/./") != NULL;
    auto_close int at = odd || strv_has (known, name) ? -1 : gitsnap_walk (root, links.items[i], 0, l->worktree, NULL);

    if (at >= 0)
      check_place (at, place, l->gitdir, warnings);
  }
}
