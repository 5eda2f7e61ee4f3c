/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/config-text.h"

#include <stdio.h>

/* The tokens here are those of libconfig 1.5's scanner.l; a rule that is not there is called one of ours.  */

struct scan {
  struct config_source *source;
  const char *flushed;   /* what is before it is in the text */
  unsigned flushed_line; /* of flushed, in the file */
  unsigned base;         /* depth at the start */
  char last;             /* first byte of the last token */
};

static weir_status
scan_error (const struct scan *s, unsigned line, weir_error **err, const char *fmt, ...)
  __attribute__ ((format (printf, 4, 5)));

static weir_status
scan_error (const struct scan *s, unsigned line, weir_error **err, const char *fmt, ...)
{
  auto_strbuf struct strbuf b = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  if (b.failed)
    return error_nomem (err);
  return error_set (err, WEIR_E_INVALID, 0, "%s:%u: %s", s->source->name, line, b.data);
}

int
config_utf8 (const char *bytes, size_t size, size_t *bad)
{
  const unsigned char *p = (const unsigned char *) bytes;

  for (size_t i = 0; i < size;) {
    unsigned char c = p[i];
    size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    *bad = i;
    if (n == 0 || n > size - i)
      return 0;
    for (size_t j = 1; j < n; j++)
      if ((p[i + j] & 0xc0) != 0x80)
        return 0;
    /* Overlong forms, surrogates, beyond U+10FFFF.  */
    if ((c == 0xe0 && p[i + 1] < 0xa0) || (c == 0xed && p[i + 1] > 0x9f) || (c == 0xf0 && p[i + 1] < 0x90)
        || (c == 0xf4 && p[i + 1] > 0x8f))
      return 0;
    i += n;
  }
  return 1;
}

static unsigned
scan_line_of (const struct scan *s, const char *at)
{
  unsigned line = 1;

  for (const char *p = s->source->p; p < at; p++)
    line += *p == '\n';
  return line;
}

/* One of ours: text only, so that what is shown to people is what is meant.  */
static weir_status
scan_bytes (const struct scan *s, weir_error **err)
{
  const struct config_source *src = s->source;
  size_t size = (size_t) (src->end - src->p), bad;

  if (!config_utf8 (src->p, size, &bad))
    return scan_error (s, scan_line_of (s, src->p + bad), err, "byte 0x%02x is not UTF-8", (unsigned char) src->p[bad]);
  for (const char *p = src->p; p < src->end; p++)
    if ((unsigned char) *p < 0x20 ? strchr ("\t\n\r\f", *p) == NULL || *p == '\0' : *p == 0x7f)
      return scan_error (s, scan_line_of (s, p), err, "control character 0x%02x", (unsigned char) *p);
  return WEIR_OK;
}

static int
scan_grow (void *items, size_t count, size_t *room, size_t width)
{
  size_t more = *room == 0 ? 64 : *room * 2;
  void *p;

  if (count < *room)
    return 0;
  p = reallocarray (*(void **) items, more, width);
  if (p == NULL)
    return -1;
  *(void **) items = p;
  *room = more;
  return 0;
}

/* Puts what lies before until into the text, whole lines.  */
static weir_status
scan_flush (struct scan *s, const char *until, weir_error **err)
{
  struct config_text *t = s->source->text;

  while (s->flushed < until) {
    const char *newline = memchr (s->flushed, '\n', (size_t) (until - s->flushed));
    const char *next = newline == NULL ? until : newline + 1;
    if (scan_grow (&t->lines, t->line_count, &t->line_room, sizeof *t->lines) != 0)
      return error_nomem (err);
    t->lines[t->line_count++] = (struct config_line){ s->source->file, s->flushed_line++ };
    strbuf_add (&t->bytes, s->flushed, (size_t) (next - s->flushed));
    if (newline == NULL)
      strbuf_str (&t->bytes, "\n");
    s->flushed = next;
  }
  return t->bytes.failed ? error_nomem (err) : WEIR_OK;
}

static int
scan_in_list (const struct config_source *src)
{
  return src->depth > 0 && src->brackets[src->depth - 1] != '{';
}

static weir_status
scan_block_comment (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  unsigned start = src->line;

  for (src->p += 2; src->end - src->p >= 2; src->p++) {
    if (src->p[0] == '*' && src->p[1] == '/') {
      src->p += 2;
      return WEIR_OK;
    }
    src->line += *src->p == '\n';
  }
  return scan_error (s, start, err, "comment that does not end");
}

static void
scan_line_comment (struct config_source *src)
{
  while (src->p < src->end && *src->p != '\n')
    src->p++;
}

