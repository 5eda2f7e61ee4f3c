/* The bytes of an encoded plan: what plan_encode (plan-encode.c) writes and carry_decode (carry.c) reads, in an
 * inherited sealed memory file.  Little-endian everywhere; no alignment is assumed of the bytes; nothing of the core is
 * included, so that the static launcher can use it.
 *
 *   offset 0    header, PLAN_ENCODING_HEADER bytes
 *          0    8 bytes  magic "WEIRPLAN", no NUL
 *          8    u32      version: PLAN_ENCODING_VERSION; a reader refuses every other
 *         12    u32      size of all the bytes, header included; a reader refuses when it has more or fewer
 *         16    u32      number of steps, at most PLAN_ENCODING_MAX_STEPS
 *         20    u32      0
 *   offset 24   the steps, PLAN_ENCODING_STEP bytes each, in order
 *          0    u32      kind
 *          4    u32      fact
 *          8    u64      flags
 *         16    u64      dev
 *         24    u64      ino
 *         32    u64      value
 *         40    u32      path: offset from the start of the bytes, 0: NULL
 *         44    u32      length of path without its NUL
 *         48    u32      target: the same
 *         52    u32      length of target
 *   then        the strings, each with its NUL, up to the end
 *
 * A reader checks of every string: its offset lies behind the last step, offset + length lies before the end (compute
 * in 64 bits), the byte at offset + length is NUL, and no earlier byte of it is.  A string may be shared by several
 * steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CORE_PLAN_ENCODING_H
#define WEIR_CORE_PLAN_ENCODING_H

#include <stdint.h>

#define PLAN_ENCODING_MAGIC "WEIRPLAN"
#define PLAN_ENCODING_MAGIC_SIZE 8
#define PLAN_ENCODING_VERSION 1u
#define PLAN_ENCODING_HEADER 24u
#define PLAN_ENCODING_STEP 56u
#define PLAN_ENCODING_MAX_STEPS 4096u
#define PLAN_ENCODING_MAX_SIZE (4u << 20)

static inline void
plan_encoding_put32 (unsigned char *at, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (unsigned char) (value >> (8 * i));
}

static inline void
plan_encoding_put64 (unsigned char *at, uint64_t value)
{
  for (int i = 0; i < 8; i++)
    at[i] = (unsigned char) (value >> (8 * i));
}

static inline uint32_t
plan_encoding_get32 (const unsigned char *at)
{
  uint32_t value = 0;

  for (int i = 3; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

static inline uint64_t
plan_encoding_get64 (const unsigned char *at)
{
  return plan_encoding_get32 (at) | (uint64_t) plan_encoding_get32 (at + 4) << 32;
}

#endif
