/* What the configuration says, checked, with the origin of each value.  Everything after this file works on these
 * values; libconfig is seen by config.c alone.  */
#ifndef WEIR_CORE_SETTINGS_H
#define WEIR_CORE_SETTINGS_H

#include "core/error.h"
#include "core/util.h"

/* Values in the order in which they were given; origins[i] says where items[i] came from: "FILE:LINE", "built in" or
 * "command line".  */
struct setting_list {
  struct strv items;
  struct strv origins;
};

struct settings {
  char *world;
  char *world_origin;
  uint32_t mode; /* WEIR_MODE_* */
  char *mode_origin;
  struct setting_list chain; /* sandboxes in order */
  int require_full;
  char *require_origin;
  int64_t probe_timeout_ms;
  struct setting_list roots;     /* more writable roots; "~/" expanded */
  struct setting_list protect;   /* relative: of the workspace */
  struct setting_list deny_read; /* "~/" expanded */
  struct setting_list caches;    /* names of cache sets */
  struct setting_list env;       /* names passed on */
  int private_tmp;               /* tmp = "private" | "host" */
  char *tmp_origin;
  uint32_t network;
  char *network_origin;
  uint64_t limit_processes, limit_memory, limit_cpu, limit_files, limit_file_size; /* 0: none */
  char *limits_origin[5];
  int64_t wall_ms;       /* 0: none */
  uint64_t output_limit; /* bytes kept in memory per stream */
  uint64_t spill_limit;  /* bytes of a stream that may be spilled */
  int64_t grace_ms;      /* between TERM and KILL */
  char *state_dir;       /* absolute */
  char *plugin_dir;
  char *home;            /* the user's home, for "~/", NULL: unknown */
  struct strv files;     /* the configuration files that were read */
  struct conf *conf;     /* the layered tree behind it (conf.c), for show and plugin options */
};

/* Reads and checks the files that the options name (see weir_runtime_options).  Files must be trusted (trust.h).  */
weir_status settings_load (const struct weir_runtime_options *, const char *const *environ, struct settings **,
                           weir_error **);
void settings_free (struct settings *);

/* The checked options of one plugin: a group plugins.NAME of the file against its table.  Unknown keys are errors with
 * a suggestion; NAME of a group that no plugin has is reported by settings_check_plugins.  */
weir_status settings_plugin_config (const struct settings *, const char *plugin, const struct weir_option *,
                                    weir_config **, weir_error **);
void settings_config_free (weir_config *);
const char *settings_config_string (const weir_config *, const char *key);
int64_t settings_config_integer (const weir_config *, const char *key);
size_t settings_config_list (const weir_config *, const char *key, const char *const **items);
const char *settings_config_origin (const weir_config *, const char *key);
/* Names of the groups beneath "plugins" in the file, with origins.  */
void settings_plugin_groups (const struct settings *, struct setting_list *);

/* A group beneath "plugins" whose name is not in names (NULL-terminated) is an error with a suggestion.  */
weir_status settings_check_plugins (const struct settings *, const char *const *names, weir_error **);

struct out;
/* weir config show.  */
void settings_show (const struct settings *, struct out *, int with_origin);

#endif
