/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/doctor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/out.h"

static const char *const doctor_words[] = { "ok", "skip", "warn", "fail" };

struct doctor_check *
doctor_add (struct doctor *d, const char *category, const char *id, enum doctor_status status, char *details, char *fix,
            const char *summary, ...)
{
  struct doctor_check *checks = reallocarray (d->checks, d->count + 1, sizeof *checks), *c;
  struct strbuf text = { 0 };
  va_list ap;

  va_start (ap, summary);
  strbuf_vfmt (&text, summary, ap);
  va_end (ap);
  if (checks == NULL) {
    d->failed = 1;
    strbuf_free (&text);
    free (details);
    free (fix);
    return NULL;
  }
  d->checks = checks;
  c = &checks[d->count++];
  *c = (struct doctor_check){ .id = util_fmt ("%s.%s", category, id), .category = strdup (category),
                              .summary = strbuf_steal (&text), .details = details, .fix = fix, .status = status };
  if (c->id == NULL || c->category == NULL || c->summary == NULL)
    d->failed = 1;
  return c;
}

static void
doctor_free (struct doctor *d)
{
  for (size_t i = 0; i < d->count; i++) {
    free (d->checks[i].id);
    free (d->checks[i].category);
    free (d->checks[i].summary);
    free (d->checks[i].details);
    free (d->checks[i].fix);
  }
  free (d->checks);
}

/* The hints of an error as one line of advice.  */
static char *
doctor_advice (const weir_error *error)
{
  struct strbuf b = { 0 };

  for (const weir_error *e = error; e != NULL; e = weir_error_cause (e))
    for (size_t i = 0; weir_error_hint_at (e, i) != NULL; i++)
      strbuf_fmt (&b, "%s%s", b.size > 0 ? "; " : "", weir_error_hint_at (e, i));
  if (b.size == 0) {
    strbuf_free (&b);
    return NULL;
  }
  return strbuf_steal (&b);
}

/* ---- configuration, plugins, state ---- */

static void
doctor_configuration (struct doctor *d)
{
  struct strbuf files = { 0 };

  for (size_t i = 0; i < d->rt->settings->files.count; i++)
    strbuf_fmt (&files, "%s%s", i > 0 ? ", " : "", d->rt->settings->files.items[i]);
  if (files.size == 0) {
    strbuf_free (&files);
    doctor_add (d, "config", "files", DOCTOR_OK, NULL, NULL, "no configuration file; what is built in holds");
    return;
  }
  doctor_add (d, "config", "files", DOCTOR_OK, strbuf_steal (&files), NULL, "the configuration was read and is in order");
}

static int
doctor_uses (const struct doctor *d, const char *plugin)
{
  return strcmp (d->rt->settings->world, plugin) == 0 || strv_has (&d->rt->settings->chain.items, plugin);
}

static void
doctor_plugin (struct doctor *d, const char *name)
{
  auto_error weir_error *error = NULL;
  struct instance *instance;
  int used = doctor_uses (d, name);

  if (plugins_get (d->rt->plugins, name, &instance, &error) == WEIR_OK)
    doctor_add (d, "plugin", name, DOCTOR_OK, strdup (instance->adopted->path == NULL ? "" : instance->adopted->path), NULL,
                "version %s, ABI %u.%u%s", instance->adopted->version, instance->adopted->plugin.abi_major,
                instance->adopted->plugin.abi_minor, used ? ", in use" : "");
  else if (!used && weir_error_code (error) == WEIR_E_INVALID)
    doctor_add (d, "plugin", name, DOCTOR_SKIP, error_text (error), NULL, "not set up, and not named by the configuration");
  else
    doctor_add (d, "plugin", name, used ? DOCTOR_FAIL : DOCTOR_WARN, error_text (error), doctor_advice (error),
                "cannot be used%s", used ? "" : " (and is not named by the configuration)");
}

static void
doctor_plugins (struct doctor *d)
{
  auto_error weir_error *error = NULL;
  auto_strv struct strv names = { 0 };

  if (plugins_list (d->rt->plugins, &names, &error) != WEIR_OK)
    doctor_add (d, "plugin", "directory", DOCTOR_FAIL, error_text (error), doctor_advice (error), "the plugin directory '%s' cannot be listed",
                d->rt->settings->plugin_dir);
  if (!strv_has (&names, d->rt->settings->world))
    strv_add (&names, d->rt->settings->world);
  for (size_t i = 0; i < names.count; i++)
    doctor_plugin (d, names.items[i]);
}

