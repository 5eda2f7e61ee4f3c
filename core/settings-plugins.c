/* The options of plugins: groups beneath "plugins" against the tables of the plugins' descriptors.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include <stdio.h>

#include "core/conf.h"
#include "core/schema.h"

/* The checked value of one option.  */
struct option_value {
  char *name;
  char *origin;
  char *text; /* NULL: none */
  int64_t integer;
  struct setting_list list;
};

struct weir_config {
  struct option_value *values;
  size_t count;
};

void
settings_config_free (weir_config *config)
{
  if (config == NULL)
    return;
  for (size_t i = 0; i < config->count; i++) {
    struct option_value *v = &config->values[i];
    free (v->name);
    free (v->origin);
    free (v->text);
    strv_free (&v->list.items);
    strv_free (&v->list.origins);
  }
  free (config->values);
  free (config);
}

static weir_status
option_text (struct option_value *v, const char *text, size_t size, weir_error **err)
{
  v->text = util_fmt ("%.*s", (int) size, text);
  return v->text == NULL ? error_nomem (err) : WEIR_OK;
}

/* "a|b|c: text" names the choices; without a node the first is meant.  */
static weir_status
option_choose (const struct weir_option *o, const struct node *n, const char *what, struct option_value *v,
               weir_error **err)
{
  const char *choices = o->help == NULL ? "" : o->help, *text = NULL;
  size_t all = strcspn (choices, ":");
  auto_strv struct strv names = { 0 };
  weir_status status;

  if (n == NULL)
    return option_text (v, choices, strcspn (choices, "|:"), err);
  status = value_string (n, what, &text, err);
  if (status != WEIR_OK)
    return status;
  for (const char *p = choices; p < choices + all;) {
    size_t size = strcspn (p, "|:");
    if (strlen (text) == size && strncmp (p, text, size) == 0)
      return option_text (v, text, size, err);
    strv_fmt (&names, "%.*s", (int) size, p);
    p += size + 1;
  }
  value_error (n, what, err, "expected one of %.*s, not \"%.200s\"", (int) all, choices, text);
  text = util_nearest (text, strv_items (&names));
  return text == NULL ? weir_error_code (err == NULL ? NULL : *err) : error_hint (err, "Did you mean \"%s\"?", text);
}

static weir_status
option_size (const struct node *n, const char *what, int64_t *value, weir_error **err)
{
  uint64_t bytes = 0;
  weir_status status = value_size (n, what, &bytes, err);

  *value = (int64_t) bytes; /* units_size gives nothing larger */
  return status;
}

static weir_status
option_boolean (const struct node *n, const char *what, int64_t *value, weir_error **err)
{
  int v = 0;
  weir_status status = value_boolean (n, what, &v, err);

  *value = v;
  return status;
}

static weir_status
option_read (const struct settings *s, const struct weir_option *o, const struct node *n, const char *what,
             struct option_value *v, weir_error **err)
{
  const char *text = NULL;
  weir_status status;

  if (o->type == WEIR_OPT_CHOICE)
    return option_choose (o, n, what, v, err);
  if (n == NULL)
    return WEIR_OK;
  switch (o->type) {
  case WEIR_OPT_STRING:
    status = value_string (n, what, &text, err);
    return status != WEIR_OK ? status : option_text (v, text, strlen (text), err);
  case WEIR_OPT_PATH:
    return value_path (n, what, s->home, &v->text, err);
  case WEIR_OPT_BOOLEAN:
    return option_boolean (n, what, &v->integer, err);
  case WEIR_OPT_SIZE:
    return option_size (n, what, &v->integer, err);
  case WEIR_OPT_DURATION:
    return value_duration (n, what, &v->integer, err);
  case WEIR_OPT_INTEGER:
    return value_integer (n, what, &v->integer, err);
  case WEIR_OPT_LIST:
    return value_list (n, what, &v->list, err);
  default:
    return error_set (err, WEIR_E_PLUGIN, 0, "option '%s' of a plugin has the unknown type %u", what,
                      (unsigned) o->type);
  }
}

/* The default as a node: in the file's spelling when it begins like a string or a list there, else plain text.  */
static weir_status
option_fallback (const struct weir_option *o, const char *what, struct node **out, weir_error **err)
{
  auto_free char *line = NULL;
  auto_node struct node *root = NULL;
  weir_status status;

  if (o->fallback == NULL)
    return WEIR_OK;
  if (o->fallback[0] == '\0' || strchr ("\"[(", o->fallback[0]) == NULL) {
    *out = node_new (NODE_TEXT, NULL, "default", o->fallback);
    return *out == NULL ? error_nomem (err) : WEIR_OK;
  }
  line = util_fmt ("default = %s", o->fallback);
  if (line == NULL)
    return error_nomem (err);
  status = config_parse_text ("default", line, strlen (line), &root, err);
  if (status != WEIR_OK || root->count != 1)
    return error_wrap (err, "the default of '%s' is wrong", what);
  *out = root->items[0];
  root->count = 0;
  return WEIR_OK;
}

static weir_status
option_add (const struct settings *s, const char *plugin, const struct weir_option *o, const struct node *group,
            struct option_value *v, weir_error **err)
{
  auto_free char *what = util_fmt ("plugins.%s.%s", plugin, o->name);
  const struct node *n = group == NULL ? NULL : node_get (group, o->name, strlen (o->name));
  auto_node struct node *fallback = NULL;
  weir_status status;

