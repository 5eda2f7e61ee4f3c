/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that do steps in the child (steps.c, steps-mounts.c, steps-system.c) and carry.c.  All of it is
 * async-signal-safe: no allocation, no stdio, no static state, since several threads may be making children.  */
#ifndef WEIR_CORE_STEPS_INTERNAL_H
#define WEIR_CORE_STEPS_INTERNAL_H

#include "core/carry.h"

struct steps {
  const struct carry *carry;
  struct carry_failure *failure;
  int holder; /* the mount that HIDE put over the first directory, -1 */
};

/* Values of carry->scratch[i] that are no descriptors.  */
#define STEPS_EMPTY -1
#define STEPS_SKIPPED -2 /* an optional source that is absent */

/* Fill *failure from errno, return -1.  steps_refused: the kernel refused the operation as such, which takes the op's
 * fact back.  steps_object: the object is at fault.  */
int steps_refused (struct steps *, const struct carry_op *, const char *detail);
int steps_object (struct steps *, const struct carry_op *, const char *detail);
void steps_fill (struct carry_failure *, uint32_t step, uint32_t fact, int errnum, const char *detail);

/* Does the kind need a mount namespace?  */
int steps_mounts (uint32_t kind);

/* Opens a rule's path and adds it to the ruleset.  0: done or skipped, -1: errno.  */
int steps_add_rule (int ruleset, const struct carry_op *);

/* steps-mounts.c */
int steps_root_read_only (struct steps *, size_t index);
int steps_bind (struct steps *, size_t index);
int steps_tmpfs (struct steps *, size_t index);
int steps_hide (struct steps *, size_t index);
/* After the last mount step: what was to be read-only becomes so.  */
int steps_seal (struct steps *);
int steps_set_attr (int mount, uint64_t attr); /* recursive, and private; -1: errno */
int steps_move (int mount, int target); /* -1: errno */
int steps_clone (int source); /* a recursive detached copy; -1: errno */
/* A new mount of a file system type, options as name, value, name, value, NULL.  attr: MOUNT_ATTR_*.  -1: errno.  */
int steps_new_mount (const char *type, const char *const *options, uint64_t attr);

const char *steps_decimal (uint64_t value, char text[24]); /* in text */

/* steps-system.c */
int steps_proc (struct steps *, size_t index);
int steps_dev (struct steps *, size_t index);

#endif
