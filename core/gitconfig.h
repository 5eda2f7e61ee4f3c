/* SPDX-License-Identifier: Apache-2.0 */
/* Reading git's configuration files, as git-config(1) describes them: sections with subsections, quotes, escapes,
 * continuation, comments.  Only reads bytes; does not follow includes.  */
#ifndef WEIR_CORE_GITCONFIG_H
#define WEIR_CORE_GITCONFIG_H

#include <stddef.h>

struct gitconfig_entry {
  char *key;   /* section and name in lower case, the subsection as it is: "core.hookspath", "remote.Origin.url" */
  char *value; /* NULL: the name stood alone, which means true */
};
struct gitconfig {
  struct gitconfig_entry *entries; /* in the order of the file */
  size_t count, room;
};

/* 0: all was read.  -1, errno EINVAL: git would refuse the file; what stood before the fault is in entries.
 * -1, errno ENOMEM.  The caller frees with gitconfig_free in every case.  */
int gitconfig_parse (const char *bytes, size_t size, struct gitconfig *);
void gitconfig_free (struct gitconfig *);
/* The value that wins, NULL: not set, or set without a value.  */
const char *gitconfig_last (const struct gitconfig *, const char *key);
/* "include.path" or "includeif.CONDITION.path".  */
int gitconfig_is_include (const char *key);
/* 1, 0: a boolean as git spells it; -1: something else.  NULL is true.  */
int gitconfig_boolean (const char *value);
/* A path as git expands it: "~/" is home, a relative one starts at base.  NULL with errno EINVAL: another user's home or
 * "%(prefix)", which are never followed; ENOMEM.  home may be NULL.  */
char *gitconfig_path (const char *value, const char *home, const char *base);
/* Does this entry, in the configuration of a repository that a command made, have no way to make git run something or
 * look elsewhere?  Judged by a list of what git itself writes when it clones; core.worktree is for the caller to judge.  */
int gitconfig_harmless (const struct gitconfig_entry *);

#endif
