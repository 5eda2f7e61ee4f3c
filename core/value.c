/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/schema.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "core/units.h"

weir_status
value_error (const struct node *n, const char *what, weir_error **err, const char *fmt, ...)
{
  auto_strbuf struct strbuf b = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  if (b.failed)
    return error_nomem (err);
  return error_set (err, WEIR_E_INVALID, 0, "%s: %s: %s", n->origin, what, b.data);
}

static weir_status
value_type_error (const struct node *n, const char *what, const char *wanted, weir_error **err)
{
  if (n->type == NODE_STRING || n->type == NODE_TEXT)
    return value_error (n, what, err, "expected %s, not \"%.200s\"", wanted, n->text);
  if (n->type == NODE_INTEGER)
    return value_error (n, what, err, "expected %s, not %lld", wanted, (long long) n->integer);
  return value_error (n, what, err, "expected %s, not %s", wanted, node_type_name (n));
}

/* Not isalpha and its like, which ask the locale.  */
#define VALUE_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define VALUE_DIGITS "0123456789"

int
value_is_name (const char *s)
{
  return *s != '\0' && strchr (VALUE_DIGITS, *s) == NULL && s[strspn (s, VALUE_LETTERS VALUE_DIGITS)] == '\0';
}

weir_status
value_string (const struct node *n, const char *what, const char **value, weir_error **err)
{
  if (n->type != NODE_STRING && n->type != NODE_TEXT)
    return value_type_error (n, what, "a string", err);
  *value = n->text;
  return WEIR_OK;
}

weir_status
value_integer (const struct node *n, const char *what, int64_t *value, weir_error **err)
{
  uint64_t v;
  int negative;

  if (n->type == NODE_INTEGER) {
    *value = n->integer;
    return WEIR_OK;
  }
  negative = n->type == NODE_TEXT && n->text[0] == '-';
  /* A size without a unit, so that there is one way to read digits.  */
  if (n->type != NODE_TEXT || n->text[negative] == '\0'
      || strspn (n->text + negative, VALUE_DIGITS) != strlen (n->text + negative)
      || units_size (n->text + negative, &v) != 0)
    return value_type_error (n, what, "an integer", err);
  *value = negative ? -(int64_t) v : (int64_t) v;
  return WEIR_OK;
}

weir_status
value_boolean (const struct node *n, const char *what, int *value, weir_error **err)
{
  if (n->type == NODE_BOOLEAN)
    *value = n->integer != 0;
  else if (n->type == NODE_TEXT && strcasecmp (n->text, "true") == 0)
    *value = 1;
  else if (n->type == NODE_TEXT && strcasecmp (n->text, "false") == 0)
    *value = 0;
  else
    return value_type_error (n, what, "true or false", err);
  return WEIR_OK;
}

weir_status
value_size (const struct node *n, const char *what, uint64_t *value, weir_error **err)
{
  if ((n->type != NODE_STRING && n->type != NODE_TEXT) || units_size (n->text, value) != 0)
    return value_type_error (n, what, "a size such as \"10M\"", err);
  return WEIR_OK;
}

weir_status
value_duration (const struct node *n, const char *what, int64_t *value, weir_error **err)
{
  if ((n->type != NODE_STRING && n->type != NODE_TEXT) || units_duration (n->text, value) != 0)
    return value_type_error (n, what, "a duration such as \"5s\" or \"1h30m\"", err);
  return WEIR_OK;
}

char *
value_expand (const char *path, const char *home)
{
  size_t n;

  if (path[0] != '~' || (path[1] != '/' && path[1] != '\0'))
    return strdup (path);
  if (home == NULL) {
    errno = ENOENT;
    return NULL;
  }
  n = strlen (home);
  while (n > 0 && home[n - 1] == '/')
    n--;
  if (n == 0 && path[1] == '\0')
    return strdup ("/");
  return util_fmt ("%.*s%s", (int) n, home, path + 1);
}

weir_status
value_path (const struct node *n, const char *what, const char *home, char **value, weir_error **err)
{
  const char *text = NULL;
  weir_status status = value_string (n, what, &text, err);
  auto_free char *path = NULL;

  if (status != WEIR_OK)
    return status;
  if (text[0] != '/' && strcmp (text, "~") != 0 && strncmp (text, "~/", 2) != 0)
    return value_type_error (n, what, "an absolute path, or one that begins with \"~/\"", err);
  path = value_expand (text, home);
  if (path == NULL && home == NULL)
    return value_error (n, what, err, "'%s' cannot be resolved: no home directory is known", text);
  if (path == NULL)
    return error_nomem (err);
  *value = steal (path);
  return WEIR_OK;
}

/* "a,b" as a list; nothing is an empty one.  */
static void
value_split (const struct node *n, struct setting_list *list)
{
  for (const char *p = n->text; *p != '\0';) {
    size_t size = strcspn (p, ",");
    strv_fmt (&list->items, "%.*s", (int) size, p);
    strv_add (&list->origins, n->origin);
    p += size + (p[size] == ',');
  }
}

weir_status
value_list (const struct node *n, const char *what, struct setting_list *list, weir_error **err)
{
  if (n->type == NODE_TEXT)
    value_split (n, list);
  else if (n->type != NODE_LIST)
    return value_type_error (n, what, "a list such as [ \"a\", \"b\" ]", err);
  else
    for (size_t i = 0; i < n->count; i++) {
      const char *text = NULL;
      weir_status status = value_string (n->items[i], what, &text, err);
      if (status != WEIR_OK)
        return status;
      strv_add (&list->items, text);
      strv_add (&list->origins, n->items[i]->origin);
    }
  return list->items.failed || list->origins.failed ? error_nomem (err) : WEIR_OK;
}
