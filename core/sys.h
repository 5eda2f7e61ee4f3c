/* SPDX-License-Identifier: Apache-2.0 */
/* System calls, structures and constants of Linux that glibc 2.36, musl 1.2.3 or the kernel headers of the build
 * machine may lack.  Numbers from 424 on are the same on every architecture.  Structures have names of their own, so
 * that including a newer system header beside this one never clashes.  Nothing here needs a <linux/...> header: musl's
 * tree has none.  */
#ifndef WEIR_CORE_SYS_H
#define WEIR_CORE_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "weir knows the system calls of x86_64 and aarch64 only"
#endif

/* ---- numbers ---- */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsconfig
#define SYS_fsconfig 431
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
#ifndef SYS_fspick
#define SYS_fspick 433
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#endif
#ifndef SYS_removexattrat
#define SYS_removexattrat 466
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

/* ---- opening ---- */
struct sys_open_how {
  uint64_t flags, mode, resolve;
};
#ifndef RESOLVE_NO_MAGICLINKS
#define RESOLVE_NO_XDEV 0x01
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08
#define RESOLVE_IN_ROOT 0x10
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4u
#endif

/* ---- mounts ---- */
struct sys_mount_attr {
  uint64_t set, clear, propagation, userns_fd;
};
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef OPEN_TREE_CLOEXEC
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif
#ifndef MOVE_MOUNT_T_EMPTY_PATH
#define MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x00000001
#define MOUNT_ATTR_NOSUID 0x00000002
#define MOUNT_ATTR_NODEV 0x00000004
#define MOUNT_ATTR_NOEXEC 0x00000008
#endif
/* glibc has these as an enumeration, musl not at all.  */
#define SYS_FSOPEN_CLOEXEC 1
#define SYS_FSMOUNT_CLOEXEC 1
#define SYS_FSCONFIG_SET_STRING 1
#define SYS_FSCONFIG_CMD_CREATE 6

/* ---- Landlock ---- */
struct sys_landlock_ruleset {
  uint64_t fs, net, scoped;
};
/* The kernel copies as many bytes as are asked for and refuses a longer structure than it knows unless the rest is
 * zero; these are the sizes of ABI 1, 4 and 6.  */
#define SYS_LANDLOCK_RULESET_FS 8
#define SYS_LANDLOCK_RULESET_NET 16
#define SYS_LANDLOCK_RULESET_SCOPED 24
struct sys_landlock_path_beneath {
  uint64_t access;
  int32_t parent_fd;
} __attribute__ ((packed));
#define SYS_LANDLOCK_VERSION 1u /* flag of landlock_create_ruleset */
#define SYS_LANDLOCK_PATH_BENEATH 1u /* rule type */

#define SYS_LL_EXECUTE (UINT64_C (1) << 0)
#define SYS_LL_WRITE_FILE (UINT64_C (1) << 1)
#define SYS_LL_READ_FILE (UINT64_C (1) << 2)
#define SYS_LL_READ_DIR (UINT64_C (1) << 3)
#define SYS_LL_REMOVE_DIR (UINT64_C (1) << 4)
#define SYS_LL_REMOVE_FILE (UINT64_C (1) << 5)
#define SYS_LL_MAKE_CHAR (UINT64_C (1) << 6)
#define SYS_LL_MAKE_DIR (UINT64_C (1) << 7)
#define SYS_LL_MAKE_REG (UINT64_C (1) << 8)
#define SYS_LL_MAKE_SOCK (UINT64_C (1) << 9)
#define SYS_LL_MAKE_FIFO (UINT64_C (1) << 10)
#define SYS_LL_MAKE_BLOCK (UINT64_C (1) << 11)
#define SYS_LL_MAKE_SYM (UINT64_C (1) << 12)
#define SYS_LL_REFER (UINT64_C (1) << 13) /* ABI 2 */
#define SYS_LL_TRUNCATE (UINT64_C (1) << 14) /* ABI 3 */
#define SYS_LL_IOCTL_DEV (UINT64_C (1) << 15) /* ABI 5 */
/* Rights that a rule on something else than a directory may have.  */
#define SYS_LL_OF_FILES (SYS_LL_EXECUTE | SYS_LL_WRITE_FILE | SYS_LL_READ_FILE | SYS_LL_TRUNCATE | SYS_LL_IOCTL_DEV)
#define SYS_LL_NET_BIND_TCP (UINT64_C (1) << 0) /* ABI 4 */
#define SYS_LL_NET_CONNECT_TCP (UINT64_C (1) << 1) /* ABI 4 */
#define SYS_LL_SCOPE_ABSTRACT (UINT64_C (1) << 0) /* ABI 6: abstract UNIX sockets */
#define SYS_LL_SCOPE_SIGNAL (UINT64_C (1) << 1) /* ABI 6 */

static inline uint64_t
sys_landlock_fs (unsigned abi)
{
  uint64_t bits = (UINT64_C (1) << 13) - 1;
  if (abi == 0)
    return 0;
  return bits | (abi >= 2 ? SYS_LL_REFER : 0) | (abi >= 3 ? SYS_LL_TRUNCATE : 0) | (abi >= 5 ? SYS_LL_IOCTL_DEV : 0);
}
static inline uint64_t
sys_landlock_net (unsigned abi)
{
  return abi >= 4 ? 3 : 0;
}
static inline uint64_t
sys_landlock_scopes (unsigned abi)
{
  return abi >= 6 ? 3 : 0;
}
/* Of the running kernel; 0: none (not compiled in, switched off, or refused by an outer filter).  */
static inline unsigned
sys_landlock_abi (void)
{
  long abi = syscall (SYS_landlock_create_ruleset, NULL, (size_t) 0, SYS_LANDLOCK_VERSION);
  return abi < 0 ? 0 : (unsigned) abi;
}

/* ---- seccomp ---- */
struct sys_sock_fprog { /* struct sock_fprog */
  unsigned short len;
  const void *filter;
};
#define SYS_SECCOMP_SET_MODE_FILTER 1

/* ---- capabilities ---- */
struct sys_cap_header {
  uint32_t version;
  int pid;
};
struct sys_cap_data {
  uint32_t effective, permitted, inheritable;
};
#define SYS_CAP_VERSION_3 0x20080522

#endif
