/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/gitsnap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

#define QUARANTINE ".weir-quarantine-"
#define FILE_LIMIT ((size_t) 256 * 1024)
#define DEPTH_LIMIT 4

/* A path for people: what a command named may hold escape sequences for their terminal.  */
static char *
printable (const char *directory, const char *name)
{
  auto_strbuf struct strbuf b = { 0 };
  const char *parts[] = { directory, name != NULL ? "/" : "", name != NULL ? name : "" };

  for (size_t i = 0; i < ARRAY_SIZE (parts); i++)
    for (const unsigned char *p = (const unsigned char *) parts[i]; *p != '\0'; p++)
      if (*p < 0x20 || *p == 0x7f)
        strbuf_fmt (&b, "\\%03o", *p);
      else
        strbuf_add (&b, p, 1);
  return strbuf_steal (&b);
}

static enum gitsnap_type
type_of (const struct stat *st)
{
  return S_ISREG (st->st_mode) ? GITSNAP_FILE : S_ISDIR (st->st_mode) ? GITSNAP_DIRECTORY
         : S_ISLNK (st->st_mode) ? GITSNAP_LINK : GITSNAP_OTHER;
}

char *
gitsnap_read (int dirfd, const char *name, size_t limit, size_t *size)
{
  struct stat st;
  auto_free char *bytes = NULL;
  auto_close int fd = openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  size_t n = 0;

  if (fd < 0 || fstat (fd, &st) != 0)
    return NULL;
  errno = EINVAL;
  if (!S_ISREG (st.st_mode))
    return NULL;
  errno = EFBIG;
  if ((uint64_t) st.st_size > limit || (bytes = malloc ((size_t) st.st_size + 1)) == NULL)
    return NULL;
  while (n < (size_t) st.st_size) {
    ssize_t got = read (fd, bytes + n, (size_t) st.st_size - n);

    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return NULL;
    if (got == 0)
      break;
    n += (size_t) got;
  }
  bytes[n] = '\0';
  *size = n;
  return steal (bytes);
}

/* Git never runs a hook of these names.  */
static int
ignored (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0 || fnmatch ("*.sample", name, 0) == 0
         || fnmatch ("*" QUARANTINE "????????????????", name, 0) == 0;
}

static int take (int dirfd, const char *name, unsigned depth, struct gitsnap_budget *, struct gitsnap *);

static int
take_entry (int fd, const char *name, unsigned depth, struct gitsnap_budget *budget, struct gitsnap *s)
{
  struct gitsnap *entries = reallocarray (s->entries, s->count + 1, sizeof *entries);

  if (entries == NULL)
    return -1;
  s->entries = entries;
  memset (&entries[s->count], 0, sizeof *entries);
  return take (fd, name, depth, budget, &entries[s->count++]);
}

