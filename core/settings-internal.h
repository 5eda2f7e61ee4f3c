/* How settings_load finds its sources, for tests that bring their own.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_SETTINGS_INTERNAL_H
#define WEIR_CORE_SETTINGS_INTERNAL_H

#include "core/conf.h"
#include "core/settings.h"

struct settings_sources {
  struct strv paths;            /* of the layers */
  struct conf_layer layers[2];  /* as many as paths */
  struct strv set;
  int secure;                   /* run with more rights than who started us: the environment is not believed */
  char *home;                   /* NULL: unknown */
  char *local_home;             /* of the local user database; may be the same; NULL: unknown */
  const char *state_home;       /* XDG_STATE_HOME, NULL: not set */
};
/* secure: AT_SECURE, as in a set-user-ID program, where whoever started us chose the environment.  To be freed also
 * after a failure.  */
weir_status settings_sources (struct settings_sources *, const struct weir_runtime_options *,
                              const char *const *environ, int secure, weir_error **);
void settings_sources_free (struct settings_sources *);
extern const char settings_system_file[]; /* as configure decided */
weir_status settings_from (struct settings_sources *, config_opener, struct settings **, weir_error **);

#endif
