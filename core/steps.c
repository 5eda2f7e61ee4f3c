/* SPDX-License-Identifier: Apache-2.0 */
/* The doing half of a plan: runs in a child that shares its parent's memory (CLONE_VM|CLONE_VFORK), before exec.  */
#include "config.h"

#include "core/steps-internal.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "core/sys.h"
#include "core/walk.h"

void
steps_fill (struct carry_failure *failure, uint32_t step, uint32_t fact, int errnum, const char *detail)
{
  size_t i = 0;

  failure->step = step;
  failure->fact = fact;
  failure->errnum = errnum;
  for (; detail && detail[i] && i + 1 < sizeof failure->detail; i++)
    failure->detail[i] = detail[i];
  failure->detail[i] = '\0';
}

int
steps_refused (struct steps *s, const struct carry_op *op, const char *detail)
{
  steps_fill (s->failure, op->kind, op->fact, errno, detail);
  return -1;
}

int
steps_object (struct steps *s, const struct carry_op *op, const char *detail)
{
  steps_fill (s->failure, op->kind, 0, errno, detail);
  return -1;
}

int
steps_mounts (uint32_t kind)
{
  return kind >= WEIR_STEP_ROOT_READ_ONLY && kind <= WEIR_STEP_DEV;
}

/* ---- Landlock ---- */

int
steps_add_rule (int ruleset, const struct carry_op *op)
{
  struct sys_landlock_path_beneath rule = { .access = op->flags };
  struct stat st;
  int result = -1, saved;
  /* Links in /dev are root's, and usual there.  Elsewhere a link without an identity to compare could be anybody's.  */
  int loose = strncmp (op->path, "/dev/", 5) == 0;
  int fd = loose ? walk_open_following (op->path) : walk_open (op->path);

  if (fd < 0)
    return (op->value & WEIR_OPTIONAL) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES) ? 0 : -1;
  if (walk_check (fd, op->dev, op->ino) == 0 && fstat (fd, &st) == 0) {
    if (!S_ISDIR (st.st_mode))
      rule.access &= SYS_LL_OF_FILES;
    rule.parent_fd = fd;
    result = 0;
    if (rule.access != 0)
      result = (int) syscall (SYS_landlock_add_rule, ruleset, SYS_LANDLOCK_PATH_BENEATH, &rule, 0u);
  }
  saved = errno;
  close (fd);
  errno = saved;
  return result;
}

/* ---- privileges ---- */

/* An exec as uid 0 gives what the bounding set holds, so that must become exactly the kept capabilities.  For others an
 * exec gives only what a file carries, which no-new-privileges stops; dropping forty of them would cost 60 us.  The
 * same where we may not change the set: there permitted capabilities are gone already, and it keeps exec from adding to
 * them.  */
static int
steps_bounding (uint64_t kept)
{
  int unable = geteuid () != 0 && getuid () != 0;

  for (int cap = 0; cap < 64 && !unable; cap++)
    if (!(kept >> cap & 1) && prctl (PR_CAPBSET_DROP, cap, 0, 0, 0)) {
      if (errno == EINVAL)
        break;
      if (errno != EPERM)
        return -1;
      unable = 1;
    }
  return unable ? prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) : 0;
}

