/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/gitindex.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE_GITLINK 0160000
#define FLAG_EXTENDED 0x4000
#define ENTRIES_LIMIT (UINT32_C (1) << 24)

struct source {
  int fd, bad;
  size_t at, size;
  unsigned char buffer[32768];
};

/* The next byte; 0 and bad behind the end.  */
static unsigned
byte (struct source *s)
{
  ssize_t n;

  if (s->at < s->size)
    return s->buffer[s->at++];
  do
    n = s->bad ? 0 : read (s->fd, s->buffer, sizeof s->buffer);
  while (n < 0 && errno == EINTR);
  if (n <= 0) {
    s->bad = 1;
    return 0;
  }
  s->size = (size_t) n;
  s->at = 1;
  return s->buffer[0];
}

static uint32_t
number (struct source *s, int bytes)
{
  uint32_t v = 0;

  while (bytes-- > 0)
    v = v << 8 | byte (s);
  return v;
}

static void
skip (struct source *s, size_t bytes)
{
  while (bytes-- > 0 && !s->bad)
    byte (s);
}

/* How much of the name before is dropped: version 4 stores only what differs.  */
static size_t
varint (struct source *s)
{
  unsigned c = byte (s);
  size_t v = c & 127;

  while (c & 128 && !s->bad) {
    if (v > SIZE_MAX >> 8) {
      s->bad = 1;
      break;
    }
    c = byte (s);
    v = (v + 1) << 7 | (c & 127);
  }
  return v;
}

static void
read_entry (struct source *s, uint32_t version, size_t hash, size_t limit, struct strbuf *name, struct strv *links)
{
  size_t used = 62 - 20 + hash, keep = 0, drop;
  uint32_t mode, flags;
  unsigned c;

  skip (s, 24);
  mode = number (s, 4);
  skip (s, 12 + hash);
  flags = number (s, 2);
  if (version >= 3 && (flags & FLAG_EXTENDED)) {
    skip (s, 2);
    used += 2;
  }
  if (version == 4) {
    drop = varint (s);
    if (drop > name->size)
      s->bad = 1;
    else
      keep = name->size - drop;
  }
  name->size = keep;
  while (!s->bad && (c = byte (s)) != 0) {
    char one = (char) c;

    strbuf_add (name, &one, 1);
    s->bad |= name->size > 4096 || name->failed;
  }
  /* One to eight zero bytes end the name, so that the entry's size is a multiple of eight.  */
  if (version < 4)
    skip (s, 7 - (used + name->size) % 8);
  if (!s->bad && mode == MODE_GITLINK && name->size > 0 && links->count < limit)
    strv_fmt (links, "%.*s", (int) name->size, name->data);
}

int
gitindex_links (int dirfd, const char *name, size_t hash, size_t limit, struct strv *links)
{
  auto_strbuf struct strbuf path = { 0 };
  auto_free struct source *s = malloc (sizeof *s);
  auto_close int fd = openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat st;
  uint32_t version, count;

  if (s == NULL || fd < 0 || fstat (fd, &st) != 0)
    return -1;
  errno = EINVAL;
  if (!S_ISREG (st.st_mode))
    return -1;
  s->fd = fd;
  s->bad = 0;
  s->at = s->size = 0;
  if (number (s, 4) != UINT32_C (0x44495243) /* "DIRC" */)
    return -1;
  version = number (s, 4);
  count = number (s, 4);
  if (s->bad || version < 2 || version > 4 || count > ENTRIES_LIMIT)
    return -1;
  while (count-- > 0 && !s->bad)
    read_entry (s, version, hash, limit, &path, links);
  errno = EINVAL;
  return s->bad ? -1 : 0;
}
