/* plugins.c: the plugins of one runtime, each loaded and made into an instance when it is first asked for, once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plugins.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "core/plugins-internal.h"
#include "core/trust.h"

#define PLUGINS_NAME_MAX 64
#define PLUGINS_SUFFIX ".so"

/* A plugin's code as the process has it, once for all runtimes.  Its entry is called once, since it stores the host's
 * table where a thread of another runtime may be reading it.  A SERIAL plugin may keep globals, so that the lock under
 * which it is called belongs here too.  Never freed, as the code is never unloaded.  */
struct code {
  weir_plugin_entry entry;
  const struct weir_plugin *descriptor;
  pthread_mutex_t turn;
  struct code *next;
};
static pthread_mutex_t codes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct code *codes;

/* A name that was asked for, and what became of it.  */
struct slot {
  struct instance instance; /* must be first: plugins_enter is given a pointer to it */
  struct adopted adopted;
  struct code *code;
  char *name;
  pthread_mutex_t making; /* held while it is loaded and created, so that others wait for this name alone */
  int loaded, tried_load, tried_create;
  weir_error *load_failure, *create_failure;
  struct slot *next;
};

struct plugins {
  const struct settings *settings;
  const struct log_target *target;
  pthread_mutex_t lock; /* of slots; a slot is never removed before plugins_free */
  struct slot *slots; /* latest first */
};

