/* SPDX-License-Identifier: Apache-2.0 */
/* Changing mode, owner, times, attributes of files outside, and reading what is hidden.  */
#include "attack.h"

#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#define FILE_OF(c) attack_path (c, "file")
#define READ_FD(c) open (FILE_OF (c), O_RDONLY)
#define DIR_FD(c) open ((c)->at, O_RDONLY | O_DIRECTORY)

static const char *
by_proc (const struct attack_context *c, int flags)
{
  static char path[64];
  snprintf (path, sizeof path, "/proc/self/fd/%d", open (FILE_OF (c), flags));
  return path;
}

static int
chmod_call (const struct attack_context *c)
{
  return chmod (FILE_OF (c), 0600);
}
static int
chmod_dir (const struct attack_context *c)
{
  return chmod (attack_path (c, "dir"), 0700);
}
static int
chmod_link (const struct attack_context *c)
{
  return chmod (attack_path (c, "link"), 0600);
}
static int
chmod_proc (const struct attack_context *c)
{
  return chmod (by_proc (c, O_PATH), 0600);
}
static int
fchmod_read (const struct attack_context *c)
{
  return fchmod (READ_FD (c), 0600);
}
static int
fchmodat_dir (const struct attack_context *c)
{
  return attack_result (syscall (SYS_fchmodat, DIR_FD (c), "file", 0600));
}
static int
fchmodat2_path (const struct attack_context *c)
{
  return attack_result (syscall (NR_FCHMODAT2, AT_FDCWD, FILE_OF (c), 0600, 0));
}
static int
fchmodat2_empty (const struct attack_context *c)
{
  return attack_result (syscall (NR_FCHMODAT2, open (FILE_OF (c), O_PATH), "", 0600, 0x1000));
}
/* To who owns it already: no right is needed, and it changes the time of change and set-id bits.  */
static int
chown_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_chown, FILE_OF (c), geteuid (), getegid ()));
}
static int
lchown_link (const struct attack_context *c)
{
  return attack_result (syscall (SYS_lchown, attack_path (c, "link"), geteuid (), getegid ()));
}
static int
fchown_read (const struct attack_context *c)
{
  return fchown (READ_FD (c), geteuid (), getegid ());
}
static int
fchownat_empty (const struct attack_context *c)
{
  return fchownat (open (FILE_OF (c), O_PATH), "", geteuid (), getegid (), 0x1000);
}
static int
chown_other (const struct attack_context *c)
{
  return chown (FILE_OF (c), 1234, 1234);
}
static const struct utimbuf old_times = { 1000, 1000 };
static const struct timeval old_values[2] = { { 1000, 0 }, { 1000, 0 } };
static const struct timespec old_specs[2] = { { 1000, 0 }, { 1000, 0 } };
static int
utime_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utime, FILE_OF (c), &old_times));
}
static int
utimes_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimes, FILE_OF (c), old_values));
}
static int
futimesat_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_futimesat, DIR_FD (c), "file", old_values));
}
static int
utimensat_call (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, AT_FDCWD, FILE_OF (c), old_specs, 0));
}
static int
utimensat_descriptor (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, READ_FD (c), NULL, old_specs, 0));
}
static int
utimensat_link (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, AT_FDCWD, attack_path (c, "link"), old_specs, AT_SYMLINK_NOFOLLOW));
}
static int
utimensat_proc (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, AT_FDCWD, by_proc (c, O_RDONLY), old_specs, 0));
}
static int
utimensat_now (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, AT_FDCWD, FILE_OF (c), NULL, 0));
}
static int
setxattr_call (const struct attack_context *c)
{
  return setxattr (FILE_OF (c), "user.attack", "x", 1, 0);
}
static int
lsetxattr_call (const struct attack_context *c)
{
  return lsetxattr (FILE_OF (c), "user.attack", "x", 1, 0);
}
static int
fsetxattr_call (const struct attack_context *c)
{
  return fsetxattr (READ_FD (c), "user.attack", "x", 1, 0);
}
static int
setxattrat_call (const struct attack_context *c)
{
  struct {
    uint64_t value;
    uint32_t size, flags;
  } args = { (uintptr_t) "x", 1, 0 };
  return attack_result (syscall (NR_SETXATTRAT, AT_FDCWD, FILE_OF (c), 0, "user.attack", &args, sizeof args));
}
static int
removexattr_call (const struct attack_context *c)
{
  return removexattr (FILE_OF (c), "user.victim");
}
static int
lremovexattr_call (const struct attack_context *c)
{
  return lremovexattr (FILE_OF (c), "user.victim");
}
static int
fremovexattr_call (const struct attack_context *c)
{
  return fremovexattr (READ_FD (c), "user.victim");
}
static int
removexattrat_call (const struct attack_context *c)
{
  return attack_result (syscall (NR_REMOVEXATTRAT, AT_FDCWD, FILE_OF (c), 0, "user.victim"));
}
static int
set_acl (const struct attack_context *c)
{
  /* version 2: user::rw, user:1234:rw, group::r, mask::rw, other::r */
  static const unsigned char acl[] = { 2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 210, 4, 0, 0, 4, 0, 4, 0,
                                       255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255 };
  return setxattr (FILE_OF (c), "system.posix_acl_access", acl, sizeof acl, 0);
}
static int
set_flags (const struct attack_context *c) /* FS_IOC_SETFLAGS: nodump */
{
  int flags = 0x40;
  return attack_result (syscall (SYS_ioctl, READ_FD (c), 0x40086602ul, &flags));
}
static int
set_flags_high (const struct attack_context *c) /* the kernel looks at 32 bits */
{
  int flags = 0x40;
  return attack_result (syscall (SYS_ioctl, READ_FD (c), 0x40086602ul | 1ul << 32, &flags));
}
static int
set_fsxattr (const struct attack_context *c) /* FS_IOC_FSSETXATTR: nodump */
{
  uint32_t attr[7] = { 0x80 };
  return attack_result (syscall (SYS_ioctl, READ_FD (c), 0x401c5820ul, attr));
}
static int
set_version (const struct attack_context *c) /* FS_IOC_SETVERSION */
{
  long generation = 7;
  return attack_result (syscall (SYS_ioctl, READ_FD (c), 0x40087602ul, &generation));
}
static int
file_setattr (const struct attack_context *c)
{
  uint64_t attr[3] = { 0x80 };
  return attack_result (syscall (NR_FILE_SETATTR, AT_FDCWD, FILE_OF (c), attr, sizeof attr, 0));
}
static int
mkdir_then_times (const struct attack_context *c)
{
  return attack_result (syscall (SYS_utimensat, AT_FDCWD, attack_path (c, "dir"), old_specs, 0));
}

