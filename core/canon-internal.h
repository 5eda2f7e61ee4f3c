/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_CANON_INTERNAL_H
#define WEIR_CORE_CANON_INTERNAL_H

#include "core/policy.h"

struct canon_options {
  const struct view *view; /* the path is one of this view's world; NULL: of the host */
  struct strv
      *links; /* the symbolic links that were followed, canonical but for the last component; NULL: not wanted */
  int missing_ok; /* a rest that does not exist is kept */
  int keep_last; /* the last component is not followed when it is a link */
};
/* canon_path with more to say.  base NULL: the process's working directory.  */
weir_status canon_walk (const char *path, const char *base, const struct canon_options *, char **canonical,
                        weir_error **);

#endif
