/* SPDX-License-Identifier: Apache-2.0 */
/* Which plans are accepted, and which bytes are a plan.  */
#include "config.h"

#include "core/carry.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan-encoding.h"
#include "core/sys.h"

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
#define STEP(k, ...)                                                                                                   \
  {                                                                                                                    \
    .struct_size = sizeof (struct weir_step), .kind = WEIR_STEP_##k, __VA_ARGS__                                       \
  }

static void
accepted (const struct weir_step *steps, size_t count, size_t ops)
{
  struct carry c;
  struct carry_failure failure;

  if (carry_prepare (steps, count, sys_landlock_abi (), &c, &failure))
    fail_msg ("step %u, errno %d, '%s'", failure.step, failure.errnum, failure.detail);
  assert_int_equal (c.count, ops);
  carry_free (&c);
  carry_free (&c); /* nothing is left */
}

static void
refused (const struct weir_step *steps, size_t count, uint32_t kind)
{
  struct carry c;
  struct carry_failure failure;

  assert_int_equal (carry_prepare (steps, count, 7, &c, &failure), -1);
  assert_int_equal (failure.step, kind);
  assert_int_equal (failure.errnum, EINVAL);
  assert_int_equal (failure.fact, 0);
}

static void
plans (void **state)
{
  (void) state;
  struct carry c;
  struct carry_failure failure;
  const struct weir_step all[] = { STEP (NAMESPACES, .flags = WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_NETWORK),
                                   STEP (ROOT_READ_ONLY),
                                   STEP (PROC),
                                   STEP (DEV),
                                   STEP (BIND, .path = "/tmp", .target = "/mnt"),
                                   STEP (TMPFS, .path = "/tmp"),
                                   STEP (HIDE, .path = "/tmp"),
                                   STEP (LOOPBACK_UP),
                                   STEP (LIMIT, .flags = WEIR_AXIS_LIMIT_CPU, .value = 1),
                                   STEP (CAPABILITIES, .flags = 0xeb),
                                   STEP (NO_NEW_PRIVILEGES),
                                   STEP (SECCOMP, .flags = WEIR_SECCOMP_BASE),
                                   STEP (SUPERVISE) };

  accepted (all, COUNT (all), COUNT (all) - 2);
  accepted (NULL, 0, 0);
  assert_int_equal (carry_prepare (all, COUNT (all), 0, &c, &failure), 0);
  assert_true (c.has_namespaces && c.supervise);
  assert_int_equal (c.namespaces, WEIR_NS_MOUNT | WEIR_NS_PID | WEIR_NS_NETWORK);
  assert_true (c.filter && c.filter_len > 10);
  carry_free (&c);
}

static void
bad_plans (void **state)
{
  (void) state;
#define REFUSED(kind, ...)                                                                                             \
  do {                                                                                                                 \
    const struct weir_step steps[] = { __VA_ARGS__ };                                                                  \
    refused (steps, COUNT (steps), kind);                                                                              \
  } while (0)
  REFUSED (WEIR_STEP_COUNT_, STEP (COUNT_));
  REFUSED (0, { .kind = 0 });
  REFUSED (WEIR_STEP_NAMESPACES, STEP (NO_NEW_PRIVILEGES), STEP (NAMESPACES, .flags = WEIR_NS_MOUNT));
  REFUSED (WEIR_STEP_SUPERVISE, STEP (SUPERVISE), STEP (NO_NEW_PRIVILEGES));
  /* What would change the host.  */
  REFUSED (WEIR_STEP_ROOT_READ_ONLY, STEP (ROOT_READ_ONLY));
  REFUSED (WEIR_STEP_BIND, STEP (NAMESPACES, .flags = WEIR_NS_PID), STEP (BIND, .path = "/tmp"));
  REFUSED (WEIR_STEP_HIDE, STEP (HIDE, .path = "/tmp"));
  REFUSED (WEIR_STEP_PROC, STEP (NAMESPACES, .flags = WEIR_NS_MOUNT), STEP (PROC));
  REFUSED (WEIR_STEP_LOOPBACK_UP, STEP (NAMESPACES, .flags = WEIR_NS_MOUNT), STEP (LOOPBACK_UP));
  /* Paths.  */
  REFUSED (WEIR_STEP_BIND, STEP (NAMESPACES, .flags = WEIR_NS_MOUNT), STEP (BIND));
  REFUSED (WEIR_STEP_BIND, STEP (NAMESPACES, .flags = WEIR_NS_MOUNT), STEP (BIND, .path = "tmp"));
  REFUSED (WEIR_STEP_BIND, STEP (NAMESPACES, .flags = WEIR_NS_MOUNT), STEP (BIND, .path = "/tmp", .target = "tmp"));
  REFUSED (WEIR_STEP_LANDLOCK_RULE, STEP (LANDLOCK_RULE, .path = ""));
  /* Landlock and seccomp.  */
  REFUSED (WEIR_STEP_LANDLOCK_RULE, STEP (LANDLOCK_RULE, .path = "/", .flags = 1));
  REFUSED (WEIR_STEP_LANDLOCK_ENFORCE, STEP (LANDLOCK_ENFORCE));
  REFUSED (WEIR_STEP_SECCOMP, STEP (SECCOMP));
  REFUSED (WEIR_STEP_SECCOMP, STEP (SECCOMP, .flags = 1u << WEIR_SECCOMP_GROUPS));
  REFUSED (WEIR_STEP_SECCOMP, STEP (SECCOMP, .flags = UINT64_C (1) << 63 | 1));
  REFUSED (WEIR_STEP_SECCOMP, STEP (SECCOMP, .flags = 1), STEP (SECCOMP, .flags = 2));
  if (sys_landlock_abi () > 0) {
    REFUSED (WEIR_STEP_LANDLOCK_HANDLE, STEP (LANDLOCK_HANDLE, .flags = 2));
    REFUSED (WEIR_STEP_LANDLOCK_HANDLE, STEP (LANDLOCK_HANDLE, .flags = 2), STEP (LANDLOCK_HANDLE, .flags = 2));
  }
}

