/* SPDX-License-Identifier: Apache-2.0 */
/* Making, moving and removing names outside.  */
#include "attack.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#define DIR_FD(c) open ((c)->at, O_RDONLY | O_DIRECTORY)
#define NEW_OF(c) attack_path (c, "new")
#define FILE_OF(c) attack_path (c, "file")

/* A path in the workspace.  */
static const char *
inside (const struct attack_context *c, const char *name)
{
  static char paths[2][4200];
  static int next;
  char *path = paths[next++ & 1];
  snprintf (path, sizeof paths[0], "%s/names-%s-%d", c->workspace, name, getpid ());
  return path;
}

static int
make (const struct attack_context *c)
{
  return attack_result (open (NEW_OF (c), O_CREAT | O_EXCL | O_WRONLY, 0644));
}
static int
make_read (const struct attack_context *c)
{
  return attack_result (open (NEW_OF (c), O_CREAT | O_RDONLY, 0644));
}
static int
make_by_link (const struct attack_context *c) /* a link in the workspace to a name that is not there yet */
{
  const char *here = inside (c, "dangling");
  if (symlink (NEW_OF (c), here))
    return -1;
  return attack_result (open (here, O_CREAT | O_WRONLY, 0644));
}
static int
remove_file (const struct attack_context *c)
{
  return unlink (FILE_OF (c));
}
static int
remove_at (const struct attack_context *c)
{
  return unlinkat (DIR_FD (c), "file", 0);
}
static int
remove_dir (const struct attack_context *c)
{
  unlink (attack_path (c, "dir/inner"));
  return rmdir (attack_path (c, "dir"));
}
static int
rename_within (const struct attack_context *c)
{
  return attack_result (syscall (SYS_renameat2, AT_FDCWD, FILE_OF (c), AT_FDCWD, NEW_OF (c), 0u));
}
static int
rename_call (const struct attack_context *c)
{
  return rename (FILE_OF (c), attack_path (c, "other"));
}
static int
rename_at (const struct attack_context *c)
{
  int fd = DIR_FD (c);
  return renameat (fd, "file", fd, "dir/file");
}
static int
rename_out (const struct attack_context *c) /* from the workspace over the victim */
{
  const char *here = inside (c, "out");
  close (open (here, O_CREAT | O_WRONLY, 0644));
  return rename (here, FILE_OF (c));
}
static int
rename_in (const struct attack_context *c)
{
  return rename (FILE_OF (c), inside (c, "in"));
}
static int
rename_dir_in (const struct attack_context *c)
{
  return rename (attack_path (c, "dir"), inside (c, "dir"));
}
static int
rename_exchange (const struct attack_context *c)
{
  return attack_result (
    syscall (SYS_renameat2, AT_FDCWD, FILE_OF (c), AT_FDCWD, attack_path (c, "other"), 2u /* RENAME_EXCHANGE */));
}
static int
rename_exchange_out (const struct attack_context *c)
{
  const char *here = inside (c, "exchange");
  close (open (here, O_CREAT | O_WRONLY, 0644));
  return attack_result (syscall (SYS_renameat2, AT_FDCWD, here, AT_FDCWD, FILE_OF (c), 2u));
}
static int
rename_whiteout (const struct attack_context *c)
{
  return attack_result (syscall (SYS_renameat2, AT_FDCWD, FILE_OF (c), AT_FDCWD, NEW_OF (c), 4u));
}
static int
rename_parent (const struct attack_context *c)
{
  char to[4200];
  snprintf (to, sizeof to, "%s.moved", c->at);
  return rename (c->at, to);
}
static int
link_within (const struct attack_context *c)
{
  return link (FILE_OF (c), NEW_OF (c));
}
static int
link_out (const struct attack_context *c)
{
  const char *here = inside (c, "link");
  close (open (here, O_CREAT | O_WRONLY, 0644));
  return link (here, NEW_OF (c));
}
static int
link_in (const struct attack_context *c)
{
  return link (FILE_OF (c), inside (c, "linked"));
}
static int
link_empty_path (const struct attack_context *c)
{
  return linkat (open (FILE_OF (c), O_PATH), "", AT_FDCWD, NEW_OF (c), 0x1000);
}
static int
symlink_make (const struct attack_context *c)
{
  return symlink ("/etc/passwd", NEW_OF (c));
}
static int
symlink_at (const struct attack_context *c)
{
  return symlinkat ("/etc/passwd", DIR_FD (c), "new");
}
static int
mkdir_make (const struct attack_context *c)
{
  return mkdir (NEW_OF (c), 0755);
}
static int
mkdir_at (const struct attack_context *c)
{
  return mkdirat (DIR_FD (c), "new", 0755);
}
static int
mknod_file (const struct attack_context *c)
{
  return mknod (NEW_OF (c), S_IFREG | 0644, 0);
}
static int
mknod_at_fifo (const struct attack_context *c)
{
  return mknodat (DIR_FD (c), "new", S_IFIFO | 0644, 0);
}
static int
mknod_socket (const struct attack_context *c)
{
  return mknod (NEW_OF (c), S_IFSOCK | 0644, 0);
}
static int
mknod_device (const struct attack_context *c)
{
  return mknod (NEW_OF (c), S_IFCHR | 0644, makedev (1, 3));
}
static int
mkfifo_make (const struct attack_context *c)
{
  return mkfifo (NEW_OF (c), 0644);
}
static int
bind_socket (const struct attack_context *c)
{
  struct sockaddr_un a = { .sun_family = AF_UNIX };
  if (chdir (c->at))
    return -1;
  strcpy (a.sun_path, "new");
  return bind (socket (AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *) &a, sizeof a);
}

