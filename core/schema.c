/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/schema.h"

#include <limits.h>
#include <stdio.h>

#include "core/policy.h"
#include "core/units.h"

void
schema_value_free (struct schema_value *v)
{
  free (v->text);
  strv_free (&v->list.items);
  strv_free (&v->list.origins);
  *v = (struct schema_value){ 0 };
}

const struct schema_key *
schema_find (const char *path)
{
  for (const struct schema_key *k = schema_keys; k->path != NULL; k++)
    if (strcmp (k->path, path) == 0)
      return k;
  return NULL;
}

int
schema_is_group (const char *path)
{
  size_t n = strlen (path);

  if (strcmp (path, "plugins") == 0 || (strncmp (path, "plugins.", 8) == 0 && strchr (path + 8, '.') == NULL))
    return 1;
  for (const struct schema_key *k = schema_keys; k->path != NULL; k++)
    if (strncmp (k->path, path, n) == 0 && k->path[n] == '.')
      return 1;
  return 0;
}

/* ---- unknown keys ------------------------------------------------------------------------------ */

/* Names that may stand in the group of this path's parent.  */
static void
schema_siblings (const char *path, size_t parent, struct strv *names)
{
  auto_strv struct strv all = { 0 };

  for (const struct schema_key *k = schema_keys; k->path != NULL; k++)
    if (strncmp (k->path, path, parent) == 0)
      strv_fmt (&all, "%.*s", (int) strcspn (k->path + parent, "."), k->path + parent);
  if (parent == 0)
    strv_add (&all, "plugins");
  for (size_t i = 0; i < all.count; i++)
    if (!strv_has (names, all.items[i]))
      strv_add (names, all.items[i]);
}

/* A key of this last name in another group.  */
static const char *
schema_elsewhere (const char *name)
{
  for (const struct schema_key *k = schema_keys; k->path != NULL; k++) {
    const char *dot = strrchr (k->path, '.');
    if (strcmp (dot == NULL ? k->path : dot + 1, name) == 0)
      return k->path;
  }
  return NULL;
}

weir_status
schema_unknown (const char *origin, const char *path, weir_error **err)
{
  const char *dot = strrchr (path, '.');
  size_t parent = dot == NULL ? 0 : (size_t) (dot - path) + 1;
  auto_strv struct strv names = { 0 };
  const char *near, *elsewhere;
  weir_status status = error_set (err, WEIR_E_INVALID, 0, "%s: unknown key '%s'", origin, path);

  schema_siblings (path, parent, &names);
  near = util_nearest (path + parent, strv_items (&names));
  elsewhere = schema_elsewhere (path + parent);
  if (elsewhere != NULL)
    error_hint (err, "Did you mean '%s'?", elsewhere);
  else if (near != NULL)
    error_hint (err, "Did you mean '%.*s%s'?", (int) parent, path, near);
  else
    error_hint (err, "weir.conf(5) lists the keys.");
  return status;
}

/* ---- one value ----------------------------------------------------------------------------------- */

static weir_status
schema_choose (const struct schema_key *key, const struct node *n, struct schema_value *v, weir_error **err)
{
  auto_strbuf struct strbuf all = { 0 };
  const char *names[8] = { NULL }, *text = NULL, *near;
  size_t count = 0;
  weir_status status = value_string (n, key->path, &text, err);

  if (status != WEIR_OK)
    return status;
  for (const struct schema_choice *c = key->choices; c->name != NULL; c++) {
    if (strcmp (c->name, text) == 0) {
      v->number = c->value;
      return WEIR_OK;
    }
    names[count++] = c->name;
    strbuf_fmt (&all, "%s\"%s\"", all.size == 0 ? "" : ", ", c->name);
  }
  if (all.failed)
    return error_nomem (err);
  status = value_error (n, key->path, err, "expected one of %s, not \"%.200s\"", all.data, text);
  near = util_nearest (text, names);
  if (near != NULL)
    error_hint (err, "Did you mean \"%s\"?", near);
  return status;
}

static void
schema_print (const struct schema_key *key, uint64_t number, char out[48])
{
  if (key->type == SCHEMA_SIZE)
    units_print_size (number, out);
  else if (key->type == SCHEMA_DURATION || key->type == SCHEMA_SECONDS)
    units_print_duration ((int64_t) number * (key->type == SCHEMA_SECONDS ? 1000 : 1), out);
  else
    snprintf (out, 48, "%llu", (unsigned long long) number);
}

