/* Durations of the command line: what the configuration accepts, and a bare number of seconds, as timeout(1) does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <string.h>

#include "cli/options.h"

#define DAY_MS INT64_C (86400000)
#define LONGEST_MS (DAY_MS * 3660)

static int
duration_unit (const char **p, int64_t *ms)
{
  static const struct {
    const char *name;
    int64_t ms;
  } units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", DAY_MS } };

  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    size_t n = strlen (units[i].name);

    if (strncmp (*p, units[i].name, n) == 0 && ((*p)[n] == '\0' || ((*p)[n] >= '0' && (*p)[n] <= '9'))) {
      *p += n;
      *ms = units[i].ms;
      return 0;
    }
  }
  return -1;
}

int
duration_parse (const char *text, int64_t *ms)
{
  int64_t total = 0;

  for (const char *p = text; *p != '\0' || p == text;) {
    const char *first = p;
    int64_t n = 0, unit;

    for (; *p >= '0' && *p <= '9'; p++)
      if ((n = n * 10 + (*p - '0')) > LONGEST_MS)
        return -1;
    if (p == first)
      return -1;
    if (*p == '\0' && first == text)
      unit = 1000;
    else if (duration_unit (&p, &unit) != 0)
      return -1;
    if (n > LONGEST_MS / unit || (total += n * unit) > LONGEST_MS)
      return -1;
  }
  *ms = total;
  return total > 0 ? 0 : -1;
}