static int
steps_capabilities (uint64_t kept)
{
  struct sys_cap_header header = { SYS_CAP_VERSION_3, 0 };
  struct sys_cap_data now[2];

  if (steps_bounding (kept))
    return -1;
  if (prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
    return -1;
  if (syscall (SYS_capget, &header, now))
    return -1;
  for (int i = 0; i < 2; i++) {
    now[i].permitted &= (uint32_t) (kept >> (32 * i));
    now[i].effective = now[i].permitted;
    now[i].inheritable = 0;
  }
  return (int) syscall (SYS_capset, &header, now);
}

static int
steps_seccomp (const struct carry *carry)
{
  struct sys_sock_fprog program = { (unsigned short) carry->filter_len, carry->filter };
  return (int) syscall (SYS_seccomp, SYS_SECCOMP_SET_MODE_FILTER, 0u, &program);
}

/* ---- limits ---- */

static int
steps_limit (uint64_t axis, uint64_t value)
{
  static const struct {
    uint64_t axis;
    int resource, spare; /* spare: how much the hard limit is above the soft one */
  } table[] = {
    { WEIR_AXIS_LIMIT_PROCESSES, RLIMIT_NPROC, 0 }, { WEIR_AXIS_LIMIT_MEMORY, RLIMIT_AS, 0 },
    { WEIR_AXIS_LIMIT_CPU, RLIMIT_CPU, 5 }, /* SIGXCPU, and SIGKILL for who ignores it */
    { WEIR_AXIS_LIMIT_FILES, RLIMIT_NOFILE, 0 },    { WEIR_AXIS_LIMIT_FILE_SIZE, RLIMIT_FSIZE, 0 },
  };
  struct rlimit limit;

  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].axis == axis) {
      if (getrlimit (table[i].resource, &limit))
        return -1;
      if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value + (uint64_t) table[i].spare)
        limit.rlim_max = value + (uint64_t) table[i].spare;
      limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
      return setrlimit (table[i].resource, &limit);
    }
  errno = EINVAL;
  return -1;
}

/* ---- network ---- */

static int
steps_loopback (void)
{
  struct ifreq request = { .ifr_name = "lo" };
  /* By the system call: ThreadSanitizer would take the number for one of the parent's, whose memory this is.  */
  int saved, result = -1, fd = (int) syscall (SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return -1;
  if (ioctl (fd, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags |= IFF_UP;
    result = ioctl (fd, SIOCSIFFLAGS, &request);
  }
  saved = errno;
  close (fd);
  errno = saved;
  return result;
}

/* ---- all of them ---- */

/* Steps that are one call and have no object.  */
static int
steps_simple (const struct carry *carry, const struct carry_op *op)
{
  switch (op->kind) {
  case WEIR_STEP_LANDLOCK_ENFORCE:
    return (int) syscall (SYS_landlock_restrict_self, op->fd, 0u);
  case WEIR_STEP_SECCOMP:
    return steps_seccomp (carry);
  case WEIR_STEP_NO_NEW_PRIVILEGES:
    return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  case WEIR_STEP_CAPABILITIES:
    return steps_capabilities (op->flags);
  case WEIR_STEP_LIMIT:
    return steps_limit (op->flags, op->value);
  case WEIR_STEP_LOOPBACK_UP:
    return steps_loopback ();
  default:
    errno = EINVAL;
    return -1;
  }
}

static int
steps_one (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];

  switch (op->kind) {
  case WEIR_STEP_ROOT_READ_ONLY:
    return steps_root_read_only (s, index);
  case WEIR_STEP_BIND:
    return steps_bind (s, index);
  case WEIR_STEP_TMPFS:
    return steps_tmpfs (s, index);
  case WEIR_STEP_HIDE:
    return steps_hide (s, index);
  case WEIR_STEP_PROC:
    return steps_proc (s, index);
  case WEIR_STEP_DEV:
    return steps_dev (s, index);
  case WEIR_STEP_LANDLOCK_RULE:
    return steps_add_rule (op->fd, op) ? steps_object (s, op, op->path) : 0;
  default:
    return steps_simple (s->carry, op) ? steps_refused (s, op, NULL) : 0;
  }
}

int
carry_do (const struct carry *carry, struct carry_failure *failure)
{
  struct steps s = { carry, failure, -1 };
  size_t mounts = 0; /* how many ops there are up to the last that mounts */

  for (size_t i = 0; i < carry->count; i++) {
    carry->scratch[i] = STEPS_EMPTY;
    if (steps_mounts (carry->ops[i].kind))
      mounts = i + 1;
  }
  for (size_t i = 0; i < carry->count; i++)
    if (steps_one (&s, i) || (i + 1 == mounts && steps_seal (&s)))
      return -1;
  return 0;
}
