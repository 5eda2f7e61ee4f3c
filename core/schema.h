/* The keys of the configuration: their types, ranges and built-in values, in one table that checking, reading, printing
 * and the --set option share.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_SCHEMA_H
#define WEIR_CORE_SCHEMA_H

#include "core/node.h"
#include "core/settings.h"

enum schema_type {
  SCHEMA_NAME,     /* a C identifier -> char * */
  SCHEMA_PATH,     /* absolute or "~/..." -> char * */
  SCHEMA_CHOICE,   /* one of schema_choice -> uint32_t or int */
  SCHEMA_COUNT,    /* integer -> uint64_t */
  SCHEMA_SIZE,     /* "10M" -> uint64_t */
  SCHEMA_DURATION, /* "5s" -> int64_t milliseconds */
  SCHEMA_SECONDS,  /* a duration of whole seconds -> uint64_t */
  SCHEMA_LIST,     /* of strings -> struct setting_list */
};

/* What the strings of a list are.  */
enum schema_item {
  SCHEMA_ITEM_NAME,     /* a C identifier */
  SCHEMA_ITEM_PATH,     /* absolute or "~/..." */
  SCHEMA_ITEM_INSIDE,   /* absolute, "~/..." or, of the workspace, relative without ".." */
  SCHEMA_ITEM_CACHE,    /* a cache set */
  SCHEMA_ITEM_VARIABLE, /* an environment variable, with an optional final '*' */
};

struct schema_choice {
  const char *name; /* NULL: end */
  uint32_t value;
};

struct schema_key {
  const char *path;     /* "sandbox.limits.wall" */
  enum schema_type type;
  const char *fallback; /* built-in value, as --set would say it; NULL: computed */
  size_t offset;        /* in struct settings */
  size_t origin;        /* of its char * origin in struct settings, 0: none */
  uint64_t min, max;    /* of a number that is not 0 */
  unsigned flags;
  const struct schema_choice *choices;
  enum schema_item item;
};
#define SCHEMA_ZERO 1u      /* 0 is possible */
#define SCHEMA_NONE 2u      /* "none" is 0: no limit */
#define SCHEMA_NOT_EMPTY 4u /* of a list */

extern const struct schema_key schema_keys[]; /* ends with a NULL path */

/* A value that was read from a node.  */
struct schema_value {
  uint64_t number;
  char *text;               /* owned */
  struct setting_list list; /* owned */
};
void schema_value_free (struct schema_value *);
/* home: for "~/", NULL: unknown.  Type and range errors begin with the node's origin and the key.  */
weir_status schema_read (const struct schema_key *, const struct node *, const char *home, struct schema_value *,
                         weir_error **);

/* Every key of a tree is known and of the right type and range; what is beneath plugins.NAME is the plugin's matter. */
weir_status schema_check (const struct node *root, const char *home, weir_error **);
/* The key at this path, NULL: none.  */
const struct schema_key *schema_find (const char *path);
/* Is this path a group, such as "sandbox.limits" or "plugins.NAME"?  */
int schema_is_group (const char *path);
/* Sets the error for a path that is no key.  */
weir_status schema_unknown (const char *origin, const char *path, weir_error **);

/* value.c: reading one node, for keys of the core and options of plugins alike.  what: the key, for messages.  */
weir_status value_string (const struct node *, const char *what, const char **, weir_error **);
weir_status value_integer (const struct node *, const char *what, int64_t *, weir_error **);
weir_status value_boolean (const struct node *, const char *what, int *, weir_error **);
weir_status value_size (const struct node *, const char *what, uint64_t *, weir_error **);
weir_status value_duration (const struct node *, const char *what, int64_t *, weir_error **);
weir_status value_path (const struct node *, const char *what, const char *home, char **, weir_error **);
weir_status value_list (const struct node *, const char *what, struct setting_list *, weir_error **);
/* "~" and "~/x" with home in place; other text is copied.  NULL: out of memory, or home is NULL and was needed (errno
 * ENOENT).  */
char *value_expand (const char *path, const char *home);
weir_status value_error (const struct node *, const char *what, weir_error **, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));
int value_is_name (const char *); /* a C identifier */

#endif