const struct attack attack_names[] = {
  { "open-creat-excl", make, 0, 0, NULL },
  { "open-creat-rdonly", make_read, 0, 0, NULL },
  { "open-creat-dangling-link", make_by_link, 0, 0, NULL },
  { "unlink", remove_file, 0, 0, NULL },
  { "unlinkat", remove_at, 0, 0, NULL },
  { "unlink-rmdir", remove_dir, 0, 0, NULL },
  { "renameat2", rename_within, 0, 0, NULL },
  { "rename-over", rename_call, 0, 0, NULL },
  { "renameat", rename_at, 0, 0, NULL },
  { "rename-from-workspace", rename_out, 0, 0, NULL },
  { "rename-into-workspace", rename_in, 0, 0, NULL },
  { "rename-directory-into-workspace", rename_dir_in, 0, 0, NULL },
  { "rename-exchange", rename_exchange, 0, 0, NULL },
  { "rename-exchange-workspace", rename_exchange_out, 0, 0, NULL },
  { "rename-whiteout", rename_whiteout, 0, 0, NULL },
  { "rename-parent", rename_parent, 0, 0, NULL },
  { "link", link_within, 0, 0, NULL },
  { "link-from-workspace", link_out, 0, 0, NULL },
  { "link-into-workspace", link_in, 0, 0, NULL },
  { "linkat-empty-path", link_empty_path, 0, 0, NULL },
  { "symlink", symlink_make, 0, 0, NULL },
  { "symlinkat", symlink_at, 0, 0, NULL },
  { "mkdir", mkdir_make, 0, 0, NULL },
  { "mkdirat", mkdir_at, 0, 0, NULL },
  { "mknod-file", mknod_file, 0, 0, NULL },
  { "mknodat-fifo", mknod_at_fifo, 0, 0, NULL },
  { "mknod-socket", mknod_socket, 0, 0, NULL },
  { "mknod-device", mknod_device, 0, 0, NULL },
  { "mkfifo", mkfifo_make, 0, 0, NULL },
  { "bind-socket", bind_socket, 0, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
