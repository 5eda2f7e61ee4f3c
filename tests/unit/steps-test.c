/* SPDX-License-Identifier: Apache-2.0 */
/* Each step that does not mount is really done, in a child.  */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys.h"
#include "tests/unit/steps-child.h"

/* ---- Landlock ---- */

#define WRITES                                                                                                         \
  (SYS_LL_WRITE_FILE | SYS_LL_TRUNCATE | SYS_LL_MAKE_REG | SYS_LL_MAKE_DIR | SYS_LL_REMOVE_FILE | SYS_LL_IOCTL_DEV)

static void
need_landlock (void)
{
  if (sys_landlock_abi () == 0) {
    print_message ("skipped: this kernel does not enforce Landlock\n");
    skip ();
  }
}

static int
landlock_check (const char *dir)
{
  CHECK (child_can_write (child_in (dir, "ws/new")) == 0);
  CHECK (child_can_write (child_in (dir, "outside/file")) == 0); /* a rule of its own, with a file's rights */
  CHECK (child_can_write (child_in (dir, "outside/new")) == EACCES);
  CHECK (child_can_write ("/dev/null") == 0);
  REFUSED (mkdir (child_in (dir, "outside/d"), 0755), EACCES);
  REFUSED (unlink (child_in (dir, "outside/file")), EACCES);
  return 0;
}

static void
landlock (void **state)
{
  (void) state;
  struct stat st;

  need_landlock ();
  child_tree ();
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  /* Rights that this kernel does not know are left out; so are those that a file cannot have.  */
  struct weir_step steps[] = {
    STEP (LANDLOCK_HANDLE, .flags = WRITES | UINT64_C (1) << 40, .value = UINT64_C (0xff) << 32),
    STEP (LANDLOCK_RULE, .path = child_path ("ws"), .flags = ~UINT64_C (0), .dev = st.st_dev, .ino = st.st_ino),
    STEP (LANDLOCK_RULE, .path = child_path ("outside/file"), .flags = WRITES),
    STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = WRITES),
    STEP (LANDLOCK_RULE, .path = child_path ("absent"), .flags = WRITES, .value = WEIR_OPTIONAL),
    STEP (NO_NEW_PRIVILEGES),
    STEP (LANDLOCK_ENFORCE)
  };
  child_holds (steps, COUNT (steps), landlock_check, child_dir ());
}

static int
inside_check (const char *dir)
{
  int fd;

  CHECK (child_can_write (child_in (dir, "ws/new")) == 0); /* the rule was for what is bound here */
  CHECK (child_can_write (child_in (dir, "outside/new")) == EACCES);
  CHECK (child_can_write ("/dev/shm/new") == 0);
  CHECK (child_can_write ("/dev/null") == 0);
  CHECK ((fd = posix_openpt (O_RDWR | O_NOCTTY)) >= 0 && unlockpt (fd) == 0);
  CHECK (open (ptsname (fd), O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0);
  return 0;
}

static void
landlock_inside (void **state)
{
  (void) state;
  need_landlock ();
  child_tree ();
  struct weir_step steps[] = { ISOLATED,
                               STEP (LANDLOCK_HANDLE, .flags = WRITES),
                               STEP (LANDLOCK_RULE, .path = child_path ("outside"), .flags = WRITES),
                               STEP (BIND, .path = child_path ("outside"), .target = child_path ("ws")),
                               STEP (DEV),
                               STEP (TMPFS, .path = child_path ("outside")),
                               STEP (LANDLOCK_RULE, .path = "/dev/pts", .flags = WRITES, .value = WEIR_RULE_INSIDE),
                               STEP (LANDLOCK_RULE, .path = "/dev/shm", .flags = WRITES, .value = WEIR_RULE_INSIDE),
                               STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = WRITES, .value = WEIR_RULE_INSIDE),
                               STEP (LANDLOCK_RULE, .path = "/dev/absent", .flags = WRITES,
                                     .value = WEIR_RULE_INSIDE | WEIR_OPTIONAL),
                               STEP (NO_NEW_PRIVILEGES),
                               STEP (LANDLOCK_ENFORCE) };
  child_holds (steps, COUNT (steps), inside_check, child_dir ());
}

static void
landlock_failures (void **state)
{
  (void) state;
  struct carry_failure failure;
  struct stat st;

  need_landlock ();
  child_tree ();
  assert_int_equal (symlink ("ws", child_path ("link")), 0);
  assert_int_equal (stat (child_path ("ws"), &st), 0);
  const struct {
    struct weir_step step;
    int errnum;
  } table[] = {
    { STEP (LANDLOCK_RULE, .path = child_path ("absent"), .flags = WRITES), ENOENT },
    { STEP (LANDLOCK_RULE, .path = child_path ("link"), .flags = WRITES), ELOOP },
    { STEP (LANDLOCK_RULE, .path = child_path ("ws"), .flags = WRITES, .dev = st.st_dev, .ino = st.st_ino + 1),
      ESTALE },
  };
  for (size_t i = 0; i < COUNT (table); i++) {
    struct weir_step steps[] = { STEP (LANDLOCK_HANDLE, .flags = WRITES), table[i].step, STEP (LANDLOCK_ENFORCE) };
    steps[1].fact = WEIR_FACT_LANDLOCK_ABI;
    assert_int_equal (child_run (steps, COUNT (steps), NULL, NULL, &failure), CHILD_FAILED);
    assert_int_equal (failure.step, WEIR_STEP_LANDLOCK_RULE);
    assert_int_equal (failure.errnum, table[i].errnum);
    assert_int_equal (failure.fact, 0);
    assert_string_equal (failure.detail, table[i].step.path);
  }
}

