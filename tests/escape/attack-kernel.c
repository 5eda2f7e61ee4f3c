/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel offers to everybody and no build needs; a success is an effect.  */
#include "attack.h"

#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/reboot.h>

static int
add_key (const struct attack_context *c)
{
  return attack_result (syscall (SYS_add_key, "user", c->tag, c->name, strlen (c->name), -4 /* the user's */));
}
static int
request_key (const struct attack_context *c)
{
  return attack_result (syscall (SYS_request_key, "user", c->tag, NULL, 0));
}
static int
join_keyring (const struct attack_context *c)
{
  (void) c;
  return attack_result (syscall (SYS_keyctl, 1, NULL));
}
static int
bpf_map (const struct attack_context *c)
{
  uint32_t attr[16] = { 2, 4, 4, 1 };
  (void) c;
  return attack_result (syscall (SYS_bpf, 0, attr, sizeof attr));
}
static int
perf_open (const struct attack_context *c)
{
  uint64_t attr[16] = { 1ull | 128ull << 32, 0 };
  (void) c;
  attr[5] = 1 << 5; /* exclude the kernel */
  return attack_result (syscall (SYS_perf_event_open, attr, 0, -1, -1, 0ul));
}
static int
fault_descriptor (const struct attack_context *c)
{
  (void) c;
  return attack_result (syscall (SYS_userfaultfd, 1 /* user mode only */));
}
static int
fault_device (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/dev/userfaultfd", O_RDWR));
}
static int
ring_setup (const struct attack_context *c)
{
  char params[120] = { 0 };
  (void) c;
  return attack_result (syscall (425, 4, params));
}
static int
ring_enter (const struct attack_context *c)
{
  (void) c;
  if (syscall (426, -1, 0, 0, 0, NULL, 0ul) < 0)
    return errno == EBADF ? 0 : -1; /* the kernel, not a filter, answered */
  return 0;
}
static int
ring_register (const struct attack_context *c)
{
  (void) c;
  if (syscall (427, -1, 0, NULL, 0) < 0)
    return errno == EBADF ? 0 : -1;
  return 0;
}
static int
fanotify (const struct attack_context *c)
{
  (void) c;
  return attack_result (syscall (SYS_fanotify_init, 0x200u /* FID */, 0u));
}
static int
kernel_log (const struct attack_context *c)
{
  (void) c;
  return attack_result (klogctl (10, NULL, 0));
}
static int
load_module (const struct attack_context *c)
{
  (void) c;
  if (syscall (SYS_finit_module, -1, "", 0) < 0)
    return errno == EBADF ? 0 : -1;
  return 0;
}
static int
kexec (const struct attack_context *c)
{
  (void) c;
  if (syscall (SYS_kexec_load, 0ul, 1000ul, NULL, 0ul) < 0)
    return errno == EINVAL ? 0 : -1;
  return 0;
}
static int
set_name (const struct attack_context *c)
{
  char name[65];
  if (gethostname (name, sizeof name))
    return -1;
  (void) c;
  return sethostname (name, strlen (name)); /* to what it is */
}
static int
set_clock (const struct attack_context *c) /* a value that is none: EINVAL only after the right was checked */
{
  long bad[2] = { 0, 2000000000 };
  (void) c;
  if (syscall (SYS_clock_settime, 0, bad) < 0)
    return errno == EINVAL ? 0 : -1;
  return 0;
}
static int
accounting (const struct attack_context *c)
{
  char path[4200];
  snprintf (path, sizeof path, "%s/acct", c->workspace);
  return attack_result (syscall (SYS_acct, path));
}
static int
sysctl_write (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/proc/sys/kernel/core_pattern", O_WRONLY));
}
static int
sysctl_network (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/proc/sys/net/ipv4/ip_forward", O_WRONLY));
}
static int
sysrq (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/proc/sysrq-trigger", O_WRONLY));
}
static int
kernel_memory (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/proc/kcore", O_RDONLY));
}
static int
kernel_messages (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/proc/kmsg", O_RDONLY | O_NONBLOCK));
}
static int
cgroup (const struct attack_context *c)
{
  char path[200];
  snprintf (path, sizeof path, "/sys/fs/cgroup/weir-%s", c->tag);
  if (mkdir (path, 0755))
    return -1;
  rmdir (path);
  return 0;
}
static int
cgroup_procs (const struct attack_context *c)
{
  (void) c;
  if (access ("/sys/fs/cgroup/cgroup.procs", F_OK))
    return ATTACK_NA;
  return attack_result (open ("/sys/fs/cgroup/cgroup.procs", O_WRONLY));
}
static int
sys_power (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/sys/power/state", O_WRONLY));
}
static int
debug_file_system (const struct attack_context *c)
{
  (void) c;
  return attack_result (open ("/sys/kernel/uevent_helper", O_WRONLY));
}
static int
port_access (const struct attack_context *c)
{
  (void) c;
#ifdef SYS_iopl
  return attack_result (syscall (SYS_iopl, 3));
#else
  return ATTACK_NA;
#endif
}
/* Calls of the other architecture pass another filter or none.  */
static int
old_interrupt (const struct attack_context *c)
{
#if defined(__x86_64__)
  long result;
  (void) c;
  __asm__ volatile ("int $0x80" : "=a"(result) : "a"(20 /* getpid */) : "memory", "r8", "r9", "r10", "r11");
  errno = (int) -result;
  return result > 0 ? 0 : -1;
#else
  (void) c;
  return ATTACK_NA;
#endif
}
static int
other_numbers (const struct attack_context *c)
{
#if defined(__x86_64__)
  (void) c;
  return attack_result (syscall (0x40000000l + 39));
#else
  (void) c;
  return ATTACK_NA;
#endif
}
static int
gain_privileges (const struct attack_context *c)
{
  (void) c;
  errno = EPERM;
  return prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0;
}

