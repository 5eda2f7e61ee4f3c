/* SPDX-License-Identifier: Apache-2.0 */
/* Making set-user-ID and set-group-ID files in the workspace: the driver looks for them afterwards.  */
#include "attack.h"

#include <sys/xattr.h>

static const char *
here (const struct attack_context *c)
{
  static char path[4200];
  snprintf (path, sizeof path, "%s/setid-%s", c->workspace, c->name);
  return path;
}
static int
plain (const struct attack_context *c)
{
  return open (here (c), O_CREAT | O_RDWR, 0755);
}
static int
by_chmod (const struct attack_context *c)
{
  return plain (c) < 0 ? -1 : attack_result (syscall (SYS_chmod, here (c), 04755));
}
static int
by_chmod_group (const struct attack_context *c)
{
  return plain (c) < 0 ? -1 : attack_result (syscall (SYS_chmod, here (c), 02755));
}
static int
by_chmod_high (const struct attack_context *c) /* the kernel looks at 16 bits */
{
  return plain (c) < 0 ? -1 : attack_result (syscall (SYS_chmod, here (c), 04755ul | 1ul << 32 | 1ul << 16));
}
static int
by_fchmod (const struct attack_context *c)
{
  return attack_result (syscall (SYS_fchmod, plain (c), 04755));
}
static int
by_fchmodat (const struct attack_context *c)
{
  return plain (c) < 0 ? -1 : attack_result (syscall (SYS_fchmodat, AT_FDCWD, here (c), 06755));
}
static int
by_fchmodat2 (const struct attack_context *c)
{
  return plain (c) < 0 ? -1 : attack_result (syscall (NR_FCHMODAT2, AT_FDCWD, here (c), 04755, 0));
}
static int
by_open (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_open, here (c), O_CREAT | O_EXCL | O_WRONLY, 04755));
}
static int
by_openat (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_openat, AT_FDCWD, here (c), O_CREAT | O_EXCL | O_WRONLY, 02755));
}
static int
by_openat2 (const struct attack_context *c)
{
  uint64_t how[3] = { O_CREAT | O_WRONLY, 04755, 0 };
  umask (0);
  return attack_result (syscall (NR_OPENAT2, AT_FDCWD, here (c), how, sizeof how));
}
static int
by_creat (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_creat, here (c), 04755));
}
static int
by_mknod (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_mknod, here (c), S_IFREG | 04755, 0));
}
static int
by_mknodat (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_mknodat, AT_FDCWD, here (c), S_IFREG | 04755, 0));
}
static int
by_tmpfile (const struct attack_context *c)
{
  char path[64];
  int fd;
  umask (0);
  fd = open (c->workspace, O_TMPFILE | O_RDWR, 04755);
  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, path, AT_FDCWD, here (c), AT_SYMLINK_FOLLOW);
}
static int
by_open_high (const struct attack_context *c)
{
  umask (0);
  return attack_result (syscall (SYS_open, here (c), (O_CREAT | O_EXCL | O_WRONLY) | 1ul << 32, 04755ul | 1ul << 40));
}
static int
by_acl (const struct attack_context *c) /* the mode of an access list has no set-id bits, whatever it holds */
{
  static const unsigned char acl[] = { 2, 0, 0, 0, 1, 0, 7, 8, 255, 255, 255, 255, 4, 0, 5, 0,
                                       255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255 };
  return plain (c) < 0 ? -1 : setxattr (here (c), "system.posix_acl_access", acl, sizeof acl, 0);
}
static int
by_capability (const struct attack_context *c) /* version 2, CAP_SYS_ADMIN: like set-user-ID */
{
  static const unsigned char caps[20] = { 1, 0, 0, 2, 0, 0, 32, 0 };
  return plain (c) < 0 ? -1 : setxattr (here (c), "security.capability", caps, sizeof caps, 0);
}

const struct attack attack_setid[] = {
  { "chmod", by_chmod, 0, 0, NULL },
  { "chmod-group", by_chmod_group, 0, 0, NULL },
  { "chmod-high-bits", by_chmod_high, 0, 0, NULL },
  { "fchmod", by_fchmod, 0, 0, NULL },
  { "fchmodat", by_fchmodat, 0, 0, NULL },
  { "fchmodat2", by_fchmodat2, 0, 0, NULL },
  { "open-creat", by_open, 0, 0, NULL },
  { "openat-creat", by_openat, 0, 0, NULL },
  { "openat2-creat", by_openat2, 0, 0, NULL },
  { "creat", by_creat, 0, 0, NULL },
  { "mknod", by_mknod, 0, 0, NULL },
  { "mknodat", by_mknodat, 0, 0, NULL },
  { "tmpfile", by_tmpfile, 0, 0, NULL },
  { "open-high-bits", by_open_high, 0, 0, NULL },
  { "acl", by_acl, 0, 0, NULL },
  { "file-capability", by_capability, ATTACK_BOAST, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
