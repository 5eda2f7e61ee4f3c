/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void
util_free_ptr (void *p)
{
  free (*(void **) p);
}

void
util_close_ptr (int *fd)
{
  int saved = errno;
  if (*fd >= 0)
    close (*fd);
  errno = saved;
}

/* Room for n more bytes and the final NUL.  */
static int
strbuf_grow (struct strbuf *b, size_t n)
{
  size_t need, room;
  char *data;

  if (b->failed)
    return -1;
  if (__builtin_add_overflow (b->size, n, &need) || __builtin_add_overflow (need, (size_t) 1, &need))
    goto failed;
  if (need <= b->room)
    return 0;
  room = b->room < 64 ? 64 : b->room;
  while (room < need)
    if (__builtin_mul_overflow (room, (size_t) 2, &room))
      room = need;
  data = realloc (b->data, room);
  if (data == NULL)
    goto failed;
  b->data = data;
  b->room = room;
  return 0;
failed:
  b->failed = 1;
  return -1;
}

void
strbuf_add (struct strbuf *b, const void *bytes, size_t size)
{
  if (strbuf_grow (b, size) != 0)
    return;
  if (size > 0)
    memcpy (b->data + b->size, bytes, size);
  b->size += size;
  b->data[b->size] = '\0';
}

void
strbuf_str (struct strbuf *b, const char *s)
{
  strbuf_add (b, s, strlen (s));
}

void
strbuf_vfmt (struct strbuf *b, const char *fmt, va_list ap)
{
  va_list again;
  int n;

  va_copy (again, ap);
  n = vsnprintf (NULL, 0, fmt, again);
  va_end (again);
  if (n < 0 || strbuf_grow (b, (size_t) n) != 0) {
    b->failed = 1;
    return;
  }
  vsnprintf (b->data + b->size, (size_t) n + 1, fmt, ap);
  b->size += (size_t) n;
}

void
strbuf_fmt (struct strbuf *b, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (b, fmt, ap);
  va_end (ap);
}

char *
strbuf_steal (struct strbuf *b)
{
  char *data;

  if (b->data == NULL)
    strbuf_add (b, "", 0);
  data = b->failed ? NULL : steal (b->data);
  strbuf_free (b);
  return data;
}

void
strbuf_free (struct strbuf *b)
{
  free (b->data);
  *b = (struct strbuf){ 0 };
}

void
strv_take (struct strv *v, char *s)
{
  if (s == NULL)
    v->failed = 1;
  if (!v->failed && v->count + 1 >= v->room) {
    size_t room = v->room == 0 ? 8 : v->room * 2;
    char **items = reallocarray (v->items, room, sizeof *items);
    if (items == NULL) {
      v->failed = 1;
    }
    else {
      v->items = items;
      v->room = room;
    }
  }
  if (v->failed) {
    free (s);
    return;
  }
  v->items[v->count++] = s;
  v->items[v->count] = NULL;
}

void
strv_add (struct strv *v, const char *s)
{
  strv_take (v, strdup (s));
}

void
strv_fmt (struct strv *v, const char *fmt, ...)
{
  struct strbuf b = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  strv_take (v, strbuf_steal (&b));
}

int
strv_has (const struct strv *v, const char *s)
{
  for (size_t i = 0; i < v->count; i++)
    if (strcmp (v->items[i], s) == 0)
      return 1;
  return 0;
}

const char *const *
strv_items (const struct strv *v)
{
  static const char *const none[] = { NULL };
  return v->items == NULL ? none : (const char *const *) v->items;
}

void
strv_free (struct strv *v)
{
  for (size_t i = 0; i < v->count; i++)
    free (v->items[i]);
  free (v->items);
  *v = (struct strv){ 0 };
}

char *
util_fmt (const char *fmt, ...)
{
  struct strbuf b = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  return strbuf_steal (&b);
}

/* What fd holds, at most limit bytes.  */
static char *
util_read_fd (int fd, size_t limit, size_t *size)
{
  auto_strbuf struct strbuf b = { 0 };
  char chunk[16384];
  ssize_t n;

  while ((n = read (fd, chunk, sizeof chunk)) != 0) {
    if (n < 0) {
      if (errno == EINTR)
        continue;
      return NULL;
    }
    if ((size_t) n > limit - b.size) {
      errno = EFBIG;
      return NULL;
    }
    strbuf_add (&b, chunk, (size_t) n);
  }
  if (size != NULL)
    *size = b.size;
  char *data = strbuf_steal (&b);
  if (data == NULL)
    errno = ENOMEM;
  return data;
}

char *
util_read_file (int dirfd, const char *path, size_t limit, size_t *size)
{
  struct stat st;
  /* O_NONBLOCK: opening a FIFO must not wait for a writer.  */
  auto_close int fd = openat (dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  if (fd < 0 || fstat (fd, &st) != 0)
    return NULL;
  if (!S_ISREG (st.st_mode)) {
    errno = S_ISDIR (st.st_mode) ? EISDIR : EINVAL;
    return NULL;
  }
  return util_read_fd (fd, limit, size);
}

int
util_write_all (int fd, const void *bytes, size_t size)
{
  const char *p = bytes;

  while (size > 0) {
    ssize_t n = write (fd, p, size);
    if (n < 0) {
      if (errno == EINTR)
        continue;
      return -1;
    }
    p += n;
    size -= (size_t) n;
  }
  return 0;
}

int64_t
util_now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t
util_now_ms (void)
{
  return util_now_us () / 1000;
}

int
util_path_beneath (const char *path, const char *root)
{
  size_t n = strlen (root);

  if (n == 1 && root[0] == '/')
    return path[0] == '/';
  return strncmp (path, root, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* Optimal string alignment distance, case-insensitive, of words of up to 31 bytes; larger words are "far".  */
static unsigned
util_distance (const char *a, const char *b)
{
  size_t n = strlen (a), m = strlen (b);
  unsigned d[32][32];

  if (n > 31 || m > 31)
    return 99;
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = (unsigned) (i + j);
        continue;
      }
      int ca = tolower ((unsigned char) a[i - 1]), cb = tolower ((unsigned char) b[j - 1]);
      unsigned best = d[i - 1][j - 1] + (ca != cb);
      if (d[i - 1][j] + 1 < best)
        best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best)
        best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && ca == tolower ((unsigned char) b[j - 2]) && cb == tolower ((unsigned char) a[i - 2])
          && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[n][m];
}

const char *
util_nearest (const char *word, const char *const *table)
{
  const char *best = NULL;
  unsigned best_distance = (unsigned) strlen (word) / 3 + 1;

  for (; *table != NULL; table++) {
    unsigned d = util_distance (word, *table);
    if (d <= best_distance && (best == NULL || d < best_distance)) {
      best = *table;
      best_distance = d;
    }
  }
  return best;
}

int
util_memfd (const char *name, const void *bytes, size_t size, int exec)
{
  /* 8 and 16: MFD_NOEXEC_SEAL and MFD_EXEC, Linux 6.3; older kernels answer EINVAL to them.  */
  auto_close int fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING | (exec ? 16u : 8u));

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || util_write_all (fd, bytes, size) != 0 || (exec && fchmod (fd, 0555) != 0)
      || fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0
      || lseek (fd, 0, SEEK_SET) != 0)
    return -1;
  return steal_fd (&fd);
}

void
util_random_name (char out[17])
{
  uint64_t value = 0;

  if (getrandom (&value, sizeof value, 0) != (ssize_t) sizeof value)
    value = (uint64_t) util_now_us () * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) getpid ();
  snprintf (out, 17, "%016llx", (unsigned long long) value);
}
