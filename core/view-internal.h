/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make and ask a view need beside policy.h.  */
#ifndef WEIR_CORE_VIEW_INTERNAL_H
#define WEIR_CORE_VIEW_INTERNAL_H

#include "core/policy.h"

/* Where the host has a path of the world.  Owned; NULL: out of memory.  */
char *view_host (const struct view *, const char *world_path);
/* Something of the view is put strictly beneath this path, so that the path exists as a directory in the world.  */
int view_holds_beneath (const struct view *, const char *world_path);
/* The host's object at this path is what the command sees at this path (and not, for example, a private /tmp).  */
int view_shows (const struct view *, const char *path);
/* The PIN line of exactly this path, NULL: none.  */
const struct weir_view *view_pin (const struct view *, const char *world_path);
/* Orders the lines so that an outer one comes before what it holds, and drops a WRITE line that another one makes
 * superfluous (never one with a flag).  For the lines that stand before the first READ, NONE or PIN of a rule.  */
void view_settle (struct view *);

#endif
