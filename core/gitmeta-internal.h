/* SPDX-License-Identifier: Apache-2.0 */
/* What gitmeta.c, gitguard.c, gitrepo.c, gitoutside.c, gitmodules.c, gitlinks.c and gitbaseline.c share.  */
#ifndef WEIR_CORE_GITMETA_INTERNAL_H
#define WEIR_CORE_GITMETA_INTERNAL_H

#include "core/gitconfig.h"
#include "core/gitsnap.h"
#include "core/policy.h"

#define GIT_CONFIG_LIMIT ((size_t) 1 << 20)
#define GIT_POINTER_LIMIT ((size_t) 8192)
#define GIT_MODULES_LIMIT 256 /* more, and all of them become read-only together */
#define GIT_REPOSITORIES_LIMIT 1024
#define GIT_INCLUDE_DEPTH 10 /* git's own limit */

/* A writable root, held by a descriptor, beneath which everything is looked up without following links.  */
struct gitbase {
  char *path;
  int fd;
  int lock;  /* during a run: a shared lock on it, -1: none */
  int alone; /* no other run had a lock when this one began */
};

/* One snapshot for all the calls that overlap in time: the one that the first of them took, since a later one could hold
 * what the command of an earlier one had planted.  */
struct gitbaseline;

struct gititem {
  size_t base;
  char *path;      /* absolute, canonical but for the last component */
  int held;        /* a line of the view keeps it, where the plan can */
  unsigned flags;  /* GITSNAP_STAY_GONE */
  struct gitbaseline *before;
};

/* Each directory .git that was found, so that it can be put back when it was renamed.  */
struct gitdir {
  size_t base;
  char *path;
  int fd;
};

/* A directory "modules": the git directories that were in it.  */
struct gitmodules {
  size_t base;
  char *path;
  char *worktree;    /* the superproject's, NULL: unknown */
  struct strv known; /* relative paths of git directories and of links */
  struct gitbaseline *before;
};

/* The submodules that the index of one worktree names: those that had a ".git".  */
struct gitlinks {
  size_t base, gitdir_base;
  char *worktree, *gitdir;
  size_t hash;       /* bytes of an object's name */
  struct strv known; /* "PATH/.git", relative */
  struct gitbaseline *before;
};

struct ghost { /* a hooks directory that was made so that it can be read-only */
  size_t base;
  char *path;
  int fd; /* a shared lock on it: it is in use */
  int ours;
};

struct gitmeta {
  struct gitbase *bases;
  size_t base_count;
  struct gititem *items;
  size_t item_count;
  struct gitdir *dirs;
  size_t dir_count;
  struct gitmodules *modules;
  size_t modules_count;
  struct gitlinks *links;
  size_t links_count;
  struct ghost *ghosts;
  size_t ghost_count;
  struct strv notes; /* said after each run: what could not be granted or is not protected */
  int held;          /* the plan governs read-only paths inside writable roots */
  int armed;         /* between before and after */
};

struct gitbuild {
  struct policy *policy;
  struct gitmeta *git;
  const char *home; /* NULL: unknown */
  struct strv pinned, repositories;
  struct gitconfigs *globals; /* the user's and the system's configuration */
};

/* gitguard.c */

/* The WRITE line that decides about a path of the host, NULL: the command cannot write there.  */
const struct weir_view *gitguard_writable (const struct gitbuild *, const char *path);
/* The canonical path; a rest that is missing is kept.  Links on the way that a command could replace become items.
 * *canonical NULL with WEIR_OK: it leads nowhere (a loop).  */
weir_status gitguard_trace (struct gitbuild *, const char *path, char **canonical, weir_error **);
/* What lies at path cannot be changed: a READ line with PIN lines above it where it exists, a watch in any case.  Does
 * nothing outside of writable roots.  */
weir_status gitguard_protect (struct gitbuild *, const char *path, unsigned flags, const char *origin, weir_error **);
/* The same for a directory of hooks; makes an empty one when it is missing and make is set.  */
weir_status gitguard_hooks (struct gitbuild *, const char *path, int make, weir_error **);
/* A PIN line for a directory and for each above it in its writable root.  */
weir_status gitguard_pin (struct gitbuild *, const char *directory, const char *origin, weir_error **);
weir_status gitguard_view (struct gitbuild *, uint32_t access, const char *path, const char *origin, weir_error **);
/* The base that a path lies in (by its writable root).  -1: none, or out of memory.  */
int gitguard_base (struct gitbuild *, const char *path, size_t *base);
const char *gitguard_relative (const struct gitmeta *, size_t base, const char *path);
/* A regular file's bytes, owned.  NULL: errno (EINVAL: something else, EFBIG).  */
char *gitguard_read (const char *canonical, size_t limit, size_t *size);
/* Splits "a/b/c" into "a/b" (owned; "" when there is no slash) and "c".  NULL: out of memory.  */
char *gitguard_parent (const char *path, const char **name);

/* gitrepo.c */
/* The repository whose worktree is at root (canonical), if there is one.  */
weir_status gitrepo_root (struct gitbuild *, const char *root, weir_error **);
/* Everything in one git directory (canonical).  worktree: where its files are, NULL: unknown or bare.  */
weir_status gitrepo_protect (struct gitbuild *, const char *gitdir, const char *worktree, weir_error **);
void gitrepo_free_configs (struct gitconfigs *);
int gitrepo_is_directory (const char *path); /* not through a link */
/* The canonical path that the pointer file directory/name holds behind prefix ("gitdir: " or ""); NULL: none.  */
weir_status gitrepo_pointed (struct gitbuild *, const char *directory, const char *name, const char *prefix,
                             char **canonical, weir_error **);
/* A note, said after each run.  Takes line.  */
weir_status gitrepo_say (struct gitbuild *, weir_error **, char *line);

/* gitoutside.c */
/* gitdir: what root's .git leads to; pointer: the file that said so, NULL: a link.  */
weir_status gitoutside_grant (struct gitbuild *, const char *gitdir, const char *pointer, const char *root, weir_error **);

/* gitmodules.c */
weir_status gitmodules_protect (struct gitbuild *, const char *gitdir, const char *worktree, weir_error **);
/* Modules that were not there before: nothing in them may make git run something.  */
void gitmodules_check (struct gitmeta *, const struct gitmodules *, struct strv *warnings);

/* Takes fd: a git directory that a command made, for files at worktree (NULL: anywhere is wrong).  */
void gitmodules_check_new (int fd, const char *path, const char *worktree, struct strv *warnings);

/* gitlinks.c */
weir_status gitlinks_protect (struct gitbuild *, const char *gitdir, const char *worktree, size_t hash, weir_error **);
void gitlinks_check (struct gitmeta *, const struct gitlinks *, struct strv *warnings);

/* gitbaseline.c; all may be called from several threads.  */
/* The state of dirfd/name, whose absolute path is path.  dirfd -1: the directory is missing.  alone: no run of another
 * process could have changed it; kept with a snapshot that is made.  NULL: out of memory.  */
struct gitbaseline *gitbaseline_take (int dirfd, const char *name, const char *path, int alone, struct gitsnap_budget *);
int gitbaseline_alone (const struct gitbaseline *);
/* A list of names, for path.  */
struct gitbaseline *gitbaseline_list (const char *path, const struct strv *names);
const struct gitsnap *gitbaseline_snap (const struct gitbaseline *);
const struct strv *gitbaseline_names (const struct gitbaseline *);
void gitbaseline_release (struct gitbaseline *);

#endif
