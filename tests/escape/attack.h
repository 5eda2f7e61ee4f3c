/* SPDX-License-Identifier: Apache-2.0 */
/* A program that attacks from inside a sandbox, and its driver outside.
 *
 * An attack is one function that tries one effect by one system call.  It acts on victims that the driver made for it
 * alone, so that the driver sees from the victim what happened:
 *   files      the directory PLACE/NAME holds file, other, dir/inner and link (to file); any change of it is one
 *   messages   the attack sends its own name to a socket, a queue or a port of the victim process
 *   marks      the attack sends the victim process signal SIGRTMIN + mark, or writes into its memory
 *   secrets    the attack prints what it read, and only the victim knows the words
 * What an attack says itself counts only against the sandbox: with BOAST its success is an effect (a mount, a key).  */
#ifndef WEIR_ATTACK_H
#define WEIR_ATTACK_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the C libraries' headers.  */
#define NR_OPEN_TREE 428
#define NR_MOVE_MOUNT 429
#define NR_FSOPEN 430
#define NR_FSMOUNT 432
#define NR_PIDFD_OPEN 434
#define NR_OPENAT2 437
#define NR_PIDFD_GETFD 438
#define NR_PROCESS_MADVISE 440
#define NR_MOUNT_SETATTR 442
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463
#define NR_REMOVEXATTRAT 466
#define NR_OPEN_TREE_ATTR 467
#define NR_FILE_SETATTR 469

#define ATTACK_NA (-2)           /* returned: cannot be tried here */
#define ATTACK_BOAST 1u          /* success is an effect */
#define ATTACK_SECRET_LENGTH 32  /* characters of a secret */

struct attack_context {
  const char *name; /* of the attack, as in "content.truncate" */
  const char *at;   /* its own directory of victims */
  const char *workspace;
  const char *outside; /* a directory beside the workspace */
  const char *tag;     /* a word that is this run's alone */
  const char *terminal; /* a terminal that is another's */
  const char *socket_stream, *socket_datagram; /* paths */
  int pid;             /* the victim process */
  unsigned long memory, secret; /* addresses in it */
  int pty_fd, file_fd;          /* descriptors in it */
  int tcp, udp, shm, sem, msg;  /* ports, ids */
};

struct attack {
  const char *name;
  int (*run) (const struct attack_context *);
  unsigned flags;
  int mark;        /* 0: none */
  const char *gap; /* the words, separated by "|", of which one is in the gap that admits it; NULL: none does */
};

struct attack_kind {
  const char *name;
  const struct attack *attacks; /* ended by one without a name */
};

extern const struct attack attack_content[], attack_names[], attack_metadata[], attack_mounts[], attack_devices[],
  attack_processes[], attack_sockets[], attack_ipc[], attack_kernel[], attack_descriptors[], attack_setid[],
  attack_network[], attack_git[], attack_reading[];

/* AT/NAME, in one of eight buffers that are used in turn.  */
const char *attack_path (const struct attack_context *, const char *name);
/* Closes fd when it is one, after writing the attack's name to it; 0 or -1.  */
int attack_write (const struct attack_context *, int fd);
/* 0 when the result of a system call is not negative; closes nothing.  */
int attack_result (long result);
/* Prints bytes in which the driver looks for a secret.  */
void attack_found (const struct attack_context *, const void *bytes, size_t size);

#endif
