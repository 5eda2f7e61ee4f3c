/* SPDX-License-Identifier: Apache-2.0 */
/* The static launcher.  main.c chooses between two programs: compat.c speaks the command line of landlock-run, plan.c
 * carries out a plan of Weir in itself.  */
#ifndef WEIR_LANDLOCK_LAUNCHER_H
#define WEIR_LANDLOCK_LAUNCHER_H

#include "core/carry.h"

#define LAUNCHER_FAILED 125 /* exit status: nothing was executed */
#define LAUNCHER_NOT_EXECUTABLE 126
#define LAUNCHER_NO_PROGRAM 127

int compat_main (int argc, char **argv);
int plan_main (int argc, char **argv);

/* ---- plan.c ---- */

/* Says what failed on the report descriptor and on stderr, and ends.  */
void launcher_fail (const struct carry_failure *) __attribute__ ((noreturn));
void launcher_started (void); /* closes the report: the command was executed */
void launcher_failure (struct carry_failure *, uint32_t step, uint32_t fact, const char *detail); /* with errno */

struct launcher {
  struct carry carry;
  char *program; /* path */
  char **argv;
  char *cwd;
};
/* In the process that becomes the command: steps, directory, exec.  Returns on failure, which is filled.  */
void launcher_become (const struct launcher *, struct carry_failure *);
/* Steps and directory only.  -1: filled.  */
int launcher_confine (const struct launcher *, struct carry_failure *);

/* ---- namespaces.c ---- */

/* Puts this process into new namespaces (WEIR_NS_*), a user namespace with the identity map among them.  -1: filled.  A
 * pid namespace begins with the next child.  */
int launcher_namespaces (uint64_t wanted, struct carry_failure *);

/* ---- supervise.c ---- */

/* Runs the command in a child, beneath Weir's init if the plan has SUPERVISE, forwards signals to it, and ends as it
 * ended.  */
void launcher_supervise (const struct launcher *) __attribute__ ((noreturn));

#endif
