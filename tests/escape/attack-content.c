/* SPDX-License-Identifier: Apache-2.0 */
/* Changing what is in a file outside.  */
#include "attack.h"

#include <sys/mman.h>
#include <sys/uio.h>

#define FILE_OF(c) attack_path (c, "file")

static int
open_wronly (const struct attack_context *c)
{
  return attack_write (c, open (FILE_OF (c), O_WRONLY));
}
static int
open_rdwr (const struct attack_context *c)
{
  return attack_write (c, open (FILE_OF (c), O_RDWR));
}
static int
open_append (const struct attack_context *c)
{
  return attack_write (c, open (FILE_OF (c), O_WRONLY | O_APPEND));
}
static int
open_creat (const struct attack_context *c)
{
  return attack_write (c, open (FILE_OF (c), O_WRONLY | O_CREAT, 0644));
}
static int
open_read_trunc (const struct attack_context *c)
{
  return attack_result (open (FILE_OF (c), O_RDONLY | O_TRUNC));
}
static int
open_link (const struct attack_context *c)
{
  return attack_write (c, open (attack_path (c, "link"), O_WRONLY));
}
static int
open_ioctl_mode (const struct attack_context *c) /* access mode 3: neither reading nor writing */
{
  int fd = open (FILE_OF (c), 3);
  return fd < 0 ? -1 : attack_result (ftruncate (fd, 0));
}
static int
openat_dir (const struct attack_context *c)
{
  return attack_write (c, openat (open (c->at, O_RDONLY | O_DIRECTORY), "file", O_WRONLY));
}
static int
openat2_write (const struct attack_context *c)
{
  uint64_t how[3] = { O_WRONLY, 0, 0 };
  return attack_write (c, (int) syscall (NR_OPENAT2, AT_FDCWD, FILE_OF (c), how, sizeof how));
}
static int
creat_call (const struct attack_context *c)
{
  return attack_write (c, creat (FILE_OF (c), 0644));
}
static int
truncate_call (const struct attack_context *c)
{
  return truncate (FILE_OF (c), 3);
}
static int
ftruncate_read (const struct attack_context *c)
{
  return ftruncate (open (FILE_OF (c), O_RDONLY), 3);
}
static int
fallocate_read (const struct attack_context *c)
{
  return attack_result (syscall (SYS_fallocate, open (FILE_OF (c), O_RDONLY), 0, 0l, 8192l));
}
static int
reopen_proc_self (const struct attack_context *c)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/self/fd/%d", open (FILE_OF (c), O_RDONLY));
  return attack_write (c, open (path, O_WRONLY));
}
static int
reopen_dev_fd (const struct attack_context *c)
{
  char path[64];
  snprintf (path, sizeof path, "/dev/fd/%d", open (FILE_OF (c), O_RDONLY));
  return attack_write (c, open (path, O_RDWR | O_TRUNC));
}
static int
reopen_path_descriptor (const struct attack_context *c)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/thread-self/fd/%d", open (FILE_OF (c), O_PATH));
  return attack_write (c, open (path, O_WRONLY));
}
static int
below_proc_cwd (const struct attack_context *c)
{
  if (chdir (c->at))
    return -1;
  return attack_write (c, open ("/proc/self/cwd/file", O_WRONLY));
}
static int
below_proc_root (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "/proc/self/root%s", FILE_OF (c));
  return attack_write (c, open (path, O_WRONLY));
}
static int
below_proc_init (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "/proc/1/root%s", FILE_OF (c));
  return attack_write (c, open (path, O_WRONLY));
}
static int
mmap_shared (const struct attack_context *c)
{
  char *p = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open (FILE_OF (c), O_RDONLY), 0);
  if (p == MAP_FAILED)
    return -1;
  p[0] = 'X';
  return 0;
}
static int
mmap_then_protect (const struct attack_context *c)
{
  char *p = mmap (NULL, 4096, PROT_READ, MAP_SHARED, open (FILE_OF (c), O_RDONLY), 0);
  if (p == MAP_FAILED || mprotect (p, 4096, PROT_READ | PROT_WRITE))
    return -1;
  p[0] = 'X';
  return 0;
}
static int
copy_range (const struct attack_context *c)
{
  int fd = open (FILE_OF (c), O_WRONLY);
  if (fd < 0) /* for reading nothing can be copied into it, which is tried all the same */
    fd = open (FILE_OF (c), O_RDONLY);
  return attack_result (
    syscall (SYS_copy_file_range, open (attack_path (c, "other"), O_RDONLY), NULL, fd, NULL, 3ul, 0u));
}
static int
splice_into (const struct attack_context *c)
{
  int ends[2], fd = open (FILE_OF (c), O_RDONLY);
  if (pipe (ends) || write (ends[1], "XXX", 3) != 3)
    return -1;
  return attack_result (syscall (SYS_splice, ends[0], NULL, fd, NULL, 3ul, 0u));
}
/* Splicing a file's pages into a pipe and writing there must not reach the page cache (CVE-2022-0847).  */
static int
dirty_pipe (const struct attack_context *c)
{
  int ends[2], fd = open (FILE_OF (c), O_RDONLY);
  char page[4096] = { 0 };
  if (pipe (ends) || fd < 0)
    return -1;
  for (int i = 0; i < 16; i++)
    if (write (ends[1], page, sizeof page) < 0)
      return -1;
  for (int i = 0; i < 16; i++)
    if (read (ends[0], page, sizeof page) < 0)
      return -1;
  if (syscall (SYS_splice, fd, NULL, ends[1], NULL, 1ul, 0u) < 0)
    return -1;
  return attack_result (write (ends[1], "XXX", 3));
}
static int
sendfile_into (const struct attack_context *c)
{
  return attack_result (syscall (SYS_sendfile, open (FILE_OF (c), O_RDONLY), open (attack_path (c, "other"), O_RDONLY),
                                 NULL, 3ul));
}
static int
clone_range (const struct attack_context *c) /* FICLONE */
{
  return attack_result (syscall (SYS_ioctl, open (FILE_OF (c), O_RDONLY), 0x40049409,
                                 open (attack_path (c, "other"), O_RDONLY)));
}
static int
pwritev2_read (const struct attack_context *c)
{
  struct iovec v = { (void *) "XXX", 3 };
  return attack_result (syscall (SYS_pwritev2, open (FILE_OF (c), O_RDONLY), &v, 1, 0l, 0l, 0));
}
static int
by_handle (const struct attack_context *c)
{
  struct {
    unsigned bytes;
    int type;
    unsigned char handle[128];
  } h = { .bytes = 128 };
  int mount_id;

  if (syscall (SYS_name_to_handle_at, AT_FDCWD, FILE_OF (c), &h, &mount_id, 0))
    return -1;
  return attack_write (c, (int) syscall (SYS_open_by_handle_at, open (c->at, O_RDONLY), &h, O_WRONLY));
}
static int
tmpfile_link (const struct attack_context *c)
{
  char path[64];
  int fd = open (c->at, O_TMPFILE | O_RDWR, 0644);
  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, path, AT_FDCWD, attack_path (c, "new"), AT_SYMLINK_FOLLOW);
}
static int
hard_link_write (const struct attack_context *c)
{
  char here[4200];
  snprintf (here, sizeof here, "%s/hard-%d", c->workspace, getpid ());
  if (link (FILE_OF (c), here))
    return -1;
  return attack_write (c, open (here, O_WRONLY));
}
static int
symlink_here (const struct attack_context *c)
{
  char here[4200];
  snprintf (here, sizeof here, "%s/soft-%d", c->workspace, getpid ());
  if (symlink (FILE_OF (c), here))
    return -1;
  return attack_write (c, open (here, O_WRONLY));
}
/* One process swaps a name of the workspace between a file and a link to the victim, another opens it.  */
static int
swapped_link (const struct attack_context *c)
{
  char name[4200], plain[4300], soft[4300];
  pid_t swapper;

  snprintf (name, sizeof name, "%s/swap-%d", c->workspace, getpid ());
  snprintf (plain, sizeof plain, "%s.plain", name);
  snprintf (soft, sizeof soft, "%s.soft", name);
  if (close (open (plain, O_CREAT | O_WRONLY, 0644)) || symlink (FILE_OF (c), soft))
    return -1;
  swapper = fork ();
  if (swapper == 0) {
    for (int i = 0; i < 3000; i++) {
      rename (i & 1 ? soft : plain, name);
      rename (name, i & 1 ? soft : plain);
    }
    _exit (0);
  }
  for (int i = 0; i < 3000; i++)
    attack_write (c, open (name, O_WRONLY | O_TRUNC));
  errno = EACCES;
  return -1;
}
static int
uring_open (const struct attack_context *c)
{
  (void) c;
  char params[120] = { 0 };
  return attack_result (syscall (425, 4, params));
}

