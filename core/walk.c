/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/walk.h"

#include <limits.h>
#include <sys/stat.h>

#include "core/sys.h"

static void
walk_close (int fd)
{
  int saved = errno;
  close (fd);
  errno = saved;
}

/* Copies the component at *path to name and moves *path behind it and its slashes.  0: there is none, -1: errno.  */
static int
walk_next (const char **path, char name[NAME_MAX + 1])
{
  const char *p = *path;
  size_t length = 0;

  while (*p == '/')
    p++;
  for (; p[length] && p[length] != '/'; length++) {
    if (length == NAME_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    name[length] = p[length];
  }
  name[length] = '\0';
  p += length;
  while (*p == '/')
    p++;
  *path = p;
  return length > 0;
}

/* One component, which must not be a symbolic link.  */
static int
walk_component (int at, const char *name)
{
  struct stat st;
  int fd = openat (at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

  if (fd < 0 || fstat (fd, &st)) {
    if (fd >= 0)
      walk_close (fd);
    return -1;
  }
  if (S_ISLNK (st.st_mode)) {
    close (fd);
    errno = ELOOP;
    return -1;
  }
  return fd;
}

static int
walk_make_component (int at, const char *name, int is_dir)
{
  if (is_dir) {
    if (mkdirat (at, name, 0755) && errno != EEXIST)
      return -1;
  }
  else {
    int fd = openat (at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 && errno != EEXIST)
      return -1;
    if (fd >= 0)
      close (fd);
  }
  return walk_component (at, name);
}

/* Component by component.  make: 0 no, 1 a file at the end, 2 a directory.  */
static int
walk_slowly (const char *path, int make)
{
  char name[NAME_MAX + 1];
  int more = 0, at = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

  while (at >= 0 && (more = walk_next (&path, name)) > 0) {
    int next = walk_component (at, name);
    if (next < 0 && errno == ENOENT && make)
      next = walk_make_component (at, name, *path || make == 2);
    walk_close (at);
    at = next;
  }
  if (at >= 0 && more < 0) {
    walk_close (at);
    return -1;
  }
  return at;
}

int
walk_open (const char *path)
{
  struct sys_open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

  if (path[0] != '/') {
    errno = EINVAL;
    return -1;
  }
  int fd = (int) syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  /* Older container filters answer EPERM to calls that they do not know.  */
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    fd = walk_slowly (path, 0);
  return fd;
}

int
walk_open_following (const char *path)
{
  return open (path, O_PATH | O_CLOEXEC);
}

int
walk_make (const char *path, int is_dir)
{
  if (path[0] != '/') {
    errno = EINVAL;
    return -1;
  }
  return walk_slowly (path, is_dir ? 2 : 1);
}

int
walk_check (int fd, uint64_t dev, uint64_t ino)
{
  struct stat st;

  if (ino == 0)
    return 0;
  if (fstat (fd, &st))
    return -1;
  if (st.st_dev != dev || st.st_ino != ino) {
    errno = ESTALE;
    return -1;
  }
  return 0;
}
