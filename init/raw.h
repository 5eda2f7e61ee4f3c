/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of a program without a C library.  They return the kernel's value: a negative errno on failure.  */
#ifndef WEIR_INIT_RAW_H
#define WEIR_INIT_RAW_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#if defined(__x86_64__)

enum {
  RAW_read = 0, RAW_close = 3, RAW_rt_sigaction = 13, RAW_rt_sigprocmask = 14, RAW_ioctl = 16, RAW_getpid = 39,
  RAW_recvfrom = 45, RAW_sendmsg = 46, RAW_clone = 56, RAW_execve = 59, RAW_exit_group = 231, RAW_wait4 = 61,
  RAW_kill = 62, RAW_setsid = 112, RAW_prctl = 157, RAW_getdents64 = 217, RAW_clock_gettime = 228, RAW_openat = 257,
  RAW_faccessat = 269, RAW_ppoll = 271, RAW_signalfd4 = 289, RAW_execveat = 322,
};

static inline long
raw_call (long n, long a, long b, long c, long d, long e)
{
  long ret;
  register long r10 __asm__ ("r10") = d;
  register long r8 __asm__ ("r8") = e;
  __asm__ volatile ("syscall" : "=a"(ret) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return ret;
}

#define RAW_START                      \
  __asm__ (".globl _start\n"           \
           "_start:\n"                 \
           "  xorl %ebp, %ebp\n"       \
           "  movq %rsp, %rdi\n"       \
           "  andq $-16, %rsp\n"       \
           "  call init_main\n"        \
           "  hlt\n")

#define RAW_CLONE_CALL                 \
  __asm__ (".globl raw_clone_call\n"   \
           "raw_clone_call:\n"         \
           "  subq $16, %rsi\n"        \
           "  movq %rdx, 0(%rsi)\n"    \
           "  movq %rcx, 8(%rsi)\n"    \
           "  xorl %edx, %edx\n"       \
           "  xorl %r10d, %r10d\n"     \
           "  xorl %r8d, %r8d\n"       \
           "  movl $56, %eax\n"        \
           "  syscall\n"               \
           "  testq %rax, %rax\n"      \
           "  jnz 1f\n"                \
           "  xorl %ebp, %ebp\n"       \
           "  popq %rax\n"             \
           "  popq %rdi\n"             \
           "  call *%rax\n"            \
           "  xorl %edi, %edi\n"       \
           "  movl $231, %eax\n"       \
           "  syscall\n"               \
           "  hlt\n"                   \
           "1: ret\n")

#elif defined(__aarch64__)

enum {
  RAW_ioctl = 29, RAW_faccessat = 48, RAW_openat = 56, RAW_close = 57, RAW_getdents64 = 61, RAW_read = 63, RAW_ppoll = 73,
  RAW_signalfd4 = 74, RAW_exit_group = 94, RAW_clock_gettime = 113, RAW_kill = 129, RAW_rt_sigaction = 134,
  RAW_rt_sigprocmask = 135, RAW_setsid = 157, RAW_prctl = 167, RAW_getpid = 172, RAW_recvfrom = 207, RAW_sendmsg = 211,
  RAW_clone = 220, RAW_execve = 221, RAW_wait4 = 260, RAW_execveat = 281,
};

static inline long
raw_call (long n, long a, long b, long c, long d, long e)
{
  register long x8 __asm__ ("x8") = n;
  register long x0 __asm__ ("x0") = a;
  register long x1 __asm__ ("x1") = b;
  register long x2 __asm__ ("x2") = c;
  register long x3 __asm__ ("x3") = d;
  register long x4 __asm__ ("x4") = e;
  register long x5 __asm__ ("x5") = 0;
  __asm__ volatile ("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}

#define RAW_START                      \
  __asm__ (".globl _start\n"           \
           "_start:\n"                 \
           "  mov x29, #0\n"           \
           "  mov x30, #0\n"           \
           "  mov x0, sp\n"            \
           "  and sp, x0, #-16\n"      \
           "  bl init_main\n"          \
           "  brk #1\n")

#define RAW_CLONE_CALL                 \
  __asm__ (".globl raw_clone_call\n"   \
           "raw_clone_call:\n"         \
           "  stp x2, x3, [x1, #-16]!\n" \
           "  mov x2, #0\n"            \
           "  mov x3, #0\n"            \
           "  mov x4, #0\n"            \
           "  mov x8, #220\n"          \
           "  svc 0\n"                 \
           "  cbz x0, 1f\n"            \
           "  ret\n"                   \
           "1: mov x29, #0\n"          \
           "  ldp x1, x0, [sp], #16\n" \
           "  blr x1\n"                \
           "  mov x0, #0\n"            \
           "  mov x8, #94\n"           \
           "  svc 0\n"                 \
           "  brk #1\n")

#else
#error "weir's init knows x86_64 and aarch64 only"
#endif

/* clang-format on */
/* The same on both.  */
enum { RAW_pidfd_open = 434, RAW_close_range = 436, RAW_landlock_restrict_self = 446 };

/* clone with these flags; the child calls fn (arg) on the stack that ends at top, and ends.  */
long raw_clone_call (unsigned long flags, void *top, void (*fn) (void *), void *arg);

#define RAW_A_(x) ((long) (x))
#define raw0(n) raw_call (RAW_##n, 0, 0, 0, 0, 0)
#define raw1(n, a) raw_call (RAW_##n, RAW_A_ (a), 0, 0, 0, 0)
#define raw2(n, a, b) raw_call (RAW_##n, RAW_A_ (a), RAW_A_ (b), 0, 0, 0)
#define raw3(n, a, b, c) raw_call (RAW_##n, RAW_A_ (a), RAW_A_ (b), RAW_A_ (c), 0, 0)
#define raw4(n, a, b, c, d) raw_call (RAW_##n, RAW_A_ (a), RAW_A_ (b), RAW_A_ (c), RAW_A_ (d), 0)
#define raw5(n, a, b, c, d, e) raw_call (RAW_##n, RAW_A_ (a), RAW_A_ (b), RAW_A_ (c), RAW_A_ (d), RAW_A_ (e))

struct raw_pollfd {
  int fd;
  short events, revents;
};
struct raw_timespec {
  int64_t sec, nsec;
};
struct raw_iovec {
  void *base;
  size_t length;
};
struct raw_msghdr {
  void *name;
  unsigned name_length;
  struct raw_iovec *iov;
  size_t iov_length;
  void *control;
  size_t control_length;
  int flags;
};
struct raw_rights { /* one descriptor in a control message, padded as the kernel wants it */
  size_t length;
  int level, type;
  int fd, padding;
};
struct raw_rusage {
  int64_t user_sec, user_usec, system_sec, system_usec;
  int64_t max_rss; /* KiB */
  int64_t rest[13];
};

enum {
  RAW_EINTR = 4,
  RAW_ECHILD = 10,
  RAW_SIGHUP = 1,
  RAW_SIGINT = 2,
  RAW_SIGQUIT = 3,
  RAW_SIGKILL = 9,
  RAW_SIGTERM = 15,
  RAW_SIGCHLD = 17,
  RAW_SIGSTOP = 19,
  RAW_POLLIN = 1,
  RAW_O_CLOEXEC = 02000000,
  RAW_AT_FDCWD = -100,
  RAW_AT_EMPTY_PATH = 0x1000,
  RAW_WNOHANG = 1,
  RAW_WALL = 0x40000000,
};

#endif
