/* SPDX-License-Identifier: Apache-2.0 */
/* Between filter.c and filter-table.c, which tools/filter-gen.c writes at build time.  */
#ifndef WEIR_CORE_FILTER_INTERNAL_H
#define WEIR_CORE_FILTER_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

struct filter_entry {
  const uint64_t *program; /* each word is one struct sock_filter; NULL in entry 0 */
  size_t instructions;
};

/* Entry N is of the set N of WEIR_SECCOMP_* groups.  */
extern const struct filter_entry filter_table[];
extern const size_t filter_table_size;

#endif
