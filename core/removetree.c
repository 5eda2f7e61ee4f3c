/* SPDX-License-Identifier: Apache-2.0 */
/* rm -rf of what a command may have made to be in the way: directories without permissions, chains of a hundred
 * thousand of them, links, mounts.  Neither recursion nor "..": a directory that is not empty is emptied into the top
 * one, where its own directories get new names, so that nothing is ever deeper than two.  */
#include "config.h"
#include "core/policy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REMOVE_PASSES 1000000 /* a process that goes on making files shall not keep us for ever */

/* A directory that is no link and no mount point, also of the same file system.  -1: errno.  */
static int
remove_open_flags (int dirfd, const char *name, int flags)
{
  const struct open_how how = { .flags = (uint64_t) (flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS };
  struct stat above, st;
  auto_close int fd = (int) syscall (SYS_openat2, dirfd, name, &how, sizeof how);

  if (fd < 0 && errno == ENOSYS)
    fd = openat (dirfd, name, (int) how.flags);
  if (fd < 0 || fstat (fd, &st) != 0 || fstat (dirfd, &above) != 0)
    return -1;
  if (st.st_dev != above.st_dev) {
    errno = EXDEV;
    return -1;
  }
  return steal_fd (&fd);
}

/* One that we can read and empty.  */
static int
remove_open (int dirfd, const char *name)
{
  auto_close int fd = remove_open_flags (dirfd, name, O_PATH);
  struct stat st;

  if (fd < 0 || fstat (fd, &st) != 0)
    return -1;
  /* A link that was put in its place meanwhile is not followed.  */
  if ((st.st_mode & 0700) != 0700 && fchmodat (dirfd, name, 0700, AT_SYMLINK_NOFOLLOW) != 0 && geteuid () != 0)
    return -1;
  return remove_open_flags (dirfd, name, O_RDONLY);
}

static int
remove_is_dots (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

/* A file, or a directory that is empty.  0, or -1 and errno: ENOTEMPTY for a directory that is not.  */
static int
remove_simple (int dirfd, const struct dirent *entry)
{
  if (entry->d_type != DT_DIR && unlinkat (dirfd, entry->d_name, 0) == 0)
    return 0;
  if (entry->d_type != DT_DIR && errno != EISDIR && errno != EPERM)
    return errno == ENOENT ? 0 : -1;
  if (unlinkat (dirfd, entry->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    return 0;
  if (errno == EEXIST)
    errno = ENOTEMPTY;
  return -1;
}

/* Everything of a directory of top goes, its directories into top.  Returns how many entries it got rid of.  */
static size_t
remove_flatten (int top, const char *name)
{
  int fd = remove_open (top, name);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  size_t gone = 0;
  struct dirent *entry;
  char fresh[17];

  if (dir == NULL) {
    int saved = errno;
    if (fd >= 0)
      close (fd);
    errno = saved;
    return 0;
  }
  while ((entry = readdir (dir)) != NULL) {
    if (remove_is_dots (entry->d_name))
      continue;
    if (remove_simple (fd, entry) == 0) {
      gone++;
      continue;
    }
    if (errno != ENOTEMPTY)
      continue;
    /* To be moved a directory must be writable itself: its ".." changes.  */
    int child = remove_open (fd, entry->d_name);
    if (child < 0)
      continue;
    close (child);
    util_random_name (fresh);
    gone += renameat (fd, entry->d_name, top, fresh) == 0;
  }
  closedir (dir);
  gone += unlinkat (top, name, AT_REMOVEDIR) == 0;
  return gone;
}

/* One pass over top.  *left: entries that are still there.  Returns how much was got rid of.  */
static size_t
remove_pass (DIR *top, size_t *left, int *errnum)
{
  size_t gone = 0;
  struct dirent *entry;

  *left = 0;
  rewinddir (top);
  while ((entry = readdir (top)) != NULL) {
    size_t n;
    if (remove_is_dots (entry->d_name))
      continue;
    if (remove_simple (dirfd (top), entry) == 0) {
      gone++;
      continue;
    }
    *errnum = errno;
    n = errno == ENOTEMPTY ? remove_flatten (dirfd (top), entry->d_name) : 0;
    if (n == 0 && errno != 0)
      *errnum = errno;
    gone += n;
    ++*left;
  }
  return gone;
}

static int
remove_contents (int fd)
{
  DIR *top = fdopendir (fd);
  size_t left = 1, gone = 1;
  int errnum = 0;

  if (top == NULL) {
    errnum = errno;
    close (fd);
    errno = errnum;
    return -1;
  }
  for (size_t i = 0; i < REMOVE_PASSES && left > 0 && gone > 0; i++)
    gone = remove_pass (top, &left, &errnum);
  closedir (top);
  if (left > 0)
    errno = errnum != 0 ? errnum : EBUSY;
  return left > 0 ? -1 : 0;
}

int
sessiondir_remove_tree (int dirfd, const char *name)
{
  int fd, errnum = 0;

  if (unlinkat (dirfd, name, 0) == 0 || errno == ENOENT)
    return 0;
  if (errno != EISDIR && errno != EPERM)
    return -1;
  fd = remove_open (dirfd, name);
  if (fd < 0)
    return errno == ENOENT ? 0 : -1;
  if (remove_contents (fd) != 0)
    errnum = errno;
  if (unlinkat (dirfd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    return 0;
  if (errnum != 0)
    errno = errnum;
  return -1;
}
