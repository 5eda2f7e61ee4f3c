/* SPDX-License-Identifier: Apache-2.0
 *
 * Confinement by bubblewrap.  Its status descriptor tells whether the command started; Weir's init, pid 1 inside, tells
 * exactly how it ended, and ends everything when the harness dies: --die-with-parent alone would do so whenever the
 * spawning thread ends (prctl(2), PR_SET_PDEATHSIG).
 */
#include <weir/plugin.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bwrap-profile/bwrap-profile.h"

struct bwrap {
  const char *program; /* of the configuration, NULL: found in the trusted directories */
};

/* As in plugins/landlock: CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID.  */
static const char *const bwrap_root_capabilities[]
  = { "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_KILL", "CAP_SETGID", "CAP_SETUID" };

static weir_status
bwrap_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  struct bwrap *b = calloc (1, sizeof *b);

  (void) log;
  if (b == NULL)
    return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
  b->program = weir_config_string (config, "program");
  *self = b;
  return WEIR_OK;
}

static void
bwrap_destroy (void *self)
{
  free (self);
}

/* Debian's bubblewrap has --bind-fd from 0.8.0-2+deb12u1 on, upstream's from 0.9: its version does not tell.  */
static int
bwrap_knows (const char *program, const char *option)
{
  char *text = NULL;
  size_t length = strlen (option);
  ssize_t size = 0;
  int known = 0, fd = open (program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

  if (fd >= 0 && (text = malloc (1 << 20)) != NULL)
    size = pread (fd, text, 1 << 20, 0);
  for (ssize_t i = 0; text != NULL && i + (ssize_t) length + 1 <= size && !known; i++)
    known = memcmp (text + i, option, length + 1) == 0;
  free (text);
  if (fd >= 0)
    close (fd);
  return known;
}

static void
bwrap_arguments (const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
                 int by_descriptor, weir_plan *plan)
{
  int root = weir_fact (call, WEIR_FACT_UID) == 0;
  char number[16];

  snprintf (number, sizeof number, "%d", weir_plan_fd (plan, WEIR_FD_STATUS_JSON, NULL, 0, 0, 0));
  weir_plan_argument (plan, "--json-status-fd");
  weir_plan_argument (plan, number);
  bwrap_profile (plan, call, policy, command->cwd, by_descriptor);
  weir_plan_argument (plan, "--cap-drop");
  weir_plan_argument (plan, "ALL");
  for (size_t i = 0; root && i < sizeof bwrap_root_capabilities / sizeof bwrap_root_capabilities[0]; i++) {
    weir_plan_argument (plan, "--cap-add");
    weir_plan_argument (plan, bwrap_root_capabilities[i]);
  }
  /* Nested user namespaces are among what this program refuses, for root too.  */
  snprintf (number, sizeof number, "%d",
            weir_plan_fd (plan, WEIR_FD_SECCOMP, NULL, 0, 0,
                          WEIR_SECCOMP_BASE | WEIR_SECCOMP_SETID_BITS | WEIR_SECCOMP_OTHERS));
  weir_plan_argument (plan, "--seccomp");
  weir_plan_argument (plan, number);
  weir_plan_argument (plan, "--as-pid-1");
  weir_plan_argument (plan, "--");
  weir_plan_supervisor (plan);
}

static weir_status
bwrap_confine (void *self, const weir_call *call, const struct weir_command *command, const struct weir_policy *policy,
               weir_plan *plan, weir_error **err)
{
  static const int32_t setup_failed[] = { 1 };
  const struct bwrap *b = self;
  const char *program = NULL;
  weir_status status = weir_find_runner (b->program == NULL ? "bwrap" : b->program, &program, err);

  if (status != WEIR_OK) {
    if (b->program == NULL && status == WEIR_E_NOT_FOUND)
      weir_error_hint (err, "install bubblewrap (Debian: apt-get install bubblewrap), or name the program: "
                            "plugins.bwrap.program");
    return b->program != NULL ? weir_error_wrap (err, "plugins.bwrap.program") : status;
  }
  weir_plan_runner (plan, program);
  bwrap_arguments (call, command, policy, bwrap_knows (program, "--bind-fd"), plan);
  bwrap_profile_limits (plan, call, policy->limits);
  weir_plan_failure (plan, setup_failed, 1, "bwrap: ");
  weir_plan_denial (plan, "read-only file system");
  weir_plan_governs (plan, (WEIR_EFFECTS_ALL & ~WEIR_EFFECT_SOCKETS & ~WEIR_EFFECT_DESCRIPTORS) | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT
                             | WEIR_AXIS_PRIVATE_TMP | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK);
  weir_plan_gap (plan, WEIR_EFFECT_DESCRIPTORS, "a file that is given as standard input can be opened again for writing");
  weir_plan_gap (plan, WEIR_EFFECT_SOCKETS, "sockets that other processes have put into the file system stay connectable");
  if (policy->network == WEIR_NETWORK_INHERIT)
    weir_plan_gap (plan, WEIR_EFFECT_SOCKETS, "abstract sockets of other processes stay connectable");
  return WEIR_OK;
}

static weir_status
bwrap_describe (void *self, const weir_call *call, weir_sink *sink, weir_error **err)
{
  const struct bwrap *b = self;
  const char *program = NULL;
  weir_status status = weir_find_runner (b->program == NULL ? "bwrap" : b->program, &program, err);

  (void) call;
  if (status == WEIR_OK)
    status = weir_sink_write (sink, "program=", 8, err);
  if (status == WEIR_OK)
    status = weir_sink_write (sink, program, strlen (program), err);
  if (status == WEIR_OK)
    status = bwrap_knows (program, "--bind-fd") ? weir_sink_write (sink, "\nbinds=by descriptor\n", 21, err)
                                                : weir_sink_write (sink, "\nbinds=by path\n", 15, err);
  return status;
}

static const struct weir_option bwrap_options[] = {
  { "program", WEIR_OPT_PATH, 0, NULL, "the bubblewrap program; default: bwrap in /usr/local/bin, /usr/bin or /bin" },
  WEIR_OPTION_END,
};

static const struct weir_sandbox_ops bwrap_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = WEIR_EFFECTS_ALL | WEIR_AXIS_NETWORK_NONE | WEIR_AXIS_NETWORK_LOOPBACK | WEIR_AXIS_DENY_READ | WEIR_AXIS_PROTECT
            | WEIR_AXIS_PRIVATE_TMP | WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU
            | WEIR_AXIS_LIMIT_FILES | WEIR_AXIS_LIMIT_FILE_SIZE,
  .confine = bwrap_confine,
  .describe = bwrap_describe,
};

static const struct weir_plugin bwrap = {
  WEIR_PLUGIN (bwrap),
  .version = "1.0",
  .summary = "bubblewrap, with Weir's init inside",
  .threading = WEIR_PARALLEL,
  .options = bwrap_options,
  .create = bwrap_create,
  .destroy = bwrap_destroy,
  .sandbox = &bwrap_sandbox,
};

WEIR_PLUGIN_REGISTER (bwrap);
