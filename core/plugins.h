/* Plugins: found by name in one directory, judged (trust.h), loaded (dl.c, the only user of libltdl), checked and adopted
 * (adopt.c), and made into one instance per runtime.  */
#ifndef WEIR_CORE_PLUGINS_H
#define WEIR_CORE_PLUGINS_H

#include "core/log.h"
#include "core/settings.h"

/* dl.c.  path: absolute, of a .so.  The true reason of a failure is in the error.  Never unloaded.  symbol:
 * NAME_LTX_weir_plugin_v1.  */
weir_status dl_open (const char *path, const char *symbol, weir_plugin_entry *, weir_error **);

/* A plugin as the core keeps it: our own zeroed, full-size copies of what the plugin gave.  */
struct adopted {
  char *name, *version, *summary, *path;
  uint32_t threading;
  const struct weir_option *options; /* of the plugin; never NULL (an empty table) */
  struct weir_plugin plugin;
  struct weir_sandbox_ops sandbox; /* struct_size 0: none */
  struct weir_world_ops world;     /* struct_size 0: none */
  struct weir_process_ops process;
};
/* Checks one descriptor against the rules of plugin.h; the message names the rule that was broken.  */
weir_status adopt (const struct weir_plugin *, const char *name, const char *path, struct adopted *, weir_error **);
void adopted_free (struct adopted *);

/* The table of host functions (hosttable.c).  */
extern const struct weir_host host_table;

struct instance {
  struct adopted *adopted;
  void *self;
  int created;
  weir_config *config;
  weir_log log;
  struct instance *next;
};
struct plugins; /* of one runtime */
struct plugins *plugins_new (const struct settings *, const struct log_target *, weir_error **);
void plugins_free (struct plugins *);
/* The instance of this name, loaded and created on first use; a failure is remembered and told again.  Thread-safe.  Creating
 * must not leave descriptors or threads behind (checked: WEIR_E_PLUGIN).  */
weir_status plugins_get (struct plugins *, const char *name, struct instance **, weir_error **);
/* Calls of a SERIAL plugin are made between these.  */
void plugins_enter (struct instance *);
void plugins_leave (struct instance *);
/* Names of the .so files in the plugin directory, sorted.  */
weir_status plugins_list (struct plugins *, struct strv *, weir_error **);
struct out;
/* weir plugin list (name NULL) and weir plugin info: lines, or one JSON object; the caller ends with out_end.  */
weir_status plugins_show (struct plugins *, const char *name, struct out *, weir_error **);

#endif
