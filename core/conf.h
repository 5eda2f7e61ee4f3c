/* Layers of configuration: files, then single values of a command line, each checked against the schema and laid over
 * the one before it.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_CONF_H
#define WEIR_CORE_CONF_H

#include "core/node.h"

struct conf {
  struct node *root;  /* a GROUP; only what some layer says */
  struct strv files;  /* the paths that were read, and their real paths where these differ */
};

struct conf_layer {
  const char *path; /* absolute */
  int required;     /* 0: may be missing, also because a directory on the way cannot be searched */
};

/* set: "KEY=VALUE" strings or NULL; see weir.conf(5) for their syntax.  home: for checking "~/", NULL: unknown.  */
weir_status conf_load (const struct conf_layer *, size_t count, const char *const *set, const char *home, config_opener,
                       struct conf **, weir_error **);
void conf_free (struct conf *);
/* The value of a key, NULL: no layer says.  */
const struct node *conf_find (const struct conf *, const char *path);

#endif
