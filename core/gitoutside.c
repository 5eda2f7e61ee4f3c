/* SPDX-License-Identifier: Apache-2.0 */
/* A workspace whose repository lies outside of every writable root: what of it is granted, and when nothing is.  */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <errno.h>
#include <unistd.h>

/* Who owns what is to be granted: the owner of the workspace, who is us or, when we are root, whoever it is.  */
static int
owned (const char *path, const char *root)
{
  struct stat a, b;

  return lstat (path, &a) == 0 && lstat (root, &b) == 0 && a.st_uid == b.st_uid
         && (geteuid () == 0 || a.st_uid == geteuid ());
}

static int
owned_directory (const char *gitdir, const char *name, const char *root)
{
  auto_free char *path = util_fmt ("%s/%s", gitdir, name);

  return path != NULL && gitrepo_is_directory (path) && owned (path, root);
}

/* NULL, or why gitdir does not look like the git directory of whoever owns the workspace.  */
static const char *
directory_fault (const struct gitbuild *b, const char *gitdir, const char *root)
{
  if (strcmp (gitdir, "/") == 0 || (b->home != NULL && util_path_beneath (b->home, gitdir)))
    return "it is no place for a repository";
  if (!owned_directory (gitdir, ".", root) || !owned_directory (gitdir, "objects", root)
      || !owned_directory (gitdir, "refs", root))
    return "it is not a git directory that belongs to the workspace's owner";
  return NULL;
}

static weir_status
grant (struct gitbuild *b, uint32_t access, const char *gitdir, const char *name, const char *origin, weir_error **err)
{
  auto_free char *path = util_fmt ("%s%s%s", gitdir, name[0] != '\0' ? "/" : "", name);
  struct stat st;

  if (path == NULL)
    return error_nomem (err);
  if (lstat (path, &st) != 0 || S_ISLNK (st.st_mode))
    return WEIR_OK;
  return gitguard_view (b, access, path, origin, err);
}

static weir_status
grant_worktree (struct gitbuild *b, const char *gitdir, const char *linked, const char *root, weir_error **err)
{
  static const char *const written[] = { "objects", "refs", "logs", "reftable" };
  static const char origin[] = "git worktree of the workspace";
  weir_status st = WEIR_OK;

  for (size_t i = 0; st == WEIR_OK && i < ARRAY_SIZE (written); i++)
    if (owned_directory (gitdir, written[i], root))
      st = grant (b, WEIR_ACCESS_WRITE, gitdir, written[i], origin, err);
  if (st == WEIR_OK)
    st = grant (b, WEIR_ACCESS_WRITE, linked, "", origin, err);
  if (st == WEIR_OK)
    st = grant (b, WEIR_ACCESS_READ, gitdir, "objects/info", origin, err);
  if (st == WEIR_OK) {
    auto_free char *alternates = util_fmt ("%s/objects/info/alternates", gitdir);

    st = alternates == NULL ? error_nomem (err) : gitguard_protect (b, alternates, 0, origin, err);
  }
  return st == WEIR_OK ? gitrepo_protect (b, linked, root, err) : st;
}

/* A worktree's directory must point back: a command can write the pointer, but not what it points to.  */
static weir_status
linked_worktree (struct gitbuild *b, const char *linked, const char *pointer, const char *root, const char **fault,
                 weir_error **err)
{
  auto_free char *common = NULL, *back = NULL, *expected = NULL;
  const char *name;
  weir_status st = gitrepo_pointed (b, linked, "commondir", "", &common, err);

  if (st == WEIR_OK)
    st = gitrepo_pointed (b, linked, "gitdir", "", &back, err);
  if (st != WEIR_OK)
    return st;
  expected = common != NULL ? util_fmt ("%s/worktrees", common) : NULL;
  auto_free char *container = gitguard_parent (linked, &name);
  if (container == NULL)
    return error_nomem (err);
  if (expected == NULL || strcmp (expected, container) != 0)
    *fault = "it is not a worktree's directory of the repository that it names";
  else if (back == NULL || strcmp (back, pointer) != 0)
    *fault = "it does not point back to the workspace";
  else if (!owned (linked, root))
    *fault = "it does not belong to the workspace's owner";
  else
    *fault = directory_fault (b, common, root);
  return *fault == NULL ? grant_worktree (b, common, linked, root, err) : WEIR_OK;
}

/* The git directory of a submodule says in core.worktree where its files are.  */
static weir_status
submodule (struct gitbuild *b, const char *gitdir, const char *root, const char **fault, weir_error **err)
{
  auto_free char *config = util_fmt ("%s/config", gitdir), *bytes = NULL, *path = NULL, *back = NULL;
  struct gitconfig c = { 0 };
  const char *value;
  weir_status st = WEIR_OK;
  size_t size;

  if (config == NULL)
    return error_nomem (err);
  bytes = gitguard_read (config, GIT_CONFIG_LIMIT, &size);
  if (bytes != NULL && gitconfig_parse (bytes, size, &c) == 0 && (value = gitconfig_last (&c, "core.worktree")) != NULL)
    path = gitconfig_path (value, b->home, gitdir);
  gitconfig_free (&c);
  if (path != NULL)
    st = gitguard_trace (b, path, &back, err);
  if (st != WEIR_OK)
    return st;
  if (back == NULL || strcmp (back, root) != 0)
    *fault = "its core.worktree does not name the workspace";
  else
    *fault = directory_fault (b, gitdir, root);
  if (*fault != NULL)
    return WEIR_OK;
  st = grant (b, WEIR_ACCESS_WRITE, gitdir, "", "git directory of the workspace", err);
  return st == WEIR_OK ? gitrepo_protect (b, gitdir, root, err) : st;
}

weir_status
gitoutside_grant (struct gitbuild *b, const char *gitdir, const char *pointer, const char *root, weir_error **err)
{
  auto_free char *common = util_fmt ("%s/commondir", gitdir);
  const char *fault = NULL;
  struct stat s;
  weir_status st;

  if (common == NULL)
    return error_nomem (err);
  if (pointer == NULL) {
    fault = "it is reached by a symbolic link";
    st = WEIR_OK;
  }
  else if (lstat (common, &s) == 0)
    st = linked_worktree (b, gitdir, pointer, root, &fault, err);
  else
    st = submodule (b, gitdir, root, &fault, err);
  if (st == WEIR_OK && fault != NULL)
    st = gitrepo_say (b, err, util_fmt ("git: '%s/.git' leads to '%s', which stays read-only: %s", root, gitdir, fault));
  /* What its configuration names can lie in the workspace all the same.  */
  return st == WEIR_OK && fault != NULL ? gitrepo_protect (b, gitdir, root, err) : st;
}
