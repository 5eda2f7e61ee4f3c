/* plugins-show.c: weir plugin list and weir plugin info.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins-internal.h"

#include "core/facts.h"
#include "core/out.h"
#include "core/plan-words.h"
#include "core/sink.h"

#define SHOW_DESCRIBE_MAX 65536

static const char *const option_types[] = {
  [WEIR_OPT_STRING] = "string", [WEIR_OPT_PATH] = "path",         [WEIR_OPT_BOOLEAN] = "boolean",
  [WEIR_OPT_SIZE] = "size",     [WEIR_OPT_DURATION] = "duration", [WEIR_OPT_INTEGER] = "integer",
  [WEIR_OPT_LIST] = "list",     [WEIR_OPT_CHOICE] = "choice",
};

static const char *
provides (const struct adopted *a)
{
  return a->plugin.sandbox == NULL ? "world" : a->plugin.world == NULL ? "sandbox" : "sandbox, world";
}

/* ---- list ---- */

static void
list_json (struct out *out, const char *name, const struct adopted *a, const weir_error *problem)
{
  out_open (out, NULL, '{');
  out_string (out, "name", name);
  if (a != NULL) {
    out_string (out, "version", a->version);
    out_string (out, "summary", a->summary);
    out_boolean (out, "sandbox", a->plugin.sandbox != NULL);
    out_boolean (out, "world", a->plugin.world != NULL);
  }
  if (problem != NULL) {
    auto_free char *text = error_text (problem);

    out_string (out, "problem", text);
  }
  out_close (out, '}');
}

/* One bad plugin does not hide the others.  */
static void
list_one (struct plugins *p, const char *name, struct out *out)
{
  auto_error weir_error *problem = NULL;
  const struct adopted *a = NULL;

  if (plugins_load (p, name, &a, &problem) != WEIR_OK)
    a = NULL;
  if (out->json) {
    list_json (out, name, a, problem);
    return;
  }
  if (a != NULL)
    out_line (out, "%-16s %-8s %-16s %s", name, a->version, provides (a), a->summary);
  else
    out_line (out, "%-16s %-8s %-16s %s", name, "-", "unusable", weir_error_message (problem));
}

static weir_status
show_list (struct plugins *p, struct out *out, weir_error **err)
{
  auto_strv struct strv names = { 0 };
  weir_status status = plugins_list (p, &names, err);

  if (status != WEIR_OK)
    return status;
  out_open (out, "plugins", '[');
  for (size_t i = 0; i < names.count; i++)
    list_one (p, names.items[i], out);
  out_close (out, ']');
  return WEIR_OK;
}

/* ---- info ---- */

static void
info_options (const struct adopted *a, struct out *out)
{
  out_open (out, "options", '[');
  for (const struct weir_option *o = a->options; o->name != NULL; o++) {
    int required = (o->flags & WEIR_OPT_REQUIRED) != 0;

    out_line (out, "%-10s %s (%s%s%s%s): %s", "option", o->name, option_types[o->type], required ? ", required" : "",
              o->fallback != NULL ? ", default " : "", o->fallback != NULL ? o->fallback : "", o->help);
    out_open (out, NULL, '{');
    out_string (out, "name", o->name);
    out_string (out, "type", option_types[o->type]);
    out_boolean (out, "required", required);
    out_string (out, "default", o->fallback);
    out_string (out, "help", o->help);
    out_close (out, '}');
  }
  out_close (out, ']');
}

static void
info_claims (const struct adopted *a, struct out *out)
{
  auto_strv struct strv words = { 0 };
  auto_strbuf struct strbuf all = { 0 };

  if (a->plugin.sandbox == NULL)
    return;
  words_of_bits (a->sandbox.claims, &words);
  out_open (out, "claims", '[');
  for (size_t i = 0; i < words.count; i++) {
    strbuf_fmt (&all, "%s%s", i > 0 ? ", " : "", words.items[i]);
    out_string (out, NULL, words.items[i]);
  }
  out_close (out, ']');
  out->buffer.failed |= words.failed || all.failed;
  if (!all.failed)
    out_line (out, "%-10s %s", "claims", all.data);
}