static weir_status
scan_note_string (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  struct config_text *t = src->text;

  /* libconfig 1.5 would lose the memory of a string that it does not expect.  */
  if (s->last == '\0' || strchr (scan_in_list (src) ? "[(,\"" : "=:\"", s->last) == NULL)
    return scan_error (s, src->line, err, "syntax error: a string is not expected here");
  if (!scan_in_list (src))
    return WEIR_OK;
  if (s->last == '"')
    return scan_error (s, src->line, err, "two strings in a list without a comma between them");
  if (scan_grow (&t->strings, t->string_count, &t->string_room, sizeof *t->strings) != 0)
    return error_nomem (err);
  t->strings[t->string_count++] = (unsigned) t->line_count + 1 + src->line - s->flushed_line;
  return WEIR_OK;
}

static weir_status
scan_string (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  unsigned start = src->line;
  weir_status status = scan_note_string (s, err);

  if (status != WEIR_OK)
    return status;
  for (src->p++; src->p < src->end; src->p++) {
    if (*src->p == '"') {
      src->p++;
      return WEIR_OK;
    }
    src->line += *src->p == '\n';
    if (*src->p != '\\' || src->p + 1 == src->end)
      continue;
    if (src->end - src->p >= 4 && (src->p[1] == 'x' || src->p[1] == 'X') && src->p[2] == '0' && src->p[3] == '0')
      return scan_error (s, src->line, err, "a string cannot hold a NUL (\\x00)");
    src->p++;
    src->line += *src->p == '\n';
  }
  return scan_error (s, start, err, "string that does not end");
}

static weir_status
scan_open_bracket (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;

  if (src->depth == CONFIG_MAX_NESTING)
    return scan_error (s, src->line, err, "brackets nested more than %d deep", CONFIG_MAX_NESTING);
  src->brackets[src->depth++] = *src->p++;
  return WEIR_OK;
}

static weir_status
scan_close_bracket (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  char close = *src->p, open = close == '}' ? '{' : close == ']' ? '[' : '(';

  if (src->depth == s->base || src->brackets[src->depth - 1] != open)
    return scan_error (s, src->line, err, "'%c' without its '%c'", close, open);
  src->depth--;
  src->p++;
  return WEIR_OK;
}

static int
scan_digit (char c, unsigned base)
{
  int v = c >= '0' && c <= '9'   ? c - '0'
          : c >= 'a' && c <= 'f' ? c - 'a' + 10
          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                 : 99;
  return v < (int) base ? v : -1;
}

/* Digits from p on; overflow: they do not fit.  */
static const char *
scan_digits (const char *p, const char *end, unsigned base, uint64_t *value, int *overflow)
{
  for (*value = 0; p < end && scan_digit (*p, base) >= 0; p++)
    if (__builtin_mul_overflow (*value, (uint64_t) base, value)
        || __builtin_add_overflow (*value, (uint64_t) scan_digit (*p, base), value))
      *overflow = 1;
  return p;
}