static void
doctor_state (struct doctor *d)
{
  auto_error weir_error *error = NULL;
  struct sessiondir *sessions;

  if (runtime_sessions (d->rt, &sessions, &error) == WEIR_OK && sessiondir_spill (sessions, &error) != NULL)
    doctor_add (d, "state", "directory", DOCTOR_OK, NULL, NULL, "'%s' can be written; what dead runtimes left was removed",
                d->rt->settings->state_dir);
  else
    doctor_add (d, "state", "directory", DOCTOR_FAIL, error_text (error),
                error != NULL && weir_error_hint_at (error, 0) != NULL
                  ? doctor_advice (error)
                  : util_fmt ("make '%s' a directory that you own and nobody else can write, or set state_dir to one",
                              d->rt->settings->state_dir),
                "the state directory '%s' cannot be used", d->rt->settings->state_dir);
}

/* ---- what is told ---- */

static enum doctor_status
doctor_overall (const struct doctor *d)
{
  enum doctor_status worst = DOCTOR_OK;

  for (size_t i = 0; i < d->count; i++)
    if (d->checks[i].status > worst && d->checks[i].status != DOCTOR_SKIP)
      worst = d->checks[i].status;
  return worst;
}

/* Lines of a text, each below the check.  */
static void
doctor_print_lines (struct out *o, const char *prefix, const char *text)
{
  while (text != NULL && *text != '\0') {
    size_t n = strcspn (text, "\n");
    out_line (o, "        %s%.*s", prefix, (int) n, text);
    text += n + (text[n] == '\n');
  }
}

static void
doctor_print (const struct doctor *d, struct out *o)
{
  const char *overall = doctor_words[doctor_overall (d)];

  out_open (o, NULL, '{');
  out_integer (o, "schema_version", 1);
  out_string (o, "overall_status", overall);
  out_open (o, "checks", '[');
  for (size_t i = 0; i < d->count; i++) {
    const struct doctor_check *c = &d->checks[i];
    out_line (o, "%-6s  %s: %s", doctor_words[c->status], c->id, c->summary);
    doctor_print_lines (o, "", c->details);
    doctor_print_lines (o, "fix: ", c->fix);
    out_open (o, NULL, '{');
    out_string (o, "id", c->id);
    out_string (o, "category", c->category);
    out_string (o, "status", doctor_words[c->status]);
    out_string (o, "summary", c->summary);
    out_string (o, "details", c->details);
    out_string (o, "fix", c->fix);
    out_close (o, '}');
  }
  out_close (o, ']');
  out_close (o, '}');
  out_line (o, "%s", d->usable == 0 ? "no sandbox is usable: confined commands are refused" : overall);
}

/* What was not there before is not left behind.  */
static void
doctor_tidy (struct doctor *d, int had_state)
{
  auto_free char *runs = util_fmt ("%s/run", d->rt->settings->state_dir);

  if (had_state || d->rt->sessions == NULL || runs == NULL)
    return;
  sessiondir_free (d->rt->sessions);
  d->rt->sessions = NULL;
  rmdir (runs); /* the directories of other runtimes are in it while they live */
  rmdir (d->rt->settings->state_dir);
}

weir_status
weir_doctor (weir_runtime *rt, int format, int *worst, weir_writer write, void *data, weir_error **err)
{
  struct doctor d = { .rt = rt };
  struct stat st;
  struct out o;
  int had_state = rt->sessions != NULL || lstat (rt->settings->state_dir, &st) == 0;
  weir_status status;

  doctor_system (&d);
  doctor_configuration (&d);
  doctor_plugins (&d);
  doctor_state (&d);
  doctor_sandboxes (&d);
  doctor_tidy (&d, had_state);
  if (worst != NULL)
    *worst = d.usable == 0 ? 3 : doctor_overall (&d) == DOCTOR_FAIL ? 1 : 0;
  out_init (&o, format, write, data);
  if (d.failed) {
    status = error_nomem (err);
  }
  else {
    doctor_print (&d, &o);
    status = out_end (&o, err);
  }
  doctor_free (&d);
  return status;
}
