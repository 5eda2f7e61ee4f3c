/* SPDX-License-Identifier: Apache-2.0
 *
 * Landlock's access rights (linux/landlock.h; the header of Debian 12 stops at ABI 2).  */
#ifndef LANDLOCK_RIGHTS_H
#define LANDLOCK_RIGHTS_H

#include <stdint.h>

#define LANDLOCK_EXECUTE (UINT64_C (1) << 0)
#define LANDLOCK_WRITE_FILE (UINT64_C (1) << 1)
#define LANDLOCK_READ_FILE (UINT64_C (1) << 2)
#define LANDLOCK_READ_DIR (UINT64_C (1) << 3)
#define LANDLOCK_REMOVE_DIR (UINT64_C (1) << 4)
#define LANDLOCK_REFER (UINT64_C (1) << 13)    /* ABI 2 */
#define LANDLOCK_TRUNCATE (UINT64_C (1) << 14) /* ABI 3 */
#define LANDLOCK_IOCTL_DEV (UINT64_C (1) << 15) /* ABI 5 */
/* Everything that changes something: bit 1 and bits 4 to 15.  */
#define LANDLOCK_WRITES UINT64_C (0xfff2)

#define LANDLOCK_NET_BIND_TCP UINT64_C (1)
#define LANDLOCK_NET_CONNECT_TCP UINT64_C (2)
#define LANDLOCK_SCOPE_ABSTRACT UINT64_C (1)
#define LANDLOCK_SCOPE_SIGNAL UINT64_C (2)
#define LANDLOCK_SCOPES ((LANDLOCK_SCOPE_ABSTRACT | LANDLOCK_SCOPE_SIGNAL) << 32) /* in a step's value */

#define LANDLOCK_ABI_REFER 2
#define LANDLOCK_ABI_TRUNCATE 3
#define LANDLOCK_ABI_NET 4
#define LANDLOCK_ABI_IOCTL 5
#define LANDLOCK_ABI_SCOPES 6

#endif
