/* SPDX-License-Identifier: Apache-2.0 */
#include "landlock-tiers.h"

#include <string.h>

#include "landlock-rights.h"

/* What ordinary work as root needs: CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID (linux/capability.h).  */
#define TIERS_ROOT_CAPABILITIES (UINT64_C (1) << 0 | UINT64_C (1) << 1 | UINT64_C (1) << 3 | UINT64_C (1) << 5 | UINT64_C (1) << 6 | UINT64_C (1) << 7)

static void
tiers_step (weir_plan *plan, uint32_t kind, uint64_t flags, uint64_t value, uint32_t fact)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = kind, .flags = flags, .value = value, .fact = fact };

  weir_plan_step (plan, &step);
}

/* ---- what both tiers end with -------------------------------------------------------------------- */

static const uint64_t tiers_limit_axes[]
  = { WEIR_AXIS_LIMIT_PROCESSES, WEIR_AXIS_LIMIT_MEMORY, WEIR_AXIS_LIMIT_CPU, WEIR_AXIS_LIMIT_FILES,
      WEIR_AXIS_LIMIT_FILE_SIZE };

/* The kernel does not reuse the first 300 numbers of a pid namespace (RESERVED_PIDS, kernel/pid.c), so that a pid_max of
 * LIMIT + 300 leaves LIMIT processes at any time, and allows 300 more at first.  0: the namespace cannot do this.  */
static uint64_t
tiers_pid_max (const weir_call *call, const struct weir_policy *policy)
{
  uint64_t limit = policy->limits == NULL ? 0 : policy->limits->processes;

  if (limit == 0 || limit > 4000000 || weir_fact (call, WEIR_FACT_UID) != 0 || weir_fact (call, WEIR_FACT_PID_LIMIT) == 0)
    return 0;
  return limit + 300;
}

/* pid_max: that of the command's pid namespace, 0: it has none of its own.  */
static void
tiers_limits (const weir_call *call, const struct weir_policy *policy, uint64_t pid_max, weir_plan *plan)
{
  const struct weir_limits *l = policy->limits;
  uint64_t values[5];

  if (l == NULL)
    return;
  values[0] = l->processes;
  values[1] = l->memory;
  values[2] = l->cpu;
  values[3] = l->files;
  values[4] = l->file_size;
  for (size_t i = 0; i < 5; i++)
    if (values[i] != 0) {
      tiers_step (plan, WEIR_STEP_LIMIT, tiers_limit_axes[i], values[i], 0);
      weir_plan_governs (plan, tiers_limit_axes[i]);
    }
  /* RLIMIT_NPROC does not bind uid 0 (kernel/fork.c: copy_process).  */
  if (l->processes != 0 && weir_fact (call, WEIR_FACT_UID) == 0 && pid_max == 0)
    weir_plan_gap (plan, WEIR_AXIS_LIMIT_PROCESSES, "the kernel does not hold uid 0 to a number of processes");
}

static void
tiers_end (const weir_call *call, const struct weir_policy *policy, uint64_t pid_max, weir_plan *plan, uint64_t seccomp)
{
  tiers_limits (call, policy, pid_max, plan);
  tiers_step (plan, WEIR_STEP_CAPABILITIES, weir_fact (call, WEIR_FACT_UID) == 0 ? TIERS_ROOT_CAPABILITIES : 0, 0, 0);
  tiers_step (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0, 0, 0);
  tiers_step (plan, WEIR_STEP_LANDLOCK_ENFORCE, 0, 0, 0);
  tiers_step (plan, WEIR_STEP_SECCOMP, seccomp, 0, WEIR_FACT_SECCOMP);
  tiers_step (plan, WEIR_STEP_SUPERVISE, 0, 0, 0);
  weir_plan_denial (plan, "read-only file system");
  weir_plan_denial (plan, "permission denied");
  weir_plan_denial (plan, "operation not permitted");
}

