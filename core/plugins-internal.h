/* Parts of plugins.c that its neighbours and the tests use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CORE_PLUGINS_INTERNAL_H
#define WEIR_CORE_PLUGINS_INTERNAL_H

#include "core/plugins.h"

/* Found, judged, loaded and adopted, not yet created.  Borrowed from plugins.  The same memory of failures as
 * plugins_get.  */
weir_status plugins_load (struct plugins *, const char *name, const struct adopted **, weir_error **);
const char *plugins_directory (const struct plugins *);
const struct settings *plugins_settings (const struct plugins *);
/* A name that a plugin can have: a C identifier of at most 64 bytes.  */
int plugins_is_name (const char *);

/* census.c: what a callback left behind in this process.  Only sound while no other thread of the process runs, which
 * may open descriptors at any time: census_take then says so and census_compare finds nothing.  */
struct census {
  int *fds; /* sorted */
  size_t count;
  int alone; /* this process had one thread, and /proc could be read */
};
void census_take (struct census *);
/* What is here now and was not: a text such as "descriptor 7 ('/dev/null')" (owned), NULL: nothing.  */
char *census_compare (const struct census *before);
void census_free (struct census *);

#endif
