/* SPDX-License-Identifier: Apache-2.0 */
/* The steps PROC and DEV.  */
#include "config.h"

#include "core/steps-internal.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/sys.h"
#include "core/walk.h"

static void
steps_close (int fd)
{
  int saved = errno;
  if (fd >= 0)
    close (fd);
  errno = saved;
}

/* ---- proc ---- */

/* Through the proc that shows our pid namespace.  Its number is that of the namespace from Linux 6.14 on; before, a user
 * namespace may not write it.  */
static int
steps_proc_pid_max (int fresh, uint64_t value)
{
  char text[24];
  const char *digits = steps_decimal (value, text);
  /* By the system call: ThreadSanitizer would take the number for one of the parent's, whose memory this is.  */
  int result, fd = (int) syscall (SYS_openat, fresh, "sys/kernel/pid_max", O_WRONLY | O_CLOEXEC, 0);

  if (fd < 0)
    return -1;
  result = write (fd, digits, strlen (digits)) < 0 ? -1 : 0;
  steps_close (fd);
  return result;
}

/* As uid 0 (mapped to itself) /proc/sys, /proc/irq, /proc/bus, /proc/sysrq-trigger and their like belong to us: their
 * modes do not stop a write that reaches the host.  No list of them is ever complete, so all of proc is read-only then;
 * what is lost are oom_score_adj, comm and the like of the command's own processes.  Reading kcore and kmsg asks for
 * capabilities of the host.  */
int
steps_proc (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];
  int failed = 0, fresh, target = walk_open ("/proc");

  if (target < 0)
    return steps_object (s, op, "/proc");
  fresh = steps_new_mount ("proc", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  if (fresh >= 0 && op->value != 0 && steps_proc_pid_max (fresh, op->value)) {
    failed = steps_refused (s, op, "/proc/sys/kernel/pid_max");
    s->failure->fact = WEIR_FACT_PID_LIMIT;
  } else if (fresh < 0 || (geteuid () == 0 && steps_set_attr (fresh, MOUNT_ATTR_RDONLY)) || steps_move (fresh, target)) {
    failed = steps_refused (s, op, "/proc");
  }
  steps_close (fresh);
  steps_close (target);
  return failed;
}

/* ---- dev ---- */

static const char *const dev_nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };
static const char *const dev_links[][2] = { { "fd", "/proc/self/fd" },
                                            { "stdin", "/proc/self/fd/0" },
                                            { "stdout", "/proc/self/fd/1" },
                                            { "stderr", "/proc/self/fd/2" },
                                            { "ptmx", "pts/ptmx" } };

/* Mounts are moved to names in the new directory, which is ours alone: nobody can put a link there.  */
static int
steps_dev_attach (int tree, int fresh, const char *name)
{
  int result =
      tree < 0 ? -1 : (int) syscall (SYS_move_mount, tree, "", fresh, name, (unsigned) MOVE_MOUNT_F_EMPTY_PATH);
  steps_close (tree);
  return result;
}

/* Devices work in the copy, although ROOT_READ_ONLY took that from what is copied.  */
static int
steps_dev_allow (int tree)
{
  struct sys_mount_attr change = { .clear = MOUNT_ATTR_NODEV };
  return (int) syscall (SYS_mount_setattr, tree, "", (unsigned) AT_EMPTY_PATH, &change, sizeof change);
}

static int
steps_dev_clone (int at, const char *name)
{
  return (int) syscall (SYS_open_tree, at, name,
                        (unsigned) (OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW));
}

/* A node of the host's /dev, bound; one that the host lacks is left out.  */
static int
steps_dev_node (int host, int fresh, const char *name)
{
  int tree = steps_dev_clone (host, name);

  if (tree < 0)
    return errno == ENOENT ? 0 : -1;
  if (steps_dev_allow (tree) || mknodat (fresh, name, S_IFREG | 0644, 0)) {
    steps_close (tree);
    return -1;
  }
  return steps_dev_attach (tree, fresh, name);
}

/* The terminal of our streams belongs to the host's devpts, so that nobody would find its name.  Bound here ttyname(3)
 * does. Failing to is no failure.  */
static void
steps_dev_console (int host, int fresh)
{
  char name[32] = "pts/", number[24];
  struct stat ours, theirs;
  int tree, fd = 0;

  while (fd <= 2 && (fstat (fd, &ours) || !S_ISCHR (ours.st_mode) || major (ours.st_rdev) != 136 /* UNIX98 slaves */))
    fd++;
  if (fd > 2)
    return;
  strcpy (name + 4, steps_decimal (minor (ours.st_rdev), number));
  tree = steps_dev_clone (host, name);
  if (tree >= 0 && fstat (tree, &theirs) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
      && steps_dev_allow (tree) == 0 && mknodat (fresh, "console", S_IFREG | 0600, 0) == 0)
    steps_dev_attach (tree, fresh, "console");
  else
    steps_close (tree);
}

static int
steps_dev_fill (int fresh)
{
  static const char *const pts_options[] = { "ptmxmode", "0666", "mode", "0620", NULL };

  for (size_t i = 0; i < sizeof dev_links / sizeof dev_links[0]; i++)
    if (symlinkat (dev_links[i][1], fresh, dev_links[i][0]))
      return -1;
  /* Only its own mount of shm stays writable when the directory is sealed.  */
  if (mkdirat (fresh, "shm", 0755) || fchmodat (fresh, "shm", 01777, 0)
      || steps_dev_attach (steps_dev_clone (fresh, "shm"), fresh, "shm"))
    return -1;
  return mkdirat (fresh, "pts", 0755)
                 || steps_dev_attach (steps_new_mount ("devpts", pts_options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC),
                                      fresh, "pts")
             ? -1
             : 0;
}

int
steps_dev (struct steps *s, size_t index)
{
  static const char *const options[] = { "mode", "0755", NULL };
  const struct carry_op *op = &s->carry->ops[index];
  int failed, fresh, host = walk_open ("/dev");

  if (host < 0)
    return steps_object (s, op, "/dev");
  fresh = steps_new_mount ("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  /* From a mount that is in no namespace yet nothing can be copied, so it is attached first.  host still names what is
   * beneath it.  */
  failed = fresh < 0 || steps_move (fresh, host);
  for (size_t i = 0; !failed && i < sizeof dev_nodes / sizeof dev_nodes[0]; i++)
    failed = steps_dev_node (host, fresh, dev_nodes[i]);
  if (failed || steps_dev_fill (fresh)) {
    steps_refused (s, op, "/dev");
    steps_close (fresh);
    steps_close (host);
    return -1;
  }
  steps_dev_console (host, fresh);
  s->carry->scratch[index] = fresh; /* steps_seal makes it read-only */
  close (host);
  return 0;
}
