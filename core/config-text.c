/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/config-text.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/trust.h"

/* A file that is being read, and those that include it.  */
struct reading {
  struct config_text *text;
  config_opener open;
  struct strv *files;
  const char *path;
  dev_t dev;
  ino_t ino;
  unsigned depth;
  const struct reading *parent;
};

static weir_status text_file (struct reading *, const struct config_source *outer, weir_error **);

void
config_text_free (struct config_text *t)
{
  strbuf_free (&t->bytes);
  strv_free (&t->names);
  free (t->lines);
  free (t->strings);
  *t = (struct config_text){ 0 };
}

char *
config_text_origin (const struct config_text *t, unsigned line)
{
  struct config_line at = { 0, 1 };

  if (line > t->line_count)
    line = (unsigned) t->line_count;
  if (line > 0)
    at = t->lines[line - 1];
  return util_fmt ("%s:%u", t->names.items[at.file], at.line);
}

/* All that fd holds.  */
static weir_status
text_bytes (const struct reading *r, int fd, struct strbuf *bytes, weir_error **err)
{
  char chunk[16384];
  ssize_t n;

  while ((n = read (fd, chunk, sizeof chunk)) != 0) {
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set (err, WEIR_E_IO, errno, "read '%s'", r->path);
    if (r->text->bytes.size + bytes->size + (size_t) n > CONFIG_MAX_BYTES)
      return error_set (err, WEIR_E_INVALID, 0, "'%s' is too large: a configuration has at most %u bytes", r->path,
                        CONFIG_MAX_BYTES);
    strbuf_add (bytes, chunk, (size_t) n);
  }
  return bytes->failed ? error_nomem (err) : WEIR_OK;
}

static weir_status
text_include (void *data, struct config_source *src, const char *path, weir_error **err)
{
  struct reading *outer = data;
  auto_free char *joined = NULL;
  const char *slash = strrchr (src->name, '/');
  struct reading inner = { outer->text, outer->open, outer->files, NULL, 0, 0, outer->depth + 1, outer };
  auto_error weir_error *why = NULL;

  if (inner.depth > CONFIG_MAX_INCLUDES)
    return error_set (err, WEIR_E_INVALID, 0, "%s:%u: includes nested more than %d deep", src->name, src->line,
                      CONFIG_MAX_INCLUDES);
  joined = path[0] == '/' ? strdup (path)
                          : util_fmt ("%.*s/%s", slash == NULL ? 0 : (int) (slash - src->name), src->name, path);
  if (joined == NULL)
    return error_nomem (err);
  inner.path = joined;
  if (text_file (&inner, src, &why) == WEIR_OK)
    return WEIR_OK;
  /* A missing file must not look like a missing configuration, which is no error.  */
  if (weir_error_code (why) == WEIR_E_NOT_FOUND)
    return error_set (err, WEIR_E_INVALID, 0, "%s:%u: @include \"%s\": %s", src->name, src->line, path,
                      weir_error_message (why));
  error_move (err, steal (why));
  return error_wrap (err, "%s:%u: @include \"%s\"", src->name, src->line, path);
}

static weir_status
text_scan (struct reading *r, const struct config_source *outer, const char *bytes, size_t size, weir_error **err)
{
  struct config_source src = {
    .text = r->text, .name = r->path, .file = (unsigned) r->text->names.count,
    .p = bytes, .end = bytes + size, .include = text_include, .data = r,
  };

  if (outer != NULL) {
    memcpy (src.brackets, outer->brackets, sizeof src.brackets);
    src.depth = outer->depth;
  }
  strv_add (&r->text->names, r->path);
  return r->text->names.failed ? error_nomem (err) : config_scan (&src, err);
}

static weir_status
text_file (struct reading *r, const struct config_source *outer, weir_error **err)
{
  auto_strbuf struct strbuf bytes = { 0 };
  auto_free char *canonical = NULL;
  auto_close int fd = -1;
  struct stat st;
  weir_status status = r->open (r->path, TRUST_FILE, &fd, &canonical, err);

  if (status != WEIR_OK)
    return status;
  if (fstat (fd, &st) != 0)
    return error_set (err, WEIR_E_IO, errno, "stat '%s'", r->path);
  r->dev = st.st_dev;
  r->ino = st.st_ino;
  for (const struct reading *p = r->parent; p != NULL; p = p->parent)
    if (p->dev == st.st_dev && p->ino == st.st_ino)
      return error_set (err, WEIR_E_INVALID, 0, "'%s' includes itself", r->path);
  if (!strv_has (r->files, r->path))
    strv_add (r->files, r->path);
  if (canonical != NULL && !strv_has (r->files, canonical))
    strv_add (r->files, canonical);
  if (r->files->failed)
    return error_nomem (err);
  status = text_bytes (r, fd, &bytes, err);
  if (status != WEIR_OK || bytes.size == 0)
    return status;
  return text_scan (r, outer, bytes.data, bytes.size, err);
}

weir_status
config_text_read (struct config_text *t, const char *path, config_opener open, struct strv *files, weir_error **err)
{
  struct reading r = { t, open, files, path, 0, 0, 0, NULL };

  return text_file (&r, NULL, err);
}

static weir_status
text_no_include (void *data UNUSED, struct config_source *src, const char *path UNUSED, weir_error **err)
{
  return error_set (err, WEIR_E_INVALID, 0, "%s:%u: @include is not possible here", src->name, src->line);
}

weir_status
config_text_of (struct config_text *t, const char *name, const char *bytes, size_t size, weir_error **err)
{
  struct config_source src = { .text = t, .name = name, .p = bytes, .end = bytes + size, .include = text_no_include };

  if (size > CONFIG_MAX_BYTES)
    return error_set (err, WEIR_E_INVALID, 0, "'%s' is too large: a configuration has at most %u bytes", name,
                      CONFIG_MAX_BYTES);
  strv_add (&t->names, name);
  return t->names.failed ? error_nomem (err) : config_scan (&src, err);
}
