/* Sizes and durations as the file spells them: "10M", "5s", "1h30m".  One parser, one printer.  */
#ifndef WEIR_CORE_UNITS_H
#define WEIR_CORE_UNITS_H

#include <stdint.h>

/* 0: ok; -1: not of this form (or out of range).  Sizes: digits and an optional K M G T (powers of 1024, "KiB" and
 * "B" accepted); durations: one or more of N(ms|s|m|h|d).  Nothing negative; no bare number for a duration but "0".  */
int units_size (const char *, uint64_t *bytes);
int units_duration (const char *, int64_t *ms);
void units_print_size (uint64_t bytes, char out[32]);
void units_print_duration (int64_t ms, char out[48]);

#endif
