/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and terminals.  Standard input is a terminal of the driver.  */
#include "attack.h"

#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

static int
push (const struct attack_context *c, unsigned long request)
{
  for (const char *p = c->name; *p; p++)
    if (syscall (SYS_ioctl, 0, request, p) < 0)
      return -1;
  return attack_result (syscall (SYS_ioctl, 0, request, "\n"));
}
static int
push_input (const struct attack_context *c)
{
  return push (c, 0x5412 /* TIOCSTI */);
}
static int
push_input_high (const struct attack_context *c)
{
  return push (c, 0x5412ul | 1ul << 32);
}
static int
push_by_tty (const struct attack_context *c)
{
  int fd = open ("/dev/tty", O_RDWR);
  return fd < 0 ? -1 : attack_result (syscall (SYS_ioctl, fd, 0x5412ul, c->name));
}
static int
line_discipline (const struct attack_context *c)
{
  int discipline = 2; /* N_MOUSE */
  (void) c;
  return attack_result (syscall (SYS_ioctl, 0, 0x5423ul /* TIOCSETD */, &discipline));
}
static int
console_redirect (const struct attack_context *c)
{
  (void) c;
  return attack_result (syscall (SYS_ioctl, 0, 0x541Dul /* TIOCCONS */, 0));
}
static int
selection (const struct attack_context *c)
{
  char sub = 3;
  (void) c;
  return attack_result (syscall (SYS_ioctl, 0, 0x541cul /* TIOCLINUX */, &sub));
}
static int
others_terminal (const struct attack_context *c)
{
  return attack_write (c, open (c->terminal, O_WRONLY | O_NOCTTY));
}

/* Every node of this kind in /dev that opens for writing.  */
static int
open_nodes (mode_t type)
{
  DIR *dir = opendir ("/dev");
  struct dirent *e;
  int result = -1, why = ENOENT;

  while (dir && (e = readdir (dir))) {
    struct stat st;
    if (fstatat (dirfd (dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || (st.st_mode & S_IFMT) != type)
      continue;
    if (type == S_IFCHR
        && ((major (st.st_rdev) == 1 && minor (st.st_rdev) != 1 && minor (st.st_rdev) != 2 && minor (st.st_rdev) != 4
             && minor (st.st_rdev) != 11)
            || major (st.st_rdev) == 5 || major (st.st_rdev) == 136))
      continue; /* null and its like, our own terminals */
    if (openat (dirfd (dir), e->d_name, O_WRONLY | O_NONBLOCK | O_NOCTTY) >= 0)
      result = 0;
    else
      why = errno;
  }
  errno = why;
  return result;
}
static int
open_disks (const struct attack_context *c)
{
  (void) c;
  return open_nodes (S_IFBLK);
}
static int
open_characters (const struct attack_context *c)
{
  (void) c;
  return open_nodes (S_IFCHR);
}

static int
make_node (const struct attack_context *c, mode_t type, unsigned major_number, unsigned minor_number)
{
  char path[4200];
  snprintf (path, sizeof path, "%s/node-%d", c->workspace, getpid ());
  if (mknod (path, type | 0666, makedev (major_number, minor_number)))
    return -1;
  return attack_result (open (path, O_RDONLY | O_NONBLOCK));
}
static int
make_disk (const struct attack_context *c)
{
  struct stat st;
  if (stat (c->workspace, &st) || major (st.st_dev) == 0)
    return make_node (c, S_IFBLK, 7, 0);
  return make_node (c, S_IFBLK, major (st.st_dev), minor (st.st_dev));
}
static int
make_memory (const struct attack_context *c)
{
  return make_node (c, S_IFCHR, 1, 1);
}
static int
make_log (const struct attack_context *c)
{
  return make_node (c, S_IFCHR, 1, 11);
}
static int
mount_disk_shm (const struct attack_context *c)
{
  (void) c;
  if (mknod ("/dev/shm/weir-node", S_IFCHR | 0666, makedev (1, 1)))
    return -1;
  return attack_result (open ("/dev/shm/weir-node", O_RDONLY));
}

const struct attack attack_devices[] = {
  { "tiocsti", push_input, ATTACK_BOAST, 0, NULL },
  { "tiocsti-high-bit", push_input_high, ATTACK_BOAST, 0, NULL },
  { "tiocsti-dev-tty", push_by_tty, ATTACK_BOAST, 0, NULL },
  { "tiocsetd", line_discipline, ATTACK_BOAST, 0, NULL },
  { "tioccons", console_redirect, ATTACK_BOAST, 0, NULL },
  { "tioclinux", selection, ATTACK_BOAST, 0, NULL },
  { "terminal-of-another", others_terminal, 0, 0, "terminals of" },
  { "open-block-devices", open_disks, ATTACK_BOAST, 0, NULL },
  { "open-character-devices", open_characters, ATTACK_BOAST, 0, NULL },
  { "mknod-disk", make_disk, ATTACK_BOAST, 0, NULL },
  { "mknod-mem", make_memory, ATTACK_BOAST, 0, NULL },
  { "mknod-kmsg", make_log, ATTACK_BOAST, 0, NULL },
  { "mknod-in-dev-shm", mount_disk_shm, ATTACK_BOAST, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
