/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that change the file tree of the new mount namespace.
 *
 * Everything is cloned, changed while it is detached, and then moved onto a target that was opened without following a
 * symbolic link.  Copies are always recursive: in a user namespace the mounts that were inherited are locked together,
 * and a copy that would uncover what is beneath one is EINVAL.  */
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

int
steps_clone (int source)
{
  return (int) syscall (SYS_open_tree, source, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

int
steps_set_attr (int mount_fd, uint64_t attr)
{
  struct sys_mount_attr change = { .set = attr, .propagation = MS_PRIVATE };
  return (int) syscall (SYS_mount_setattr, mount_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change);
}

int
steps_move (int mount_fd, int target)
{
  return (int) syscall (SYS_move_mount, mount_fd, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int
steps_new_mount (const char *type, const char *const *options, uint64_t attr)
{
  int result = -1, fs = (int) syscall (SYS_fsopen, type, SYS_FSOPEN_CLOEXEC);

  if (fs < 0)
    return -1;
  for (; options && options[0]; options += 2)
    if (syscall (SYS_fsconfig, fs, SYS_FSCONFIG_SET_STRING, options[0], options[1], 0))
      goto out;
  if (syscall (SYS_fsconfig, fs, SYS_FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
    result = (int) syscall (SYS_fsmount, fs, SYS_FSMOUNT_CLOEXEC, (unsigned) attr);
out:
  steps_close (fs);
  return result;
}

/* ---- the root and what is bound into it ---- */

/* A detached copy of a BIND's source.  STEPS_SKIPPED: optional and absent.  -1: the failure is filled.  */
static int
steps_source (struct steps *s, const struct carry_op *op)
{
  int tree, source = walk_open (op->path);

  if (source < 0)
    return (op->flags & WEIR_BIND_OPTIONAL) && (errno == ENOENT || errno == ENOTDIR) ? STEPS_SKIPPED
                                                                                     : steps_object (s, op, op->path);
  if (walk_check (source, op->dev, op->ino)) {
    steps_object (s, op, op->path);
    close (source);
    return -1;
  }
  tree = steps_clone (source);
  if (tree < 0)
    steps_refused (s, op, op->path);
  close (source);
  return tree;
}

int
steps_root_read_only (struct steps *s, size_t index)
{
  const struct carry *c = s->carry;
  struct sys_mount_attr change = { .set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, .propagation = MS_PRIVATE };

  /* Copies are taken while what they copy is writable: attributes that a mount got in this namespace are the copy's
   * too.  */
  for (size_t i = index + 1; i < c->count; i++)
    if (c->ops[i].kind == WEIR_STEP_BIND) {
      c->scratch[i] = steps_source (s, &c->ops[i]);
      if (c->scratch[i] == -1)
        return -1;
    }
  /* Nodes must work in the host's /dev, unless DEV copies from there what it needs.  */
  for (size_t i = index + 1; i < c->count; i++)
    if (c->ops[i].kind == WEIR_STEP_DEV)
      change.set |= MOUNT_ATTR_NODEV;
  if (syscall (SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &change, sizeof change))
    return steps_refused (s, &c->ops[index], "/");
  return 0;
}

static int
steps_is_dir (int fd)
{
  struct stat st;
  return fstat (fd, &st) == 0 && S_ISDIR (st.st_mode);
}

int
steps_bind (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];
  const char *path = op->target ? op->target : op->path;
  uint64_t attr = MOUNT_ATTR_NOSUID | (op->flags & WEIR_BIND_DEVICES ? 0 : MOUNT_ATTR_NODEV)
                  | (op->flags & WEIR_BIND_READ_ONLY ? MOUNT_ATTR_RDONLY : 0);
  int tree = s->carry->scratch[index], target, result = -1;

  if (tree == STEPS_EMPTY)
    tree = steps_source (s, op);
  if (tree == STEPS_SKIPPED)
    return 0;
  if (tree < 0)
    return -1;
  target = walk_open (path);
  if (target < 0 && errno == ENOENT && (op->flags & WEIR_BIND_MAKE))
    target = walk_make (path, steps_is_dir (tree));
  if (target < 0)
    steps_object (s, op, path);
  else if (steps_set_attr (tree, attr) || steps_move (tree, target))
    steps_refused (s, op, path);
  else
    result = 0;
  steps_close (target);
  steps_close (tree);
  s->carry->scratch[index] = STEPS_EMPTY;
  return result;
}

/* ---- tmpfs ---- */

const char *
steps_decimal (uint64_t value, char text[24])
{
  char *p = text + 23;

  *p = '\0';
  do
    *--p = (char) ('0' + value % 10);
  while (value /= 10);
  return p;
}

int
steps_tmpfs (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];
  int read_only = (op->flags & WEIR_BIND_READ_ONLY) != 0;
  char text[24];
  const char *options[] = { "mode", read_only ? "0755" : "1777", op->value ? "size" : NULL,
                            steps_decimal (op->value, text), NULL };
  int fd, target = walk_open (op->path);

  if (target < 0)
    return steps_object (s, op, op->path);
  fd = steps_new_mount ("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (fd < 0 || steps_move (fd, target)) {
    steps_refused (s, op, op->path);
    steps_close (fd);
    close (target);
    return -1;
  }
  close (target);
  /* Later BINDs may have to make their mount points in it, so it becomes read-only in steps_seal.  */
  if (read_only)
    s->carry->scratch[index] = fd;
  else
    close (fd);
  return 0;
}

/* ---- hiding ---- */

/* Over a directory: an empty tmpfs that nobody may enter, one for all of them; the first mount of it is the one that
 * the others are copied from.  */
static int
steps_cover_directory (struct steps *s, int target)
{
  static const char *const options[] = { "mode", "0", "size", "4k", NULL };
  int fd, result;

  if (s->holder < 0) {
    fd = steps_new_mount ("tmpfs", options,
                          MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (fd < 0 || steps_move (fd, target)) {
      steps_close (fd);
      return -1;
    }
    s->holder = fd;
    return 0;
  }
  fd = steps_clone (s->holder);
  result = fd < 0 ? -1 : steps_move (fd, target);
  steps_close (fd);
  return result;
}

/* Over a file: the null device, on a mount without devices, so that opening it is EACCES even for who may override
 * modes.  */
static int
steps_cover_file (int target)
{
  struct stat st;
  int tree, result = -1, null = walk_open ("/dev/null");

  if (null < 0)
    return -1;
  if (fstat (null, &st) || !S_ISCHR (st.st_mode)) {
    close (null);
    errno = ENODEV;
    return -1;
  }
  tree = steps_clone (null);
  close (null);
  if (tree < 0)
    return -1;
  if (steps_set_attr (tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC) == 0)
    result = steps_move (tree, target);
  steps_close (tree);
  return result;
}

/* Does a later BIND have its target beneath the op's path?  */
static int
steps_opened_again (const struct carry *c, size_t index)
{
  const char *path = c->ops[index].path;
  size_t length = strlen (path);

  for (size_t i = index + 1; i < c->count; i++) {
    const char *target = c->ops[i].target ? c->ops[i].target : c->ops[i].path;
    if (c->ops[i].kind == WEIR_STEP_BIND && strncmp (target, path, length) == 0 && target[length] == '/')
      return 1;
  }
  return 0;
}

/* A directory of its own, in which mount points can be made; they can be reached, and nothing be listed.  */
static int
steps_cover_open (struct steps *s, size_t index, int target)
{
  static const char *const options[] = { "mode", "0111", "size", "64k", NULL };
  int fd = steps_new_mount ("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);

  if (fd < 0 || steps_move (fd, target)) {
    steps_close (fd);
    return -1;
  }
  s->carry->scratch[index] = fd; /* steps_seal makes it read-only */
  return 0;
}

int
steps_hide (struct steps *s, size_t index)
{
  const struct carry_op *op = &s->carry->ops[index];
  int is_dir, result = 0, target = walk_open (op->path);

  if (target < 0) /* what is absent, or cannot even be reached with our capabilities, is hidden */
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : steps_object (s, op, op->path);
  is_dir = steps_is_dir (target);
  if (walk_check (target, op->dev, op->ino))
    result = steps_object (s, op, op->path);
  else if (is_dir && steps_opened_again (s->carry, index) ? steps_cover_open (s, index, target)
           : is_dir                                       ? steps_cover_directory (s, target)
                                                          : steps_cover_file (target))
    result = steps_refused (s, op, op->path);
  close (target);
  return result;
}

int
steps_seal (struct steps *s)
{
  const struct carry *c = s->carry;

  for (size_t i = 0; i < c->count; i++) {
    struct sys_mount_attr change = { .set = MOUNT_ATTR_RDONLY };
    if (c->scratch[i] < 0)
      continue;
    /* Not recursive: what was bound into it keeps its own access.  */
    if (syscall (SYS_mount_setattr, c->scratch[i], "", AT_EMPTY_PATH, &change, sizeof change))
      return steps_refused (s, &c->ops[i], c->ops[i].path);
    close (c->scratch[i]);
    c->scratch[i] = STEPS_EMPTY;
  }
  return 0;
}
