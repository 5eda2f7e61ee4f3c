/* SPDX-License-Identifier: Apache-2.0 */
/* Opening absolute paths of which no component may be a symbolic link.  Async-signal-safe; compiled with musl too.  */
#ifndef WEIR_CORE_WALK_H
#define WEIR_CORE_WALK_H

#include <stdint.h>

/* An O_PATH descriptor, close-on-exec.  -1: errno; ELOOP: a component is a symbolic link, EINVAL: not absolute.  */
int walk_open (const char *path);
/* As walk_open, but of the path's last part only: "/dev/shm" may be a link in a directory that root alone writes.  */
int walk_open_following (const char *path);
/* As walk_open, and what is missing is made: directories (0755), and at the end a directory or an empty file (0644). */
int walk_make (const char *path, int is_dir);
/* 0: fd is that object, or ino is 0.  -1: errno ESTALE, or of fstat.  */
int walk_check (int fd, uint64_t dev, uint64_t ino);

#endif
