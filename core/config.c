/* The only file that knows libconfig.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/node.h"

#include <libconfig.h>

#include "core/config-text.h"

/* A parsed text on its way into our tree.  */
struct convert {
  const struct config_text *text;
  size_t next_string; /* of text->strings */
};

static weir_status convert_items (struct convert *, const config_setting_t *, struct node *, weir_error **);

static weir_status
convert_string (const config_setting_t *s, struct node *n, weir_error **err)
{
  const char *value = config_setting_get_string (s);
  size_t bad;

  if (value == NULL)
    value = "";
  if (!config_utf8 (value, strlen (value), &bad))
    return error_set (err, WEIR_E_INVALID, 0, "%s: the string's byte 0x%02x is not UTF-8", n->origin,
                      (unsigned char) value[bad]);
  n->text = strdup (value);
  return n->text == NULL ? error_nomem (err) : WEIR_OK;
}

static weir_status
convert_value (struct convert *c, const config_setting_t *s, struct node *n, weir_error **err)
{
  switch (config_setting_type (s)) {
  case CONFIG_TYPE_GROUP:
    n->type = NODE_GROUP;
    return convert_items (c, s, n, err);
  case CONFIG_TYPE_ARRAY:
  case CONFIG_TYPE_LIST:
    n->type = NODE_LIST;
    return convert_items (c, s, n, err);
  case CONFIG_TYPE_INT:
    n->type = NODE_INTEGER;
    n->integer = config_setting_get_int (s);
    return WEIR_OK;
  case CONFIG_TYPE_INT64:
    n->type = NODE_INTEGER;
    n->integer = config_setting_get_int64 (s);
    return WEIR_OK;
  case CONFIG_TYPE_FLOAT:
    n->type = NODE_REAL;
    return WEIR_OK;
  case CONFIG_TYPE_BOOL:
    n->type = NODE_BOOLEAN;
    n->integer = config_setting_get_bool (s) != 0;
    return WEIR_OK;
  case CONFIG_TYPE_STRING:
    n->type = NODE_STRING;
    return convert_string (s, n, err);
  default:
    return error_set (err, WEIR_E_INVALID, 0, "%s: a value is missing", n->origin);
  }
}

/* libconfig's line of a string in a list is that of the token after it.  */
static unsigned
convert_line (struct convert *c, const config_setting_t *s, int in_list)
{
  if (in_list && config_setting_type (s) == CONFIG_TYPE_STRING && c->next_string < c->text->string_count)
    return c->text->strings[c->next_string++];
  return config_setting_source_line (s);
}

static weir_status
convert_items (struct convert *c, const config_setting_t *from, struct node *to, weir_error **err)
{
  int count = config_setting_length (from);

  for (int i = 0; i < count; i++) {
    const config_setting_t *s = config_setting_get_elem (from, (unsigned) i);
    auto_free char *origin = config_text_origin (c->text, convert_line (c, s, to->type == NODE_LIST));
    struct node *n = origin == NULL ? NULL : node_new (NODE_GROUP, config_setting_name (s), origin, NULL);
    weir_status status;

    if (node_take (to, n) != 0)
      return error_nomem (err);
    status = convert_value (c, s, n, err);
    if (status != WEIR_OK)
      return status;
  }
  return WEIR_OK;
}

static weir_status
config_convert (const config_t *config, const struct config_text *text, struct node **out, weir_error **err)
{
  struct convert c = { .text = text };
  auto_free char *origin = config_text_origin (text, 1);
  auto_node struct node *root = origin == NULL ? NULL : node_new (NODE_GROUP, NULL, origin, NULL);
  weir_status status;

  if (root == NULL)
    return error_nomem (err);
  status = convert_items (&c, config_root_setting (config), root, err);
  if (status == WEIR_OK)
    *out = steal (root);
  return status;
}

/* libconfig's words, and the line that it stopped at, so that a duplicate has a name.  */
static weir_status
config_error (const config_t *config, const struct config_text *text, weir_error **err)
{
  unsigned line = config_error_line (config) < 1 ? 1u : (unsigned) config_error_line (config);
  auto_free char *origin = config_text_origin (text, line);
  const char *why = config_error_text (config), *p = text->bytes.data;
  size_t size;

  if (origin == NULL)
    return error_nomem (err);
  for (; line > 1 && strchr (p, '\n') != NULL; line--)
    p = strchr (p, '\n') + 1;
  p += strspn (p, " \t\r\f");
  size = strcspn (p, "\r\n");
  if (size == 0 || size > 80)
    return error_set (err, WEIR_E_INVALID, 0, "%s: %s", origin, why == NULL ? "syntax error" : why);
  return error_set (err, WEIR_E_INVALID, 0, "%s: %s in '%.*s'", origin, why == NULL ? "syntax error" : why, (int) size,
                    p);
}

static weir_status
config_parse (const struct config_text *text, struct node **out, weir_error **err)
{
  config_t config;
  weir_status status;

  config_init (&config);
  if (config_read_string (&config, text->bytes.data) == CONFIG_TRUE)
    status = config_convert (&config, text, out, err);
  else
    status = config_error (&config, text, err);
  config_destroy (&config);
  return status;
}

/* An empty file is an empty group.  */
static weir_status
config_of_text (struct config_text *text, const char *name, struct node **out, weir_error **err)
{
  if (text->bytes.size > 0)
    return config_parse (text, out, err);
  *out = node_new (NODE_GROUP, NULL, name, NULL);
  return *out == NULL ? error_nomem (err) : WEIR_OK;
}

weir_status
config_parse_file (const char *path, config_opener open, struct strv *files, struct node **out, weir_error **err)
{
  struct config_text text = { 0 };
  weir_status status = config_text_read (&text, path, open, files, err);

  if (status == WEIR_OK)
    status = config_of_text (&text, path, out, err);
  config_text_free (&text);
  return status;
}

weir_status
config_parse_text (const char *name, const char *bytes, size_t size, struct node **out, weir_error **err)
{
  struct config_text text = { 0 };
  weir_status status = config_text_of (&text, name, bytes, size, err);

  if (status == WEIR_OK)
    status = config_of_text (&text, name, out, err);
  config_text_free (&text);
  return status;
}