#define GAP "mode, owner, times"
const struct attack attack_metadata[] = {
  { "chmod", chmod_call, 0, 0, GAP },
  { "chmod-directory", chmod_dir, 0, 0, GAP },
  { "chmod-by-link", chmod_link, 0, 0, GAP },
  { "chmod-proc-self-fd", chmod_proc, 0, 0, GAP },
  { "fchmod-rdonly", fchmod_read, 0, 0, GAP },
  { "fchmodat", fchmodat_dir, 0, 0, GAP },
  { "fchmodat2", fchmodat2_path, 0, 0, GAP },
  { "fchmodat2-empty-path", fchmodat2_empty, 0, 0, GAP },
  { "chown-self", chown_call, 0, 0, GAP },
  { "lchown-link", lchown_link, 0, 0, GAP },
  { "fchown-rdonly", fchown_read, 0, 0, GAP },
  { "fchownat-empty-path", fchownat_empty, 0, 0, GAP },
  { "chown-other", chown_other, 0, 0, GAP },
  { "utime", utime_call, 0, 0, GAP },
  { "utimes", utimes_call, 0, 0, GAP },
  { "futimesat", futimesat_call, 0, 0, GAP },
  { "utimensat", utimensat_call, 0, 0, GAP },
  { "utimensat-descriptor", utimensat_descriptor, 0, 0, GAP },
  { "utimensat-link", utimensat_link, 0, 0, GAP },
  { "utimensat-proc-self-fd", utimensat_proc, 0, 0, GAP },
  { "utimensat-now", utimensat_now, 0, 0, GAP },
  { "utimensat-directory", mkdir_then_times, 0, 0, GAP },
  { "setxattr", setxattr_call, 0, 0, GAP },
  { "lsetxattr", lsetxattr_call, 0, 0, GAP },
  { "fsetxattr-rdonly", fsetxattr_call, 0, 0, GAP },
  { "setxattrat", setxattrat_call, 0, 0, GAP },
  { "removexattr", removexattr_call, 0, 0, GAP },
  { "lremovexattr", lremovexattr_call, 0, 0, GAP },
  { "fremovexattr-rdonly", fremovexattr_call, 0, 0, GAP },
  { "removexattrat", removexattrat_call, 0, 0, GAP },
  { "acl", set_acl, 0, 0, GAP },
  { "ioctl-setflags", set_flags, 0, 0, GAP },
  { "ioctl-setflags-high-bit", set_flags_high, 0, 0, GAP },
  { "ioctl-fssetxattr", set_fsxattr, 0, 0, GAP },
  { "ioctl-setversion", set_version, 0, 0, GAP },
  { "file-setattr", file_setattr, 0, 0, GAP },
  { NULL, NULL, 0, 0, NULL },
};

