/* plan-words.c: what the numbers of a plan are called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plan-words.h"

#include "core/policy.h"
#include "core/units.h"

static const char *const step_names[] = {
  [WEIR_STEP_NAMESPACES] = "namespaces",
  [WEIR_STEP_ROOT_READ_ONLY] = "read-only root",
  [WEIR_STEP_BIND] = "bind",
  [WEIR_STEP_TMPFS] = "tmpfs",
  [WEIR_STEP_HIDE] = "hide",
  [WEIR_STEP_PROC] = "fresh /proc",
  [WEIR_STEP_DEV] = "private /dev",
  [WEIR_STEP_LANDLOCK_HANDLE] = "access rules",
  [WEIR_STEP_LANDLOCK_RULE] = "access rule",
  [WEIR_STEP_LANDLOCK_ENFORCE] = "enforce access rules",
  [WEIR_STEP_SECCOMP] = "system call filter",
  [WEIR_STEP_NO_NEW_PRIVILEGES] = "no new privileges",
  [WEIR_STEP_CAPABILITIES] = "capabilities",
  [WEIR_STEP_LIMIT] = "limit",
  [WEIR_STEP_LOOPBACK_UP] = "loopback up",
  [WEIR_STEP_SUPERVISE] = "supervise",
};

static const char *const stage_names[] = {
  "clone", "standard streams", "working directory", "execute the command", "execute the runner", "init"
};

/* Names of bits 0, 1, 2...  */
static const char *const namespace_names[] = { "mount", "pid", "ipc", "network", "uts", "cgroup" };
static const char *const bind_names[] = { "read-only", "optional", "devices", "made when missing" };
static const char *const right_names[] = { "execute",    "write_file",  "read_file", "read_dir",
                                           "remove_dir", "remove_file", "make_char", "make_dir",
                                           "make_reg",   "make_sock",   "make_fifo", "make_block",
                                           "make_sym",   "refer",       "truncate",  "ioctl_dev" };
static const char *const rule_names[] = { "optional", "opened inside" };
static const char *const net_names[] = { "bind_tcp", "connect_tcp" };
static const char *const scope_names[] = { "scope abstract_unix_socket", "scope signal" };
static const char *const group_names[] = { "base",      "set-id bits",    "metadata", "unix sockets", "network sockets",
                                           "fast open", "other processes" };
/* clang-format off */
static const char *const capability_names[] = {
  "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill",
  "setgid", "setuid", "setpcap", "linux_immutable", "net_bind_service", "net_broadcast",
  "net_admin", "net_raw", "ipc_lock", "ipc_owner", "sys_module", "sys_rawio",
  "sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
  "sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write",
  "audit_control", "setfcap", "mac_override", "mac_admin", "syslog", "wake_alarm",
  "block_suspend", "audit_read", "perfmon", "bpf", "checkpoint_restore",
};
/* clang-format on */
static const char *const purpose_names[] = {
  [WEIR_FD_STATUS_JSON] = "status",
  [WEIR_FD_SECCOMP] = "system call filter",
  [WEIR_FD_PATH] = "path",
  [WEIR_FD_INIT] = "init",
  [WEIR_FD_REPORT] = "report of the init",
  [WEIR_FD_DATA] = "data",
  [WEIR_FD_HARNESS] = "this process",
};

const char *
plan_step_name (uint32_t kind)
{
  if (kind >= WEIR_STAGE_CLONE && kind - WEIR_STAGE_CLONE < ARRAY_SIZE (stage_names))
    return stage_names[kind - WEIR_STAGE_CLONE];
  return kind < ARRAY_SIZE (step_names) && step_names[kind] != NULL ? step_names[kind] : "unknown";
}

const char *
words_purpose (uint32_t purpose)
{
  return purpose < ARRAY_SIZE (purpose_names) && purpose_names[purpose] != NULL ? purpose_names[purpose] : "unknown";
}

/* A bit without a name is shown as its number: a plan hides nothing.  */
static void
words_of_table (uint64_t bits, const char *const *names, size_t count, struct strv *words)
{
  for (unsigned i = 0; i < 64; i++) {
    if ((bits >> i & 1) == 0)
      continue;
    if (i < count)
      strv_add (words, names[i]);
    else
      strv_fmt (words, "bit %u", i);
  }
}
#define WORDS_OF(bits, table, words) words_of_table ((bits), (table), ARRAY_SIZE (table), (words))

void
words_of_bits (uint64_t bits, struct strv *words)
{
  for (unsigned i = 0; i < 64; i++)
    if ((bits >> i & 1) != 0)
      strv_add (words, policy_bit_name (UINT64_C (1) << i));
}

void
words_of_groups (uint64_t groups, struct strv *words)
{
  WORDS_OF (groups, group_names, words);
}

static void
words_of_limit (const struct weir_step *s, struct strv *words)
{
  char size[32];

  units_print_size (s->value, size);
  switch (s->flags) {
  case WEIR_AXIS_LIMIT_MEMORY:
    strv_fmt (words, "memory %s", size);
    break;
  case WEIR_AXIS_LIMIT_FILE_SIZE:
    strv_fmt (words, "file size %s", size);
    break;
  case WEIR_AXIS_LIMIT_CPU:
    strv_fmt (words, "cpu %llus", (unsigned long long) s->value);
    break;
  default:
    strv_fmt (words, "%s %llu",
              s->flags == WEIR_AXIS_LIMIT_PROCESSES ? "processes"
              : s->flags == WEIR_AXIS_LIMIT_FILES   ? "files"
                                                    : "unknown",
              (unsigned long long) s->value);
  }
}

void
words_of_step (const struct weir_step *s, struct strv *words)
{
  char size[32];

  switch (s->kind) {
  case WEIR_STEP_NAMESPACES:
    strv_add (words, "user");
    WORDS_OF (s->flags, namespace_names, words);
    break;
  case WEIR_STEP_PROC:
    if (s->value != 0)
      strv_fmt (words, "pid_max %llu", (unsigned long long) s->value);
    break;
  case WEIR_STEP_BIND:
    if ((s->flags & WEIR_BIND_READ_ONLY) == 0)
      strv_add (words, "writable");
    WORDS_OF (s->flags, bind_names, words);
    break;
  case WEIR_STEP_TMPFS:
    WORDS_OF (s->flags, bind_names, words);
    units_print_size (s->value, size);
    strv_fmt (words, "size %s", size);
    break;
  case WEIR_STEP_HIDE:
    strv_add (words, s->flags == 1 ? "file" : "directory");
    break;
  case WEIR_STEP_LANDLOCK_HANDLE:
    WORDS_OF (s->flags, right_names, words);
    WORDS_OF (s->value & UINT32_MAX, net_names, words);
    WORDS_OF (s->value >> 32, scope_names, words);
    break;
  case WEIR_STEP_LANDLOCK_RULE:
    WORDS_OF (s->flags, right_names, words);
    WORDS_OF (s->value, rule_names, words);
    break;
  case WEIR_STEP_SECCOMP:
    words_of_groups (s->flags, words);
    break;
  case WEIR_STEP_CAPABILITIES:
    WORDS_OF (s->flags, capability_names, words);
    if (s->flags == 0)
      strv_add (words, "none");
    break;
  case WEIR_STEP_LIMIT:
    words_of_limit (s, words);
    break;
  default:
    break;
  }
}
