/* SPDX-License-Identifier: Apache-2.0 */
#include "bwrap-profile.h"

#include <stdio.h>

static void
profile_arguments (weir_plan *plan, const char *const *arguments)
{
  for (; *arguments != NULL; arguments++)
    weir_plan_argument (plan, *arguments);
}

/* OPTION or OPTION-fd, source, target.  */
static void
profile_bind (weir_plan *plan, const struct weir_view *v, int by_descriptor)
{
  int read_only = v->access == WEIR_ACCESS_READ;
  char number[16];

  if (!by_descriptor) {
    profile_arguments (plan, (const char *const[]){ read_only ? "--ro-bind" : "--bind", v->host, v->world, NULL });
    return;
  }
  snprintf (number, sizeof number, "%d", weir_plan_fd (plan, WEIR_FD_PATH, v->host, v->dev, v->ino, 0));
  profile_arguments (plan, (const char *const[]){ read_only ? "--ro-bind-fd" : "--bind-fd", number, v->world, NULL });
}

/* A directory becomes an empty one that cannot be entered, a file an empty one that cannot be opened.  */
static void
profile_hide (weir_plan *plan, const struct weir_view *v)
{
  char number[16];

  weir_plan_argument (plan, "--perms");
  weir_plan_argument (plan, "0000");
  if (v->is_dir) {
    profile_arguments (plan, (const char *const[]){ "--tmpfs", v->world, "--remount-ro", v->world, NULL });
    return;
  }
  snprintf (number, sizeof number, "%d", weir_plan_fd (plan, WEIR_FD_DATA, "", 0, 0, 0));
  profile_arguments (plan, (const char *const[]){ "--ro-bind-data", number, v->world, NULL });
}

void
bwrap_profile (weir_plan *plan, const weir_call *call, const struct weir_policy *policy, const char *cwd, int by_descriptor)
{
  profile_arguments (plan, (const char *const[]){ "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-pid", "--unshare-ipc",
                                                  "--proc", "/proc", NULL });
  /* As uid 0 /proc/sys and its like belong to us, and bubblewrap closes but a few of them.  */
  if (weir_fact (call, WEIR_FACT_UID) == 0)
    profile_arguments (plan, (const char *const[]){ "--remount-ro", "/proc", NULL });
  /* bubblewrap brings up the loopback of the network namespace that it makes.  */
  if (policy->network != WEIR_NETWORK_INHERIT)
    weir_plan_argument (plan, "--unshare-net");
  for (size_t i = 0; i < policy->view_count; i++) {
    if (policy->view[i]->access == WEIR_ACCESS_NONE)
      profile_hide (plan, policy->view[i]);
    else
      profile_bind (plan, policy->view[i], by_descriptor);
  }
  /* Without it bubblewrap goes to $HOME when the directory is not there.  */
  profile_arguments (plan, (const char *const[]){ "--chdir", cwd, NULL });
}

void
bwrap_profile_limits (weir_plan *plan, const weir_call *call, const struct weir_limits *limits)
{
  const struct {
    uint64_t axis, value;
  } all[] = {
    { WEIR_AXIS_LIMIT_PROCESSES, limits->processes }, { WEIR_AXIS_LIMIT_MEMORY, limits->memory },
    { WEIR_AXIS_LIMIT_CPU, limits->cpu },             { WEIR_AXIS_LIMIT_FILES, limits->files },
    { WEIR_AXIS_LIMIT_FILE_SIZE, limits->file_size },
  };

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i].value != 0) {
      struct weir_step step
        = { WEIR_SIZED (struct weir_step), .kind = WEIR_STEP_LIMIT, .flags = all[i].axis, .value = all[i].value };
      weir_plan_step (plan, &step);
      weir_plan_governs (plan, all[i].axis);
    }
  /* RLIMIT_NPROC does not bind uid 0 (kernel/fork.c: copy_process).  */
  if (limits->processes != 0 && weir_fact (call, WEIR_FACT_UID) == 0)
    weir_plan_gap (plan, WEIR_AXIS_LIMIT_PROCESSES, "the kernel does not hold uid 0 to a number of processes");
}
