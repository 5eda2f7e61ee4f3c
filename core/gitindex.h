/* SPDX-License-Identifier: Apache-2.0 */
/* Which submodules does git's index name?  (gitformat-index(5), versions 2 to 4, SHA-1 and SHA-256.)  */
#ifndef WEIR_CORE_GITINDEX_H
#define WEIR_CORE_GITINDEX_H

#include <stddef.h>

#include "core/util.h"

/* Adds the path of each submodule (a "gitlink") in the index file dirfd/name to links, at most limit in all; links->failed
 * when memory ran out.  hash: bytes of an object name, 20 or 32.  0; -1: it cannot be read to its end (errno, EINVAL: it is
 * no index): what was read before stays.  Follows no link, reads regular files only, keeps little in memory.  */
int gitindex_links (int dirfd, const char *name, size_t hash, size_t limit, struct strv *links);

#endif
