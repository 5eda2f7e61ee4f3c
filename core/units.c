/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/util.h"

/* Digits at *p, moved past them.  -1: no digit, or too large.  Not strtoull: that takes signs, blanks and the locale.  */
static int
units_digits (const char **p, uint64_t *value)
{
  const char *start = *p;
  uint64_t v = 0;

  for (; **p >= '0' && **p <= '9'; ++*p)
    if (__builtin_mul_overflow (v, 10u, &v) || __builtin_add_overflow (v, (uint64_t) (**p - '0'), &v))
      return -1;
  *value = v;
  return *p == start ? -1 : 0;
}

int
units_size (const char *text, uint64_t *bytes)
{
  static const char prefixes[] = "KMGT";
  const char *p = text, *prefix;
  uint64_t v;

  if (units_digits (&p, &v) != 0)
    return -1;
  prefix = *p == '\0' ? NULL : strchr (prefixes, *p);
  if (prefix != NULL) {
    if (__builtin_mul_overflow (v, UINT64_C (1) << (10 * (prefix - prefixes + 1)), &v))
      return -1;
    p++;
    if (strcmp (p, "iB") == 0)
      p += 2;
  }
  if (strcmp (p, "B") == 0)
    p++;
  /* Also what is kept in signed numbers must be able to hold it.  */
  if (*p != '\0' || v > INT64_MAX)
    return -1;
  *bytes = v;
  return 0;
}

static const struct {
  const char *name;
  uint64_t ms;
} units_times[] = { /* largest first: the order in which they are printed */
  { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 },
};

int
units_duration (const char *text, int64_t *ms)
{
  const char *p = text;
  uint64_t total = 0, v;

  if (strcmp (text, "0") == 0) {
    *ms = 0;
    return 0;
  }
  do {
    size_t i, n;
    if (units_digits (&p, &v) != 0)
      return -1;
    n = strspn (p, "dhms");
    for (i = 0; i < ARRAY_SIZE (units_times); i++)
      if (strlen (units_times[i].name) == n && strncmp (p, units_times[i].name, n) == 0)
        break;
    if (i == ARRAY_SIZE (units_times) || __builtin_mul_overflow (v, units_times[i].ms, &v)
        || __builtin_add_overflow (total, v, &total))
      return -1;
    p += n;
  } while (*p != '\0');
  if (total > INT64_MAX)
    return -1;
  *ms = (int64_t) total;
  return 0;
}

void
units_print_size (uint64_t bytes, char out[32])
{
  static const char prefixes[] = { '\0', 'K', 'M', 'G', 'T' };
  size_t i = 0;

  while (bytes != 0 && bytes % 1024 == 0 && i + 1 < sizeof prefixes) {
    bytes /= 1024;
    i++;
  }
  snprintf (out, 32, "%" PRIu64 "%.1s", bytes, i == 0 ? "" : &prefixes[i]);
}

void
units_print_duration (int64_t ms, char out[48])
{
  uint64_t left = ms < 0 ? 0 : (uint64_t) ms;
  size_t used = 0;

  if (left == 0) {
    snprintf (out, 48, "0");
    return;
  }
  for (size_t i = 0; i < ARRAY_SIZE (units_times); i++) {
    uint64_t n = left / units_times[i].ms;
    if (n > 0)
      used += (size_t) snprintf (out + used, 48 - used, "%" PRIu64 "%s", n, units_times[i].name);
    left %= units_times[i].ms;
  }
}