const struct attack attack_content[] = {
  { "open-wronly", open_wronly, 0, 0, NULL },
  { "open-rdwr", open_rdwr, 0, 0, NULL },
  { "open-append", open_append, 0, 0, NULL },
  { "open-creat", open_creat, 0, 0, NULL },
  { "open-rdonly-trunc", open_read_trunc, 0, 0, NULL },
  { "open-by-link", open_link, 0, 0, NULL },
  { "open-mode-3-ftruncate", open_ioctl_mode, 0, 0, NULL },
  { "openat-directory", openat_dir, 0, 0, NULL },
  { "openat2", openat2_write, 0, 0, NULL },
  { "creat", creat_call, 0, 0, NULL },
  { "truncate", truncate_call, 0, 0, NULL },
  { "ftruncate-rdonly", ftruncate_read, 0, 0, NULL },
  { "fallocate-rdonly", fallocate_read, 0, 0, NULL },
  { "proc-self-fd", reopen_proc_self, 0, 0, NULL },
  { "dev-fd", reopen_dev_fd, 0, 0, NULL },
  { "proc-thread-self-o-path", reopen_path_descriptor, 0, 0, NULL },
  { "proc-self-cwd", below_proc_cwd, 0, 0, NULL },
  { "proc-self-root", below_proc_root, 0, 0, NULL },
  { "proc-1-root", below_proc_init, 0, 0, NULL },
  { "mmap-shared", mmap_shared, 0, 0, NULL },
  { "mmap-mprotect", mmap_then_protect, 0, 0, NULL },
  { "copy-file-range", copy_range, 0, 0, NULL },
  { "splice", splice_into, 0, 0, NULL },
  { "splice-dirty-pipe", dirty_pipe, 0, 0, NULL },
  { "sendfile", sendfile_into, 0, 0, NULL },
  { "ficlone", clone_range, 0, 0, NULL },
  { "pwritev2-rdonly", pwritev2_read, 0, 0, NULL },
  { "open-by-handle", by_handle, 0, 0, NULL },
  { "tmpfile-linkat", tmpfile_link, 0, 0, NULL },
  { "hard-link-inside", hard_link_write, 0, 0, NULL },
  { "symlink-inside", symlink_here, 0, 0, NULL },
  { "symlink-swapped", swapped_link, 0, 0, NULL },
  { "io-uring", uring_open, ATTACK_BOAST, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
