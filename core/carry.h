/* Carrying out the steps of a plan.  Two halves: preparing (opens, checks identities, builds the ruleset; may allocate)
 * and doing (in the half-made child: async-signal-safe, no allocation, reports the step and errno that failed).
 *
 * These files (carry.c, steps.c, filter.c) are compiled into libweir and, with musl, into weir-landlock-run; they
 * include nothing of the core but this header and util.h-free C.  */
#ifndef WEIR_CORE_CARRY_H
#define WEIR_CORE_CARRY_H

#include <stddef.h>
#include <stdint.h>
#include <weir/plugin.h>

struct carry_failure {
  uint32_t step; /* WEIR_STEP_* or WEIR_STAGE_* */
  int32_t errnum;
  uint32_t fact; /* WEIR_FACT_* to take back, 0: none */
  char detail[256]; /* the object: a path */
};

/* One prepared operation.  Descriptors are close-on-exec and belong to the program.  */
struct carry_op {
  uint32_t kind;
  uint32_t fact;
  uint64_t flags, value, dev, ino;
  const char *path, *target; /* borrowed from the plan */
  int fd; /* landlock ruleset; -1 */
};
struct carry {
  struct carry_op *ops;
  size_t count;
  uint64_t namespaces; /* WEIR_NS_* of the NAMESPACES step; 0: none (no user namespace) */
  int has_namespaces;
  int supervise; /* a SUPERVISE step is there */
  const void *filter; /* struct sock_filter array of the SECCOMP step, static bytes */
  size_t filter_len; /* instructions */
  int *scratch; /* a descriptor for each op, written by the child: one child at a time */
};

/* 0, or -1 with *failure filled.  landlock_abi: of the running kernel.  Refuses (EINVAL) a plan whose steps are not in
 * a possible order, and one that mounts without WEIR_NS_MOUNT, since that would change the host.
 *
 * A failure takes a fact back only when the kernel refused the operation as such; an object that is absent,
 * unreachable, or not what it was (ESTALE) says nothing about the host, and its fact is 0.  */
int carry_prepare (const struct weir_step *, size_t count, unsigned landlock_abi, struct carry *,
                   struct carry_failure *);
void carry_free (struct carry *);
/* In the child.  NAMESPACES and SUPERVISE are the caller's.  0, or -1 with *failure filled.  */
int carry_do (const struct carry *, struct carry_failure *);
/* Steps from the bytes of plan_encode; strings point into bytes.  -1: malformed.  */
int carry_decode (const void *bytes, size_t size, struct weir_step **steps, size_t *count);

/* filter.c: the finished seccomp program for a set of WEIR_SECCOMP_* groups, made at build time by tools/filter-gen.c
 * with libseccomp (binary tree).  NULL: no such combination.  Instructions are 8 bytes each.  */
const void *filter_program (uint64_t groups, size_t *instructions);

/* Raw system calls and constants that old headers lack: sys.h.  */
#endif
