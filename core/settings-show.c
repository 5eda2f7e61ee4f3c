/* weir config show: the settings in the file's own syntax, or the same tree as JSON.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include <stdio.h>

#include "core/conf.h"
#include "core/out.h"
#include "core/schema.h"
#include "core/units.h"

#define SHOW_WIDTH 100

struct show {
  const struct settings *settings;
  struct out *out;
  int origin;
};

/* A string of the file's grammar.  */
static void
show_quote (struct strbuf *b, const char *s)
{
  strbuf_str (b, "\"");
  for (; *s != '\0'; s++) {
    if (*s == '"' || *s == '\\')
      strbuf_fmt (b, "\\%c", *s);
    else if ((unsigned char) *s < 0x20 || *s == 0x7f)
      strbuf_fmt (b, "\\x%02x", (unsigned char) *s);
    else
      strbuf_add (b, s, 1);
  }
  strbuf_str (b, "\"");
}

/* A comment with the origin, on the same line whatever a file is called.  */
static void
show_origin (const struct show *w, struct strbuf *b, const char *origin)
{
  size_t column = b->size;

  if (!w->origin)
    return;
  strbuf_fmt (b, "%*s# ", column < 40 ? (int) (40 - column) : 1, "");
  for (; *origin != '\0'; origin++) {
    char c = (unsigned char) *origin < 0x20 || *origin == 0x7f ? '?' : *origin;
    strbuf_add (b, &c, 1);
  }
}

static void
show_line (const struct show *w, struct strbuf *b)
{
  if (b->failed)
    w->out->buffer.failed = 1; /* told by out_end */
  else
    out_line (w->out, "%s", b->data);
}

/* ---- lists ---------------------------------------------------------------------------------------- */

static void
show_list_json (const struct show *w, const char *name, const struct setting_list *list)
{
  out_open (w->out, name, '[');
  for (size_t i = 0; i < list->items.count; i++) {
    if (w->origin) {
      out_open (w->out, NULL, '{');
      out_string (w->out, "value", list->items.items[i]);
      out_string (w->out, "origin", list->origins.items[i]);
      out_close (w->out, '}');
    }
    else {
      out_string (w->out, NULL, list->items.items[i]);
    }
  }
  out_close (w->out, ']');
}

/* In one line, when it is short and of one origin.  */
static int
show_list_line (const struct show *w, int indent, const char *name, const struct setting_list *list, const char *origin)
{
  auto_strbuf struct strbuf b = { 0 };

  strbuf_fmt (&b, "%*s%s = [", indent, "", name);
  for (size_t i = 0; i < list->items.count; i++) {
    if (w->origin && strcmp (list->origins.items[i], list->origins.items[0]) != 0)
      return 0;
    strbuf_str (&b, i == 0 ? " " : ", ");
    show_quote (&b, list->items.items[i]);
  }
  strbuf_str (&b, list->items.count == 0 ? "];" : " ];");
  if (b.size > SHOW_WIDTH)
    return 0;
  show_origin (w, &b, list->items.count == 0 ? origin : list->origins.items[0]);
  show_line (w, &b);
  return 1;
}

static void
show_list (const struct show *w, int indent, const char *name, const struct setting_list *list, const char *origin)
{
  if (w->out->json) {
    show_list_json (w, name, list);
    return;
  }
  if (show_list_line (w, indent, name, list, origin))
    return;
  out_line (w->out, "%*s%s = [", indent, "", name);
  for (size_t i = 0; i < list->items.count; i++) {
    auto_strbuf struct strbuf b = { 0 };
    strbuf_fmt (&b, "%*s", indent + 2, "");
    show_quote (&b, list->items.items[i]);
    strbuf_str (&b, i + 1 < list->items.count ? "," : "");
    show_origin (w, &b, list->origins.items[i]);
    show_line (w, &b);
  }
  out_line (w->out, "%*s];", indent, "");
}

/* ---- single values -------------------------------------------------------------------------------------- */

/* A value as text shows it (quoted where the file quotes it) and as JSON does.  */
struct show_value {
  const char *text; /* a string; NULL: the number */
  int64_t number;
  int none; /* no limit */
  int boolean;
};

static void
show_value_json (const struct show *w, const char *name, const struct show_value *v)
{
  if (v->none)
    out_string (w->out, name, NULL);
  else if (v->text != NULL)
    out_string (w->out, name, v->text);
  else if (v->boolean)
    out_boolean (w->out, name, v->number != 0);
  else
    out_integer (w->out, name, v->number);
}

static void
show_value (const struct show *w, int indent, const char *name, const struct show_value *v, const char *origin)
{
  auto_strbuf struct strbuf b = { 0 };

  if (w->out->json) {
    if (!w->origin) {
      show_value_json (w, name, v);
      return;
    }
    out_open (w->out, name, '{');
    show_value_json (w, "value", v);
    out_string (w->out, "origin", origin);
    out_close (w->out, '}');
    return;
  }
  strbuf_fmt (&b, "%*s%s = ", indent, "", name);
  if (v->none)
    strbuf_str (&b, "\"none\"");
  else if (v->text != NULL)
    show_quote (&b, v->text);
  else if (v->boolean)
    strbuf_str (&b, v->number != 0 ? "true" : "false");
  else
    strbuf_fmt (&b, "%lld%s", (long long) v->number, v->number > INT32_MAX || v->number < INT32_MIN ? "L" : "");
  strbuf_str (&b, ";");
  show_origin (w, &b, origin);
  show_line (w, &b);
}

