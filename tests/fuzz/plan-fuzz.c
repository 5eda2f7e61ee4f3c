/* Any bytes as an encoded plan, which the launcher reads from a descriptor that its caller made.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"
#include "core/carry.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  struct weir_step *steps = NULL;
  size_t count = 0;
  /* A copy of exactly this size, so that a read beyond it is seen.  */
  uint8_t *copy = malloc (size == 0 ? 1 : size);

  if (copy == NULL)
    return 0;
  memcpy (copy, bytes, size);
  if (carry_decode (copy, size, &steps, &count) == 0) {
    volatile size_t length = 0;
    for (size_t i = 0; i < count; i++)
      length += (steps[i].path == NULL ? 0 : strlen (steps[i].path))
                + (steps[i].target == NULL ? 0 : strlen (steps[i].target));
    free (steps);
  }
  free (copy);
  return 0;
}
