/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/out.h"

void
out_init (struct out *o, int format, weir_writer write, void *data)
{
  *o = (struct out){ .write = write, .data = data, .json = format == WEIR_FORMAT_JSON };
}

void
out_line (struct out *o, const char *fmt, ...)
{
  auto_strbuf struct strbuf b = { 0 };
  va_list ap;

  if (o->json)
    return;
  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  strbuf_str (&b, "\n");
  if (b.failed)
    o->buffer.failed = 1; /* told by out_end */
  else
    o->write (o->data, b.data, b.size);
}

/* Bytes of the UTF-8 character at p (RFC 3629), 0: not one.  */
static size_t
out_utf8 (const unsigned char *p, size_t left)
{
  size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
             : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

  if (n == 0 || n > left)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90)
      || (p[0] == 0xf4 && p[1] > 0x8f))
    return 0;
  return n;
}

/* The quoted string; 0: every byte was representable.  */
static int
out_quote (struct strbuf *b, const void *bytes, size_t size)
{
  const unsigned char *p = bytes;
  int lossy = 0;

  strbuf_str (b, "\"");
  for (size_t i = 0; i < size;) {
    size_t n = out_utf8 (p + i, size - i);
    if (n == 0) {
      strbuf_str (b, "\xef\xbf\xbd"); /* U+FFFD */
      lossy = 1;
      n = 1;
    }
    else if (p[i] == '"' || p[i] == '\\') {
      strbuf_fmt (b, "\\%c", p[i]);
    }
    else if (p[i] < 0x20 || p[i] == 0x7f) {
      strbuf_fmt (b, "\\u%04x", p[i]);
    }
    else {
      strbuf_add (b, p + i, n);
    }
    i += n;
  }
  strbuf_str (b, "\"");
  return lossy;
}

static void
out_base64 (struct strbuf *b, const void *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = bytes;

  strbuf_str (b, "\"");
  for (size_t i = 0; i < size; i += 3) {
    uint32_t v = (uint32_t) p[i] << 16 | (i + 1 < size ? (uint32_t) p[i + 1] << 8 : 0) | (i + 2 < size ? p[i + 2] : 0);
    char quad[4] = { digits[v >> 18], digits[v >> 12 & 63], i + 1 < size ? digits[v >> 6 & 63] : '=',
                     i + 2 < size ? digits[v & 63] : '=' };
    strbuf_add (b, quad, sizeof quad);
  }
  strbuf_str (b, "\"");
}

static void
out_key (struct out *o, const char *key)
{
  if (o->comma[o->depth])
    strbuf_str (&o->buffer, ",");
  o->comma[o->depth] = 1;
  if (key != NULL) {
    out_quote (&o->buffer, key, strlen (key));
    strbuf_str (&o->buffer, ":");
  }
}

void
out_open (struct out *o, const char *key, char bracket)
{
  if (!o->json)
    return;
  out_key (o, key);
  strbuf_add (&o->buffer, &bracket, 1);
  if ((size_t) o->depth + 1 < sizeof o->comma)
    o->depth++;
  else
    o->buffer.failed = 1;
  o->comma[o->depth] = 0;
}

void
out_close (struct out *o, char bracket)
{
  if (!o->json)
    return;
  strbuf_add (&o->buffer, &bracket, 1);
  if (o->depth > 0)
    o->depth--;
}

void
out_bytes (struct out *o, const char *key, const void *bytes, size_t size)
{
  if (!o->json)
    return;
  out_key (o, key);
  if (out_quote (&o->buffer, bytes, size) && key != NULL) {
    auto_free char *sibling = util_fmt ("%s_base64", key);
    if (sibling == NULL) {
      o->buffer.failed = 1;
      return;
    }
    out_key (o, sibling);
    out_base64 (&o->buffer, bytes, size);
  }
}

void
out_string (struct out *o, const char *key, const char *value)
{
  if (value != NULL) {
    out_bytes (o, key, value, strlen (value));
    return;
  }
  if (!o->json)
    return;
  out_key (o, key);
  strbuf_str (&o->buffer, "null");
}

void
out_integer (struct out *o, const char *key, int64_t value)
{
  if (!o->json)
    return;
  out_key (o, key);
  strbuf_fmt (&o->buffer, "%lld", (long long) value);
}

void
out_boolean (struct out *o, const char *key, int value)
{
  if (!o->json)
    return;
  out_key (o, key);
  strbuf_str (&o->buffer, value ? "true" : "false");
}

weir_status
out_end (struct out *o, weir_error **err)
{
  weir_status status = o->buffer.failed ? error_nomem (err) : WEIR_OK;

  if (status == WEIR_OK && o->json) {
    strbuf_str (&o->buffer, "\n");
    if (o->buffer.failed)
      status = error_nomem (err);
    else
      o->write (o->data, o->buffer.data, o->buffer.size);
  }
  strbuf_free (&o->buffer);
  return status;
}