static int
take_directory (int dirfd, unsigned depth, struct gitsnap_budget *budget, struct gitsnap *s)
{
  int fd = openat (dirfd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
  DIR *d = fd < 0 ? NULL : fdopendir (fd);
  const struct dirent *e;

  if (d == NULL) {
    /* A directory that we may not read counts as empty: whatever is there when it can be read was hidden.  */
    s->partial = errno != EACCES;
    if (fd >= 0)
      close (fd);
    return 0;
  }
  while (rc == 0 && (e = readdir (d)) != NULL) {
    if (ignored (e->d_name))
      continue;
    if (depth == 0 || budget->entries == 0) {
      s->partial = 1;
      break;
    }
    budget->entries--;
    rc = take_entry (fd, e->d_name, depth - 1, budget, s);
  }
  closedir (d);
  return rc;
}

static int
take (int dirfd, const char *name, unsigned depth, struct gitsnap_budget *budget, struct gitsnap *s)
{
  size_t size = 0;
  char target[4096];
  ssize_t n;

  memset (s, 0, sizeof *s);
  s->name = strdup (name);
  if (s->name == NULL)
    return -1;
  if (fstatat (dirfd, name, &s->st, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  s->type = type_of (&s->st);
  if (s->type == GITSNAP_DIRECTORY)
    return take_directory (dirfd, depth, budget, s);
  if (s->type == GITSNAP_LINK && (n = readlinkat (dirfd, name, target, sizeof target - 1)) >= 0) {
    target[n] = '\0';
    return (s->target = strdup (target)) == NULL ? -1 : 0;
  }
  if (s->type == GITSNAP_FILE) {
    s->bytes = gitsnap_read (dirfd, name, budget->bytes < FILE_LIMIT ? budget->bytes : FILE_LIMIT, &size);
    if (s->bytes != NULL) {
      s->st.st_size = (off_t) size;
      budget->bytes -= size;
    }
  }
  return 0;
}

int
gitsnap_take (int dirfd, const char *name, struct gitsnap_budget *budget, struct gitsnap *s)
{
  if (take (dirfd, name, DEPTH_LIMIT, budget, s) == 0)
    return 0;
  gitsnap_free (s);
  return -1;
}

void
gitsnap_free (struct gitsnap *s)
{
  for (size_t i = 0; i < s->count; i++)
    gitsnap_free (&s->entries[i]);
  free (s->entries);
  free (s->name);
  free (s->bytes);
  free (s->target);
  memset (s, 0, sizeof *s);
}

/* ---- moving aside ---- */

static void
quarantine_name (const char *name, char out[NAME_MAX + 1])
{
  char random[17];

  util_random_name (random);
  snprintf (out, NAME_MAX + 1, "%.*s" QUARANTINE "%s", (int) (NAME_MAX - sizeof QUARANTINE - 16), name, random);
}

/* The directory is ours, but a command can have taken our own right to write into it.  */
static int
make_writable (int dirfd)
{
  struct stat st;
  char path[64];

  if (fstat (dirfd, &st) != 0 || (st.st_mode & 0700) == 0700)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", dirfd);
  return chmod (path, (st.st_mode & 07777) | 0700);
}

static int
rename_noreplace (int dirfd, const char *from, const char *to)
{
  struct stat st;

  if (renameat2 (dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  /* A file system without the flag.  */
  if (fstatat (dirfd, to, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat (dirfd, from, dirfd, to);
}

static int
move_aside (int dirfd, const char *name, char aside[NAME_MAX + 1])
{
  for (int tries = 0; tries < 8; tries++) {
    quarantine_name (name, aside);
    if (rename_noreplace (dirfd, name, aside) == 0)
      return 0;
    if (errno == EACCES && make_writable (dirfd) == 0)
      continue;
    if (errno != EEXIST)
      break;
  }
  return -1;
}

int
gitsnap_quarantine (int dirfd, const char *name, const char *directory, const char *why, struct strv *warnings)
{
  auto_free char *path = printable (directory, name);
  char aside[NAME_MAX + 1];

  if (move_aside (dirfd, name, aside) == 0) {
    strv_fmt (warnings, "git: '%s' %s; it is now '%s'", path, why, aside);
    return 0;
  }
  if (errno == ENOENT)
    return 0;
  strv_fmt (warnings, "git: '%s' %s; it could not be moved away: %s", path, why, strerror (errno));
  return -1;
}

int
gitsnap_walk (int fd, const char *rel, int make, const char *directory, struct strv *warnings)
{
  auto_free char *copy = strdup (rel), *shown = strdup (directory);
  auto_close int at = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  char *save = NULL;

  if (copy == NULL || shown == NULL || at < 0)
    return -1;
  for (char *c = strtok_r (copy, "/", &save); c != NULL; c = strtok_r (NULL, "/", &save)) {
    int next = openat (at, c, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (next < 0 && (errno == ENOTDIR || errno == ELOOP) && warnings != NULL
        && gitsnap_quarantine (at, c, shown, "took the place of a directory", warnings) == 0)
      errno = ENOENT;
    if (next < 0 && errno == ENOENT && make && (mkdirat (at, c, 0755) == 0 || errno == EEXIST))
      next = openat (at, c, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
      return -1;
    close (at);
    at = next;
    char *longer = util_fmt ("%s/%s", shown, c);
    if (longer == NULL)
      return -1;
    free (shown);
    shown = longer;
  }
  return steal_fd (&at);
}

/* ---- putting back ---- */

/* Makes the file again under a name of its own.  */
static int
write_copy (int dirfd, const char *name, const struct gitsnap *s)
{
  auto_close int fd = openat (dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

  if (fd < 0)
    return -1;
  if (util_write_all (fd, s->bytes, (size_t) s->st.st_size) == 0
      && (fchown (fd, s->st.st_uid, s->st.st_gid) == 0 || errno == EPERM)
      && fchmod (fd, s->st.st_mode & 0777) == 0)
    return 0;
  int saved = errno;
  unlinkat (dirfd, name, 0);
  errno = saved;
  return -1;
}

static int
make_object (int dirfd, const char *name, const struct gitsnap *s)
{
  switch (s->type) {
  case GITSNAP_FILE:
    errno = EFBIG;
    return s->bytes == NULL ? -1 : write_copy (dirfd, name, s);
  case GITSNAP_LINK:
    return s->target == NULL ? -1 : symlinkat (s->target, dirfd, name);
  case GITSNAP_DIRECTORY:
    if (mkdirat (dirfd, name, 0700) != 0)
      return -1;
    /* The name is new and the directory ours, so nothing is followed.  */
    if (fchownat (dirfd, name, s->st.st_uid, s->st.st_gid, AT_SYMLINK_NOFOLLOW) != 0 && errno != EPERM)
      return -1;
    return fchmodat (dirfd, name, s->st.st_mode & 0777, 0);
  default:
    errno = EINVAL;
    return -1;
  }
}

/* The old thing gets its name back in one step where the kernel can exchange names; what was there keeps the other.  */
static int
exchange (int dirfd, const struct gitsnap *s, char aside[NAME_MAX + 1])
{
  quarantine_name (s->name, aside);
  if (make_object (dirfd, aside, s) != 0) {
    if (errno != EACCES || make_writable (dirfd) != 0 || make_object (dirfd, aside, s) != 0)
      return -1;
  }
  if (renameat2 (dirfd, s->name, dirfd, aside, RENAME_EXCHANGE) == 0)
    return 0;
  char copy[NAME_MAX + 1];
  strcpy (copy, aside);
  if (move_aside (dirfd, s->name, aside) == 0 && rename_noreplace (dirfd, copy, s->name) == 0)
    return 0;
  int saved = errno;
  unlinkat (dirfd, copy, s->type == GITSNAP_DIRECTORY ? AT_REMOVEDIR : 0);
  errno = saved;
  return -1;
}

static int
same_file (int dirfd, const struct gitsnap *s, const struct stat *now)
{
  auto_free char *bytes = NULL;
  size_t size = 0;

  if (s->bytes == NULL)
    return now->st_ino == s->st.st_ino && now->st_dev == s->st.st_dev && now->st_size == s->st.st_size
           && now->st_ctim.tv_sec == s->st.st_ctim.tv_sec && now->st_ctim.tv_nsec == s->st.st_ctim.tv_nsec;
  if (now->st_size != s->st.st_size)
    return 0;
  bytes = gitsnap_read (dirfd, s->name, FILE_LIMIT, &size);
  return bytes != NULL && size == (size_t) s->st.st_size && memcmp (bytes, s->bytes, size) == 0;
}

static int
same_link (int dirfd, const struct gitsnap *s)
{
  char target[4096];
  ssize_t n = readlinkat (dirfd, s->name, target, sizeof target);

  return s->target != NULL && n == (ssize_t) strlen (s->target) && memcmp (target, s->target, (size_t) n) == 0;
}

/* Another name for the file would let a later command write to it past a read-only mount.  */
static int
same_rights (const struct gitsnap *s, const struct stat *now)
{
  return now->st_nlink <= s->st.st_nlink && (now->st_mode & 07777) == (s->st.st_mode & 07777)
         && now->st_uid == s->st.st_uid;
}

static int
same (int dirfd, const struct gitsnap *s, const struct stat *now)
{
  if (type_of (now) != s->type)
    return 0;
  switch (s->type) {
  case GITSNAP_FILE:
    return same_rights (s, now) && same_file (dirfd, s, now);
  case GITSNAP_LINK:
    return same_link (dirfd, s);
  case GITSNAP_DIRECTORY:
    return 1;
  default:
    return now->st_ino == s->st.st_ino && now->st_dev == s->st.st_dev;
  }
}

/* A directory that was made unreadable hides what it holds from this check, and would show it to the next command.  */
static void
restore_mode (int dirfd, const struct gitsnap *s, const char *shown, struct strv *warnings)
{
  auto_close int fd = openat (dirfd, s->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char path[64];
  struct stat now;

  if (fd < 0 || fstat (fd, &now) != 0 || (now.st_mode & 07777) == (s->st.st_mode & 07777))
    return;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  if (chmod (path, s->st.st_mode & 07777) == 0)
    strv_fmt (warnings, "git: the mode of '%s' was changed during the run; it was put back", shown);
  else
    strv_fmt (warnings, "git: the mode of '%s' was changed during the run; it could not be put back: %s", shown,
              strerror (errno));
}

static void
restore_entries (int dirfd, const struct gitsnap *s, const char *path, unsigned flags, struct strv *warnings)
{
  auto_strv struct strv fresh = { 0 };
  int fd = openat (dirfd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd < 0 ? NULL : fdopendir (fd);
  const struct dirent *e;
  size_t i, left = 4096;

  if (d == NULL) {
    auto_free char *shown = printable (path, NULL);
    int saved = errno;

    if (fd >= 0)
      close (fd);
    strv_fmt (warnings, "git: '%s' could not be checked: %s", shown, strerror (saved));
    return;
  }
  while (!s->partial && left-- > 0 && (e = readdir (d)) != NULL) {
    for (i = 0; i < s->count && strcmp (s->entries[i].name, e->d_name) != 0; i++)
      ;
    if (i == s->count && !ignored (e->d_name))
      strv_add (&fresh, e->d_name);
  }
  for (i = 0; i < fresh.count; i++)
    gitsnap_quarantine (fd, fresh.items[i], path, "appeared during the run", warnings);
  for (i = 0; i < s->count; i++)
    gitsnap_restore (fd, &s->entries[i], path, flags & GITSNAP_ASIDE, warnings);
  closedir (d);
}

void
gitsnap_restore (int dirfd, const struct gitsnap *s, const char *directory, unsigned flags, struct strv *warnings)
{
  auto_free char *path = printable (directory, s->name), *inner = util_fmt ("%s/%s", directory, s->name);
  char aside[NAME_MAX + 1];
  struct stat now;

  if (fstatat (dirfd, s->name, &now, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT || s->type == GITSNAP_ABSENT || s->type == GITSNAP_OTHER || (flags & (GITSNAP_STAY_GONE | GITSNAP_ASIDE)))
      return;
    if (make_object (dirfd, s->name, s) == 0)
      strv_fmt (warnings, "git: '%s' was removed during the run; it was made again", path);
    else
      strv_fmt (warnings, "git: '%s' was removed during the run; it could not be made again: %s", path, strerror (errno));
  }
  else if (s->type == GITSNAP_ABSENT)
    gitsnap_quarantine (dirfd, s->name, directory, "appeared during the run", warnings);
  else if (same (dirfd, s, &now))
    ;
  else if (flags & GITSNAP_ASIDE)
    gitsnap_quarantine (dirfd, s->name, directory,
                        "was changed while another process ran commands here, so what it was before is not known", warnings);
  else {
    if (exchange (dirfd, s, aside) == 0)
      strv_fmt (warnings, "git: '%s' was changed during the run; it was put back, what it had become is now '%s'", path, aside);
    else
      gitsnap_quarantine (dirfd, s->name, directory, "was changed during the run and could not be put back", warnings);
  }
  if (s->type == GITSNAP_DIRECTORY && inner != NULL) {
    restore_mode (dirfd, s, path, warnings);
    restore_entries (dirfd, s, inner, flags, warnings);
  }
}
