/* The text of a configuration file as libconfig is to see it: what is included put in its place, the line of a file
 * that each line came from remembered, and all refused that libconfig 1.5 would silently misread.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_CONFIG_TEXT_H
#define WEIR_CORE_CONFIG_TEXT_H

#include "core/node.h"

#define CONFIG_MAX_BYTES (1u << 20) /* of all files together */
#define CONFIG_MAX_NESTING 32
#define CONFIG_MAX_INCLUDES 10
/* libconfig compares each new name with all before it.  */
#define CONFIG_MAX_SETTINGS 4096

struct config_line {
  unsigned file; /* index into names */
  unsigned line; /* from 1 */
};

struct config_text {
  struct strbuf bytes;
  struct strv names;         /* of the files, as they are told to people */
  struct config_line *lines; /* of bytes */
  size_t line_count, line_room;
  /* The line of bytes in which each string in a list begins, in order: libconfig gives the line of what follows it.  */
  unsigned *strings;
  size_t string_count, string_room;
  size_t settings;
};

weir_status config_text_read (struct config_text *, const char *path, config_opener, struct strv *files, weir_error **);
weir_status config_text_of (struct config_text *, const char *name, const char *bytes, size_t size, weir_error **);
void config_text_free (struct config_text *);
/* "FILE:LINE" of a line of bytes (from 1), owned; NULL: out of memory.  */
char *config_text_origin (const struct config_text *, unsigned line);

/* One file on its way into the text; config-scan.c reads it.  */
struct config_source {
  struct config_text *text;
  const char *name;
  unsigned file;
  const char *p, *end;
  unsigned line;  /* of p, in the file */
  char brackets[CONFIG_MAX_NESTING];
  unsigned depth; /* nested brackets: how deep before this file, its own come after */
  /* What to do with an @include of this path; bytes before it have been put into the text.  */
  weir_status (*include) (void *data, struct config_source *, const char *path, weir_error **);
  void *data;
};
/* Checks the source and appends it to the text.  */
weir_status config_scan (struct config_source *, weir_error **);
/* Is this UTF-8 (RFC 3629)?  bad: where it is not.  */
int config_utf8 (const char *, size_t size, size_t *bad);

#endif