static void
tiers_scope_gaps (uint64_t abi, int own_pids, int own_network, weir_plan *plan)
{
  if (abi >= LANDLOCK_ABI_SCOPES)
    return;
  if (!own_network)
    weir_plan_gap (plan, WEIR_EFFECT_SOCKETS,
                   "this kernel's Landlock (ABI %u) cannot keep a command from abstract sockets of other processes",
                   (unsigned) abi);
  if (!own_pids)
    weir_plan_gap (plan, WEIR_EFFECT_PROCESSES, "this kernel's Landlock (ABI %u) cannot keep a command from signalling "
                                                "other processes of the same user", (unsigned) abi);
}

/* Metadata is held by mounts, and a descriptor brings the host's mount along.  */
static void
tiers_input_gap (weir_plan *plan)
{
  weir_plan_gap (plan, WEIR_EFFECT_DESCRIPTORS, "the mode and times of a file that is given as standard input, or lies beneath a "
                                                "directory that is, can be changed");
}

/* ---- rules -------------------------------------------------------------------------------------------- */

static void
tiers_rule (weir_plan *plan, const char *path, uint64_t dev, uint64_t ino, uint64_t rights, uint64_t optional)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_LANDLOCK_RULE, .path = path, .dev = dev,
                            .ino = ino, .flags = rights, .value = optional };

  weir_plan_step (plan, &step);
}

/* What a shell cannot do without.  where: 0, or WEIR_RULE_INSIDE for those of a private /dev.  */
static void
tiers_device_rules (weir_plan *plan, uint64_t where)
{
  static const char *const plain[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom" };
  static const char *const terminals[] = { "/dev/tty", "/dev/ptmx", "/dev/pts" };

  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    tiers_rule (plan, plain[i], 0, 0, LANDLOCK_WRITE_FILE, WEIR_OPTIONAL | where);
  for (size_t i = 0; i < sizeof terminals / sizeof terminals[0]; i++)
    tiers_rule (plan, terminals[i], 0, 0, LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV, WEIR_OPTIONAL | where);
}

/* The mounts hold the files, and these rules say the same once more, for two reasons.  A file that was inherited on a
 * descriptor for reading can be opened for writing through /proc/self/fd, by its own mount, which is the host's and
 * writable.  And a ruleset that handles anything of files denies moving between directories where no rule allows REFER.  */
static void
tiers_inside_rules (const weir_call *call, const struct weir_policy *policy, weir_plan *plan)
{
  for (size_t i = 0; i < policy->view_count; i++)
    if (policy->view[i]->access == WEIR_ACCESS_WRITE)
      tiers_rule (plan, policy->view[i]->host, policy->view[i]->dev, policy->view[i]->ino, LANDLOCK_WRITES, 0);
  tiers_device_rules (plan, WEIR_RULE_INSIDE);
  tiers_rule (plan, "/dev/console", 0, 0, LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV, WEIR_OPTIONAL | WEIR_RULE_INSIDE);
  tiers_rule (plan, "/dev/shm", 0, 0, LANDLOCK_WRITES, WEIR_RULE_INSIDE);
  if (weir_fact (call, WEIR_FACT_FRESH_PROC) != 0)
    tiers_rule (plan, "/proc", 0, 0, LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE, WEIR_RULE_INSIDE);
}

/* ---- with namespaces -------------------------------------------------------------------------------- */

static void
tiers_view (const struct weir_policy *policy, weir_plan *plan)
{
  for (size_t i = 0; i < policy->view_count; i++) {
    const struct weir_view *v = policy->view[i];
    struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_BIND, .path = v->host, .target = v->world,
                              .dev = v->dev, .ino = v->ino, .flags = WEIR_BIND_MAKE };

    if (v->access == WEIR_ACCESS_NONE) {
      step.kind = WEIR_STEP_HIDE;
      step.path = v->world;
      step.target = NULL;
      step.flags = v->is_dir ? 0 : 1;
      step.dev = step.ino = 0;
    }
    else if (v->access == WEIR_ACCESS_READ) {
      step.flags |= WEIR_BIND_READ_ONLY;
    }
    weir_plan_step (plan, &step);
  }
}

