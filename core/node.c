/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/node.h"

struct node *
node_new (enum node_type type, const char *name, const char *origin, const char *text)
{
  struct node *n = calloc (1, sizeof *n);

  if (n == NULL)
    return NULL;
  n->type = type;
  n->name = name == NULL ? NULL : strdup (name);
  n->origin = strdup (origin);
  n->text = text == NULL ? NULL : strdup (text);
  if (n->origin == NULL || (name != NULL && n->name == NULL) || (text != NULL && n->text == NULL)) {
    node_free (n);
    return NULL;
  }
  return n;
}

/* Recursion is bounded: a tree is no deeper than the parser allows.  */
void
node_free (struct node *n)
{
  if (n == NULL)
    return;
  for (size_t i = 0; i < n->count; i++)
    node_free (n->items[i]);
  free (n->items);
  free (n->name);
  free (n->origin);
  free (n->text);
  free (n);
}

void
node_free_ptr (struct node **n)
{
  node_free (*n);
}

int
node_take (struct node *parent, struct node *child)
{
  if (child != NULL && parent->count == parent->room) {
    size_t room = parent->room == 0 ? 8 : parent->room * 2;
    struct node **items = reallocarray (parent->items, room, sizeof *items);
    if (items == NULL) {
      node_free (child);
      return -1;
    }
    parent->items = items;
    parent->room = room;
  }
  if (child == NULL)
    return -1;
  parent->items[parent->count++] = child;
  return 0;
}

struct node *
node_get (const struct node *group, const char *name, size_t size)
{
  if (group->type != NODE_GROUP)
    return NULL;
  for (size_t i = 0; i < group->count; i++)
    if (strncmp (group->items[i]->name, name, size) == 0 && group->items[i]->name[size] == '\0')
      return group->items[i];
  return NULL;
}

struct node *
node_find (const struct node *root, const char *path)
{
  const struct node *n = root;

  while (n != NULL && *path != '\0') {
    size_t size = strcspn (path, ".");
    n = node_get (n, path, size);
    path += size + (path[size] == '.');
  }
  return (struct node *) n;
}

static int
node_merge_item (struct node *base, struct node *over)
{
  size_t i;

  for (i = 0; i < base->count && strcmp (base->items[i]->name, over->name) != 0; i++)
    ;
  if (i == base->count)
    return node_take (base, over);
  if (base->items[i]->type == NODE_GROUP && over->type == NODE_GROUP)
    return node_merge (base->items[i], over);
  node_free (base->items[i]);
  base->items[i] = over;
  return 0;
}

int
node_merge (struct node *base, struct node *over)
{
  int result = 0;

  for (size_t i = 0; i < over->count; i++) {
    struct node *item = steal (over->items[i]);
    if (result == 0)
      result = node_merge_item (base, item);
    else
      node_free (item);
  }
  node_free (over);
  return result;
}

const char *
node_type_name (const struct node *n)
{
  switch (n->type) {
  case NODE_GROUP:
    return "a group";
  case NODE_LIST:
    return "a list";
  case NODE_STRING:
    return "a string";
  case NODE_INTEGER:
    return "an integer";
  case NODE_REAL:
    return "a number with a fraction";
  case NODE_BOOLEAN:
    return "a boolean";
  case NODE_TEXT:
    break;
  }
  return "text";
}
