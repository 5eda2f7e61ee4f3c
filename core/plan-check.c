/* plan-check.c: is this a plan that can be carried out, and does it confine?  What the kernel would refuse anyway is
 * refused here, by name, before anything runs; what the kernel would accept although it cannot be meant is found
 * nowhere else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plan.h"

#define NS_ALL (WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_IPC | WEIR_NS_NETWORK | WEIR_NS_UTS | WEIR_NS_CGROUP)
#define BIND_ALL (WEIR_BIND_READ_ONLY | WEIR_BIND_OPTIONAL | WEIR_BIND_DEVICES | WEIR_BIND_MAKE)
#define SECCOMP_ALL ((UINT64_C (1) << WEIR_SECCOMP_GROUPS) - 1)
#define LIMIT_ALL                                                                                                      \
  (WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU | WEIR_AXIS_LIMIT_FILES                    \
   | WEIR_AXIS_LIMIT_FILE_SIZE)

#define STEP(kind) (UINT64_C (1) << (kind))
#define STEPS_OF_MOUNTS                                                                                                \
  (STEP (WEIR_STEP_ROOT_READ_ONLY) | STEP (WEIR_STEP_BIND) | STEP (WEIR_STEP_TMPFS) | STEP (WEIR_STEP_HIDE)            \
   | STEP (WEIR_STEP_PROC) | STEP (WEIR_STEP_DEV))
#define STEPS_WITH_PATH                                                                                                \
  (STEP (WEIR_STEP_BIND) | STEP (WEIR_STEP_TMPFS) | STEP (WEIR_STEP_HIDE) | STEP (WEIR_STEP_LANDLOCK_RULE))
#define STEPS_ONCE                                                                                                     \
  (STEP (WEIR_STEP_NAMESPACES) | STEP (WEIR_STEP_ROOT_READ_ONLY) | STEP (WEIR_STEP_PROC) | STEP (WEIR_STEP_DEV)        \
   | STEP (WEIR_STEP_LANDLOCK_HANDLE) | STEP (WEIR_STEP_LANDLOCK_ENFORCE) | STEP (WEIR_STEP_SECCOMP)                   \
   | STEP (WEIR_STEP_NO_NEW_PRIVILEGES) | STEP (WEIR_STEP_CAPABILITIES) | STEP (WEIR_STEP_LOOPBACK_UP)                 \
   | STEP (WEIR_STEP_SUPERVISE))
/* Steps of which one at least takes something from the command.  */
#define STEPS_THAT_CONFINE                                                                                             \
  (STEP (WEIR_STEP_ROOT_READ_ONLY) | STEP (WEIR_STEP_HIDE) | STEP (WEIR_STEP_LANDLOCK_ENFORCE)                         \
   | STEP (WEIR_STEP_SECCOMP))

struct checking {
  const weir_plan *plan;
  uint64_t world_steps;
  uint64_t seen; /* kinds so far */
  uint64_t namespaces;
  size_t index; /* of the step that is looked at */
  weir_error **err;
};

static weir_status wrong (const struct checking *, const char *, ...) __attribute__ ((format (printf, 2, 3)));

static weir_status
wrong (const struct checking *c, const char *fmt, ...)
{
  auto_strbuf struct strbuf rule = { 0 };
  const char *provider = c->plan->provider != NULL ? c->plan->provider : "the sandbox";
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&rule, fmt, ap);
  va_end (ap);
  if (rule.failed)
    return error_nomem (c->err);
  if (c->index < c->plan->step_count)
    return error_set (c->err, WEIR_E_PLUGIN, 0, "the plan of '%s' breaks a rule: step %zu (%s): %s", provider,
                      c->index + 1, plan_step_name (c->plan->steps[c->index].kind), rule.data);
  return error_set (c->err, WEIR_E_PLUGIN, 0, "the plan of '%s' breaks a rule: %s", provider, rule.data);
}

/* Absolute, and without "." or ".." or empty components, so that what is compared as text is what is opened.  */
static int
is_plain_path (const char *path)
{
  if (path == NULL || path[0] != '/')
    return 0;
  for (const char *p = path; *p == '/' && p[1] != '\0';) {
    size_t n = strcspn (++p, "/");

    if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
      return 0;
    p += n;
  }
  return path[1] == '\0' || path[strlen (path) - 1] != '/';
}

