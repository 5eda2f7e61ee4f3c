/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/carry.h"
#include "core/filter-internal.h"

const void *
filter_program (uint64_t groups, size_t *instructions)
{
  if (groups == 0 || groups >= filter_table_size)
    return NULL;
  *instructions = filter_table[groups].instructions;
  return filter_table[groups].program;
}