weir_status
tiers_with_namespaces (const weir_call *call, const struct weir_policy *policy, weir_plan *plan, weir_error **err)
{
  uint64_t abi = weir_fact (call, WEIR_FACT_LANDLOCK_ABI), pid_max = 0;
  int own_network = policy->network != WEIR_NETWORK_INHERIT;
  uint64_t namespaces = WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_IPC | (own_network ? WEIR_NS_NETWORK : 0);

  (void) err;
  tiers_step (plan, WEIR_STEP_NAMESPACES, namespaces, 0, WEIR_FACT_USER_NAMESPACES);
  tiers_step (plan, WEIR_STEP_ROOT_READ_ONLY, 0, 0, WEIR_FACT_USER_NAMESPACES);
  /* Without a fresh proc the old one stays, read-only, and Landlock's domain keeps the command from looking into
   * processes outside (security/landlock/task.c: hook_ptrace_access_check).  */
  if (weir_fact (call, WEIR_FACT_FRESH_PROC) != 0) {
    pid_max = tiers_pid_max (call, policy);
    tiers_step (plan, WEIR_STEP_PROC, 0, pid_max, WEIR_FACT_FRESH_PROC);
  }
  tiers_step (plan, WEIR_STEP_DEV, 0, 0, WEIR_FACT_USER_NAMESPACES);
  tiers_view (policy, plan);
  if (policy->network == WEIR_NETWORK_LOOPBACK)
    tiers_step (plan, WEIR_STEP_LOOPBACK_UP, 0, 0, 0);
  tiers_step (plan, WEIR_STEP_LANDLOCK_HANDLE, LANDLOCK_WRITES, abi >= LANDLOCK_ABI_SCOPES ? LANDLOCK_SCOPES : 0, 0);
  tiers_inside_rules (call, policy, plan);
  tiers_end (call, policy, pid_max, plan, WEIR_SECCOMP_BASE | WEIR_SECCOMP_SETID_BITS | WEIR_SECCOMP_OTHERS);

  weir_plan_governs (plan, (WEIR_EFFECTS_ALL & ~WEIR_EFFECT_SOCKETS) | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT
                             | WEIR_AXIS_PRIVATE_TMP | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK);
  weir_plan_gap (plan, WEIR_EFFECT_SOCKETS, "sockets that other processes have put into the file system stay connectable");
  tiers_scope_gaps (abi, 1, own_network, plan);
  tiers_input_gap (plan);
  return WEIR_OK;
}

/* ---- without them ---------------------------------------------------------------------------------------- */

/* Landlock only adds rights on the way down: what is beneath a writable root cannot be taken back.  */
static void
tiers_view_rules (const struct weir_policy *policy, weir_plan *plan)
{
  for (size_t i = 0; i < policy->view_count; i++) {
    const struct weir_view *v = policy->view[i];

    if (v->access != WEIR_ACCESS_WRITE)
      continue;
    tiers_rule (plan, v->host, v->dev, v->ino, LANDLOCK_WRITES, 0);
    if (v->flags & WEIR_VIEW_TMP)
      weir_plan_environment (plan, "TMPDIR", v->host);
  }
}

static void
tiers_kernel_gaps (uint64_t abi, weir_plan *plan)
{
  if (abi < LANDLOCK_ABI_TRUNCATE)
    weir_plan_gap (plan, WEIR_EFFECT_CONTENT, "this kernel's Landlock (ABI %u) does not govern truncation", (unsigned) abi);
  if (abi < LANDLOCK_ABI_IOCTL)
    weir_plan_gap (plan, WEIR_EFFECT_DEVICES, "this kernel's Landlock (ABI %u) does not govern device control", (unsigned) abi);
  tiers_scope_gaps (abi, 0, 0, plan);
}