static weir_status
check_flags (const struct checking *c, const struct weir_step *s)
{
  switch (s->kind) {
  case WEIR_STEP_NAMESPACES:
    return (s->flags & ~(uint64_t) NS_ALL) != 0 ? wrong (c, "unknown namespaces") : WEIR_OK;
  case WEIR_STEP_BIND:
    return (s->flags & ~(uint64_t) BIND_ALL) != 0 ? wrong (c, "unknown flags") : WEIR_OK;
  case WEIR_STEP_TMPFS:
    return (s->flags & ~(uint64_t) WEIR_BIND_READ_ONLY) != 0 ? wrong (c, "unknown flags") : WEIR_OK;
  case WEIR_STEP_HIDE:
    return s->flags > 1 ? wrong (c, "unknown flags") : WEIR_OK;
  case WEIR_STEP_LANDLOCK_RULE:
    if (s->flags == 0)
      return wrong (c, "it allows nothing");
    return (s->value & ~(uint64_t) (WEIR_OPTIONAL | WEIR_RULE_INSIDE)) != 0 ? wrong (c, "unknown flags") : WEIR_OK;
  case WEIR_STEP_SECCOMP:
    return s->flags == 0 || (s->flags & ~SECCOMP_ALL) != 0 ? wrong (c, "no groups, or unknown ones") : WEIR_OK;
  case WEIR_STEP_LIMIT:
    return (s->flags & LIMIT_ALL) != s->flags || s->flags == 0 || (s->flags & (s->flags - 1)) != 0
               ? wrong (c, "it names no limit, or several")
               : WEIR_OK;
  default:
    return WEIR_OK;
  }
}

/* What must have come before it.  */
static weir_status
check_order (const struct checking *c, const struct weir_step *s)
{
  switch (s->kind) {
  case WEIR_STEP_NAMESPACES:
    return c->index != 0 ? wrong (c, "it is not the first step") : WEIR_OK;
  case WEIR_STEP_PROC:
    return (c->namespaces & WEIR_NS_PID) == 0 ? wrong (c, "the plan has no pid namespace") : WEIR_OK;
  case WEIR_STEP_LOOPBACK_UP:
    return (c->namespaces & WEIR_NS_NETWORK) == 0 ? wrong (c, "the plan has no network namespace") : WEIR_OK;
  case WEIR_STEP_LANDLOCK_RULE:
  case WEIR_STEP_LANDLOCK_ENFORCE:
    if ((c->seen & STEP (WEIR_STEP_LANDLOCK_HANDLE)) == 0)
      return wrong (c, "no rights were handled before");
    return s->kind == WEIR_STEP_LANDLOCK_RULE && (c->seen & STEP (WEIR_STEP_LANDLOCK_ENFORCE)) != 0
               ? wrong (c, "the rules are enforced already")
               : WEIR_OK;
  case WEIR_STEP_SUPERVISE:
    return c->index + 1 != c->plan->step_count ? wrong (c, "it is not the last step") : WEIR_OK;
  default:
    return WEIR_OK;
  }
}

static weir_status
check_step (const struct checking *c, const struct weir_step *s)
{
  weir_status status;

  if (s->kind == 0 || s->kind >= WEIR_STEP_COUNT_)
    return wrong (c, "there is no step of kind %u", s->kind);
  if ((c->world_steps & STEP (s->kind)) == 0)
    return wrong (c, "the world cannot carry it out");
  if ((c->seen & STEP (s->kind) & STEPS_ONCE) != 0)
    return wrong (c, "the plan has it twice");
  if (s->fact >= WEIR_FACT_COUNT_)
    return wrong (c, "there is no fact %u", s->fact);
  if ((STEPS_OF_MOUNTS & STEP (s->kind)) != 0 && (c->namespaces & WEIR_NS_MOUNT) == 0)
    return wrong (c, "the plan has no mount namespace");
  if ((STEPS_WITH_PATH & STEP (s->kind)) != 0 && !is_plain_path (s->path))
    return wrong (c, "'%s' is no plain absolute path", s->path != NULL ? s->path : "(none)");
  if (s->target != NULL && !is_plain_path (s->target))
    return wrong (c, "'%s' is no plain absolute path", s->target);
  status = check_flags (c, s);
  return status == WEIR_OK ? check_order (c, s) : status;
}

static weir_status
check_steps (struct checking *c)
{
  for (c->index = 0; c->index < c->plan->step_count; c->index++) {
    const struct weir_step *s = &c->plan->steps[c->index];
    weir_status status = check_step (c, s);

    if (status != WEIR_OK)
      return status;
    if (s->kind == WEIR_STEP_NAMESPACES)
      c->namespaces = s->flags;
    c->seen |= STEP (s->kind);
  }
  return WEIR_OK;
}

