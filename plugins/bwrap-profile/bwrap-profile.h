/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line by which bubblewrap, and a runner that takes its options, is told a policy.  Compiled into both
 * plugins that use it.  */
#ifndef BWRAP_PROFILE_H
#define BWRAP_PROFILE_H

#include <weir/plugin.h>

/* A directory for cwd, the mounts of the view, and what each line of it asks.  by_descriptor: the runner knows --bind-fd,
 * so that what is mounted is what was checked.  cwd: as the command sees it.  */
void bwrap_profile (weir_plan *, const weir_call *, const struct weir_policy *, const char *cwd, int by_descriptor);

/* Steps for the limits of the policy, carried out before the runner is executed.  */
void bwrap_profile_limits (weir_plan *, const weir_call *, const struct weir_limits *);

#endif