int
plugins_is_name (const char *s)
{
  size_t n = strspn (s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

  return n > 0 && n <= PLUGINS_NAME_MAX && s[n] == '\0' && (s[0] < '0' || s[0] > '9');
}

const char *
plugins_directory (const struct plugins *p)
{
  return p->settings->plugin_dir;
}

const struct settings *
plugins_settings (const struct plugins *p)
{
  return p->settings;
}

struct plugins *
plugins_new (const struct settings *settings, const struct log_target *target, weir_error **err)
{
  struct plugins *p = calloc (1, sizeof *p);

  if (p == NULL) {
    error_nomem (err);
    return NULL;
  }
  p->settings = settings;
  p->target = target;
  pthread_mutex_init (&p->lock, NULL);
  return p;
}

/* ---- errors that are told again ---- */

/* The remembered error once more, layer by layer from the innermost.  */
static weir_status
retell (const weir_error *e, weir_error **err)
{
  const weir_error *cause = weir_error_cause (e);
  const char *hint;

  if (err == NULL || *err != NULL)
    return weir_error_code (err != NULL ? *err : e);
  if (cause != NULL)
    retell (cause, err);
  if (cause != NULL)
    error_wrap (err, "%s", weir_error_message (e));
  else
    error_set (err, weir_error_code (e), 0, "%s", weir_error_message (e));
  for (size_t i = 0; (hint = weir_error_hint_at (e, i)) != NULL; i++)
    error_hint (err, "%s", hint);
  return weir_error_code (*err);
}

/* Keeps a failure for later calls, unless it may be gone by then.  */
static weir_status
remember (weir_error *failure, weir_error **kept, int *tried, weir_error **err)
{
  if (weir_error_code (failure) == WEIR_E_NOMEM) {
    *tried = 0;
    return error_move (err, failure);
  }
  *kept = failure;
  return retell (failure, err);
}

/* ---- finding and loading ---- */

static int
by_name (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

weir_status
plugins_list (struct plugins *p, struct strv *names, weir_error **err)
{
  auto_close int fd = -1;
  weir_status status = trust_open (plugins_directory (p), TRUST_DIRECTORY, &fd, NULL, err);
  struct dirent *entry;
  DIR *dir;

  if (status != WEIR_OK)
    return error_wrap (err, "cannot read the plugin directory '%s'", plugins_directory (p));
  dir = fdopendir (fd);
  if (dir == NULL)
    return error_set (err, WEIR_E_IO, errno, "read the plugin directory '%s'", plugins_directory (p));
  fd = -1;
  while ((entry = readdir (dir)) != NULL) {
    size_t length = strlen (entry->d_name), suffix = strlen (PLUGINS_SUFFIX);
    char name[PLUGINS_NAME_MAX + 1];

    if (length <= suffix || length - suffix > PLUGINS_NAME_MAX
        || strcmp (entry->d_name + length - suffix, PLUGINS_SUFFIX) != 0)
      continue;
    memcpy (name, entry->d_name, length - suffix);
    name[length - suffix] = '\0';
    if (plugins_is_name (name))
      strv_add (names, name);
  }
  closedir (dir);
  if (names->failed)
    return error_nomem (err);
  if (names->count > 1)
    qsort (names->items, names->count, sizeof *names->items, by_name);
  return WEIR_OK;
}

static weir_status
not_found (struct plugins *p, const char *name, weir_error *why, weir_error **err)
{
  auto_strv struct strv names = { 0 };
  auto_strbuf struct strbuf have = { 0 };
  const char *near;

  weir_error_free (why);
  error_set (err, WEIR_E_NOT_FOUND, 0, "there is no plugin '%s' in '%s'", name, plugins_directory (p));
  if (plugins_list (p, &names, NULL) != WEIR_OK)
    return error_hint (err, "set plugin_dir to the directory that holds the plugins");
  near = util_nearest (name, strv_items (&names));
  if (near != NULL)
    return error_hint (err, "did you mean '%s'?", near);
  for (size_t i = 0; i < names.count; i++)
    strbuf_fmt (&have, "%s%s", i > 0 ? ", " : "", names.items[i]);
  return error_hint (err, "plugins that are there: %s", names.count > 0 && !have.failed ? have.data : "none");
}

static weir_status
code_find (weir_plugin_entry entry, struct code **code, weir_error **err)
{
  struct code *c;

  pthread_mutex_lock (&codes_lock);
  for (c = codes; c != NULL && c->entry != entry; c = c->next)
    ;
  if (c == NULL && (c = calloc (1, sizeof *c)) != NULL) {
    c->entry = entry;
    c->descriptor = entry (&host_table);
    pthread_mutex_init (&c->turn, NULL);
    c->next = codes;
    codes = c;
  }
  pthread_mutex_unlock (&codes_lock);
  *code = c;
  return c != NULL ? WEIR_OK : error_nomem (err);
}

static weir_status
slot_open (struct slot *s, const char *path, weir_error **err)
{
  auto_free char *symbol = util_fmt ("%s_LTX_weir_plugin_v%d", s->name, WEIR_ABI_MAJOR);
  weir_plugin_entry entry;
  weir_status status = symbol != NULL ? dl_open (path, symbol, &entry, err) : error_nomem (err);

  if (status == WEIR_OK)
    status = code_find (entry, &s->code, err);
  if (status == WEIR_OK)
    status = adopt (s->code->descriptor, s->name, path, &s->adopted, err);
  return status;
}

static weir_status
slot_load (struct plugins *p, struct slot *s, weir_error **err)
{
  auto_free char *path = util_fmt ("%s/%s" PLUGINS_SUFFIX, plugins_directory (p), s->name);
  auto_close int fd = -1;
  weir_error *why = NULL;
  weir_status status;

  if (path == NULL)
    return error_nomem (err);
  /* The descriptor only keeps the judged file alive: what nobody else may replace is loaded by its path, so that
   * debuggers know its name.  */
  status = trust_open (path, TRUST_FILE, &fd, NULL, &why);
  if (status == WEIR_E_NOT_FOUND)
    return not_found (p, s->name, why, err);
  if (status != WEIR_OK) {
    error_wrap (&why, "cannot load plugin '%s'", s->name);
    return error_move (err, why);
  }
  return slot_open (s, path, err);
}

/* ---- creating ---- */

/* The status and the error of a callback, made to agree.  */
static weir_status
settle (const char *name, const char *callback, weir_status status, weir_error **e)
{
  if (status == WEIR_OK) {
    error_clear (e);
    return WEIR_OK;
  }
  if (*e == NULL)
    error_set (e, status > 0 && status <= WEIR_E_RUNNER ? status : WEIR_E_PLUGIN, 0, "%s failed and did not say why",
               callback);
  return error_wrap (e, "cannot start plugin '%s'", name);
}

static weir_status
slot_left_behind (struct slot *s, const char *what, weir_error **err)
{
  if (s->adopted.plugin.destroy != NULL)
    s->adopted.plugin.destroy (s->instance.self);
  error_set (err, WEIR_E_PLUGIN, 0, "plugin '%s' breaks a rule of the plugin interface: create left %s behind", s->name,
             what);
  return error_hint (err, "report this to the authors of '%s'; weir-plugin(7) has the rules", s->adopted.path);
}

static weir_status
slot_call_create (struct slot *s, weir_error **err)
{
  struct census before = { 0 };
  auto_free char *left = NULL;
  weir_error *why = NULL;
  weir_status status;

  if (s->adopted.plugin.create == NULL)
    return WEIR_OK;
  plugins_enter (&s->instance);
  census_take (&before);
  status = settle (s->name, "create",
                   s->adopted.plugin.create (&s->instance.log, s->instance.config, &s->instance.self, &why), &why);
  left = census_compare (&before);
  census_free (&before);
  if (status == WEIR_OK && left != NULL)
    status = slot_left_behind (s, left, &why);
  plugins_leave (&s->instance);
  return status == WEIR_OK ? WEIR_OK : error_move (err, why);
}

static weir_status
slot_create (struct plugins *p, struct slot *s, weir_error **err)
{
  struct instance *i = &s->instance;
  weir_status status;

  i->log.target = p->target;
  free (i->log.tag);
  i->log.tag = strdup (s->name);
  if (i->log.tag == NULL)
    return error_nomem (err);
  if (i->config == NULL) {
    status = settings_plugin_config (p->settings, s->name, s->adopted.options, &i->config, err);
    if (status != WEIR_OK)
      return status;
  }
  status = slot_call_create (s, err);
  if (status == WEIR_OK)
    i->created = 1;
  else
    i->self = NULL;
  return status;
}

/* ---- slots ---- */

static struct slot *
slot_find (struct plugins *p, const char *name)
{
  struct slot *s;

  pthread_mutex_lock (&p->lock);
  for (s = p->slots; s != NULL && strcmp (s->name, name) != 0; s = s->next)
    ;
  if (s == NULL && (s = calloc (1, sizeof *s)) != NULL) {
    s->name = strdup (name);
    if (s->name == NULL) {
      free (s);
      s = NULL;
    }
    else {
      pthread_mutex_init (&s->making, NULL);
      s->instance.adopted = &s->adopted;
      s->next = p->slots;
      p->slots = s;
      s->instance.next = s->next != NULL ? &s->next->instance : NULL;
    }
  }
  pthread_mutex_unlock (&p->lock);
  return s;
}

/* Under making.  */
static weir_status
slot_loaded (struct plugins *p, struct slot *s, weir_error **err)
{
  weir_error *failure = NULL;

  if (s->loaded)
    return WEIR_OK;
  if (s->tried_load)
    return retell (s->load_failure, err);
  s->tried_load = 1;
  if (slot_load (p, s, &failure) != WEIR_OK)
    return remember (failure, &s->load_failure, &s->tried_load, err);
  s->loaded = 1;
  return WEIR_OK;
}

/* Under making.  */
static weir_status
slot_created (struct plugins *p, struct slot *s, weir_error **err)
{
  weir_error *failure = NULL;

  if (s->instance.created)
    return WEIR_OK;
  if (s->tried_create)
    return retell (s->create_failure, err);
  s->tried_create = 1;
  if (slot_create (p, s, &failure) != WEIR_OK)
    return remember (failure, &s->create_failure, &s->tried_create, err);
  return WEIR_OK;
}

static weir_status
slot_take (struct plugins *p, const char *name, struct slot **slot, weir_error **err)
{
  if (!plugins_is_name (name))
    return error_set (err, WEIR_E_INVALID, 0, "'%s' cannot be the name of a plugin", name);
  *slot = slot_find (p, name);
  if (*slot == NULL)
    return error_nomem (err);
  pthread_mutex_lock (&(*slot)->making);
  return WEIR_OK;
}

weir_status
plugins_load (struct plugins *p, const char *name, const struct adopted **adopted, weir_error **err)
{
  struct slot *s;
  weir_status status = slot_take (p, name, &s, err);

  if (status != WEIR_OK)
    return status;
  status = slot_loaded (p, s, err);
  pthread_mutex_unlock (&s->making);
  *adopted = &s->adopted;
  return status;
}

weir_status
plugins_get (struct plugins *p, const char *name, struct instance **instance, weir_error **err)
{
  struct slot *s;
  weir_status status = slot_take (p, name, &s, err);

  if (status != WEIR_OK)
    return status;
  status = slot_loaded (p, s, err);
  if (status == WEIR_OK)
    status = slot_created (p, s, err);
  pthread_mutex_unlock (&s->making);
  if (status == WEIR_OK)
    *instance = &s->instance;
  return status;
}

void
plugins_enter (struct instance *i)
{
  struct slot *s = (struct slot *) i;

  if (s->adopted.threading == WEIR_SERIAL)
    pthread_mutex_lock (&s->code->turn);
}

void
plugins_leave (struct instance *i)
{
  struct slot *s = (struct slot *) i;

  if (s->adopted.threading == WEIR_SERIAL)
    pthread_mutex_unlock (&s->code->turn);
}

static void
slot_free (struct slot *s)
{
  if (s->instance.created && s->adopted.plugin.destroy != NULL) {
    plugins_enter (&s->instance);
    s->adopted.plugin.destroy (s->instance.self);
    plugins_leave (&s->instance);
  }
  settings_config_free (s->instance.config);
  free (s->instance.log.tag);
  adopted_free (&s->adopted);
  weir_error_free (s->load_failure);
  weir_error_free (s->create_failure);
  pthread_mutex_destroy (&s->making);
  free (s->name);
  free (s);
}

void
plugins_free (struct plugins *p)
{
  if (p == NULL)
    return;
  for (struct slot *s = p->slots, *next; s != NULL; s = next) {
    next = s->next;
    slot_free (s);
  }
  pthread_mutex_destroy (&p->lock);
  free (p);
}
