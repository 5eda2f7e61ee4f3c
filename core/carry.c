/* SPDX-License-Identifier: Apache-2.0 */
/* The preparing half of a plan, in the parent: order checked, Landlock ruleset built, program found.  And reading an
 * encoded plan.  Nothing of the core is used but what the static launcher has too.  */
#include "config.h"

#include "core/carry.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan-encoding.h"
#include "core/steps-internal.h"
#include "core/sys.h"

static int
carry_fail (struct carry_failure *failure, const struct weir_step *step, int fact, int errnum, const char *detail)
{
  steps_fill (failure, step->kind, fact ? step->fact : 0, errnum, detail);
  return -1;
}

/* ---- what may stand where ---- */

static int
carry_needs_path (uint32_t kind)
{
  return kind == WEIR_STEP_BIND || kind == WEIR_STEP_TMPFS || kind == WEIR_STEP_HIDE || kind == WEIR_STEP_LANDLOCK_RULE;
}

/* The namespaces without which a step would act on the host.  */
static uint64_t
carry_needs_namespaces (uint32_t kind)
{
  if (kind == WEIR_STEP_PROC)
    return WEIR_NS_MOUNT | WEIR_NS_PID;
  if (kind == WEIR_STEP_LOOPBACK_UP)
    return WEIR_NS_NETWORK;
  return steps_mounts (kind) ? WEIR_NS_MOUNT : 0;
}

static int
carry_well_formed (const struct carry *c, const struct weir_step *step, size_t index, size_t count)
{
  uint64_t needed = carry_needs_namespaces (step->kind);

  if (step->kind == 0 || step->kind >= WEIR_STEP_COUNT_)
    return 0;
  if (step->kind == WEIR_STEP_NAMESPACES && index != 0)
    return 0;
  if (step->kind == WEIR_STEP_SUPERVISE && index + 1 != count)
    return 0;
  if (carry_needs_path (step->kind) && (!step->path || step->path[0] != '/'))
    return 0;
  if (step->target && step->target[0] != '/')
    return 0;
  return (c->namespaces & needed) == needed;
}

/* ---- Landlock ---- */

struct carry_ruleset {
  int fd; /* -1: none is being built */
  uint64_t fs;
};

static int
carry_handle (const struct weir_step *step, unsigned abi, struct carry_ruleset *ruleset, struct carry_failure *failure)
{
  struct sys_landlock_ruleset attr = {
    .fs = step->flags & sys_landlock_fs (abi),
    .net = (step->value & UINT32_MAX) & sys_landlock_net (abi),
    .scoped = (step->value >> 32) & sys_landlock_scopes (abi),
  };
  size_t size = attr.scoped ? SYS_LANDLOCK_RULESET_SCOPED
                : attr.net  ? SYS_LANDLOCK_RULESET_NET
                            : SYS_LANDLOCK_RULESET_FS;

  if (ruleset->fd >= 0)
    return carry_fail (failure, step, 0, EINVAL, NULL);
  if (!attr.fs && !attr.net && !attr.scoped) /* nothing that was asked is known to this kernel */
    return carry_fail (failure, step, 1, EOPNOTSUPP, NULL);
  ruleset->fs = attr.fs;
  ruleset->fd = (int) syscall (SYS_landlock_create_ruleset, &attr, size, 0u); /* close-on-exec by itself */
  return ruleset->fd < 0 ? carry_fail (failure, step, 1, errno, NULL) : 0;
}

/* ---- prepare ---- */

/* An op of its own unless everything was done here: 1, 0, or -1 with *failure filled.  */
static int
carry_step (struct carry *c, const struct weir_step *step, unsigned abi, struct carry_ruleset *ruleset,
            struct carry_op *op, struct carry_failure *failure)
{
  *op = (struct carry_op){ .kind = step->kind,
                           .fact = step->fact,
                           .flags = step->flags,
                           .value = step->value,
                           .dev = step->dev,
                           .ino = step->ino,
                           .path = step->path,
                           .target = step->target,
                           .fd = -1 };
  switch (step->kind) {
  case WEIR_STEP_NAMESPACES:
    c->namespaces = step->flags;
    c->has_namespaces = 1;
    return 0;
  case WEIR_STEP_SUPERVISE:
    c->supervise = 1;
    return 0;
  case WEIR_STEP_LANDLOCK_HANDLE:
    return carry_handle (step, abi, ruleset, failure);
  case WEIR_STEP_LANDLOCK_RULE:
    op->flags &= ruleset->fs;
    op->fd = ruleset->fd;
    if (ruleset->fd < 0)
      return carry_fail (failure, step, 0, EINVAL, step->path);
    if (op->flags == 0) /* nothing left that is handled; the kernel calls that ENOMSG */
      return 0;
    if (op->value & WEIR_RULE_INSIDE)
      return 1;
    return steps_add_rule (ruleset->fd, op) ? carry_fail (failure, step, 0, errno, step->path) : 0;
  case WEIR_STEP_LANDLOCK_ENFORCE:
    op->fd = ruleset->fd;
    if (ruleset->fd < 0)
      return carry_fail (failure, step, 0, EINVAL, NULL);
    ruleset->fd = -1; /* the op's now */
    return 1;
  case WEIR_STEP_SECCOMP:
    if (c->filter)
      return carry_fail (failure, step, 0, EINVAL, NULL);
    c->filter = filter_program (step->flags, &c->filter_len);
    return c->filter ? 1 : carry_fail (failure, step, 0, EINVAL, NULL);
  default:
    return 1;
  }
}

