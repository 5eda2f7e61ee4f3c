/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories are never writable roots, whoever runs and whatever the file says.  */
#ifndef WEIR_CORE_ROOTCHECK_H
#define WEIR_CORE_ROOTCHECK_H

#include "core/policy.h"

/* The home directories of this machine: of the environment, of the settings, of each entry of a passwd file that is a
 * directory.  The file is read as text: a name service could block, load code, or start a thread.  NULL: out of memory;
 * a file that cannot be read has no entries.  */
struct homes;
struct homes *homes_new (const char *passwd, const struct settings *, const char *const *environ);
void homes_free (struct homes *);

/* WEIR_E_DENIED for "/", /proc and /sys and what is in them, /dev; a home directory or what holds one; a place, what
 * holds one and what lies in one.  By name and, so that a bind mount is no way around, by identity.  what: "workspace",
 * "writable root".  */
weir_status rootcheck (const char *canonical, const char *what, const char *origin, const struct places *,
                       const struct homes *, weir_error **);

#endif