/* ---- privileges ---- */

static uint64_t
status_line (const char *text, const char *name)
{
  const char *at = strstr (text, name);
  return at ? strtoull (at + strlen (name), NULL, 16) : ~UINT64_C (0);
}

static int
capabilities_check (const char *dir)
{
  static const char *const argv[] = { "cat", "/proc/self/status", NULL };
  uint64_t expected = geteuid () == 0 ? 0xeb : 0; /* an exec as another user keeps none */
  char text[8192];

  (void) dir;
  CHECK (child_run_program (argv, text, sizeof text) == 0);
  CHECK (geteuid () == 0 ? status_line (text, "CapBnd:\t") == 0xeb : status_line (text, "NoNewPrivs:\t") == 1);
  CHECK (status_line (text, "CapPrm:\t") == expected);
  CHECK (status_line (text, "CapEff:\t") == expected);
  CHECK (status_line (text, "CapInh:\t") == 0);
  CHECK (status_line (text, "CapAmb:\t") == 0);
  REFUSED (mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL), EPERM);
  return 0;
}

static void
capabilities (void **state)
{
  (void) state;
  struct weir_step steps[] = { ISOLATED, STEP (CAPABILITIES, .flags = 0xeb) };
  child_holds (steps, COUNT (steps), capabilities_check, child_dir ());
}

static int
no_capabilities_check (const char *dir)
{
  static const char *const argv[] = { "cat", "/proc/self/status", NULL };
  char text[8192];

  (void) dir;
  CHECK (child_run_program (argv, text, sizeof text) == 0);
  CHECK (status_line (text, "CapPrm:\t") == 0 && status_line (text, "CapEff:\t") == 0);
  CHECK (status_line (text, "NoNewPrivs:\t") == 1 || status_line (text, "CapBnd:\t") == 0);
  return 0;
}

static void
capabilities_without_namespaces (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (CAPABILITIES) };
  child_holds (steps, COUNT (steps), no_capabilities_check, child_dir ());
}

static int
seccomp_check (const char *dir)
{
  (void) dir;
  CHECK (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  CHECK (prctl (PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
  REFUSED (syscall (SYS_bpf, 0, NULL, 0), EPERM);
  return 0;
}

static void
seccomp (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (NO_NEW_PRIVILEGES), STEP (SECCOMP, .flags = WEIR_SECCOMP_BASE) };
  child_holds (steps, COUNT (steps), seccomp_check, child_dir ());
}

/* ---- limits and network ---- */

static int
limits_check (const char *dir)
{
  struct rlimit limit;

  (void) dir;
  CHECK (getrlimit (RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur == 4321 && limit.rlim_max == 4321);
  CHECK (getrlimit (RLIMIT_CPU, &limit) == 0 && limit.rlim_cur == 100 && limit.rlim_max == 105);
  CHECK (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 64 && limit.rlim_max == 64);
  CHECK (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == 4096 && limit.rlim_max == 4096);
  return 0;
}

static int
memory_check (const char *dir)
{
  struct rlimit limit;

  (void) dir;
  CHECK (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur == UINT64_C (1) << 50);
  return 0;
}

static void
limits (void **state)
{
  (void) state;
  struct rlimit hard;
  struct weir_step steps[] = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_PROCESSES, .value = 4321),
                               STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_CPU, .value = 100),
                               STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILES, .value = 64),
                               STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILE_SIZE, .value = 4096) };
  assert_int_equal (getrlimit (RLIMIT_NPROC, &hard), 0);
  if (hard.rlim_max < 4321) {
    print_message ("skipped: the hard limit of processes is below that of the test\n");
    skip ();
  }
  child_holds (steps, COUNT (steps), limits_check, child_dir ());
  struct weir_step memory[] = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_MEMORY, .value = UINT64_C (1) << 50) };
  child_holds (memory, COUNT (memory), memory_check, child_dir ());
  /* More than the hard limit is the hard limit, not a failure.  */
  struct weir_step above[] = { STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_FILES, .value = UINT64_C (1) << 40) };
  child_holds (above, COUNT (above), NULL, child_dir ());
  struct weir_step unknown[] = { STEP (LIMIT, .flags = WEIR_AXIS_NETWORK_NONE, .value = 1) };
  child_fails (unknown, COUNT (unknown), WEIR_STEP_LIMIT, EINVAL, "", 0);
}

static int
loopback_check (const char *dir)
{
  struct ifreq request = { .ifr_name = "lo" };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  (void) dir;
  CHECK (fd >= 0 && ioctl (fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP));
  return 0;
}

static void
loopback (void **state)
{
  (void) state;
  struct weir_step steps[] = { STEP (NAMESPACES, .flags = WEIR_NS_NETWORK), STEP (LOOPBACK_UP) };
  child_holds (steps, COUNT (steps), loopback_check, child_dir ());
}

int
main (void)
{
#define TEST(f) cmocka_unit_test_setup_teardown (f, child_setup, child_clean)
  const struct CMUnitTest tests[] = { TEST (landlock),
                                      TEST (landlock_inside),
                                      TEST (landlock_failures),
                                      TEST (capabilities),
                                      TEST (capabilities_without_namespaces),
                                      TEST (seccomp),
                                      TEST (limits),
                                      TEST (loopback) };
  return cmocka_run_group_tests_name ("steps", tests, NULL, NULL);
}
