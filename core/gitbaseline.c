/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots shared by the calls that overlap in time.  A call that starts while another one runs could find what that
 * one's command has just planted, and would later put *that* back; so it takes over the other call's snapshot.  */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <pthread.h>

struct gitbaseline {
  struct gitbaseline *next;
  size_t users;
  char *path;
  int is_list, alone;
  struct gitsnap snap;
  struct strv names;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gitbaseline *active; /* under lock */

static struct gitbaseline *
find (const char *path, int is_list)
{
  struct gitbaseline *b = active;

  while (b != NULL && (b->is_list != is_list || strcmp (b->path, path) != 0))
    b = b->next;
  if (b != NULL)
    b->users++;
  return b;
}

static void
destroy (struct gitbaseline *b)
{
  gitsnap_free (&b->snap);
  strv_free (&b->names);
  free (b->path);
  free (b);
}

static struct gitbaseline *
make (const char *path, int is_list)
{
  struct gitbaseline *b = calloc (1, sizeof *b);

  if (b == NULL || (b->path = strdup (path)) == NULL) {
    free (b);
    return NULL;
  }
  b->users = 1;
  b->is_list = is_list;
  return b;
}

static struct gitbaseline *
publish (struct gitbaseline *b)
{
  b->next = active;
  active = b;
  return b;
}

struct gitbaseline *
gitbaseline_take (int dirfd, const char *name, const char *path, int alone, struct gitsnap_budget *budget)
{
  struct gitbaseline *b;

  pthread_mutex_lock (&lock);
  b = find (path, 0);
  if (b == NULL && (b = make (path, 0)) != NULL) {
    b->alone = alone;
    if (gitsnap_take (dirfd, name, budget, &b->snap) == 0)
      publish (b);
    else {
      destroy (b);
      b = NULL;
    }
  }
  pthread_mutex_unlock (&lock);
  return b;
}

struct gitbaseline *
gitbaseline_list (const char *path, const struct strv *names)
{
  struct gitbaseline *b;

  pthread_mutex_lock (&lock);
  b = find (path, 1);
  if (b == NULL && (b = make (path, 1)) != NULL) {
    for (size_t i = 0; i < names->count; i++)
      strv_add (&b->names, names->items[i]);
    if (!b->names.failed)
      publish (b);
    else {
      destroy (b);
      b = NULL;
    }
  }
  pthread_mutex_unlock (&lock);
  return b;
}

const struct gitsnap *
gitbaseline_snap (const struct gitbaseline *b)
{
  return &b->snap;
}

int
gitbaseline_alone (const struct gitbaseline *b)
{
  return b->alone;
}

const struct strv *
gitbaseline_names (const struct gitbaseline *b)
{
  return &b->names;
}

void
gitbaseline_release (struct gitbaseline *b)
{
  struct gitbaseline **at = &active;

  if (b == NULL)
    return;
  pthread_mutex_lock (&lock);
  if (--b->users == 0) {
    while (*at != b)
      at = &(*at)->next;
    *at = b->next;
    destroy (b);
  }
  pthread_mutex_unlock (&lock);
}
