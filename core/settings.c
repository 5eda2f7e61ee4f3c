/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/settings.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/conf.h"
#include "core/defaults.h"
#include "core/schema.h"
#include "core/settings-internal.h"
#include "core/trust.h"

const char settings_system_file[] = WEIR_SYSCONFDIR "/weir/weir.conf";

/* ---- the environment ------------------------------------------------------------------------------- */

static const char *
settings_getenv (const char *const *environ, const char *name)
{
  size_t n = strlen (name);

  for (; environ != NULL && *environ != NULL; environ++)
    if (strncmp (*environ, name, n) == 0 && (*environ)[n] == '=')
      return *environ + n + 1;
  return NULL;
}

/* An absolute path; the XDG specification says to ignore others.  */
static const char *
settings_getenv_path (const char *const *environ, const char *name)
{
  const char *value = settings_getenv (environ, name);

  return value != NULL && value[0] == '/' ? value : NULL;
}

/* What the user database says, NULL: nothing.  */
static char *
settings_database_home (void)
{
  struct passwd pw, *found = NULL;

  for (size_t room = 1024; room <= 1u << 20; room *= 2) {
    auto_free char *buffer = malloc (room);
    int result = buffer == NULL ? ENOMEM : getpwuid_r (geteuid (), &pw, buffer, room, &found);
    if (result == ERANGE)
      continue;
    return result == 0 && found != NULL && found->pw_dir[0] == '/' ? strdup (found->pw_dir) : NULL;
  }
  return NULL;
}

/* The home of the local user database, without asking the network; HOME may have been sent elsewhere, but the keys are
 * still where they were.  */
static char *
settings_local_home (void)
{
  FILE *f = fopen ("/etc/passwd", "re");
  struct passwd pw, *found = NULL;
  char buffer[4096], *home = NULL;

  if (f == NULL)
    return NULL;
  while (fgetpwent_r (f, &pw, buffer, sizeof buffer, &found) == 0)
    if (pw.pw_uid == geteuid () && pw.pw_dir[0] == '/') {
      home = strdup (pw.pw_dir);
      break;
    }
  fclose (f);
  return home;
}

/* ---- the files ----------------------------------------------------------------------------------------- */

static char *
settings_absolute (const char *path)
{
  auto_free char *cwd = NULL;

  if (path[0] == '/')
    return strdup (path);
  cwd = getcwd (NULL, 0);
  return cwd == NULL ? NULL : util_fmt ("%s/%s", strcmp (cwd, "/") == 0 ? "" : cwd, path);
}

static weir_status
settings_add_layer (struct settings_sources *s, char *path, int required, weir_error **err)
{
  size_t count = s->paths.count;

  strv_take (&s->paths, path);
  if (s->paths.failed)
    return error_nomem (err);
  s->layers[count] = (struct conf_layer){ path, required };
  return WEIR_OK;
}

static weir_status
settings_default_layers (struct settings_sources *s, const char *const *environ, weir_error **err)
{
  const char *config_home = s->secure ? NULL : settings_getenv_path (environ, "XDG_CONFIG_HOME");
  weir_status status = settings_add_layer (s, strdup (settings_system_file), 0, err);

  if (status != WEIR_OK || s->secure)
    return status;
  if (config_home != NULL)
    return settings_add_layer (s, util_fmt ("%s/weir/weir.conf", config_home), 0, err);
  if (s->home != NULL)
    return settings_add_layer (s, util_fmt ("%s/.config/weir/weir.conf", s->home), 0, err);
  return WEIR_OK;
}

/* The caller's own paths are set like --set does, so that they have an origin and are checked alike.  */
static weir_status
settings_collect_set (struct settings_sources *s, const struct weir_runtime_options *options, weir_error **err)
{
  for (size_t i = 0; options->set != NULL && options->set[i] != NULL; i++)
    strv_add (&s->set, options->set[i]);
  if (options->plugin_dir != NULL)
    strv_fmt (&s->set, "plugin_dir=%s", options->plugin_dir);
  if (options->state_dir != NULL)
    strv_fmt (&s->set, "state_dir=%s", options->state_dir);
  return s->set.failed ? error_nomem (err) : WEIR_OK;
}

weir_status
settings_sources (struct settings_sources *s, const struct weir_runtime_options *options, const char *const *environ,
                  int secure, weir_error **err)
{
  const char *home;
  weir_status status = settings_collect_set (s, options, err);
  char *path;

  if (status != WEIR_OK)
    return status;
  s->secure = secure;
  home = s->secure ? NULL : settings_getenv_path (environ, "HOME");
  s->home = home == NULL ? settings_database_home () : strdup (home);
  if (home != NULL && s->home == NULL)
    return error_nomem (err);
  s->local_home = settings_local_home ();
  if (!s->secure)
    s->state_home = settings_getenv_path (environ, "XDG_STATE_HOME");
  if (options->config == NULL)
    return settings_default_layers (s, environ, err);
  path = settings_absolute (options->config);
  if (path == NULL)
    return error_set (err, errno == ENOMEM ? WEIR_E_NOMEM : WEIR_E_IO, errno, "resolve '%s'", options->config);
  return settings_add_layer (s, path, 1, err);
}

void
settings_sources_free (struct settings_sources *s)
{
  strv_free (&s->paths);
  strv_free (&s->set);
  free (s->home);
  free (s->local_home);
}

/* ---- values into their places ------------------------------------------------------------------------- */