int
carry_prepare (const struct weir_step *steps, size_t count, unsigned landlock_abi, struct carry *c,
               struct carry_failure *failure)
{
  struct carry_ruleset ruleset = { -1, 0 };
  struct carry_op op;

  memset (c, 0, sizeof *c);
  memset (failure, 0, sizeof *failure);
  c->ops = calloc (count + 1, sizeof *c->ops);
  c->scratch = calloc (count + 1, sizeof *c->scratch);
  if (!c->ops || !c->scratch) {
    carry_free (c);
    steps_fill (failure, WEIR_STAGE_CLONE, 0, ENOMEM, NULL);
    return -1;
  }
  for (size_t i = 0; i < count; i++) {
    int kept = carry_well_formed (c, &steps[i], i, count)
                   ? carry_step (c, &steps[i], landlock_abi, &ruleset, &op, failure)
                   : carry_fail (failure, &steps[i], 0, EINVAL, steps[i].path);
    if (kept < 0)
      goto fail;
    if (kept)
      c->ops[c->count++] = op;
  }
  if (ruleset.fd < 0)
    return 0;
  /* A ruleset that nothing enforces.  */
  steps_fill (failure, WEIR_STEP_LANDLOCK_HANDLE, 0, EINVAL, NULL);
fail:
  if (ruleset.fd >= 0)
    close (ruleset.fd);
  carry_free (c);
  return -1;
}

void
carry_free (struct carry *c)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->ops[i].kind == WEIR_STEP_LANDLOCK_ENFORCE)
      close (c->ops[i].fd);
  free (c->ops);
  free (c->scratch);
  memset (c, 0, sizeof *c);
}

/* ---- decode ---- */

/* A string of a step.  0: *string is set (NULL for offset 0), -1: not within the strings, or not of that length.  */
static int
carry_string (const unsigned char *bytes, size_t size, size_t behind_steps, const unsigned char *at,
              const char **string)
{
  uint64_t offset = plan_encoding_get32 (at), length = plan_encoding_get32 (at + 4);

  *string = NULL;
  if (offset == 0)
    return length == 0 ? 0 : -1;
  if (offset < behind_steps || offset + length >= size || bytes[offset + length] != '\0'
      || memchr (bytes + offset, '\0', length))
    return -1;
  *string = (const char *) bytes + offset;
  return 0;
}

int
carry_decode (const void *data, size_t size, struct weir_step **steps, size_t *count)
{
  const unsigned char *bytes = data;
  struct weir_step *made;
  size_t n, behind;

  if (size < PLAN_ENCODING_HEADER || size > PLAN_ENCODING_MAX_SIZE
      || memcmp (bytes, PLAN_ENCODING_MAGIC, PLAN_ENCODING_MAGIC_SIZE) != 0
      || plan_encoding_get32 (bytes + 8) != PLAN_ENCODING_VERSION || plan_encoding_get32 (bytes + 12) != size
      || plan_encoding_get32 (bytes + 20) != 0)
    return -1;
  n = plan_encoding_get32 (bytes + 16);
  if (n > PLAN_ENCODING_MAX_STEPS || PLAN_ENCODING_HEADER + n * PLAN_ENCODING_STEP > size)
    return -1;
  behind = PLAN_ENCODING_HEADER + n * PLAN_ENCODING_STEP;
  made = calloc (n + 1, sizeof *made);
  if (!made)
    return -1;
  for (size_t i = 0; i < n; i++) {
    const unsigned char *at = bytes + PLAN_ENCODING_HEADER + i * PLAN_ENCODING_STEP;
    made[i] = (struct weir_step){ .struct_size = sizeof *made,
                                  .kind = plan_encoding_get32 (at),
                                  .fact = plan_encoding_get32 (at + 4),
                                  .flags = plan_encoding_get64 (at + 8),
                                  .dev = plan_encoding_get64 (at + 16),
                                  .ino = plan_encoding_get64 (at + 24),
                                  .value = plan_encoding_get64 (at + 32) };
    if (carry_string (bytes, size, behind, at + 40, &made[i].path)
        || carry_string (bytes, size, behind, at + 48, &made[i].target)) {
      free (made);
      return -1;
    }
  }
  *steps = made;
  *count = n;
  return 0;
}
