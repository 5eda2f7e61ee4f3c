/* SPDX-License-Identifier: Apache-2.0 */
/* Plans, spawned and collected, for the tests of spawn.c and its like.  Include after cmocka.h.  */
#ifndef WEIR_TESTS_SPAWN_SUPPORT_H
#define WEIR_TESTS_SPAWN_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/spawn.h"
#include "core/sys.h"
#include "core/util.h"

#define GUARD_SECONDS 120 /* of a test that hangs; nothing is expected to take any particular time */

/* ThreadSanitizer ends a forked child that makes a thread, as the harnesses that these tests kill do.  */
const char *__tsan_default_options (void);
const char *
__tsan_default_options (void)
{
  return "die_after_fork=0";
}

static inline void
support_guard (void)
{
  alarm (GUARD_SECONDS);
}

static const weir_call support_call = { WEIR_SIZED (weir_call), .cancel = -1 };

/* Tiers: what a plan does with a command that is the same otherwise.  */
enum { TIER_BARE, TIER_NAMESPACES, TIER_LANDLOCK, TIER_COUNT };
static const char *const tier_names[] = { "bare", "namespaces", "landlock" };

static inline void
support_step (weir_plan *plan, uint32_t kind, uint64_t flags, const char *path, uint64_t value)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step), .kind = kind, .flags = flags, .path = path, .value = value };
  plan_step (plan, &step);
}

static inline void
support_tier (weir_plan *plan, int tier)
{
  /* What the landlock plugin asks for: the rights to write, a rule for /tmp and for devices, the scopes.  */
  unsigned abi = sys_landlock_abi ();
  uint64_t write = sys_landlock_fs (abi) & ~(SYS_LL_EXECUTE | SYS_LL_READ_FILE | SYS_LL_READ_DIR);

  if (tier == TIER_NAMESPACES) {
    support_step (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_IPC, NULL, 0);
    support_step (plan, WEIR_STEP_ROOT_READ_ONLY, 0, NULL, 0);
    support_step (plan, WEIR_STEP_BIND, 0, "/tmp", 0);
    support_step (plan, WEIR_STEP_PROC, 0, NULL, 0);
  }
  if (tier == TIER_LANDLOCK) {
    support_step (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0, NULL, 0);
    support_step (plan, WEIR_STEP_LANDLOCK_HANDLE, write, NULL, sys_landlock_scopes (abi) << 32);
    support_step (plan, WEIR_STEP_LANDLOCK_RULE, write, "/tmp", 0);
    support_step (plan, WEIR_STEP_LANDLOCK_RULE, write, "/dev", 0);
    support_step (plan, WEIR_STEP_LANDLOCK_ENFORCE, 0, NULL, 0);
    support_step (plan, WEIR_STEP_CAPABILITIES, 0, NULL, 0);
  }
  if (tier == TIER_NAMESPACES) {
    support_step (plan, WEIR_STEP_CAPABILITIES, 0, NULL, 0);
    support_step (plan, WEIR_STEP_NO_NEW_PRIVILEGES, 0, NULL, 0);
    support_step (plan, WEIR_STEP_SECCOMP, WEIR_SECCOMP_BASE, NULL, 0);
  }
  if (tier != TIER_BARE)
    support_step (plan, WEIR_STEP_SUPERVISE, 0, NULL, 0);
}

static inline weir_plan *
support_plan (int tier, const char *const *argv)
{
  static const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .env = env, .cwd = "/" };
  weir_plan *plan = plan_new (&command, NULL);

  assert_non_null (plan);
  support_tier (plan, tier);
  return plan;
}

static inline weir_plan *
support_shell (int tier, const char *script)
{
  const char *const argv[] = { "/bin/sh", "-c", script, NULL };
  return support_plan (tier, argv);
}

static inline struct weir_stdio
support_stdio (uint32_t in, uint32_t out, uint32_t err)
{
  struct weir_stdio stdio = { WEIR_SIZED (struct weir_stdio), .kind = { in, out, err }, .fd = { 0, 1, 2 } };
  return stdio;
}