static const char *
scan_fraction (const char *p, const char *end)
{
  while (p < end
         && ((*p >= '0' && *p <= '9') || *p == '.'
             || ((*p == 'e' || *p == 'E') && p + 1 < end && strchr ("+-0123456789", p[1]) != NULL && p[1] != '\0')
             || ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E'))))
    p++;
  return p;
}

/* One of ours: libconfig 1.5 wraps numbers that do not fit.  */
static weir_status
scan_number (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  const char *start = src->p, *p = start, *end = src->end;
  int negative = *p == '-', hex, overflow = 0, wide;
  uint64_t value, limit;

  p += *p == '-' || *p == '+';
  hex = p == start && end - p >= 3 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && scan_digit (p[2], 16) >= 0;
  p = scan_digits (hex ? p + 2 : p, end, hex ? 16 : 10, &value, &overflow);
  if (!hex && p < end && (*p == '.' || *p == 'e' || *p == 'E')) {
    src->p = scan_fraction (p, end);
    if (src->p > p)
      return WEIR_OK;
  }
  wide = p < end && *p == 'L';
  p += wide;
  p += wide && p < end && *p == 'L';
  limit = wide ? (uint64_t) INT64_MAX : (uint64_t) INT32_MAX;
  src->p = p;
  if (overflow || value > limit + (negative && !hex ? 1u : 0u))
    return scan_error (s, src->line, err, "number %.*s is out of range", (int) (p - start > 80 ? 80 : p - start),
                       start);
  while (p < end && (scan_digit (*p, 10) >= 0 || (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')))
    p++;
  if (p > src->p)
    return scan_error (s, src->line, err, "'%.*s' is no number; with a unit it is a string: \"%.*s\"",
                       (int) (p - start > 80 ? 80 : p - start), start, (int) (p - start > 80 ? 80 : p - start), start);
  if (src->p == start + (*start == '-' || *start == '+')) /* a sign alone */
    return scan_error (s, src->line, err, "syntax error at '%c'", *start);
  return WEIR_OK;
}

/* The line is "@include" and a string, with nothing but a comment after it.  path becomes the string.  */
static weir_status
scan_include_line (struct scan *s, struct strbuf *path, weir_error **err)
{
  struct config_source *src = s->source;
  const char *p = src->p + strlen ("@include"), *line = src->p, *end;

  while (line > s->flushed && line[-1] != '\n')
    line--;
  end = memchr (p, '\n', (size_t) (src->end - p));
  end = end == NULL ? src->end : end;
  if (strspn (line, " \t") != (size_t) (src->p - line) || scan_in_list (src))
    return scan_error (s, src->line, err, "an @include stands alone in its line, between settings");
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (p == end || *p != '"')
    return scan_error (s, src->line, err, "expected a file name in quotes after @include");
  for (p++; p < end && *p != '"'; p++) {
    if (*p == '\\' && ++p < end && *p != '\\' && *p != '"')
      return scan_error (s, src->line, err, "only \\\\ and \\\" are escapes in the name of an @include");
    if (p < end)
      strbuf_add (path, p, 1);
  }
  if (p >= end)
    return scan_error (s, src->line, err, "string that does not end");
  for (p++; p < end && strchr (" \t\r", *p) != NULL; p++)
    ;
  if (p < end && *p != '#' && !(end - p >= 2 && p[0] == '/' && p[1] == '/'))
    return scan_error (s, src->line, err, "an @include stands alone in its line, between settings");
  if (path->failed)
    return error_nomem (err);
  if (path->size == 0)
    return scan_error (s, src->line, err, "expected a file name in quotes after @include");
  src->p = end;
  return WEIR_OK;
}

static weir_status
scan_include (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  auto_strbuf struct strbuf path = { 0 };
  const char *line = src->p;
  weir_status status;

  if ((size_t) (src->end - src->p) < strlen ("@include") || memcmp (src->p, "@include", strlen ("@include")) != 0)
    return scan_error (s, src->line, err, "syntax error at '@'");
  status = scan_include_line (s, &path, err);
  while (line > s->flushed && line[-1] != '\n')
    line--;
  if (status == WEIR_OK)
    status = scan_flush (s, line, err);
  if (status == WEIR_OK)
    status = src->include (src->data, src, path.data, err);
  s->flushed = src->p + (src->p < src->end); /* the newline, which the main loop counts */
  s->flushed_line = src->line + 1;
  return status;
}

static void
scan_name (struct config_source *src)
{
  while (src->p < src->end
         && ((*src->p >= 'A' && *src->p <= 'Z') || (*src->p >= 'a' && *src->p <= 'z')
             || (*src->p >= '0' && *src->p <= '9') || *src->p == '-' || *src->p == '_' || *src->p == '*'))
    src->p++;
}

static weir_status
scan_plain (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  char c = *src->p;

  if (c == '=' || c == ':') {
    if (++src->text->settings > CONFIG_MAX_SETTINGS)
      return scan_error (s, src->line, err, "more than %d settings", CONFIG_MAX_SETTINGS);
  }
  else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*') {
    scan_name (src);
    return WEIR_OK;
  }
  else if (strchr (",;", c) == NULL) {
    return scan_error (s, src->line, err, "syntax error at '%.*s'", c & 0x80 ? 0 : 1, src->p);
  }
  src->p++;
  return WEIR_OK;
}

static weir_status
scan_token (struct scan *s, weir_error **err)
{
  struct config_source *src = s->source;
  char c = *src->p, next = src->p + 1 < src->end ? src->p[1] : '\0';
  weir_status status;

  if (strchr (" \t\r\f\n", c) != NULL) {
    src->line += c == '\n';
    src->p++;
    return WEIR_OK;
  }
  if (c == '#' || (c == '/' && next == '/')) {
    scan_line_comment (src);
    return WEIR_OK;
  }
  if (c == '/' && next == '*')
    return scan_block_comment (s, err);
  if (c == '"')
    status = scan_string (s, err);
  else if (c == '@')
    status = scan_include (s, err);
  else if (strchr ("{[(", c) != NULL)
    status = scan_open_bracket (s, err);
  else if (strchr ("}])", c) != NULL)
    status = scan_close_bracket (s, err);
  else if (strchr ("+-.0123456789", c) != NULL)
    status = scan_number (s, err);
  else
    status = scan_plain (s, err);
  s->last = c;
  return status;
}

weir_status
config_scan (struct config_source *src, weir_error **err)
{
  struct scan s = { .source = src, .flushed_line = 1, .base = src->depth };
  weir_status status = scan_bytes (&s, err);

  if (src->end - src->p >= 3 && memcmp (src->p, "\xef\xbb\xbf", 3) == 0)
    src->p += 3; /* what some editors put first */
  s.flushed = src->p;
  src->line = 1;
  while (status == WEIR_OK && src->p < src->end)
    status = scan_token (&s, err);
  if (status == WEIR_OK && src->depth > s.base)
    status = scan_error (&s, src->line, err, "'%c' that is not closed", src->brackets[src->depth - 1]);
  return status == WEIR_OK ? scan_flush (&s, src->end, err) : status;
}
