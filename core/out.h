/* Writing for people and for programs: one object that prints lines of text, or one JSON value with correct escapes
 * (bytes that are not UTF-8 become U+FFFD; each such string has a sibling "NAME_base64" beside it).  */
#ifndef WEIR_CORE_OUT_H
#define WEIR_CORE_OUT_H

#include "core/error.h"
#include "core/util.h"

struct out {
  weir_writer write;
  void *data;
  int json;            /* WEIR_FORMAT_JSON */
  int depth;
  unsigned char comma[32]; /* per depth: a comma is due */
  struct strbuf buffer;    /* JSON is written in one piece by out_end */
};
void out_init (struct out *, int format, weir_writer, void *data);
void out_line (struct out *, const char *, ...) __attribute__ ((format (printf, 2, 3))); /* text only */
/* JSON only: key NULL inside an array.  */
void out_open (struct out *, const char *key, char bracket); /* '{' or '[' */
void out_close (struct out *, char bracket);                 /* '}' or ']' */
void out_string (struct out *, const char *key, const char *value); /* NULL: null */
void out_bytes (struct out *, const char *key, const void *, size_t);
void out_integer (struct out *, const char *key, int64_t);
void out_boolean (struct out *, const char *key, int);
weir_status out_end (struct out *, weir_error **); /* flushes; out of memory is told here */

#endif