/* Does this kernel let us do the tier?  Says why when not.  */
static inline int
support_has_tier (int tier)
{
  static int known[TIER_COUNT];
  const char *const argv[] = { "/bin/true", NULL };
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_NULL);
  struct weir_process process = { WEIR_SIZED (struct weir_process) };
  weir_error *err = NULL;
  weir_plan *plan;

  if (known[tier] != 0)
    return known[tier] > 0;
  known[tier] = 1;
  if (tier == TIER_LANDLOCK && sys_landlock_abi () == 0) {
    print_message ("tier landlock skipped: this kernel has no Landlock\n");
    known[tier] = -1;
    return 0;
  }
  plan = support_plan (tier, argv);
  if (process_spawn (&support_call, plan, &stdio, &process, &err) != WEIR_OK) {
    if (tier != TIER_NAMESPACES || plan->failed_fact == 0)
      fail_msg ("tier %s: %s", tier_names[tier], weir_error_message (err));
    print_message ("tier %s skipped: %s\n", tier_names[tier], weir_error_message (err));
    known[tier] = -1;
  }
  else
    process_release (&process, NULL);
  weir_error_free (err);
  plan_free (plan);
  return known[tier] > 0;
}

/* All that comes from a descriptor until its end.  */
static inline size_t
support_read (int fd, char *text, size_t room)
{
  size_t size = 0;

  for (;;) {
    struct pollfd polled = { .fd = fd, .events = POLLIN };
    char byte[4096];
    ssize_t n;
    if (poll (&polled, 1, -1) < 0)
      continue;
    n = read (fd, byte, sizeof byte);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n <= 0) /* EIO of a terminal whose other side is closed */
      break;
    for (ssize_t i = 0; i < n && size + 1 < room; i++)
      text[size++] = byte[i];
  }
  text[size] = '\0';
  return size;
}

/* Until the text has come.  */
static inline void
support_expect (int fd, const char *wanted)
{
  char text[4096];
  size_t size = 0;

  text[0] = '\0';
  while (strstr (text, wanted) == NULL) {
    struct pollfd polled = { .fd = fd, .events = POLLIN };
    ssize_t n;
    assert_true (poll (&polled, 1, -1) >= 0 || errno == EINTR);
    n = read (fd, text + size, sizeof text - 1 - size);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n <= 0)
      fail_msg ("'%s' never came, but '%s'", wanted, text);
    size += (size_t) n;
    text[size] = '\0';
  }
}

static inline struct weir_exit
support_wait (struct weir_process *process)
{
  struct weir_exit exit = { WEIR_SIZED (struct weir_exit) };
  weir_error *err = NULL;

  if (process_wait (&support_call, process, &exit, &err) != WEIR_OK)
    fail_msg ("wait: %s", weir_error_message (err));
  return exit;
}

static inline void
support_spawn (weir_plan *plan, const struct weir_stdio *stdio, struct weir_process *process)
{
  weir_error *err = NULL;

  *process = (struct weir_process){ WEIR_SIZED (struct weir_process) };
  if (process_spawn (&support_call, plan, stdio, process, &err) != WEIR_OK)
    fail_msg ("spawn: %s", weir_error_message (err));
}

/* Runs a plan to its end; its output in text.  Consumes the plan.  */
static inline struct weir_exit
support_run (weir_plan *plan, char *text, size_t room)
{
  struct weir_stdio stdio = support_stdio (WEIR_STDIO_NULL, WEIR_STDIO_PIPE, WEIR_STDIO_INHERIT);
  struct weir_process process;
  struct weir_exit exit;

  support_spawn (plan, &stdio, &process);
  support_read ((int) process.streams[1], text, room);
  exit = support_wait (&process);
  assert_int_equal (process_release (&process, NULL), WEIR_OK);
  plan_free (plan);
  return exit;
}

static inline weir_status
support_fails (weir_plan *plan, const struct weir_stdio *stdio, weir_error **err)
{
  struct weir_process process = { WEIR_SIZED (struct weir_process) };
  weir_status status = process_spawn (&support_call, plan, stdio, &process, err);

  if (status == WEIR_OK)
    process_release (&process, NULL);
  return status;
}

static inline int
support_count_fds (void)
{
  int count = 0;

  for (int fd = 0; fd < 1024; fd++)
    if (fcntl (fd, F_GETFD) >= 0)
      count++;
  return count;
}

#endif