/* Nothing of what was asked is known to the kernel.  */
static void
old_kernels (void **state)
{
  (void) state;
  static const struct {
    unsigned abi;
    uint64_t flags, value;
  } table[] = { { 0, 0xffff, 0 }, { 1, SYS_LL_REFER, 0 }, { 3, 0, 3 }, { 5, 0, UINT64_C (3) << 32 } };
  struct carry c;
  struct carry_failure failure;

  for (size_t i = 0; i < COUNT (table); i++) {
    const struct weir_step step =
        STEP (LANDLOCK_HANDLE, .flags = table[i].flags, .value = table[i].value, .fact = WEIR_FACT_LANDLOCK_ABI);
    assert_int_equal (carry_prepare (&step, 1, table[i].abi, &c, &failure), -1);
    assert_int_equal (failure.errnum, EOPNOTSUPP);
    assert_int_equal (failure.fact, WEIR_FACT_LANDLOCK_ABI);
  }
  assert_int_equal (sys_landlock_fs (1), 0x1fff);
  assert_int_equal (sys_landlock_fs (2), 0x3fff);
  assert_int_equal (sys_landlock_fs (3), 0x7fff);
  assert_int_equal (sys_landlock_fs (4), 0x7fff);
  assert_int_equal (sys_landlock_fs (5), 0xffff);
  assert_int_equal (sys_landlock_fs (99), 0xffff);
}

/* Rulesets for kernels older than this one are accepted by it: what ABIs 1 to ours are given.  */
static void
cut_to_the_kernel (void **state)
{
  (void) state;
  unsigned newest = sys_landlock_abi ();

  if (newest == 0) {
    print_message ("skipped: this kernel does not enforce Landlock\n");
    skip ();
  }
  const struct weir_step steps[] = { STEP (LANDLOCK_HANDLE, .flags = ~UINT64_C (0), .value = ~UINT64_C (0)),
                                     STEP (LANDLOCK_RULE, .path = "/", .flags = ~UINT64_C (0)),
                                     STEP (LANDLOCK_RULE, .path = "/dev/null", .flags = ~UINT64_C (0)),
                                     STEP (LANDLOCK_ENFORCE) };
  for (unsigned abi = 1; abi <= newest; abi++) {
    struct carry c;
    struct carry_failure failure;
    assert_int_equal (carry_prepare (steps, COUNT (steps), abi, &c, &failure), 0);
    assert_int_equal (c.count, 1);
    carry_free (&c);
  }
}

/* ---- bytes ---- */

#define BEHIND (PLAN_ENCODING_HEADER + 2 * PLAN_ENCODING_STEP)
#define SIZE (BEHIND + 11)

