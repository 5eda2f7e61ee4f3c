/* census.c: descriptors and threads of this process, counted before and after a callback of a plugin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins-internal.h"

#include <dirent.h>
#include <unistd.h>

static int
by_value (const void *a, const void *b)
{
  int x = *(const int *) a, y = *(const int *) b;

  return (x > y) - (x < y);
}

/* The numbers that name the entries of a directory, without the descriptor it is read by.  -1: cannot be read.  */
static int
census_numbers (const char *path, int **numbers, size_t *count)
{
  DIR *dir = opendir (path);
  struct dirent *entry;
  size_t room = 0;
  int failed = 0;

  *numbers = NULL;
  *count = 0;
  if (dir == NULL)
    return -1;
  while (!failed && (entry = readdir (dir)) != NULL) {
    int number = atoi (entry->d_name);

    if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || number == dirfd (dir))
      continue;
    if (*count == room) {
      int *grown = reallocarray (*numbers, room = room * 2 + 32, sizeof *grown);

      failed = grown == NULL;
      *numbers = failed ? *numbers : grown;
    }
    if (!failed)
      (*numbers)[(*count)++] = number;
  }
  closedir (dir);
  if (*count > 1)
    qsort (*numbers, *count, sizeof **numbers, by_value);
  return failed ? -1 : 0;
}

/* Thread ids would fall to the descriptor of the directory: they are counted on their own.  */
static size_t
census_threads (void)
{
  DIR *dir = opendir ("/proc/self/task");
  struct dirent *entry;
  size_t count = 0;

  if (dir == NULL)
    return 0;
  while ((entry = readdir (dir)) != NULL)
    count += entry->d_name[0] != '.';
  closedir (dir);
  return count;
}

void
census_take (struct census *c)
{
  c->alone = census_numbers ("/proc/self/fd", &c->fds, &c->count) == 0 && census_threads () == 1;
}

static char *
census_name (int fd)
{
  char target[256];
  ssize_t n;
  auto_free char *path = util_fmt ("/proc/self/fd/%d", fd);

  if (path == NULL)
    return NULL;
  n = readlink (path, target, sizeof target - 1);
  target[n > 0 ? n : 0] = '\0';
  return util_fmt ("descriptor %d ('%s')", fd, target);
}

char *
census_compare (const struct census *before)
{
  struct census now = { 0 };
  char *found = NULL;
  size_t threads = before->alone ? census_threads () : 0;

  if (!before->alone)
    return NULL;
  /* A thread that the callback started is its leak, and may itself open descriptors.  */
  if (threads > 1)
    return util_fmt ("%zu running thread%s", threads - 1, threads == 2 ? "" : "s");
  census_take (&now);
  for (size_t i = 0; now.alone && found == NULL && i < now.count; i++)
    if (before->count == 0 || bsearch (&now.fds[i], before->fds, before->count, sizeof *before->fds, by_value) == NULL)
      found = census_name (now.fds[i]);
  census_free (&now);
  return found;
}

void
census_free (struct census *c)
{
  free (c->fds);
  *c = (struct census){ 0 };
}