/* The steps as a whole.  */
static weir_status
check_seen (const struct checking *c)
{
  if ((c->seen & STEP (WEIR_STEP_LANDLOCK_HANDLE)) != 0 && (c->seen & STEP (WEIR_STEP_LANDLOCK_ENFORCE)) == 0)
    return wrong (c, "access rules are made and never enforced");
  /* Without it a set-user-ID program would leave the confinement, or the kernel refuses the filter.  */
  if ((c->seen & (STEP (WEIR_STEP_LANDLOCK_ENFORCE) | STEP (WEIR_STEP_SECCOMP))) != 0
      && (c->seen & STEP (WEIR_STEP_NO_NEW_PRIVILEGES)) == 0)
    return wrong (c, "it confines without giving up new privileges");
  if ((c->namespaces & WEIR_NS_PID) != 0 && c->plan->runner == NULL && (c->seen & STEP (WEIR_STEP_SUPERVISE)) == 0)
    return wrong (c, "its pid namespace has no supervisor");
  if (c->plan->runner == NULL && (c->seen & STEPS_THAT_CONFINE) == 0)
    return wrong (c, "it has neither a runner nor a step that confines");
  return WEIR_OK;
}

static weir_status
check_runner (const struct checking *c)
{
  const weir_plan *plan = c->plan;

  if (plan->runner == NULL)
    return plan->runner_arguments.count > 0 || plan->inner_init
               ? wrong (c, "it has arguments of a runner and no runner")
               : WEIR_OK;
  if (!is_plain_path (plan->runner))
    return wrong (c, "the runner '%s' is no plain absolute path", plan->runner);
  if (plan->inner_init && (c->seen & STEP (WEIR_STEP_SUPERVISE)) != 0)
    return wrong (c, "it is supervised twice, inside the runner and around it");
  return WEIR_OK;
}

static weir_status
check_fds (const struct checking *c)
{
  for (size_t i = 0; i < c->plan->fd_count; i++) {
    const struct plan_fd *fd = &c->plan->fds[i];

    if (fd->purpose < WEIR_FD_STATUS_JSON || fd->purpose > WEIR_FD_HARNESS)
      return wrong (c, "descriptor %d has the unknown purpose %u", fd->number, fd->purpose);
    if (fd->purpose == WEIR_FD_PATH && !is_plain_path (fd->path))
      return wrong (c, "descriptor %d is of '%s', which is no plain absolute path", fd->number,
                    fd->path != NULL ? fd->path : "(none)");
    if (fd->purpose == WEIR_FD_DATA && fd->path == NULL)
      return wrong (c, "descriptor %d has no data", fd->number);
    if (fd->purpose == WEIR_FD_SECCOMP && (fd->value == 0 || (fd->value & ~SECCOMP_ALL) != 0))
      return wrong (c, "descriptor %d is of no groups of system calls, or of unknown ones", fd->number);
    if (c->plan->runner == NULL)
      return wrong (c, "it passes descriptor %d and has no runner", fd->number);
  }
  return WEIR_OK;
}

static weir_status
check_command (const struct checking *c)
{
  const weir_plan *plan = c->plan;

  if (plan->argv.count == 0 || plan->argv.items[0][0] != '/')
    return error_set (c->err, WEIR_E_INVALID, 0, "the command's program '%s' is no absolute path",
                      plan->argv.count > 0 ? plan->argv.items[0] : "(none)");
  if (plan->cwd == NULL || plan->cwd[0] != '/')
    return error_set (c->err, WEIR_E_INVALID, 0, "the command's directory '%s' is no absolute path",
                      plan->cwd != NULL ? plan->cwd : "(none)");
  return WEIR_OK;
}

weir_status
plan_check (const weir_plan *plan, uint64_t world_steps, weir_error **err)
{
  struct checking c = { .plan = plan, .world_steps = world_steps, .index = SIZE_MAX, .err = err };
  weir_status status;

  if (plan->sticky != NULL) {
    weir_status code = weir_error_code (plan->sticky);

    return code == WEIR_E_NOMEM
               ? error_nomem (err)
               : error_set (err, code, 0, "the plan of '%s' breaks a rule: %s",
                            plan->provider != NULL ? plan->provider : "the sandbox", weir_error_message (plan->sticky));
  }
  status = check_command (&c);
  if (status == WEIR_OK)
    status = check_steps (&c);
  c.index = SIZE_MAX;
  if (status == WEIR_OK)
    status = check_seen (&c);
  if (status == WEIR_OK)
    status = check_runner (&c);
  if (status == WEIR_OK)
    status = check_fds (&c);
  if (status == WEIR_OK && plan->governs == 0)
    status = wrong (&c, "it governs nothing");
  return status;
}

uint64_t
plan_missing (const weir_plan *plan, uint64_t promised, uint64_t axes)
{
  uint64_t gaps = 0;

  for (size_t i = 0; i < plan->gap_count; i++)
    gaps |= plan->gaps[i].bits;
  return (promised | axes) & (~plan->governs | gaps);
}