/* Two steps; strings "/a/bc" (NUL) and "/dev" (NUL).  */
static void
sample (unsigned char bytes[SIZE])
{
  unsigned char *at = bytes + PLAN_ENCODING_HEADER;

  memset (bytes, 0, SIZE);
  memcpy (bytes, PLAN_ENCODING_MAGIC, PLAN_ENCODING_MAGIC_SIZE);
  plan_encoding_put32 (bytes + 8, PLAN_ENCODING_VERSION);
  plan_encoding_put32 (bytes + 12, SIZE);
  plan_encoding_put32 (bytes + 16, 2);
  plan_encoding_put32 (at, WEIR_STEP_BIND);
  plan_encoding_put32 (at + 4, 3);
  plan_encoding_put64 (at + 8, UINT64_C (0x123456789abcdef0));
  plan_encoding_put64 (at + 16, 16);
  plan_encoding_put64 (at + 24, 24);
  plan_encoding_put64 (at + 32, 32);
  plan_encoding_put32 (at + 40, BEHIND);
  plan_encoding_put32 (at + 44, 5);
  plan_encoding_put32 (at + 48, BEHIND + 6);
  plan_encoding_put32 (at + 52, 4);
  plan_encoding_put32 (at + PLAN_ENCODING_STEP, WEIR_STEP_SUPERVISE);
  memcpy (bytes + BEHIND, "/a/bc\0/dev", 11);
}

static void
decode (void **state)
{
  (void) state;
  unsigned char bytes[SIZE];
  struct weir_step *steps;
  size_t count;

  sample (bytes);
  assert_int_equal (carry_decode (bytes, SIZE, &steps, &count), 0);
  assert_int_equal (count, 2);
  assert_int_equal (steps[0].struct_size, sizeof *steps);
  assert_int_equal (steps[0].kind, WEIR_STEP_BIND);
  assert_int_equal (steps[0].fact, 3);
  assert_true (steps[0].flags == UINT64_C (0x123456789abcdef0));
  assert_int_equal (steps[0].dev, 16);
  assert_int_equal (steps[0].ino, 24);
  assert_int_equal (steps[0].value, 32);
  assert_string_equal (steps[0].path, "/a/bc");
  assert_string_equal (steps[0].target, "/dev");
  assert_int_equal (steps[1].kind, WEIR_STEP_SUPERVISE);
  assert_null (steps[1].path);
  free (steps);
}

static void
decode_malformed (void **state)
{
  (void) state;
  static const struct {
    size_t offset;
    uint32_t value;
  } table[] = {
    { 0, 0 }, /* magic */
    { 8, PLAN_ENCODING_VERSION + 1 }, /* version */
    { 12, SIZE - 1 },
    { 12, SIZE + 1 }, /* size */
    { 16, 3 },
    { 16, 0xffffffff }, /* steps: strings taken for one, far too many */
    { 20, 1 }, /* reserved */
    { 24 + 40, 1 },
    { 24 + 40, 0xffffffff }, /* path: in the header, far outside */
    { 24 + 40, BEHIND - 1 },
    { 24 + 44, 4 },
    { 24 + 44, 6 }, /* its length: short, over the NUL */
    { 24 + 44, 0xffffffff },
    { 24 + 44, 10 }, /* two strings as one */
    { 24 + 52, 5 }, /* NUL beyond the end */
    { 24 + 56 + 44, 1 }, /* a length without a string */
  };
  unsigned char bytes[SIZE];
  struct weir_step *steps;
  size_t count;

  for (size_t i = 0; i < COUNT (table); i++) {
    sample (bytes);
    plan_encoding_put32 (bytes + table[i].offset, table[i].value);
    if (carry_decode (bytes, SIZE, &steps, &count) == 0)
      fail_msg ("row %zu was accepted", i);
  }
  /* Every shorter length, in memory of exactly that size so that a sanitizer sees a read beyond.  */
  sample (bytes);
  for (size_t size = 0; size < SIZE; size++) {
    unsigned char *exact = malloc (size + 1);
    assert_non_null (exact);
    unsigned char *at = exact + 1; /* unaligned, too */
    memcpy (at, bytes, size);
    if (size >= 16)
      plan_encoding_put32 (at + 12, (uint32_t) size);
    assert_int_equal (carry_decode (at, size, &steps, &count), -1);
    free (exact);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (plans),       cmocka_unit_test (bad_plans),
    cmocka_unit_test (old_kernels), cmocka_unit_test (cut_to_the_kernel),
    cmocka_unit_test (decode),      cmocka_unit_test (decode_malformed),
  };
  return cmocka_run_group_tests_name ("carry", tests, NULL, NULL);
}