/* Lines "NAME=VALUE".  */
static void
info_lines (const char *lines, struct out *out)
{
  out_open (out, "here", '{');
  while (lines != NULL && *lines != '\0') {
    int length = (int) strcspn (lines, "\n"), key = (int) strcspn (lines, "=\n");
    auto_free char *name = util_fmt ("%.*s", key, lines);
    auto_free char *value = util_fmt ("%.*s", key < length ? length - key - 1 : 0, lines + key + (key < length));

    if (name == NULL || value == NULL) {
      out->buffer.failed = 1;
      break;
    }
    out_line (out, "%-10s %s=%s", "here", name, value);
    out_string (out, name, value);
    lines += length + (lines[length] == '\n');
  }
  out_close (out, '}');
}

static weir_status
info_describe (struct instance *i, weir_sink *sink, weir_error **err)
{
  struct facts facts;
  uint64_t snapshot[WEIR_FACT_COUNT_];
  weir_call call = { WEIR_SIZED (weir_call), .cancel = -1, .facts = snapshot };
  weir_status status;

  if (i->adopted->sandbox.describe == NULL)
    return WEIR_OK;
  facts_init (&facts);
  facts_snapshot (&facts, snapshot);
  plugins_enter (i);
  status = i->adopted->sandbox.describe (i->self, &call, sink, err);
  plugins_leave (i);
  return status;
}

/* What it would use here can only be said by an instance, which the configuration may not allow to be made: that is
 * told, and the rest is shown all the same.  */
static void
info_here (struct plugins *p, const char *name, struct out *out)
{
  auto_error weir_error *problem = NULL;
  weir_sink sink = SINK_INIT (SHOW_DESCRIBE_MAX);
  auto_free char *lines = NULL;
  struct instance *i;
  weir_status status = plugins_get (p, name, &i, &problem);

  if (status == WEIR_OK)
    status = info_describe (i, &sink, &problem);
  lines = strbuf_steal (&sink.bytes);
  if (status == WEIR_OK) {
    info_lines (lines, out);
  }
  else {
    auto_free char *text = error_text (problem);

    out_line (out, "%-10s %s", "problem",
              text != NULL && problem != NULL ? text : "describe failed and did not say why");
    out_string (out, "problem", text != NULL && problem != NULL ? text : "describe failed and did not say why");
  }
}

static weir_status
show_info (struct plugins *p, const char *name, struct out *out, weir_error **err)
{
  const struct adopted *a;
  weir_status status = plugins_load (p, name, &a, err);
  auto_free char *abi = NULL;

  if (status != WEIR_OK)
    return status;
  abi = util_fmt ("%u.%u", a->plugin.abi_major, a->plugin.abi_minor);
  if (abi == NULL)
    return error_nomem (err);
  out_line (out, "%-10s %s", "name", a->name);
  out_line (out, "%-10s %s", "version", a->version);
  out_line (out, "%-10s %s", "summary", a->summary);
  out_line (out, "%-10s %s", "file", a->path);
  out_line (out, "%-10s %s", "interface", abi);
  out_line (out, "%-10s %s", "threads", a->threading == WEIR_PARALLEL ? "parallel calls" : "one call at a time");
  out_line (out, "%-10s %s", "provides", provides (a));
  out_string (out, "name", a->name);
  out_string (out, "version", a->version);
  out_string (out, "summary", a->summary);
  out_string (out, "file", a->path);
  out_string (out, "interface", abi);
  out_boolean (out, "parallel", a->threading == WEIR_PARALLEL);
  out_boolean (out, "sandbox", a->plugin.sandbox != NULL);
  out_boolean (out, "world", a->plugin.world != NULL);
  info_claims (a, out);
  info_options (a, out);
  info_here (p, name, out);
  return WEIR_OK;
}

weir_status
plugins_show (struct plugins *p, const char *name, struct out *out, weir_error **err)
{
  weir_status status;

  out_open (out, NULL, '{');
  status = name == NULL ? show_list (p, out, err) : show_info (p, name, out, err);
  out_close (out, '}');
  return status;
}
