/* What a configuration file says, as our own tree of values, each with the place that it was read from.  config.c makes
 * it of a file, conf.c lays the trees of several files over each other.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_NODE_H
#define WEIR_CORE_NODE_H

#include "core/error.h"
#include "core/util.h"

enum node_type {
  NODE_GROUP,
  NODE_LIST,
  NODE_STRING,
  NODE_INTEGER,
  NODE_REAL,
  NODE_BOOLEAN,
  NODE_TEXT, /* of no type yet (command line, built-in defaults): read as whatever the key wants */
};

struct node {
  enum node_type type;
  char *name;      /* NULL: an element of a list, or a root */
  char *origin;    /* "FILE:LINE", "built in", "command line" */
  char *text;      /* of STRING and TEXT */
  int64_t integer; /* of INTEGER and BOOLEAN */
  struct node **items; /* of GROUP and LIST */
  size_t count, room;
};

/* NULL: out of memory.  name and text may be NULL.  */
struct node *node_new (enum node_type, const char *name, const char *origin, const char *text);
void node_free (struct node *); /* NULL: nothing */
void node_free_ptr (struct node **);
#define auto_node __attribute__ ((cleanup (node_free_ptr)))
/* child becomes parent's last item, also owned when it fails.  -1: out of memory.  */
int node_take (struct node *parent, struct node *child);
/* The item of this name (size bytes of it), NULL: none.  */
struct node *node_get (const struct node *group, const char *name, size_t size);
/* The node at a path of names joined with dots.  */
struct node *node_find (const struct node *root, const char *path);
/* Lays over onto base: groups are merged, all else replaces what base says.  over is consumed, also when it fails.  */
int node_merge (struct node *base, struct node *over);
/* "a string", "a list"... for messages.  */
const char *node_type_name (const struct node *);

/* config.c.  Opens a file for reading: trust_open, or what a test puts in its place.  */
typedef weir_status (*config_opener) (const char *path, int kind, int *fd, char **canonical, weir_error **);
/* Parses one file (absolute path) and what it includes into a GROUP.  files gains the path and, where it differs, the
 * real path of each file that was read.  Beyond libconfig's own syntax it is an error, told with file and line, when: a
 * number does not fit its type; a file is larger than 1 MiB, is not UTF-8 or holds a NUL; a string has a NUL escape or
 * is not UTF-8; two strings in a list have no comma between them; an include is a loop, ten deep, or does not stand
 * alone in its line (its path is relative to the file that it stands in); brackets are nested more than 32 deep; there
 * are more than 4096 settings.  */
weir_status config_parse_file (const char *path, config_opener, struct strv *files, struct node **, weir_error **);
/* The same of text in memory, which may not include files.  name stands for the file in messages.  */
weir_status config_parse_text (const char *name, const char *text, size_t size, struct node **, weir_error **);

#endif
