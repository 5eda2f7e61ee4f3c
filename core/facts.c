/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/facts.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/sys.h"

static const char *const facts_names[WEIR_FACT_COUNT_] = {
  [WEIR_FACT_USER_NAMESPACES] = "user-namespaces",
  [WEIR_FACT_FRESH_PROC] = "fresh-proc",
  [WEIR_FACT_LANDLOCK_ABI] = "landlock-abi",
  [WEIR_FACT_NETWORK_NAMESPACES] = "network-namespaces",
  [WEIR_FACT_IPC_NAMESPACES] = "ipc-namespaces",
  [WEIR_FACT_SECCOMP] = "seccomp",
  [WEIR_FACT_UID] = "uid",
  [WEIR_FACT_PID_LIMIT] = "pid-limit",
};

/* kernel/pid.c has a pid_max for each namespace from 6.14 on; the step that sets it tells when that is not so.  */
static int
facts_pid_limit (void)
{
  struct utsname u;
  unsigned major = 0, minor = 0;

  return uname (&u) == 0 && sscanf (u.release, "%u.%u", &major, &minor) == 2
         && (major > 6 || (major == 6 && minor >= 14));
}

void
facts_init (struct facts *facts)
{
  for (uint32_t i = 0; i < WEIR_FACT_COUNT_; i++)
    atomic_init (&facts->value[i], i != 0);
  atomic_init (&facts->value[WEIR_FACT_LANDLOCK_ABI], sys_landlock_abi ());
  atomic_init (&facts->value[WEIR_FACT_UID], geteuid ());
  atomic_init (&facts->value[WEIR_FACT_PID_LIMIT], facts_pid_limit ());
}

void
facts_snapshot (struct facts *facts, uint64_t out[WEIR_FACT_COUNT_])
{
  for (uint32_t i = 0; i < WEIR_FACT_COUNT_; i++)
    out[i] = atomic_load (&facts->value[i]);
}

void
facts_take_back (struct facts *facts, uint32_t which)
{
  /* Who we are is no assumption, and to take it back would make us root.  */
  if (which > 0 && which < WEIR_FACT_COUNT_ && which != WEIR_FACT_UID)
    atomic_store (&facts->value[which], 0);
}

const char *
facts_name (uint32_t which)
{
  return which < WEIR_FACT_COUNT_ && facts_names[which] != NULL ? facts_names[which] : "unknown";
}