static weir_status
schema_range (const struct schema_key *key, const struct node *n, uint64_t number, weir_error **err)
{
  char min[48], max[48];

  if (number == 0 ? (key->flags & SCHEMA_ZERO) != 0 : number >= key->min && number <= key->max)
    return WEIR_OK;
  schema_print (key, key->min, min);
  schema_print (key, key->max, max);
  if (key->max == INT64_MAX)
    return value_error (n, key->path, err, "expected at least %s%s", min,
                        (key->flags & SCHEMA_NONE) != 0 ? ", or \"none\"" : "");
  return value_error (n, key->path, err, "expected %s to %s%s", min, max,
                      (key->flags & SCHEMA_NONE) != 0  ? ", or \"none\""
                      : (key->flags & SCHEMA_ZERO) != 0 ? ", or 0"
                                                        : "");
}

static weir_status
schema_number (const struct schema_key *key, const struct node *n, struct schema_value *v, weir_error **err)
{
  int64_t number = 0;
  weir_status status;

  if ((key->flags & SCHEMA_NONE) != 0 && (n->type == NODE_STRING || n->type == NODE_TEXT)
      && strcmp (n->text, "none") == 0)
    return WEIR_OK;
  if (key->type == SCHEMA_SIZE) {
    status = value_size (n, key->path, &v->number, err);
    return status != WEIR_OK ? status : schema_range (key, n, v->number, err);
  }
  if (key->type == SCHEMA_COUNT)
    status = value_integer (n, key->path, &number, err);
  else
    status = value_duration (n, key->path, &number, err);
  if (status != WEIR_OK)
    return status;
  if (key->type == SCHEMA_SECONDS && number % 1000 != 0)
    return value_error (n, key->path, err, "expected whole seconds, not \"%s\"", n->text);
  if (key->type == SCHEMA_SECONDS)
    number /= 1000;
  /* A negative count is as far out of range as a number can be.  */
  status = schema_range (key, n, number < 0 ? UINT64_MAX : (uint64_t) number, err);
  v->number = (uint64_t) number;
  return status;
}

