/* Writing to pipes, sockets and terminals that a peer may close or stop reading, without a signal in the embedder's
 * process and without changing descriptors that others share.  */
#ifndef WEIR_CORE_QUIET_H
#define WEIR_CORE_QUIET_H

#include <stddef.h>
#include <sys/types.h>

/* As write(2), but a closed peer is EPIPE alone: no SIGPIPE reaches the process.  Sockets are written without waiting.  */
ssize_t quiet_write (int fd, const void *, size_t);
/* A descriptor of ours (close-on-exec, at least 3) that writes to what fd names.  Pipes and terminals become a new open
 * file description, so that it can be non-blocking while fd stays as it is; *blocking is 1 when that could not be had: such a
 * descriptor is written by quiet_write in pieces of at most PIPE_BUF after poll(2) allowed it.  -1: errno.  */
int quiet_reopen (int fd, int *blocking);
/* 1: both descriptors write to one place, so that the order of what is written to them shows.  */
int quiet_same (int a, int b);

#endif