static void
settings_store (struct settings *s, const struct schema_key *key, struct schema_value *v)
{
  void *at = (char *) s + key->offset;

  switch (key->type) {
  case SCHEMA_NAME:
  case SCHEMA_PATH:
    *(char **) at = steal (v->text);
    break;
  case SCHEMA_CHOICE:
    *(uint32_t *) at = (uint32_t) v->number;
    break;
  case SCHEMA_COUNT:
  case SCHEMA_SIZE:
  case SCHEMA_DURATION:
  case SCHEMA_SECONDS:
    *(uint64_t *) at = v->number;
    break;
  case SCHEMA_LIST:
    *(struct setting_list *) at = v->list;
    v->list = (struct setting_list){ 0 };
    break;
  }
}

/* The built-in paths that can be resolved, beneath both homes when they differ.  */
static weir_status
settings_builtin_paths (const struct settings_sources *src, const struct schema_key *key, struct schema_value *v,
                        weir_error **err)
{
  const char *homes[] = { src->home, src->local_home };

  for (size_t h = 0; h < ARRAY_SIZE (homes); h++)
    for (const char *p = key->fallback; *p != '\0';) {
      size_t n = strcspn (p, ",");
      auto_free char *text = util_fmt ("%.*s", (int) n, p);
      auto_free char *path = text == NULL ? NULL : value_expand (text, homes[h]);
      p += n + (p[n] == ',');
      if (text == NULL || (path == NULL && homes[h] != NULL))
        return error_nomem (err);
      if (path == NULL || strv_has (&v->list.items, path))
        continue;
      strv_take (&v->list.items, steal (path));
      strv_add (&v->list.origins, "built in");
    }
  return v->list.items.failed || v->list.origins.failed ? error_nomem (err) : WEIR_OK;
}

static weir_status
settings_fill_key (struct settings *s, const struct settings_sources *src, const struct schema_key *key,
                   weir_error **err)
{
  const struct node *n = conf_find (s->conf, key->path);
  auto_node struct node *builtin = NULL;
  struct schema_value v = { 0 };
  weir_status status;

  if (n == NULL && key->fallback == NULL)
    return WEIR_OK;
  if (n == NULL)
    n = builtin = node_new (NODE_TEXT, NULL, "built in", key->fallback);
  if (n == NULL)
    return error_nomem (err);
  if (n == builtin && key->type == SCHEMA_LIST && key->item == SCHEMA_ITEM_PATH)
    status = settings_builtin_paths (src, key, &v, err);
  else
    status = schema_read (key, n, src->home, &v, err);
  if (status == WEIR_OK) {
    settings_store (s, key, &v);
    if (key->origin != 0) {
      char *origin = strdup (n->origin);
      *(char **) ((char *) s + key->origin) = origin;
      status = origin == NULL ? error_nomem (err) : WEIR_OK;
    }
  }
  schema_value_free (&v);
  return status;
}

static weir_status
settings_state_dir (struct settings *s, const struct settings_sources *src, weir_error **err)
{
  if (s->state_dir != NULL)
    return WEIR_OK;
  if (geteuid () == 0)
    s->state_dir = strdup (WEIR_STATE_DIR);
  else if (src->state_home != NULL)
    s->state_dir = util_fmt ("%s/weir", src->state_home);
  else if (src->home != NULL)
    s->state_dir = util_fmt ("%s/.local/state/weir", src->home);
  else {
    error_set (err, WEIR_E_INVALID, 0, "no state directory: uid %u has no home directory", (unsigned) geteuid ());
    return error_hint (err, "Set HOME, or 'state_dir' in the configuration.");
  }
  return s->state_dir == NULL ? error_nomem (err) : WEIR_OK;
}

weir_status
settings_from (struct settings_sources *src, config_opener open, struct settings **out, weir_error **err)
{
  struct settings *s = calloc (1, sizeof *s);
  weir_status status;

  if (s == NULL)
    return error_nomem (err);
  status = conf_load (src->layers, src->paths.count, strv_items (&src->set), src->home, open, &s->conf, err);
  for (const struct schema_key *key = schema_keys; status == WEIR_OK && key->path != NULL; key++)
    status = settings_fill_key (s, src, key, err);
  if (status == WEIR_OK)
    status = settings_state_dir (s, src, err);
  if (status == WEIR_OK) {
    for (size_t i = 0; i < s->conf->files.count; i++)
      strv_add (&s->files, s->conf->files.items[i]);
    s->home = src->home == NULL ? NULL : strdup (src->home);
    if (s->files.failed || (src->home != NULL && s->home == NULL))
      status = error_nomem (err);
  }
  if (status == WEIR_OK)
    *out = s;
  else
    settings_free (s);
  return status;
}

weir_status
settings_load (const struct weir_runtime_options *options, const char *const *environ, struct settings **out,
               weir_error **err)
{
  static const struct weir_runtime_options none = { .struct_size = sizeof none };
  struct settings_sources src = { 0 };
  weir_status status =
      settings_sources (&src, options == NULL ? &none : options, environ, getauxval (AT_SECURE) != 0, err);

  if (status == WEIR_OK)
    status = settings_from (&src, trust_open, out, err);
  settings_sources_free (&src);
  return status;
}

void
settings_free (struct settings *s)
{
  if (s == NULL)
    return;
  for (const struct schema_key *key = schema_keys; key->path != NULL; key++) {
    void *at = (char *) s + key->offset;
    if (key->type == SCHEMA_NAME || key->type == SCHEMA_PATH)
      free (*(char **) at);
    if (key->type == SCHEMA_LIST) {
      strv_free (&((struct setting_list *) at)->items);
      strv_free (&((struct setting_list *) at)->origins);
    }
    if (key->origin != 0)
      free (*(char **) ((char *) s + key->origin));
  }
  free (s->home);
  strv_free (&s->files);
  conf_free (s->conf);
  free (s);
}