  v->name = strdup (o->name);
  v->origin = strdup (n == NULL ? "default" : n->origin);
  if (what == NULL || v->name == NULL || v->origin == NULL)
    return error_nomem (err);
  if (n == NULL && (o->flags & WEIR_OPT_REQUIRED) != 0) {
    error_set (err, WEIR_E_INVALID, 0, "%s: '%s' must be set", group == NULL ? "configuration" : group->origin, what);
    return error_hint (err, "Write it in the group 'plugins': %s : { %s = ...; };", plugin, o->name);
  }
  if (n == NULL) {
    status = option_fallback (o, what, &fallback, err);
    if (status != WEIR_OK)
      return status;
    n = fallback;
  }
  return option_read (s, o, n, what, v, err);
}

static weir_status
option_unknown (const char *plugin, const struct weir_option *options, const struct node *group, weir_error **err)
{
  for (size_t i = 0; i < group->count; i++) {
    auto_strv struct strv names = { 0 };
    const struct weir_option *o;
    const char *near;
    for (o = options; o->name != NULL && strcmp (o->name, group->items[i]->name) != 0; o++)
      strv_add (&names, o->name);
    if (o->name != NULL)
      continue;
    error_set (err, WEIR_E_INVALID, 0, "%s: unknown option '%s' of the plugin '%s'", group->items[i]->origin,
               group->items[i]->name, plugin);
    near = util_nearest (group->items[i]->name, strv_items (&names));
    if (near != NULL)
      return error_hint (err, "Did you mean '%s'?", near);
    return error_hint (err, "\"weir plugin info %s\" lists its options.", plugin);
  }
  return WEIR_OK;
}

weir_status
settings_plugin_config (const struct settings *s, const char *plugin, const struct weir_option *options,
                        weir_config **out, weir_error **err)
{
  static const struct weir_option none[] = { WEIR_OPTION_END };
  const struct node *plugins = conf_find (s->conf, "plugins");
  const struct node *group = plugins == NULL ? NULL : node_get (plugins, plugin, strlen (plugin));
  weir_config *config = calloc (1, sizeof *config);
  weir_status status = WEIR_OK;
  size_t count = 0;

  options = options == NULL ? none : options;
  while (options[count].name != NULL)
    count++;
  if (config != NULL)
    config->values = calloc (count + 1, sizeof *config->values);
  if (config == NULL || config->values == NULL) {
    free (config);
    return error_nomem (err);
  }
  config->count = count;
  if (group != NULL)
    status = option_unknown (plugin, options, group, err);
  for (size_t i = 0; status == WEIR_OK && i < count; i++)
    status = option_add (s, plugin, &options[i], group, &config->values[i], err);
  if (status == WEIR_OK)
    *out = config;
  else
    settings_config_free (config);
  return status;
}

/* ---- getters: a key that is not in the table reads as nothing ------------------------------------------ */

static const struct option_value *
option_find (const weir_config *config, const char *key)
{
  static const struct option_value nothing;

  for (size_t i = 0; i < config->count; i++)
    if (strcmp (config->values[i].name, key) == 0)
      return &config->values[i];
  return &nothing;
}

const char *
settings_config_string (const weir_config *config, const char *key)
{
  return option_find (config, key)->text;
}

int64_t
settings_config_integer (const weir_config *config, const char *key)
{
  return option_find (config, key)->integer;
}

size_t
settings_config_list (const weir_config *config, const char *key, const char *const **items)
{
  const struct option_value *v = option_find (config, key);

  if (items != NULL)
    *items = strv_items (&v->list.items);
  return v->list.items.count;
}

const char *
settings_config_origin (const weir_config *config, const char *key)
{
  const struct option_value *v = option_find (config, key);

  return v->origin == NULL ? "default" : v->origin;
}

/* ---- the groups ------------------------------------------------------------------------------------------ */

void
settings_plugin_groups (const struct settings *s, struct setting_list *list)
{
  const struct node *plugins = conf_find (s->conf, "plugins");

  for (size_t i = 0; plugins != NULL && i < plugins->count; i++) {
    strv_add (&list->items, plugins->items[i]->name);
    strv_add (&list->origins, plugins->items[i]->origin);
  }
}

weir_status
settings_check_plugins (const struct settings *s, const char *const *names, weir_error **err)
{
  const struct node *plugins = conf_find (s->conf, "plugins");

  for (size_t i = 0; plugins != NULL && i < plugins->count; i++) {
    const struct node *group = plugins->items[i];
    const char *near;
    size_t j;
    for (j = 0; names[j] != NULL && strcmp (names[j], group->name) != 0; j++)
      ;
    if (names[j] != NULL)
      continue;
    error_set (err, WEIR_E_INVALID, 0, "%s: there is no plugin '%s'", group->origin, group->name);
    near = util_nearest (group->name, names);
    if (near != NULL)
      return error_hint (err, "Did you mean '%s'?", near);
    return error_hint (err, "\"weir plugin list\" names the plugins of '%s'.", s->plugin_dir);
  }
  return WEIR_OK;
}
