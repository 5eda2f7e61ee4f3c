/* SPDX-License-Identifier: Apache-2.0 */
/* Changing mounts and namespaces, and then writing.  */
#include "attack.h"

#include <sched.h>
#include <sys/mount.h>

/* After something that should have opened the way: writing to the victim too.  */
static int
then_write (const struct attack_context *c, long result)
{
  int saved = errno;

  if (result < 0) {
    errno = saved;
    return -1;
  }
  attack_write (c, open (attack_path (c, "file"), O_WRONLY));
  return 0;
}

static int
remount (const struct attack_context *c)
{
  return then_write (c, mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}
static int
remount_all (const struct attack_context *c)
{
  return then_write (c, mount (NULL, "/", NULL, MS_REMOUNT, NULL));
}
static int
bind_over (const struct attack_context *c)
{
  return then_write (c, mount (c->workspace, c->at, NULL, MS_BIND | MS_REC, NULL));
}
static int
bind_in (const struct attack_context *c)
{
  char here[4200];
  snprintf (here, sizeof here, "%s/bound-%d", c->workspace, getpid ());
  mkdir (here, 0755);
  return then_write (c, mount (c->at, here, NULL, MS_BIND, NULL));
}
static int
mount_tmpfs (const struct attack_context *c)
{
  return then_write (c, mount ("none", c->workspace, "tmpfs", 0, NULL));
}
static int
mount_proc (const struct attack_context *c)
{
  return then_write (c, mount ("none", "/proc", "proc", 0, NULL));
}
static int
unmount_place (const struct attack_context *c)
{
  return then_write (c, umount2 (c->workspace, MNT_DETACH));
}
static int
unmount_proc (const struct attack_context *c)
{
  return then_write (c, umount2 ("/proc", MNT_DETACH));
}
static int
unmount_dev (const struct attack_context *c)
{
  return then_write (c, umount2 ("/dev", MNT_DETACH));
}
static int
move_mount_old (const struct attack_context *c)
{
  return then_write (c, mount ("/dev", c->workspace, NULL, MS_MOVE, NULL));
}
static int
open_tree_clone (const struct attack_context *c)
{
  int fd = (int) syscall (NR_OPEN_TREE, AT_FDCWD, c->at, 1u);
  if (fd < 0)
    return -1;
  attack_write (c, openat (fd, "file", O_WRONLY));
  return attack_result (syscall (NR_MOVE_MOUNT, fd, "", AT_FDCWD, c->workspace, 4u));
}
static int
open_tree_attr (const struct attack_context *c)
{
  uint64_t attr[4] = { 0, 1 /* clear read-only */, 0, 0 };
  int fd = (int) syscall (NR_OPEN_TREE_ATTR, AT_FDCWD, c->at, 1u, attr, sizeof attr);
  return attack_write (c, fd < 0 ? -1 : openat (fd, "file", O_WRONLY));
}
static int
mount_setattr (const struct attack_context *c)
{
  uint64_t attr[4] = { 0, 1, 0, 0 };
  return then_write (c, syscall (NR_MOUNT_SETATTR, AT_FDCWD, "/", 0u, attr, sizeof attr));
}
static int
fsopen_call (const struct attack_context *c)
{
  return then_write (c, syscall (NR_FSOPEN, "tmpfs", 0u));
}
static int
pivot (const struct attack_context *c)
{
  return then_write (c, syscall (SYS_pivot_root, c->workspace, c->workspace));
}
static int
change_root (const struct attack_context *c)
{
  return then_write (c, chroot (c->workspace));
}

/* A new user namespace owns new mounts: whoever gets one may try everything again.  */
static int
all_again (const struct attack_context *c, long result)
{
  int fd;

  if (result < 0)
    return -1;
  fd = open ("/proc/self/uid_map", O_WRONLY);
  if (fd >= 0)
    dprintf (fd, "0 %d 1", (int) geteuid ());
  unshare (CLONE_NEWNS);
  remount (c);
  bind_in (c);
  mount_setattr (c);
  return then_write (c, 0);
}
static int
unshare_user (const struct attack_context *c)
{
  return all_again (c, unshare (CLONE_NEWUSER));
}
static int
unshare_user_mount (const struct attack_context *c)
{
  return all_again (c, unshare (CLONE_NEWUSER | CLONE_NEWNS));
}
static int
unshare_mount (const struct attack_context *c)
{
  return all_again (c, unshare (CLONE_NEWNS));
}
static int
unshare_pid (const struct attack_context *c)
{
  return then_write (c, unshare (CLONE_NEWPID));
}
static int
unshare_time (const struct attack_context *c)
{
  return then_write (c, unshare (0x80));
}
static int
unshare_high (const struct attack_context *c) /* the kernel looks at the whole word */
{
  return all_again (c, syscall (SYS_unshare, CLONE_NEWUSER | 1ul << 32));
}
static int
clone_user (const struct attack_context *c)
{
  long pid = syscall (SYS_clone, CLONE_NEWUSER | 17ul, 0, 0, 0, 0);
  if (pid == 0) {
    all_again (c, 0);
    _exit (0);
  }
  return attack_result (pid);
}
static int
clone3_user (const struct attack_context *c)
{
  uint64_t args[11] = { CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0, 17 };
  long pid = syscall (435, args, 64ul);
  if (pid == 0) {
    all_again (c, 0);
    _exit (0);
  }
  return attack_result (pid);
}
static int
enter_namespace (const struct attack_context *c)
{
  char path[64];
  int fd;
  snprintf (path, sizeof path, "/proc/%d/ns/mnt", c->pid);
  fd = open (path, O_RDONLY);
  return fd < 0 ? -1 : then_write (c, setns (fd, 0));
}
static int
enter_by_pidfd (const struct attack_context *c)
{
  int fd = (int) syscall (NR_PIDFD_OPEN, c->pid, 0);
  return fd < 0 ? -1 : then_write (c, setns (fd, CLONE_NEWNS | CLONE_NEWUSER));
}

#define B ATTACK_BOAST
const struct attack attack_mounts[] = {
  { "remount-rw", remount, B, 0, NULL },
  { "remount-superblock", remount_all, B, 0, NULL },
  { "bind-over", bind_over, B, 0, NULL },
  { "bind-inside", bind_in, B, 0, NULL },
  { "tmpfs", mount_tmpfs, B, 0, NULL },
  { "proc", mount_proc, B, 0, NULL },
  { "umount-workspace", unmount_place, B, 0, NULL },
  { "umount-proc", unmount_proc, B, 0, NULL },
  { "umount-dev", unmount_dev, B, 0, NULL },
  { "mount-move", move_mount_old, B, 0, NULL },
  { "open-tree-clone", open_tree_clone, B, 0, NULL },
  { "open-tree-attr", open_tree_attr, B, 0, NULL },
  { "mount-setattr", mount_setattr, B, 0, NULL },
  { "fsopen", fsopen_call, B, 0, NULL },
  { "pivot-root", pivot, B, 0, NULL },
  { "chroot", change_root, B, 0, NULL },
  { "unshare-user", unshare_user, B, 0, NULL },
  { "unshare-user-mount", unshare_user_mount, B, 0, NULL },
  { "unshare-mount", unshare_mount, B, 0, NULL },
  { "unshare-pid", unshare_pid, B, 0, NULL },
  { "unshare-time", unshare_time, B, 0, NULL },
  { "unshare-user-high-bit", unshare_high, B, 0, NULL },
  { "clone-user", clone_user, B, 0, NULL },
  { "clone3-user", clone3_user, B, 0, NULL },
  { "setns-proc", enter_namespace, B, 0, NULL },
  { "setns-pidfd", enter_by_pidfd, B, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
