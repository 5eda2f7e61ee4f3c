/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "core/quiet.h"

#define COLLECT_CHUNK 32768
#define COLLECT_ROUNDS 8       /* chunks in one collect_read, so that other streams and the deadline get their turn */
#define COLLECT_ORDER_MAX 8192 /* pieces; more are told in less detail */

void
collect_init (struct collect *c)
{
  *c = (struct collect){ 0 };
  for (int i = 0; i < 2; i++) {
    c->stream[i].fd = c->stream[i].copy_fd = c->stream[i].spill_fd = -1;
    c->stream[i].name = i == 0 ? "stdout" : "stderr";
  }
}

static void
collect_close (int *fd)
{
  util_close_ptr (fd);
  *fd = -1;
}

/* ---- the spill file ---- */

static void
stream_drop_spill (struct stream *s)
{
  s->spill_failed = 1;
  collect_close (&s->spill_fd);
  if (s->spill_path != NULL)
    unlink (s->spill_path);
  free (s->spill_path);
  s->spill_path = NULL;
}

static void
stream_open_spill (struct stream *s)
{
  char name[17];

  util_random_name (name);
  s->spill_path = util_fmt ("%s/%s-%s.log", s->spill_dir, name, s->name);
  if (s->spill_path != NULL)
    s->spill_fd = open (s->spill_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (s->spill_fd < 0) {
    /* What has that name is not ours: it must not be removed.  */
    free (s->spill_path);
    s->spill_path = NULL;
    s->spill_failed = 1;
  }
}

/* Called before the chunk is kept: until the first overflow all earlier bytes are in memory, in order.  */
static void
stream_spill (struct stream *s, const char *bytes, size_t n)
{
  if (s->spill_dir == NULL || s->spill_failed || (s->spill_fd < 0 && s->total + n <= s->limit))
    return;
  if (s->total + n > s->spill_limit) {
    stream_drop_spill (s);
    return;
  }
  if (s->spill_fd < 0) {
    stream_open_spill (s);
    if (s->spill_fd < 0)
      return;
    if (util_write_all (s->spill_fd, s->data, s->size) != 0) {
      stream_drop_spill (s);
      return;
    }
  }
  if (util_write_all (s->spill_fd, bytes, n) != 0)
    stream_drop_spill (s);
}

/* ---- memory ---- */

/* Room for `need` bytes, at most the limit; the ring is not yet turned.  Without memory the limit shrinks to what there is.  */
static void
stream_grow (struct stream *s, size_t need)
{
  size_t room = s->room == 0 ? 4096 : s->room;
  char *data;

  if (need <= s->room)
    return;
  while (room < need)
    room *= 2;
  if (room > s->limit)
    room = (size_t) s->limit;
  data = realloc (s->data, room);
  if (data == NULL) {
    s->limit = s->room;
    /* Bytes are lost before the spill file begins, so it would not be the whole stream.  */
    s->spill_failed |= s->spill_fd < 0;
    return;
  }
  s->data = data;
  s->room = room;
}

static void
stream_keep_tail (struct stream *s, const char *bytes, size_t n)
{
  size_t end, first;

  if (n >= s->room) {
    if (s->room > 0)
      memcpy (s->data, bytes + (n - s->room), s->room);
    s->size = s->room;
    s->start = 0;
    return;
  }
  end = (s->start + s->size) % s->room;
  first = n < s->room - end ? n : s->room - end;
  memcpy (s->data + end, bytes, first);
  memcpy (s->data, bytes + first, n - first);
  s->size += n;
  if (s->size > s->room) {
    s->start = (s->start + (s->size - s->room)) % s->room;
    s->size = s->room;
  }
}

static void
stream_keep (struct stream *s, const char *bytes, size_t n)
{
  uint64_t want = (uint64_t) s->size + n;

  if (s->room < s->limit)
    stream_grow (s, want < s->limit ? (size_t) want : (size_t) s->limit);
  if (s->keep_head) {
    size_t left = s->total == s->size ? s->room - s->size : 0;
    size_t part = n < left ? n : left;
    if (part > 0)
      memcpy (s->data + s->size, bytes, part);
    s->size += part;
  }
  else if (n > 0) {
    stream_keep_tail (s, bytes, n);
  }
  s->total += n;
  s->offset = s->keep_head ? 0 : s->total - s->size;
}

/* ---- order of arrival ---- */

/* Half of the pieces, the older ones, become one piece of each stream.  */
static void
collect_coarsen (struct collect *c)
{
  struct piece sum[2] = { { .which = 1 }, { .which = 2 } };
  size_t half = c->order_count / 2, kept = 0;

  for (size_t i = 0; i < half; i++) {
    struct piece *p = &c->order[i], *s = &sum[p->which - 1];
    if (s->size == 0)
      s->offset = p->offset;
    s->size = p->offset + p->size - s->offset;
  }
  for (int i = 0; i < 2; i++)
    if (sum[i].size > 0)
      c->order[kept++] = sum[i];
  memmove (c->order + kept, c->order + half, (c->order_count - half) * sizeof *c->order);
  c->order_count = kept + c->order_count - half;
}

static void
collect_note (struct collect *c, int which, uint64_t offset, size_t n)
{
  struct piece *last = c->order_count > 0 ? &c->order[c->order_count - 1] : NULL;

  if (last != NULL && last->which == which && last->offset + last->size == offset) {
    last->size += n;
    return;
  }
  if (c->order_count == COLLECT_ORDER_MAX)
    collect_coarsen (c);
  if (c->order_count == c->order_room) {
    size_t room = c->order_room == 0 ? 64 : c->order_room * 2;
    struct piece *order = reallocarray (c->order, room, sizeof *order);
    if (order == NULL)
      return; /* the bytes matter more than their order */
    c->order = order;
    c->order_room = room;
  }
  c->order[c->order_count++] = (struct piece){ .which = which, .offset = offset, .size = n };
}

/* ---- the copy ---- */

int
collect_copying (const struct collect *c, int which)
{
  return c->stream[which - 1].copy_done < c->stream[which - 1].copy_size;
}

void
collect_end (struct collect *c, int which)
{
  struct stream *s = &c->stream[which - 1];

  if (s->borrowed)
    s->fd = -1;
  collect_close (&s->fd);
}

static void
stream_stop_copy (struct stream *s, int errnum)
{
  s->copy_errno = errnum;
  s->copy_size = s->copy_done = 0;
  collect_close (&s->copy_fd);
}

/* 0: all is copied; 1: the consumer is not ready; -1: the consumer is gone.  */
static int
stream_copy (struct stream *s)
{
  while (s->copy_done < s->copy_size) {
    size_t n = s->copy_size - s->copy_done;
    ssize_t written;
    if (s->copy_blocking) {
      struct pollfd p = { .fd = s->copy_fd, .events = POLLOUT };
      if (poll (&p, 1, 0) != 1)
        return 1;
      n = n < PIPE_BUF ? n : PIPE_BUF;
    }
    written = quiet_write (s->copy_fd, s->copy + s->copy_done, n);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return 1;
    if (written < 0) {
      stream_stop_copy (s, errno);
      return -1;
    }
    s->copy_done += (size_t) written;
  }
  s->copy_size = s->copy_done = 0;
  return 0;
}

/* ---- reading ---- */

void
collect_take (struct collect *c, int which, const char *bytes, size_t n)
{
  struct stream *s = &c->stream[which - 1];

  collect_note (c, which, s->total, n);
  stream_spill (s, bytes, n);
  stream_keep (s, bytes, n);
}

int
collect_read (struct collect *c, int which)
{
  struct stream *s = &c->stream[which - 1];
  char chunk[COLLECT_CHUNK];

  for (int round = 0; round < COLLECT_ROUNDS; round++) {
    ssize_t n;
    switch (stream_copy (s)) {
    case 1:
      return 0;
    case -1:
      collect_end (c, which);
      return 1;
    default:
      break;
    }
    if (s->fd < 0)
      return 1;
    if (s->copy_fd >= 0 && s->copy == NULL && (s->copy = malloc (COLLECT_CHUNK)) == NULL)
      return -1;
    n = read (s->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return 0;
    /* EIO: the other side of a terminal is closed.  */
    if (n == 0 || (n < 0 && errno == EIO)) {
      collect_end (c, which);
      return 1;
    }
    if (n < 0)
      return -1;
    collect_take (c, which, chunk, (size_t) n);
    if (s->copy_fd >= 0) {
      memcpy (s->copy, chunk, (size_t) n);
      s->copy_size = (size_t) n;
      s->copy_done = 0;
    }
  }
  return 0;
}

void
collect_seal (struct collect *c)
{
  for (int i = 0; i < 2; i++) {
    struct stream *s = &c->stream[i];
    collect_end (c, i + 1);
    collect_close (&s->copy_fd);
    free (s->copy);
    s->copy = NULL;
    s->copy_size = s->copy_done = 0;
    if (s->spill_fd >= 0 && close (s->spill_fd) != 0) {
      s->spill_fd = -1;
      stream_drop_spill (s);
    }
    s->spill_fd = -1;
  }
}

static void
stream_reverse (struct stream *s, size_t a, size_t b)
{
  for (; a + 1 < b; a++, b--) {
    char swap = s->data[a];
    s->data[a] = s->data[b - 1];
    s->data[b - 1] = swap;
  }
}

void
collect_linear (struct stream *s, const char **data, size_t *size)
{
  /* A full ring is turned in place: each part reversed, then the whole.  */
  if (s->start != 0) {
    stream_reverse (s, 0, s->start);
    stream_reverse (s, s->start, s->room);
    stream_reverse (s, 0, s->room);
    s->start = 0;
  }
  *data = s->data == NULL ? "" : s->data;
  *size = s->size;
}

void
collect_free (struct collect *c)
{
  collect_seal (c);
  for (int i = 0; i < 2; i++) {
    if (c->stream[i].spill_path != NULL)
      unlink (c->stream[i].spill_path);
    free (c->stream[i].spill_path);
    free (c->stream[i].data);
  }
  free (c->order);
  collect_init (c);
}
