/* Did you mean ...: the nearest word of a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <string.h>

#include "cli/options.h"

#define LONGEST 40

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that make one word of the other.  */
static unsigned
suggest_distance (const char *a, size_t na, const char *b, size_t nb)
{
  unsigned row[3][LONGEST + 1];

  for (size_t j = 0; j <= nb; j++)
    row[0][j] = (unsigned) j;
  for (size_t i = 1; i <= na; i++) {
    unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

    now[0] = (unsigned) i;
    for (size_t j = 1; j <= nb; j++) {
      now[j] = least (least (last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least (now[j], before[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

const char *
suggest (const char *word, const char *const *table)
{
  size_t size = strlen (word);
  unsigned best = size < 3 ? 2 : (unsigned) (size / 3) + 2;
  const char *found = NULL;

  if (size == 0 || size > LONGEST)
    return NULL;
  for (; *table != NULL; table++) {
    size_t n = strlen (*table);
    unsigned d = n > LONGEST ? best : suggest_distance (word, size, *table, n);

    /* "net" for "network": a beginning is near, however much is missing.  */
    if (size >= 3 && n > size && strncmp (word, *table, size) == 0)
      d = 1;
    if (d < best) {
      best = d;
      found = *table;
    }
  }
  return found;
}
