/* Output of a process: bounded in memory (head or tail), whole-stream offsets, order of arrival, the whole stream in a spill
 * file when it does not fit.  Never blocks; spill failures lose the spill, not the bytes in memory.  */
#ifndef WEIR_CORE_COLLECT_H
#define WEIR_CORE_COLLECT_H

#include "core/error.h"
#include "core/util.h"

struct stream {
  int fd;          /* ours, non-blocking, owned once given; -1: ended */
  int copy_fd;     /* TEE: where it is copied (quiet_reopen), owned; -1 */
  int keep_head;
  uint64_t limit;  /* bytes in memory */
  uint64_t spill_limit;
  char *data;      /* ring for the tail, plain for the head */
  size_t size, room, start;
  uint64_t total, offset;
  const char *spill_dir; /* NULL: no spill */
  const char *name;      /* "stdout" */
  char *spill_path;
  int spill_fd;
  int spill_failed;
  int copy_blocking;    /* as quiet_reopen said */
  char *copy;           /* read and not yet copied; nothing more is read until it is */
  size_t copy_size, copy_done;
  int copy_errno;       /* why copying ended, 0: it did not */
  int borrowed;         /* fd is not ours to close */
};
struct piece {
  int which;
  uint64_t offset, size;
};
struct collect {
  struct stream stream[2]; /* stdout, stderr */
  struct piece *order;
  size_t order_count, order_room;
};
void collect_init (struct collect *);
/* Reads what is there from stream 1 or 2, a bounded amount; 0: more may come, 1: ended, -1: errno.  When a consumer of the
 * copy is gone, the stream is closed, so that the command learns of it as it would without us: that is "ended" too.  */
int collect_read (struct collect *, int which);
/* Keeps bytes that somebody else read from stream 1 or 2.  */
void collect_take (struct collect *, int which, const char *, size_t);
/* Bytes wait for the consumer of the copy: poll copy_fd for writing, then call collect_read.  */
int collect_copying (const struct collect *, int which);
/* Reads nothing more of a stream.  */
void collect_end (struct collect *, int which);
/* No more will come: closes everything; a spill file that cannot be closed without an error is withheld.  */
void collect_seal (struct collect *);
/* The retained bytes as one contiguous piece.  */
void collect_linear (struct stream *, const char **data, size_t *size);
void collect_free (struct collect *); /* removes spill files */

#endif
