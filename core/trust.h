/* Could another user replace this file?  It and every directory above it must belong to root or to us (the effective
 * user) and be writable by nobody else; symbolic links on the way are followed and judged at both ends.  A sticky,
 * world-writable directory (as /tmp) is not trusted.  Walks by descriptors, so what was judged is what is opened.  */
#ifndef WEIR_CORE_TRUST_H
#define WEIR_CORE_TRUST_H

#include "core/error.h"

#define TRUST_FILE 0
#define TRUST_DIRECTORY 1
#define TRUST_PROGRAM 2 /* a regular file that we may execute */
/* Opens path (absolute) read-only (O_PATH for a PROGRAM), close-on-exec, judged.  canonical, when not NULL, becomes
 * the real path (owned).  WEIR_E_UNTRUSTED names the path that is at fault, its owner and mode, and the fix;
 * WEIR_E_NOT_FOUND; WEIR_E_INVALID for the wrong kind of file (a FIFO never blocks).  */
weir_status trust_open (const char *path, int kind, int *fd, char **canonical, weir_error **);

#endif
