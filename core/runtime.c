/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <dlfcn.h>
#include <unistd.h>

#include "core/defaults.h"

#ifndef WEIR_LAUNCHER_DIR
#define WEIR_LAUNCHER_DIR "/usr/local/libexec/weir"
#endif

const char *
weir_version (void)
{
#ifdef PACKAGE_VERSION
  return PACKAGE_VERSION;
#else
  return "0";
#endif
}

/* ---- places ---- */

static void
runtime_place (weir_runtime *rt, const char *path, const char *reason)
{
  auto_error weir_error *ignored = NULL;
  char *canonical = NULL;

  if (path == NULL || path[0] != '/')
    return;
  /* What cannot be followed now is guarded by its own name.  */
  if (canon_path (path, "/", 1, &canonical, &ignored) != WEIR_OK || canonical == NULL)
    canonical = strdup (path);
  if (canonical == NULL || !strv_has (&rt->places.paths, canonical)) {
    strv_take (&rt->places.paths, canonical);
    strv_add (&rt->places.reasons, reason);
    return;
  }
  free (canonical);
}

static void
runtime_place_directory_of (weir_runtime *rt, const char *file, const char *reason)
{
  const char *slash = strrchr (file, '/');
  auto_free char *directory = slash == NULL || slash == file ? NULL : strndup (file, (size_t) (slash - file));

  runtime_place (rt, directory, reason);
}

static const char *
runtime_getenv (const weir_runtime *rt, const char *name)
{
  size_t n = strlen (name);

  for (size_t i = 0; i < rt->environ.count; i++)
    if (strncmp (rt->environ.items[i], name, n) == 0 && rt->environ.items[i][n] == '=')
      return rt->environ.items[i] + n + 1;
  return NULL;
}

/* A configuration file that is not there yet decides too, as soon as a command has made it.  */
static void
runtime_place_configuration (weir_runtime *rt)
{
  const char *xdg = runtime_getenv (rt, "XDG_CONFIG_HOME");
  auto_free char *user = NULL;

  if (xdg != NULL && xdg[0] == '/')
    user = util_fmt ("%s/weir/weir.conf", xdg);
  else if (rt->settings->home != NULL)
    user = util_fmt ("%s/.config/weir/weir.conf", rt->settings->home);
  runtime_place (rt, WEIR_SYSCONFDIR "/weir/weir.conf", "the system's configuration file");
  runtime_place (rt, WEIR_SYSCONFDIR "/weir", "the system's configuration directory");
  if (user != NULL) {
    runtime_place (rt, user, "the user's configuration file");
    runtime_place_directory_of (rt, user, "the user's configuration directory");
  }
  /* Not its directory: a root that holds the file is refused, and one that lies beside it cannot reach it.  */
  for (size_t i = 0; i < rt->settings->files.count; i++)
    runtime_place (rt, rt->settings->files.items[i], "a configuration file");
}

void
runtime_places (weir_runtime *rt)
{
  Dl_info info;

  runtime_place_configuration (rt);
  runtime_place (rt, rt->settings->plugin_dir, "the plugin directory");
  runtime_place (rt, rt->settings->state_dir, "the state directory");
  runtime_place (rt, WEIR_LAUNCHER_DIR, "the directory of Weir's launcher");
  if (dladdr ((const void *) &weir_version, &info) != 0 && info.dli_fname != NULL)
    runtime_place (rt, info.dli_fname, "Weir's library");
  runtime_place (rt, "/usr/local/bin", "a directory of sandbox runners");
  runtime_place (rt, "/usr/bin", "a directory of sandbox runners");
  runtime_place (rt, "/bin", "a directory of sandbox runners");
}

/* ---- the runtime ---- */

static weir_status
runtime_options (const struct weir_runtime_options *given, struct weir_runtime_options *full, weir_error **err)
{
  *full = (struct weir_runtime_options){ .struct_size = (uint32_t) sizeof *full };
  if (given == NULL)
    return WEIR_OK;
  if (given->struct_size < sizeof *full)
    return error_set (err, WEIR_E_INVALID, 0, "the options are not initialised (struct_size %u)", given->struct_size);
  for (size_t i = sizeof *full; i < given->struct_size; i++)
    if (((const unsigned char *) given)[i] != 0)
      return error_set (err, WEIR_E_UNSUPPORTED, 0, "the options use a field that this version of Weir does not know");
  if (given->flags & ~WEIR_RUNTIME_ONE_SHOT)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "the options use a flag that this version of Weir does not know");
  *full = *given;
  full->struct_size = (uint32_t) sizeof *full;
  return WEIR_OK;
}