/* Has this path a component ".."?  */
static int
schema_climbs (const char *path)
{
  for (const char *p = path; *p != '\0';) {
    size_t n = strcspn (p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.')
      return 1;
    p += n;
    p += strspn (p, "/");
  }
  return 0;
}

static weir_status
schema_item (const struct schema_key *key, const struct node *at, const char *home, char **item, weir_error **err)
{
  const char *text = *item;
  auto_free char *name = NULL;
  auto_free char *path = NULL;
  weir_status status;

  switch (key->item) {
  case SCHEMA_ITEM_NAME:
    return value_is_name (text) ? WEIR_OK : value_error (at, key->path, err, "'%.200s' is no name of a plugin", text);
  case SCHEMA_ITEM_CACHE:
    for (size_t i = 0; caches_names[i] != NULL; i++)
      if (strcmp (caches_names[i], text) == 0)
        return WEIR_OK;
    value_error (at, key->path, err, "'%.200s' is no cache set", text);
    if (util_nearest (text, caches_names) != NULL)
      return error_hint (err, "Did you mean \"%s\"?", util_nearest (text, caches_names));
    return error_hint (err, "weir.conf(5) lists the cache sets.");
  case SCHEMA_ITEM_VARIABLE:
    name = strdup (text);
    if (name == NULL)
      return error_nomem (err);
    /* "LC_*": the star stands for any end.  */
    if (name[strlen (name) - 1] == '*')
      name[strlen (name) - 1] = '\0';
    return name[0] == '\0' || value_is_name (name)
             ? WEIR_OK
             : value_error (at, key->path, err, "'%.200s' is no name of an environment variable", text);
  case SCHEMA_ITEM_INSIDE:
    if (text[0] == '\0' || (text[0] != '/' && schema_climbs (text)))
      return value_error (at, key->path, err, "expected a path inside the workspace, not \"%.200s\"", text);
    if (text[0] != '/' && strcmp (text, "~") != 0 && strncmp (text, "~/", 2) != 0)
      return WEIR_OK;
    break;
  case SCHEMA_ITEM_PATH:
    break;
  }
  status = value_path (at, key->path, home, &path, err);
  if (status == WEIR_OK) {
    free (*item);
    *item = steal (path);
  }
  return status;
}

static weir_status
schema_list (const struct schema_key *key, const struct node *n, const char *home, struct schema_value *v,
             weir_error **err)
{
  weir_status status = value_list (n, key->path, &v->list, err);

  for (size_t i = 0; status == WEIR_OK && i < v->list.items.count; i++) {
    struct node at = { .type = NODE_STRING, .origin = v->list.origins.items[i], .text = v->list.items.items[i] };
    if (at.text[0] == '\0')
      status = value_error (&at, key->path, err, "an empty string is not possible here");
    else if (key->item == SCHEMA_ITEM_NAME)
      for (size_t j = 0; j < i; j++)
        if (strcmp (v->list.items.items[j], at.text) == 0)
          status = value_error (&at, key->path, err, "'%.200s' stands in the list twice", at.text);
    if (status == WEIR_OK)
      status = schema_item (key, &at, home, &v->list.items.items[i], err);
  }
  if (status == WEIR_OK && v->list.items.count == 0 && (key->flags & SCHEMA_NOT_EMPTY) != 0)
    status = value_error (n, key->path, err, "expected at least one");
  return status;
}

weir_status
schema_read (const struct schema_key *key, const struct node *n, const char *home, struct schema_value *v,
             weir_error **err)
{
  const char *text = NULL;
  weir_status status;

  switch (key->type) {
  case SCHEMA_NAME:
    status = value_string (n, key->path, &text, err);
    if (status == WEIR_OK && !value_is_name (text))
      status = value_error (n, key->path, err, "'%.200s' is no name of a plugin", text);
    if (status == WEIR_OK) {
      v->text = strdup (text);
      status = v->text == NULL ? error_nomem (err) : WEIR_OK;
    }
    return status;
  case SCHEMA_PATH:
    return value_path (n, key->path, home, &v->text, err);
  case SCHEMA_CHOICE:
    return schema_choose (key, n, v, err);
  case SCHEMA_COUNT:
  case SCHEMA_SIZE:
  case SCHEMA_DURATION:
  case SCHEMA_SECONDS:
    return schema_number (key, n, v, err);
  case SCHEMA_LIST:
    break;
  }
  return schema_list (key, n, home, v, err);
}

/* ---- a whole tree ---------------------------------------------------------------------------------- */

static weir_status
schema_check_plugins (const struct node *plugins, weir_error **err)
{
  for (size_t i = 0; i < plugins->count; i++) {
    const struct node *group = plugins->items[i];
    auto_free char *path = util_fmt ("plugins.%s", group->name);
    if (path == NULL)
      return error_nomem (err);
    if (group->type != NODE_GROUP)
      return value_error (group, path, err, "expected a group of options, { ... }, not %s", node_type_name (group));
    if (!value_is_name (group->name)) {
      value_error (group, path, err, "'%.200s' is no name of a plugin", group->name);
      return error_hint (err, "Names of plugins have letters, digits and '_'.");
    }
  }
  return WEIR_OK;
}

static weir_status schema_check_group (const struct node *, const char *prefix, const char *home, weir_error **);

static weir_status
schema_check_item (const struct node *n, const char *path, const char *home, weir_error **err)
{
  const struct schema_key *key = schema_find (path);
  struct schema_value v = { 0 };
  weir_status status;

  if (key != NULL) {
    status = schema_read (key, n, home, &v, err);
    schema_value_free (&v);
    return status;
  }
  if (!schema_is_group (path))
    return schema_unknown (n->origin, path, err);
  if (n->type != NODE_GROUP)
    return value_error (n, path, err, "expected a group, { ... }, not %s", node_type_name (n));
  return strcmp (path, "plugins") == 0 ? schema_check_plugins (n, err) : schema_check_group (n, path, home, err);
}

static weir_status
schema_check_group (const struct node *group, const char *prefix, const char *home, weir_error **err)
{
  weir_status status = WEIR_OK;

  for (size_t i = 0; status == WEIR_OK && i < group->count; i++) {
    auto_free char *path = util_fmt ("%s%s%s", prefix, prefix[0] == '\0' ? "" : ".", group->items[i]->name);
    status = path == NULL ? error_nomem (err) : schema_check_item (group->items[i], path, home, err);
  }
  return status;
}

weir_status
schema_check (const struct node *root, const char *home, weir_error **err)
{
  return schema_check_group (root, "", home, err);
}