/* A value of the core.  */
static void
show_key (const struct show *w, int indent, const char *name, const struct schema_key *key)
{
  const struct node *n = conf_find (w->settings->conf, key->path);
  const char *origin = n == NULL ? "built in" : n->origin;
  const void *at = (const char *) w->settings + key->offset;
  struct show_value v = { 0 };
  char text[48];

  switch (key->type) {
  case SCHEMA_LIST:
    show_list (w, indent, name, at, origin);
    return;
  case SCHEMA_NAME:
  case SCHEMA_PATH:
    v.text = *(char *const *) at;
    break;
  case SCHEMA_CHOICE:
    for (const struct schema_choice *c = key->choices; c->name != NULL; c++)
      if (c->value == *(const uint32_t *) at)
        v.text = c->name;
    break;
  case SCHEMA_COUNT:
  case SCHEMA_SIZE:
  case SCHEMA_DURATION:
  case SCHEMA_SECONDS:
    v.number = (int64_t) *(const uint64_t *) at;
    v.none = v.number == 0 && (key->flags & SCHEMA_NONE) != 0;
    if (key->type == SCHEMA_SIZE)
      units_print_size ((uint64_t) v.number, text);
    else if (key->type == SCHEMA_DURATION || key->type == SCHEMA_SECONDS)
      units_print_duration (key->type == SCHEMA_SECONDS ? v.number * 1000 : v.number, text);
    v.text = key->type == SCHEMA_COUNT ? NULL : text;
    break;
  }
  show_value (w, indent, name, &v, origin);
}

/* ---- plugins' options, as the layers say them: their tables are not known here -------------------------- */

static void show_node (const struct show *, int indent, const struct node *);

static void
show_node_list (const struct show *w, int indent, const struct node *n)
{
  struct setting_list list = { 0 };

  /* Only strings are of use to a plugin; anything else is refused when its table is at hand.  */
  for (size_t i = 0; i < n->count; i++)
    if (n->items[i]->type == NODE_STRING) {
      strv_add (&list.items, n->items[i]->text);
      strv_add (&list.origins, n->items[i]->origin);
    }
  if (list.items.failed || list.origins.failed)
    w->out->buffer.failed = 1;
  else
    show_list (w, indent, n->name, &list, n->origin);
  strv_free (&list.items);
  strv_free (&list.origins);
}

static void
show_node_group (const struct show *w, int indent, const struct node *n)
{
  out_line (w->out, "%*s%s : {", indent, "", n->name);
  out_open (w->out, n->name, '{');
  for (size_t i = 0; i < n->count; i++)
    if (w->out->depth + 3 < (int) sizeof w->out->comma)
      show_node (w, indent + 2, n->items[i]);
  out_close (w->out, '}');
  out_line (w->out, "%*s};", indent, "");
}

static void
show_node (const struct show *w, int indent, const struct node *n)
{
  struct show_value v = { .text = n->text, .number = n->integer, .boolean = n->type == NODE_BOOLEAN };

  if (n->type == NODE_GROUP)
    show_node_group (w, indent, n);
  else if (n->type == NODE_LIST)
    show_node_list (w, indent, n);
  else if (n->type != NODE_REAL)
    show_value (w, indent, n->name, &v, n->origin);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Keys directly in the group of this prefix ("sandbox.", or "").  */
static void
show_keys (const struct show *w, int indent, const char *prefix)
{
  size_t n = strlen (prefix);

  for (const struct schema_key *key = schema_keys; key->path != NULL; key++)
    if (strncmp (key->path, prefix, n) == 0 && strchr (key->path + n, '.') == NULL)
      show_key (w, indent, key->path + n, key);
}

static void
show_files (const struct show *w)
{
  const struct settings *s = w->settings;

  out_open (w->out, "files", '[');
  for (size_t i = 0; i < s->files.count; i++) {
    auto_strbuf struct strbuf b = { 0 };
    out_string (w->out, NULL, s->files.items[i]);
    strbuf_str (&b, "# read: ");
    show_quote (&b, s->files.items[i]);
    show_line (w, &b);
  }
  out_close (w->out, ']');
  if (s->files.count == 0)
    out_line (w->out, "# no configuration file was read");
}

void
settings_show (const struct settings *s, struct out *out, int with_origin)
{
  struct show w = { s, out, with_origin };
  const struct node *plugins = conf_find (s->conf, "plugins");

  out_open (out, NULL, '{');
  out_integer (out, "schema_version", 1);
  show_files (&w);
  show_keys (&w, 0, "");
  out_line (out, "sandbox : {");
  out_open (out, "sandbox", '{');
  show_keys (&w, 2, "sandbox.");
  out_line (out, "  limits : {");
  out_open (out, "limits", '{');
  show_keys (&w, 4, "sandbox.limits.");
  out_close (out, '}');
  out_line (out, "  };");
  out_close (out, '}');
  out_line (out, "};");
  if (plugins != NULL) {
    show_node_group (&w, 0, plugins);
  }
  else {
    out_open (out, "plugins", '{');
    out_close (out, '}');
  }
  out_close (out, '}');
}
