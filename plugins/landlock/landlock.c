/* SPDX-License-Identifier: Apache-2.0
 *
 * Confinement by the kernel alone, carried out in the child that Weir makes: no other program is involved.
 *
 * Two tiers.  With namespaces: a mount namespace whose tree is read-only but for the writable roots, a private /dev,
 * pid and ipc namespaces, Landlock scopes, seccomp, dropped capabilities.  Without them: what Landlock and seccomp can
 * hold, and the rest named as gaps.
 */
#include <weir/plugin.h>

#include <stdlib.h>
#include <string.h>

#include "landlock-rights.h"
#include "landlock-tiers.h"

struct landlock {
  uint32_t namespaces;
};
#define LANDLOCK_NAMESPACES_AUTO 0
#define LANDLOCK_NAMESPACES_OFF 1
#define LANDLOCK_NAMESPACES_REQUIRE 2

static weir_status
landlock_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  const char *word = weir_config_string (config, "namespaces");
  struct landlock *l = calloc (1, sizeof *l);

  (void) log;
  if (l == NULL)
    return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
  l->namespaces = strcmp (word, "off") == 0       ? LANDLOCK_NAMESPACES_OFF
                  : strcmp (word, "require") == 0 ? LANDLOCK_NAMESPACES_REQUIRE
                                                  : LANDLOCK_NAMESPACES_AUTO;
  *self = l;
  return WEIR_OK;
}

static void
landlock_destroy (void *self)
{
  free (self);
}

static int
landlock_uses_namespaces (const struct landlock *l, const weir_call *call)
{
  return l->namespaces != LANDLOCK_NAMESPACES_OFF && weir_fact (call, WEIR_FACT_USER_NAMESPACES) != 0;
}

static weir_status
landlock_check_kernel (const struct landlock *l, const weir_call *call, weir_error **err)
{
  if (weir_fact (call, WEIR_FACT_LANDLOCK_ABI) == 0) {
    weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "this kernel does not enforce Landlock");
    return weir_error_hint (err, "Landlock needs Linux 5.13 and 'landlock' in the list of security modules: add it to the "
                                 "'lsm=' parameter of the boot command line (see /sys/kernel/security/lsm)");
  }
  if (weir_fact (call, WEIR_FACT_SECCOMP) == 0)
    return weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "this kernel refuses seccomp filters");
  if (l->namespaces == LANDLOCK_NAMESPACES_REQUIRE && !landlock_uses_namespaces (l, call)) {
    weir_error_set (err, WEIR_E_UNAVAILABLE, 0, "user namespaces are refused here, and the configuration requires them");
    return weir_error_hint (err, "allow user namespaces (user.max_user_namespaces, kernel.unprivileged_userns_clone, "
                                 "kernel.apparmor_restrict_unprivileged_userns), or set plugins.landlock.namespaces = \"auto\"");
  }
  return WEIR_OK;
}

static weir_status
landlock_confine (void *self, const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
                  weir_plan *plan, weir_error **err)
{
  const struct landlock *l = self;
  weir_status status = landlock_check_kernel (l, call, err);

  (void) command;
  if (status != WEIR_OK)
    return status;
  return landlock_uses_namespaces (l, call) ? tiers_with_namespaces (call, policy, plan, err)
                                            : tiers_without_namespaces (call, policy, plan, err);
}

static weir_status
landlock_describe (void *self, const weir_call *call, weir_sink *sink, weir_error **err)
{
  const struct landlock *l = self;
  char abi[] = "landlock_abi=??\n";
  uint64_t version = weir_fact (call, WEIR_FACT_LANDLOCK_ABI);
  const char *tier = landlock_uses_namespaces (l, call) ? "tier=namespaces\n" : "tier=landlock and seccomp, no namespaces\n";
  weir_status status;

  abi[13] = (char) ('0' + version / 10 % 10);
  abi[14] = (char) ('0' + version % 10);
  status = weir_sink_write (sink, abi, sizeof abi - 1, err);
  return status != WEIR_OK ? status : weir_sink_write (sink, tier, strlen (tier), err);
}

static const struct weir_option landlock_options[] = {
  { "namespaces", WEIR_OPT_CHOICE, 0, "auto",
    "auto|off|require: use user, mount, pid and ipc namespaces where the host allows them; never; or not without them" },
  WEIR_OPTION_END,
};

static const struct weir_sandbox_ops landlock_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = WEIR_EFFECTS_ALL | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT
            | WEIR_AXIS_PRIVATE_TMP | WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU
            | WEIR_AXIS_LIMIT_FILES | WEIR_AXIS_LIMIT_FILE_SIZE,
  .confine = landlock_confine,
  .describe = landlock_describe,
};

static const struct weir_plugin landlock = {
  WEIR_PLUGIN (landlock),
  .version = "1.0",
  .summary = "Landlock, namespaces and seccomp, without another program",
  .threading = WEIR_PARALLEL,
  .options = landlock_options,
  .create = landlock_create,
  .destroy = landlock_destroy,
  .sandbox = &landlock_sandbox,
};

WEIR_PLUGIN_REGISTER (landlock);
