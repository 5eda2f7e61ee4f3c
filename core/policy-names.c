/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/policy.h"

static const char *const mode_names[] = {
  [WEIR_MODE_READ_ONLY] = "read-only",
  [WEIR_MODE_WORKSPACE_WRITE] = "workspace-write",
  [WEIR_MODE_DANGER_FULL_ACCESS] = "danger-full-access",
};

static const char *const network_names[] = {
  [WEIR_NETWORK_INHERIT] = "inherit",
  [WEIR_NETWORK_LOOPBACK] = "loopback",
  [WEIR_NETWORK_NONE] = "none",
};

static const char *const bit_names[64] = {
  "content",          "names",           "metadata",
  "devices",          "mounts",          "sockets",
  "descriptors",      "processes",       [16] = "network none",
  "network loopback", "deny_read",       "protect",
  "private tmp",      "limit processes", "limit memory",
  "limit cpu",        "limit files",     "limit file_size",
};

static const char *
name_of (const char *const *names, size_t count, uint32_t value)
{
  return value < count && names[value] != NULL ? names[value] : "unknown";
}

static int
name_parse (const char *const *names, size_t count, const char *word, uint32_t *value)
{
  for (size_t i = 0; i < count; i++)
    if (names[i] != NULL && strcmp (names[i], word) == 0) {
      *value = (uint32_t) i;
      return 0;
    }
  return -1;
}

const char *
policy_mode_name (uint32_t mode)
{
  return name_of (mode_names, ARRAY_SIZE (mode_names), mode);
}

int
policy_mode_parse (const char *word, uint32_t *mode)
{
  return name_parse (mode_names, ARRAY_SIZE (mode_names), word, mode);
}

const char *
policy_network_name (uint32_t network)
{
  return name_of (network_names, ARRAY_SIZE (network_names), network);
}

int
policy_network_parse (const char *word, uint32_t *network)
{
  return name_parse (network_names, ARRAY_SIZE (network_names), word, network);
}

const char *
policy_bit_name (uint64_t bit)
{
  unsigned index;

  if (bit == 0 || (bit & (bit - 1)) != 0)
    return "unknown";
  index = (unsigned) __builtin_ctzll (bit);
  return bit_names[index] != NULL ? bit_names[index] : "unknown";
}

char *
policy_bit_names (uint64_t bits)
{
  struct strbuf b = { 0 };

  for (unsigned bit = 0; bit < 64; bit++)
    if (bits >> bit & 1)
      strbuf_fmt (&b, "%s%s", b.size > 0 ? ", " : "", policy_bit_name (UINT64_C (1) << bit));
  return strbuf_steal (&b);
}