/* A group of options for a plugin that does not exist is a slip of the pen, told before anything depends on it.  */
static weir_status
runtime_check_plugin_groups (weir_runtime *rt, weir_error **err)
{
  auto_error weir_error *ignored = NULL;
  auto_strv struct strv names = { 0 };
  struct setting_list groups = { 0 };
  size_t count;

  settings_plugin_groups (rt->settings, &groups);
  count = groups.items.count;
  strv_free (&groups.items);
  strv_free (&groups.origins);
  /* Without a plugin directory the call that needs a plugin says so.  */
  if (count == 0 || plugins_list (rt->plugins, &names, &ignored) != WEIR_OK)
    return WEIR_OK;
  return settings_check_plugins (rt->settings, strv_items (&names), err);
}

static weir_status
runtime_open (weir_runtime *rt, const struct weir_runtime_options *options, weir_error **err)
{
  const char *const *environment = options->environ != NULL ? options->environ : (const char *const *) environ;
  weir_status status;

  for (; environment != NULL && *environment != NULL; environment++)
    strv_add (&rt->environ, *environment);
  rt->log_target = (struct log_target){ options->log, options->log_data };
  rt->log = (weir_log){ &rt->log_target, strdup ("core") };
  rt->flags = options->flags;
  if (rt->environ.failed || rt->log.tag == NULL)
    return error_nomem (err);
  facts_init (&rt->facts);
  status = settings_load (options, strv_items (&rt->environ), &rt->settings, err);
  if (status != WEIR_OK)
    return status;
  rt->plugins = plugins_new (rt->settings, &rt->log_target, err);
  if (rt->plugins == NULL)
    return err != NULL && *err != NULL ? weir_error_code (*err) : WEIR_E_NOMEM;
  runtime_places (rt);
  if (rt->places.paths.failed || rt->places.reasons.failed)
    return error_nomem (err);
  return runtime_check_plugin_groups (rt, err);
}

weir_status
weir_runtime_new (const struct weir_runtime_options *given, weir_runtime **out, weir_error **err)
{
  struct weir_runtime_options options;
  weir_runtime *rt;
  weir_status status = runtime_options (given, &options, err);

  *out = NULL;
  if (status != WEIR_OK)
    return status;
  rt = calloc (1, sizeof *rt);
  if (rt == NULL)
    return error_nomem (err);
  pthread_mutex_init (&rt->lock, NULL);
  status = runtime_open (rt, &options, err);
  if (status != WEIR_OK) {
    weir_runtime_free (rt);
    return status;
  }
  *out = rt;
  return WEIR_OK;
}

void
weir_runtime_free (weir_runtime *rt)
{
  if (rt == NULL)
    return;
  proofs_free (rt->proofs);
  if (rt->plugins != NULL)
    plugins_free (rt->plugins);
  if (rt->sessions != NULL)
    sessiondir_free (rt->sessions);
  if (rt->settings != NULL)
    settings_free (rt->settings);
  strv_free (&rt->environ);
  strv_free (&rt->places.paths);
  strv_free (&rt->places.reasons);
  free (rt->log.tag);
  pthread_mutex_destroy (&rt->lock);
  free (rt);
}

/* ---- for a call ---- */

weir_status
runtime_sessions (weir_runtime *rt, struct sessiondir **out, weir_error **err)
{
  weir_status status = WEIR_OK;

  pthread_mutex_lock (&rt->lock);
  if (rt->sessions == NULL)
    status = sessiondir_new (rt->settings->state_dir, &rt->sessions, err);
  *out = rt->sessions;
  pthread_mutex_unlock (&rt->lock);
  return status;
}

weir_status
runtime_world (weir_runtime *rt, struct instance **out, weir_error **err)
{
  weir_status status = plugins_get (rt->plugins, rt->settings->world, out, err);

  if (status != WEIR_OK)
    return status;
  if ((*out)->adopted->world.struct_size == 0 || (*out)->adopted->process.spawn == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "plugin '%s' (world, %s) is not a world that runs processes", rt->settings->world,
                      rt->settings->world_origin == NULL ? "built in" : rt->settings->world_origin);
  return WEIR_OK;
}

weir_status
runtime_policy (weir_runtime *rt, const struct weir_request *request, struct policy *policy, weir_error **err)
{
  uint32_t mode = request->mode != 0 ? request->mode : rt->settings->mode;
  struct policy_input input = { .settings = rt->settings, .environ = strv_items (&rt->environ), .places = &rt->places };

  *policy = (struct policy){ 0 };
  if (mode != WEIR_MODE_DANGER_FULL_ACCESS) {
    weir_status status = runtime_sessions (rt, &input.sessions, err);
    if (status != WEIR_OK) {
      error_wrap (err, "make the session directories of this runtime");
      error_hint (err, "set state_dir to a directory that only you can write, or make '%s' writable for you",
                  rt->settings->state_dir);
      return status;
    }
  }
  return policy_resolve (&input, request, policy, err);
}

void
runtime_policy_end (weir_runtime *rt, struct policy *policy)
{
  if (policy->session == NULL && policy->tmp != NULL && rt->sessions != NULL)
    sessiondir_release_tmp (rt->sessions, NULL, policy->tmp);
  policy_free (policy);
}
