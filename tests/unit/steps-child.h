/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying out steps in a child of the test, in namespaces of its own, and checking there what it sees.  */
#ifndef WEIR_TESTS_STEPS_CHILD_H
#define WEIR_TESTS_STEPS_CHILD_H

#include "core/carry.h"

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
#define STEP(k, ...)                                                                                                   \
  {                                                                                                                    \
    .struct_size = sizeof (struct weir_step), .kind = WEIR_STEP_##k, __VA_ARGS__                                       \
  }
#define ISOLATED STEP (NAMESPACES, .flags = WEIR_NS_MOUNT | WEIR_NS_PID, .fact = WEIR_FACT_USER_NAMESPACES)
#define ROOT STEP (ROOT_READ_ONLY, .fact = WEIR_FACT_USER_NAMESPACES)

/* Returns 0, or the line of what does not hold.  */
typedef int (*child_check) (const char *dir);
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return __LINE__;                                                                                                 \
  } while (0)
/* The call fails with that errno.  */
#define REFUSED(call, error) CHECK ((errno = 0, (long) (call) < 0) && errno == (error))

#define CHILD_NO_NAMESPACES -1 /* this machine refuses them */
#define CHILD_FAILED -2 /* a step failed: *failure */

/* Prepares the steps, makes a child in the namespaces that the first of them names, does them there and then check
 * (dir).  */
int child_run (const struct weir_step *, size_t count, child_check check, const char *dir,
               struct carry_failure *failure);
/* The same, which must succeed; skips the test, with a reason, where there are no namespaces.  */
void child_holds (const struct weir_step *, size_t count, child_check check, const char *dir);

/* The steps fail: at this one, so, with that object.  */
void child_fails (const struct weir_step *, size_t count, uint32_t kind, int errnum, const char *detail, uint32_t fact);

/* A directory of this test run.  */
const char *child_dir (void);
const char *child_path (const char *name); /* in it; malloc'd, kept until child_clean */
void child_file (const char *name, const char *text);
void child_mkdir (const char *name);
void child_tree (void); /* a workspace "ws" with parts like git's, and "outside" */
const char *child_in (const char *dir, const char *name); /* the latest eight stay */
int child_setup (void **);
int child_clean (void **);

int child_can_write (const char *path); /* opens an existing or new file for writing: 0, or errno */
int child_run_program (const char *const *argv, char *output, size_t size); /* wait status */

#endif
