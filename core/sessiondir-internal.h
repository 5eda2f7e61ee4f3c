/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime keeps for its policies beside the directories: who lives where, and what roots were.  */
#ifndef WEIR_CORE_SESSIONDIR_INTERNAL_H
#define WEIR_CORE_SESSIONDIR_INTERNAL_H

#include "core/policy.h"

/* The state directory, made and judged.  fd is borrowed.  */
weir_status sessiondir_state (struct sessiondir *, int *fd, const char **canonical, weir_error **);
/* The directory that holds the directories of every runtime of this state directory.  */
weir_status sessiondir_runs (struct sessiondir *, const char **canonical, weir_error **);
/* Makes a directory of ours beneath dirfd, 0700 whatever the umask, unless it is there.  -1: errno.  */
int sessiondir_make (int dirfd, const char *name);

/* Read once, at the first call.  Borrowed.  */
struct homes;
struct homes *sessiondir_homes (struct sessiondir *, const struct policy_input *);

/* What a directory is.  A new one can get the number of one that was removed, so it counts when it was born
 * (nanoseconds; 0 where the file system does not say).  */
struct identity {
  uint64_t dev, ino, born;
};
/* -1: errno.  */
int sessiondir_identify (const char *path, struct identity *);
/* Notes what a root of a session is.  0: as before, or seen for the first time; 1: it was something else; -1: out of
 * memory.  */
int sessiondir_remember (struct sessiondir *, const char *session, const char *root, const struct identity *);

#endif