#define B ATTACK_BOAST
const struct attack attack_kernel[] = {
  { "add-key", add_key, B, 0, NULL },
  { "request-key", request_key, B, 0, NULL },
  { "keyctl-join", join_keyring, B, 0, NULL },
  { "bpf", bpf_map, B, 0, NULL },
  { "perf-event-open", perf_open, B, 0, NULL },
  { "userfaultfd", fault_descriptor, B, 0, NULL },
  { "dev-userfaultfd", fault_device, B, 0, NULL },
  { "io-uring-setup", ring_setup, B, 0, NULL },
  { "io-uring-enter", ring_enter, B, 0, NULL },
  { "io-uring-register", ring_register, B, 0, NULL },
  { "fanotify-init", fanotify, B, 0, NULL },
  { "syslog", kernel_log, B, 0, NULL },
  { "finit-module", load_module, B, 0, NULL },
  { "kexec-load", kexec, B, 0, NULL },
  { "sethostname", set_name, B, 0, NULL },
  { "clock-settime", set_clock, B, 0, NULL },
  { "acct", accounting, B, 0, NULL },
  { "iopl", port_access, B, 0, NULL },
  { "sysctl-core-pattern", sysctl_write, B, 0, NULL },
  { "sysctl-network", sysctl_network, B, 0, NULL },
  { "sysrq-trigger", sysrq, B, 0, NULL },
  { "proc-kcore", kernel_memory, B, 0, NULL },
  { "proc-kmsg", kernel_messages, B, 0, NULL },
  { "cgroup-mkdir", cgroup, B, 0, NULL },
  { "cgroup-procs", cgroup_procs, B, 0, NULL },
  { "sys-power", sys_power, B, 0, NULL },
  { "sys-uevent-helper", debug_file_system, B, 0, NULL },
  { "int-0x80", old_interrupt, B, 0, NULL },
  { "x32", other_numbers, B, 0, NULL },
  { "new-privileges", gain_privileges, B, 0, NULL },
  { NULL, NULL, 0, 0, NULL },
};
