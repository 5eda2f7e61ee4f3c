/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "core/gitconfig.h"

#include <errno.h>
#include <fnmatch.h>
#include <strings.h>

#include "core/util.h"

struct reader {
  const char *at, *end;
  int eof; /* the last newline that was given was the end of the file */
};

/* Git's own ctype: ASCII, whatever the locale.  */
static int
is_space (int c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int
is_alpha (int c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int
is_key (int c)
{
  return is_alpha (c) || (c >= '0' && c <= '9') || c == '-';
}

static char
lower (int c)
{
  return (char) (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* CR LF is a newline, the end of the file is one more.  */
static int
next (struct reader *r)
{
  if (r->at == r->end) {
    r->eof = 1;
    return '\n';
  }
  if (*r->at == '\r' && r->end - r->at > 1 && r->at[1] == '\n')
    r->at++;
  return (unsigned char) *r->at++;
}

static void
add (struct strbuf *b, int c)
{
  char byte = (char) c;

  strbuf_add (b, &byte, 1);
}

/* After '[': "section]", "section.sub]" (old, lower case) or "section "Sub"]".  */
static int
read_section (struct reader *r, struct strbuf *key)
{
  int c;

  for (;;) {
    c = next (r);
    if (r->eof)
      return -1;
    if (c == ']')
      return key->size > 0 ? 0 : -1;
    if (is_space (c))
      break;
    if (!is_key (c) && c != '.')
      return -1;
    add (key, lower (c));
  }
  do {
    if (c == '\n')
      return -1;
    c = next (r);
  } while (is_space (c));
  if (c != '"')
    return -1;
  add (key, '.');
  while ((c = next (r)) != '"') {
    if (c == '\\')
      c = next (r);
    if (c == '\n')
      return -1;
    add (key, c);
  }
  return next (r) == ']' ? 0 : -1;
}

static int
read_escape (struct reader *r, struct strbuf *value)
{
  int c = next (r);

  switch (c) {
  case '\n':
    return 0;
  case 't':
    c = '\t';
    break;
  case 'b':
    c = '\b';
    break;
  case 'n':
    c = '\n';
    break;
  case '\\':
  case '"':
    break;
  default:
    return -1;
  }
  add (value, c);
  return 0;
}

/* Blanks at both ends go, blanks inside become spaces, unless they are quoted.  */
static int
read_value (struct reader *r, struct strbuf *value)
{
  int quote = 0, comment = 0;
  size_t blanks = 0;

  for (;;) {
    int c = next (r);

    if (c == '\n')
      return quote ? -1 : 0;
    if (comment)
      continue;
    if (is_space (c) && !quote) {
      blanks += value->size > 0;
      continue;
    }
    if (!quote && (c == ';' || c == '#')) {
      comment = 1;
      continue;
    }
    for (; blanks > 0; blanks--)
      add (value, ' ');
    if (c == '"')
      quote = !quote;
    else if (c != '\\')
      add (value, c);
    else if (read_escape (r, value) != 0)
      return -1;
  }
}

static int
append (struct gitconfig *g, struct strbuf *key, struct strbuf *value, int has_value)
{
  struct gitconfig_entry e = { 0 };

  if (g->count == g->room) {
    size_t room = g->room ? 2 * g->room : 16;
    struct gitconfig_entry *entries = reallocarray (g->entries, room, sizeof *entries);

    if (entries == NULL)
      return -1;
    g->entries = entries;
    g->room = room;
  }
  add (key, '\0');
  e.key = key->failed ? NULL : strdup (key->data);
  if (has_value && e.key != NULL) {
    add (value, '\0');
    e.value = value->failed ? NULL : strdup (value->data);
  }
  if (e.key == NULL || (has_value && e.value == NULL)) {
    free (e.key);
    errno = ENOMEM;
    return -1;
  }
  g->entries[g->count++] = e;
  return 0;
}

/* The name behind its first letter, and "= value" if it has one.  */
static int
read_variable (struct reader *r, struct strbuf *key, struct gitconfig *g)
{
  auto_strbuf struct strbuf value = { 0 };
  int c, has_value = 0;

  while (is_key (c = next (r)))
    add (key, lower (c));
  while (c == ' ' || c == '\t')
    c = next (r);
  errno = EINVAL;
  if (c != '\n') {
    if (c != '=' || read_value (r, &value) != 0)
      return -1;
    has_value = 1;
  }
  return append (g, key, &value, has_value);
}

static int
parse (struct reader *r, struct strbuf *key, struct gitconfig *g)
{
  size_t section = 0;
  int comment = 0;

  for (;;) {
    int c = next (r);

    if (c == '\n') {
      if (r->eof)
        return 0;
      comment = 0;
      continue;
    }
    if (comment || is_space (c))
      continue;
    errno = EINVAL;
    if (c == '#' || c == ';')
      comment = 1;
    else if (c == '[') {
      key->size = 0;
      if (read_section (r, key) != 0)
        return -1;
      add (key, '.');
      section = key->size;
    }
    else {
      if (!is_alpha (c))
        return -1;
      key->size = section;
      add (key, lower (c));
      if (read_variable (r, key, g) != 0)
        return -1;
    }
    if (key->failed) {
      errno = ENOMEM;
      return -1;
    }
  }
}

int
gitconfig_parse (const char *bytes, size_t size, struct gitconfig *g)
{
  auto_strbuf struct strbuf key = { 0 };
  struct reader r = { bytes, bytes + size, 0 };

  memset (g, 0, sizeof *g);
  if (size >= 3 && memcmp (bytes, "\xef\xbb\xbf", 3) == 0)
    r.at += 3;
  return parse (&r, &key, g);
}

void
gitconfig_free (struct gitconfig *g)
{
  for (size_t i = 0; i < g->count; i++) {
    free (g->entries[i].key);
    free (g->entries[i].value);
  }
  free (g->entries);
  memset (g, 0, sizeof *g);
}

const char *
gitconfig_last (const struct gitconfig *g, const char *key)
{
  for (size_t i = g->count; i-- > 0;)
    if (strcmp (g->entries[i].key, key) == 0)
      return g->entries[i].value;
  return NULL;
}

int
gitconfig_is_include (const char *key)
{
  size_t n = strlen (key);

  return strcmp (key, "include.path") == 0
         || (n > 14 && strncmp (key, "includeif.", 10) == 0 && strcmp (key + n - 5, ".path") == 0);
}

int
gitconfig_boolean (const char *value)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL };
  static const char *const no[] = { "", "false", "no", "off", "0", NULL };

  if (value == NULL)
    return 1;
  for (size_t i = 0; yes[i] != NULL; i++)
    if (strcasecmp (value, yes[i]) == 0)
      return 1;
  for (size_t i = 0; no[i] != NULL; i++)
    if (strcasecmp (value, no[i]) == 0)
      return 0;
  return -1;
}

char *
gitconfig_path (const char *value, const char *home, const char *base)
{
  char *path;

  /* git 2.52: the file may be missing.  */
  if (strncmp (value, ":(optional)", 11) == 0)
    value += 11;
  if (value[0] == '\0' || value[0] == '%' || (value[0] == '~' && (home == NULL || (value[1] != '/' && value[1] != '\0')))) {
    errno = EINVAL;
    return NULL;
  }
  if (value[0] == '/')
    path = strdup (value);
  else if (value[0] == '~')
    path = util_fmt ("%s%s", home, value + 1);
  else
    path = util_fmt ("%s/%s", base, value);
  if (path == NULL)
    errno = ENOMEM;
  return path;
}

int
gitconfig_harmless (const struct gitconfig_entry *e)
{
  static const char *const patterns[] = {
    "core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.worktree",
    "core.ignorecase", "core.precomposeunicode", "core.symlinks", "core.sharedrepository", "core.eol", "core.autocrlf",
    "core.safecrlf", "core.compression", "core.sparsecheckout", "core.sparsecheckoutcone", "core.untrackedcache",
    "extensions.objectformat", "extensions.compatobjectformat", "extensions.refstorage", "extensions.partialclone",
    "remote.*.fetch", "remote.*.tagopt", "remote.*.promisor", "remote.*.partialclonefilter", "remote.*.mirror",
    "remote.*.prune", "branch.*.merge", "branch.*.rebase", "branch.*.description",
    "submodule.active", "submodule.*.active", "submodule.*.branch", "submodule.*.ignore", "user.name", "user.email",
    NULL,
  };
  static const char *const urls[] = { "remote.*.url", "remote.*.pushurl", "branch.*.remote", "submodule.*.url", NULL };

  for (size_t i = 0; patterns[i] != NULL; i++)
    if (fnmatch (patterns[i], e->key, 0) == 0)
      return 1;
  /* "ext::command" runs a command; "HELPER::address" runs git-remote-HELPER.  */
  for (size_t i = 0; urls[i] != NULL; i++)
    if (fnmatch (urls[i], e->key, 0) == 0)
      return e->value == NULL || (e->value[0] != '-' && strstr (e->value, "::") == NULL);
  return 0;
}