/* ---- reading what is hidden ---- */

static int
read_from (const struct attack_context *c, int fd)
{
  char text[4096];
  ssize_t size = fd < 0 ? -1 : read (fd, text, sizeof text);

  if (size < 0)
    return -1;
  attack_found (c, text, (size_t) size);
  return 0;
}
static int
read_open (const struct attack_context *c)
{
  return read_from (c, READ_FD (c));
}
static int
read_proc_root (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "/proc/self/root%s", FILE_OF (c));
  return read_from (c, open (path, O_RDONLY));
}
static int
read_init_root (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "/proc/1/root%s", FILE_OF (c));
  return read_from (c, open (path, O_RDONLY));
}
static int
read_victim_root (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "/proc/%d/root%s", c->pid, FILE_OF (c));
  return read_from (c, open (path, O_RDONLY));
}
static int
read_hard_link (const struct attack_context *c)
{
  char here[4200];
  snprintf (here, sizeof here, "%s/read-%d", c->workspace, getpid ());
  if (link (FILE_OF (c), here))
    return -1;
  return read_from (c, open (here, O_RDONLY));
}
static int
read_path_descriptor (const struct attack_context *c)
{
  return read_from (c, open (by_proc (c, O_PATH), O_RDONLY));
}
static int
read_handle (const struct attack_context *c)
{
  struct {
    unsigned bytes;
    int type;
    unsigned char handle[128];
  } h = { .bytes = 128 };
  int mount_id;

  if (syscall (SYS_name_to_handle_at, AT_FDCWD, FILE_OF (c), &h, &mount_id, 0))
    return -1;
  return read_from (c, (int) syscall (SYS_open_by_handle_at, open ("/", O_RDONLY), &h, O_RDONLY));
}

#undef GAP
#define GAP "hidden paths"
const struct attack attack_reading[] = {
  { "open-rdonly", read_open, 0, 0, GAP },
  { "proc-self-root", read_proc_root, 0, 0, GAP },
  { "proc-1-root", read_init_root, 0, 0, GAP },
  { "proc-victim-root", read_victim_root, 0, 0, GAP },
  { "hard-link-inside", read_hard_link, 0, 0, GAP },
  { "o-path", read_path_descriptor, 0, 0, GAP },
  { "open-by-handle", read_handle, 0, 0, GAP },
  { NULL, NULL, 0, 0, NULL },
};
