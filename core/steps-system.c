/* SPDX-License-Identifier: Apache-2.0 */
/* The steps PROC and DEV.  */
#include "config.h"

#include "core/steps-internal.h"

#include <string.h>
#include <sys/stat.h>

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

/* Beneath at, without following a link.  */
static int
steps_beneath (int at, const char *name)
{
  return openat (at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- proc ---- */

/* As uid 0 (mapped to itself) these belong to us, and modes alone do not stop a write that reaches the host.  */
static const char *const proc_read_only[] = { "sys", "irq", "bus", "fs", "acpi", "scsi", "sysrq-trigger", "mtrr", "asound" };
static const char *const proc_hidden[] = { "kcore", "kmsg", "keys", "timer_list", "sched_debug" };

static int
steps_proc_read_only (int proc, const char *name)
{
  int result = -1, tree = -1, target = steps_beneath (proc, name);

  if (target < 0)
    return errno == ENOENT ? 0 : -1;
  tree = steps_clone (target);
  if (tree >= 0 && steps_set_attr (tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC) == 0)
    result = steps_move (tree, target);
  steps_close (tree);
  steps_close (target);
  return result;
}

static int
steps_proc_hide (struct steps *s, int proc, const char *name)
{
  struct stat st;
  int result = -1, target = steps_beneath (proc, name);

  if (target < 0)
    return errno == ENOENT ? 0 : -1;
  if (fstat (target, &st) == 0)
    result = steps_cover (s, target, S_ISDIR (st.st_mode));
  steps_close (target);
  return result;
}

int
steps_proc (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];
  int failed = -1, fresh = -1, target = walk_open ("/proc");

  if (target < 0)
    return steps_object (s, op, "/proc");
  fresh = steps_new_mount ("proc", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  if (fresh < 0 || steps_move (fresh, target)) {
    steps_refused (s, op, "/proc");
    goto out;
  }
  for (size_t i = 0; i < sizeof proc_read_only / sizeof proc_read_only[0]; i++)
    if (steps_proc_read_only (fresh, proc_read_only[i])) {
      steps_refused (s, op, proc_read_only[i]);
      goto out;
    }
  for (size_t i = 0; i < sizeof proc_hidden / sizeof proc_hidden[0]; i++)
    if (steps_proc_hide (s, fresh, proc_hidden[i])) {
      steps_refused (s, op, proc_hidden[i]);
      goto out;
    }
  failed = 0;
out:
  steps_close (fresh);
  steps_close (target);
  return failed;
}

/* ---- dev ---- */

static const char *const dev_nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };
#define DEV_NODES (sizeof dev_nodes / sizeof dev_nodes[0])
static const char *const dev_links[][2] = { { "fd", "/proc/self/fd" },       { "stdin", "/proc/self/fd/0" },
                                            { "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
                                            { "ptmx", "pts/ptmx" } };

/* A copy of each node of the host's /dev; absent ones stay -1.  */
static int
steps_dev_clone (int host, int nodes[DEV_NODES])
{
  for (size_t i = 0; i < DEV_NODES; i++) {
    int node = steps_beneath (host, dev_nodes[i]);
    if (node < 0 && errno != ENOENT)
      return -1;
    if (node < 0)
      continue;
    nodes[i] = steps_clone (node);
    steps_close (node);
    if (nodes[i] < 0)
      return -1;
  }
  return 0;
}

/* Mount points and links, in the new directory before anybody sees it.  */
static int
steps_dev_fill (int fresh, const int nodes[DEV_NODES])
{
  for (size_t i = 0; i < DEV_NODES; i++) {
    if (nodes[i] < 0)
      continue;
    int file = openat (fresh, dev_nodes[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
      return -1;
    close (file);
  }
  for (size_t i = 0; i < sizeof dev_links / sizeof dev_links[0]; i++)
    if (symlinkat (dev_links[i][1], fresh, dev_links[i][0]))
      return -1;
  return mkdirat (fresh, "pts", 0755) || mkdirat (fresh, "shm", 0755) ? -1 : 0;
}

static int
steps_dev_attach (int fresh, const char *name, int tree)
{
  int result = -1, target = steps_beneath (fresh, name);

  if (target >= 0)
    result = steps_move (tree, target);
  steps_close (target);
  return result;
}

static int
steps_dev_mount (int fresh, const char *name, const char *type, const char *const *options, uint64_t attr)
{
  int result = -1, target = steps_beneath (fresh, name);

  if (target >= 0)
    result = steps_attach_new (type, options, attr, target);
  steps_close (target);
  return result;
}

int
steps_dev (struct steps *s, size_t index)
{
  static const char *const dev_options[] = { "mode", "0755", "size", "64k", NULL };
  static const char *const pts_options[] = { "ptmxmode", "0666", "mode", "0620", NULL };
  static const char *const shm_options[] = { "mode", "1777", NULL };
  const struct carry_op *op = &s->carry->ops[index];
  int nodes[DEV_NODES] = { -1, -1, -1, -1, -1, -1 };
  int failed = -1, fresh = -1, host = walk_open ("/dev");
  const char *detail = "/dev";

  if (host < 0)
    return steps_object (s, op, "/dev");
  fresh = steps_new_mount ("tmpfs", dev_options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  if (fresh < 0 || steps_dev_clone (host, nodes) || steps_dev_fill (fresh, nodes) || steps_move (fresh, host))
    goto out;
  for (size_t i = 0; i < DEV_NODES; i++) {
    detail = dev_nodes[i];
    if (nodes[i] >= 0
        && (steps_set_attr (nodes[i], MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC) || steps_dev_attach (fresh, dev_nodes[i], nodes[i])))
      goto out;
  }
  detail = "/dev/pts";
  if (steps_dev_mount (fresh, "pts", "devpts", pts_options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC))
    goto out;
  detail = "/dev/shm";
  if (steps_dev_mount (fresh, "shm", "tmpfs", shm_options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV))
    goto out;
  s->carry->scratch[index] = fresh; /* steps_seal makes it read-only */
  fresh = -1;
  failed = 0;
out:
  if (failed)
    steps_refused (s, op, detail);
  for (size_t i = 0; i < DEV_NODES; i++)
    steps_close (nodes[i]);
  steps_close (fresh);
  steps_close (host);
  return failed;
}