/* A path that somebody asked to hide or to protect is not given up silently.  */
static weir_status
tiers_refuse_asked (const struct weir_policy *policy, weir_error **err)
{
  for (size_t i = 0; i < policy->view_count; i++) {
    const struct weir_view *v = policy->view[i];

    if ((v->access != WEIR_ACCESS_NONE && v->access != WEIR_ACCESS_READ)
        || (v->flags & (WEIR_VIEW_DERIVED | WEIR_VIEW_WORKSPACE)) != 0)
      continue;
    weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "'%s' (%s) cannot be %s without namespaces, and they are not used or refused here",
                    v->world, v->origin, v->access == WEIR_ACCESS_NONE ? "hidden" : "protected");
    return weir_error_hint (err, "allow user namespaces, or leave this path out");
  }
  return WEIR_OK;
}

weir_status
tiers_without_namespaces (const weir_call *call, const struct weir_policy *policy, weir_plan *plan, weir_error **err)
{
  uint64_t abi = weir_fact (call, WEIR_FACT_LANDLOCK_ABI);
  int no_network = policy->network == WEIR_NETWORK_NONE;
  int read_only = policy->mode == WEIR_MODE_READ_ONLY;
  weir_status status;
  uint64_t seccomp = WEIR_SECCOMP_BASE | WEIR_SECCOMP_SETID_BITS | WEIR_SECCOMP_OTHERS
                     | (no_network ? WEIR_SECCOMP_NETWORK : 0) | (read_only ? WEIR_SECCOMP_METADATA : 0);

  if (policy->network == WEIR_NETWORK_LOOPBACK) {
    weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "network = \"loopback\" needs a network namespace, and namespaces are not "
                                                "used or refused here");
    return weir_error_hint (err, "use network = \"none\" or \"inherit\", or allow user namespaces");
  }
  status = tiers_refuse_asked (policy, err);
  if (status != WEIR_OK)
    return status;
  tiers_step (plan, WEIR_STEP_LANDLOCK_HANDLE, LANDLOCK_WRITES, abi >= LANDLOCK_ABI_SCOPES ? LANDLOCK_SCOPES : 0, 0);
  tiers_view_rules (policy, plan);
  tiers_device_rules (plan, 0); /* not /dev/shm: on the host it is memory that outlives the command */
  tiers_end (call, policy, 0, plan, seccomp);

  weir_plan_governs (plan, (WEIR_EFFECTS_ALL & ~WEIR_EFFECT_SOCKETS & ~WEIR_EFFECT_METADATA) | WEIR_AXIS_NETWORK_NONE);
  if (read_only)
    weir_plan_governs (plan, WEIR_EFFECT_METADATA);
  else
    weir_plan_gap (plan, WEIR_EFFECT_METADATA, "without namespaces the mode, owner, times and attributes of files outside "
                                               "can be changed");
  weir_plan_gap (plan, WEIR_EFFECT_SOCKETS, "sockets that other processes have put into the file system stay connectable");
  weir_plan_gap (plan, WEIR_AXIS_PROTECT, "without namespaces protected paths inside writable roots are only checked afterwards");
  weir_plan_gap (plan, WEIR_AXIS_DENY_READ, "without namespaces hidden paths stay readable");
  weir_plan_gap (plan, WEIR_AXIS_PRIVATE_TMP, "without namespaces the private temporary directory is not seen as /tmp: "
                                              "TMPDIR names it");
  weir_plan_gap (plan, WEIR_EFFECT_PROCESSES, "without namespaces System V memory, semaphores and queues of other processes, and "
                                              "the names of their message queues, stay reachable");
  weir_plan_gap (plan, WEIR_EFFECT_DEVICES, "without namespaces other terminals of the same user can be written to");
  if (!read_only)
    tiers_input_gap (plan);
  tiers_kernel_gaps (abi, plan);
  return WEIR_OK;
}
