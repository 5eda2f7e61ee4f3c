/* SPDX-License-Identifier: Apache-2.0 */
/* What an object of the file system was before a command ran, and putting it back.  Works beneath a directory descriptor,
 * follows no link, opens nothing but regular files and directories, and deletes nothing: what is in the way is renamed to
 * NAME.weir-quarantine-RANDOM.  */
#ifndef WEIR_CORE_GITSNAP_H
#define WEIR_CORE_GITSNAP_H

#include <sys/stat.h>

#include "core/util.h"

enum gitsnap_type { GITSNAP_ABSENT, GITSNAP_FILE, GITSNAP_DIRECTORY, GITSNAP_LINK, GITSNAP_OTHER };

struct gitsnap {
  char *name;
  enum gitsnap_type type;
  struct stat st;
  char *bytes;  /* of a FILE; NULL: too large to keep, or not readable */
  char *target; /* of a LINK */
  struct gitsnap *entries; /* of a DIRECTORY, without "*.sample" and what was put into quarantine */
  size_t count;
  int partial; /* of a DIRECTORY: there was more than the budget allowed */
};

/* What may still be kept in memory.  */
struct gitsnap_budget {
  size_t bytes, entries;
};

/* -1: out of memory.  What cannot be looked at is kept by its identity alone.  */
int gitsnap_take (int dirfd, const char *name, struct gitsnap_budget *, struct gitsnap *);
void gitsnap_free (struct gitsnap *);

#define GITSNAP_STAY_GONE 1u /* a thing that is missing now is not made again */
#define GITSNAP_ASIDE 2u     /* what differs is moved aside, nothing is made again: the snapshot itself is in doubt */
/* Compares what is there now, moves aside what differs and makes the old thing again.  directory is the path of dirfd for
 * people; each change is one line in warnings.  */
void gitsnap_restore (int dirfd, const struct gitsnap *, const char *directory, unsigned flags, struct strv *warnings);
/* Moves dirfd/name aside; one line, with why in it, in warnings.  0, or -1: it is still there.  */
int gitsnap_quarantine (int dirfd, const char *name, const char *directory, const char *why, struct strv *warnings);

/* A regular file's bytes, owned, NUL after them.  NULL: errno.  */
char *gitsnap_read (int dirfd, const char *name, size_t limit, size_t *size);
/* The directory rel beneath fd ("" is fd itself), by components.  make: those that are missing are made.  A component that
 * is no directory is an error (ENOTDIR), unless warnings is given: then it is moved aside first.  -1: errno.  */
int gitsnap_walk (int fd, const char *rel, int make, const char *directory, struct strv *warnings);

#endif
