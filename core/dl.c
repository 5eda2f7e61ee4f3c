/* dl.c: opening a plugin's file; the only user of libltdl.
 *
 * libltdl's state (handles, search path, last error) is process-wide and unlocked, so that one mutex stands before it.
 * It is never given a bare name, a ".la" file or the extension hint, so that neither LTDL_LIBRARY_PATH nor a ".la"
 * beside the plugin chooses what is loaded; the search path is never set and lt_dlexit never called, because another
 * library of the process may use libltdl too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins.h"

#include <dlfcn.h>
#include <ltdl.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t dl_lock = PTHREAD_MUTEX_INITIALIZER;
static int dl_ready; /* under dl_lock */

#define DL_SUFFIX "_LTX_weir_plugin_v"

/* libltdl opens lazily, may unload, and says "file not found" whatever happened.  A first dlopen binds at once, stays
 * for ever, and knows the reason; libltdl then finds the object that is there already.  */
static weir_status
dl_bind (const char *path, weir_error **err)
{
  const char *reason;

  if (dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != NULL)
    return WEIR_OK;
  reason = dlerror ();
  error_set (err, WEIR_E_PLUGIN, 0, "load plugin '%s': %s", path, reason != NULL ? reason : "no reason was given");
  return error_hint (
      err, "reinstall the plugin together with the libraries that it needs, or remove it from the configuration");
}

static lt_dlhandle
dl_handle (const char *path)
{
  lt_dladvise advise;
  lt_dlhandle handle = NULL;

  if (lt_dladvise_init (&advise) != 0)
    return NULL;
  if (lt_dladvise_local (&advise) == 0 && lt_dladvise_resident (&advise) == 0)
    handle = lt_dlopenadvise (path, advise);
  lt_dladvise_destroy (&advise);
  return handle;
}

/* No entry symbol of our major: is there one of another major?  */
static weir_status
dl_no_symbol (lt_dlhandle handle, const char *path, const char *symbol, weir_error **err)
{
  const char *suffix = strstr (symbol, DL_SUFFIX);
  int stem = suffix != NULL ? (int) (suffix - symbol) : 0;

  for (int major = 1; suffix != NULL && major <= 9; major++) {
    char other[256];

    if (major == WEIR_ABI_MAJOR
        || snprintf (other, sizeof other, "%.*s" DL_SUFFIX "%d", stem, symbol, major) >= (int) sizeof other)
      continue;
    if (lt_dlsym (handle, other) == NULL)
      continue;
    error_set (err, WEIR_E_PLUGIN, 0,
               "load plugin '%s': it was made for major version %d of the plugin interface, this is %d", path, major,
               WEIR_ABI_MAJOR);
    return error_hint (err, "install a build of the plugin for this version of Weir");
  }
  error_set (err, WEIR_E_PLUGIN, 0, "load plugin '%s': it has no symbol '%s'", path, symbol);
  return error_hint (err, "the file's name without '.so' must be the name given to WEIR_PLUGIN_REGISTER");
}

static weir_status
dl_open_locked (const char *path, const char *symbol, weir_plugin_entry *entry, weir_error **err)
{
  const char *reason;
  lt_dlhandle handle;
  void *address;

  if (!dl_ready && lt_dlinit () != 0) {
    reason = lt_dlerror ();
    return error_set (err, WEIR_E_PLUGIN, 0, "start the plugin loader: %s",
                      reason != NULL ? reason : "no reason was given");
  }
  dl_ready = 1;
  if (dl_bind (path, err) != WEIR_OK)
    return WEIR_E_PLUGIN;
  handle = dl_handle (path);
  if (handle == NULL) {
    reason = lt_dlerror ();
    return error_set (err, WEIR_E_PLUGIN, 0, "load plugin '%s': %s", path,
                      reason != NULL ? reason : "no reason was given");
  }
  address = lt_dlsym (handle, symbol);
  if (address == NULL)
    return dl_no_symbol (handle, path, symbol, err);
  /* POSIX lets dlsym's object pointer be read as a function; ISO C has no cast for it.  */
  memcpy (entry, &address, sizeof *entry);
  return WEIR_OK;
}

weir_status
dl_open (const char *path, const char *symbol, weir_plugin_entry *entry, weir_error **err)
{
  weir_status status;

  if (path[0] != '/')
    return error_set (err, WEIR_E_INVALID, 0, "load plugin '%s': the path is not absolute", path);
  pthread_mutex_lock (&dl_lock);
  status = dl_open_locked (path, symbol, entry, err);
  pthread_mutex_unlock (&dl_lock);
  return status;
}
