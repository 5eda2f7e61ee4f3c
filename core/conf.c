/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/conf.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/schema.h"

#define CONF_COMMAND_LINE "command line"

/* Is this the error of a file that may be missing and is?  A directory of somebody else's that we may not search, as
 * the home that was left in HOME by a change of user, hides what it holds and cannot be ours.  */
static int
conf_is_missing (const struct conf_layer *layer, const weir_error *why)
{
  struct stat st;

  if (layer->required)
    return 0;
  if (weir_error_code (why) == WEIR_E_NOT_FOUND)
    return 1;
  return weir_error_errno (why) == EACCES && stat (layer->path, &st) != 0 && errno == EACCES;
}

static weir_status
conf_add_file (struct conf *conf, const struct conf_layer *layer, const char *home, config_opener open,
               weir_error **err)
{
  auto_error weir_error *why = NULL;
  struct node *root = NULL;
  weir_status status = config_parse_file (layer->path, open, &conf->files, &root, &why);

  if (status != WEIR_OK && conf_is_missing (layer, why))
    return WEIR_OK;
  if (status != WEIR_OK)
    return error_move (err, steal (why));
  status = schema_check (root, home, err);
  if (status != WEIR_OK) {
    node_free (root);
    return status;
  }
  return node_merge (conf->root, root) != 0 ? error_nomem (err) : WEIR_OK;
}

/* ---- KEY=VALUE ------------------------------------------------------------------------------------ */

/* What stands right of "=": in the file's own syntax when it begins with a quote or a bracket, else text for whatever
 * the key wants.  */
static weir_status
conf_set_value (const char *name, const char *text, struct node **value, weir_error **err)
{
  auto_free char *line = NULL;
  auto_node struct node *root = NULL;
  weir_status status;

  if (text[0] == '\0' || strchr ("\"[(", text[0]) == NULL) {
    *value = node_new (NODE_TEXT, name, CONF_COMMAND_LINE, text);
    return *value == NULL ? error_nomem (err) : WEIR_OK;
  }
  line = util_fmt ("%s = %s", name, text);
  if (line == NULL)
    return error_nomem (err);
  status = config_parse_text (CONF_COMMAND_LINE, line, strlen (line), &root, err);
  if (status != WEIR_OK)
    return status;
  if (root->count != 1)
    return error_set (err, WEIR_E_INVALID, 0, "%s: expected one value, not \"%.200s\"", CONF_COMMAND_LINE, text);
  *value = root->items[0];
  root->count = 0;
  return WEIR_OK;
}

/* There are no lines on a command line.  */
static int
conf_set_origin (struct node *n)
{
  char *origin = strdup (CONF_COMMAND_LINE);

  if (origin == NULL)
    return -1;
  free (n->origin);
  n->origin = origin;
  for (size_t i = 0; i < n->count; i++)
    if (conf_set_origin (n->items[i]) != 0)
      return -1;
  return 0;
}

static weir_status
conf_set_key (const char *path, weir_error **err)
{
  const char *option = strncmp (path, "plugins.", 8) == 0 ? strchr (path + 8, '.') : NULL;

  /* A name in the file's grammar, so that it can be one.  */
  for (const char *p = path; *p != '\0'; p++)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || *p == '.' || *p == '-'
          || (p > path && *p >= '0' && *p <= '9')))
      return error_set (err, WEIR_E_INVALID, 0, "%s: '%.200s' is no key", CONF_COMMAND_LINE, path);
  if (option != NULL && option > path + 8 && option[1] != '\0' && strchr (option + 1, '.') == NULL)
    return WEIR_OK;
  if (schema_is_group (path))
    return error_set (err, WEIR_E_INVALID, 0, "%s: '%s' is a group; set a key in it", CONF_COMMAND_LINE, path);
  return schema_find (path) != NULL ? WEIR_OK : schema_unknown (CONF_COMMAND_LINE, path, err);
}

/* The value in the groups that path names.  */
static weir_status
conf_set_tree (const char *path, const char *text, struct node **root, weir_error **err)
{
  auto_node struct node *tree = node_new (NODE_GROUP, NULL, CONF_COMMAND_LINE, NULL);
  struct node *group = tree, *value = NULL;
  const char *dot;
  weir_status status;

  if (tree == NULL)
    return error_nomem (err);
  for (; (dot = strchr (path, '.')) != NULL; path = dot + 1) {
    auto_free char *name = util_fmt ("%.*s", (int) (dot - path), path);
    struct node *inner = name == NULL ? NULL : node_new (NODE_GROUP, name, CONF_COMMAND_LINE, NULL);
    if (node_take (group, inner) != 0)
      return error_nomem (err);
    group = inner;
  }
  status = conf_set_value (path, text, &value, err);
  if (status != WEIR_OK)
    return status;
  if (node_take (group, value) != 0 || conf_set_origin (value) != 0)
    return error_nomem (err);
  *root = steal (tree);
  return WEIR_OK;
}

static weir_status
conf_add_set (struct conf *conf, const char *assignment, const char *home, weir_error **err)
{
  const char *equals = strchr (assignment, '=');
  auto_free char *path = NULL;
  struct node *root = NULL;
  weir_status status;

  if (equals == NULL || equals == assignment)
    return error_set (err, WEIR_E_INVALID, 0, "%s: expected KEY=VALUE, not \"%.200s\"", CONF_COMMAND_LINE, assignment);
  path = util_fmt ("%.*s", (int) (equals - assignment), assignment);
  if (path == NULL)
    return error_nomem (err);
  status = conf_set_key (path, err);
  if (status == WEIR_OK)
    status = conf_set_tree (path, equals + 1, &root, err);
  if (status == WEIR_OK)
    status = schema_check (root, home, err);
  if (status != WEIR_OK) {
    node_free (root);
    return status;
  }
  return node_merge (conf->root, root) != 0 ? error_nomem (err) : WEIR_OK;
}

weir_status
conf_load (const struct conf_layer *layers, size_t count, const char *const *set, const char *home, config_opener open,
           struct conf **out, weir_error **err)
{
  struct conf *conf = calloc (1, sizeof *conf);
  weir_status status = WEIR_OK;

  if (conf != NULL)
    conf->root = node_new (NODE_GROUP, NULL, "built in", NULL);
  if (conf == NULL || conf->root == NULL)
    status = error_nomem (err);
  for (size_t i = 0; status == WEIR_OK && i < count; i++)
    status = conf_add_file (conf, &layers[i], home, open, err);
  for (size_t i = 0; status == WEIR_OK && set != NULL && set[i] != NULL; i++)
    status = conf_add_set (conf, set[i], home, err);
  if (status != WEIR_OK)
    conf_free (conf);
  else
    *out = conf;
  return status;
}

void
conf_free (struct conf *conf)
{
  if (conf == NULL)
    return;
  node_free (conf->root);
  strv_free (&conf->files);
  free (conf);
}

const struct node *
conf_find (const struct conf *conf, const char *path)
{
  return node_find (conf->root, path);
}
