/* Which path and which operation a program's complaint is about.  Programs write for people; what is not understood is "not
 * known", and every guess is checked against the policy before anything is said about it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/classify.h"

/* strerror's words in the C locale, and those of runtimes that write their own.  */
static const char *const guess_reasons[] = {
  "permission denied", "read-only file system", "operation not permitted", "no such file or directory",
  "invalid cross-device link", "access denied", "not a directory", "device or resource busy", NULL,
};

struct span {
  const char *at;
  size_t size;
};

static int
guess_word_byte (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int
guess_space (char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct span
guess_trim (struct span s)
{
  while (s.size > 0 && guess_space (s.at[0])) {
    s.at++;
    s.size--;
  }
  while (s.size > 0 && guess_space (s.at[s.size - 1]))
    s.size--;
  return s;
}

/* ---- quoted names ---- */

/* The closing quotation mark that belongs to the one at text[0], 0: this is no opening one.  */
static const char *
guess_closing (const char *text, size_t size, size_t *open)
{
  static const struct {
    const char *open, *close;
  } marks[] = {
    { "\xe2\x80\x98", "\xe2\x80\x99" }, /* the typographic ones of coreutils in a UTF-8 locale */
    { "\xe2\x80\x9c", "\xe2\x80\x9d" },
    { "'", "'" },
    { "\"", "\"" },
    { "`", "'" }, /* git, old GNU */
    { "`", "`" },
  };

  for (size_t i = 0; i < ARRAY_SIZE (marks); i++) {
    size_t n = strlen (marks[i].open), m = strlen (marks[i].close);
    if (size < n || memcmp (text, marks[i].open, n) != 0)
      continue;
    for (size_t k = n; k + m <= size; k++) {
      if (memcmp (text + k, marks[i].close, m) != 0)
        continue;
      /* Not the apostrophe of "it's", nor the one of 'it'\''s'.  */
      if (text[k - 1] == '\\' || (k + m < size && (guess_word_byte (text[k + m]) || text[k + m] == '\\')))
        continue;
      *open = n;
      return text + k;
    }
  }
  return NULL;
}

/* The last quoted name: of "cannot move 'a' to 'b'" it is the second that could not be made.  */
static struct span
guess_quoted (const char *line, size_t length)
{
  struct span found = { NULL, 0 };

  for (size_t i = 0; i < length; i++) {
    size_t open;
    const char *close;
    if (i > 0 && guess_word_byte (line[i - 1]))
      continue; /* the apostrophe of "can't" */
    close = guess_closing (line + i, length - i, &open);
    if (close == NULL || close == line + i + open)
      continue;
    found = (struct span){ line + i + open, (size_t) (close - line) - i - open };
    i = (size_t) (close - line);
  }
  return found;
}

/* ---- names without quotation marks ---- */

/* Words that stand before a bare name: "cannot create /etc/x".  */
static const char *const guess_verbs[] = {
  "cannot create regular file ", "cannot create directory ", "cannot create temp file for here-document", "cannot create ",
  "can't create directory ", "can't create ", "cannot open directory ", "cannot open output file ", "cannot open ", "can't open ",
  "could not open ", "couldn't open temporary file ", "couldn't open file ", "failed to open the file ", "failed to open ",
  "could not lock config file ", "could not create work tree dir ", "could not create leading directories of ",
  "could not create ", "cannot touch ", "cannot remove ", "cannot move ", "cannot stat ", "cannot access ", "cannot write to ",
  "error opening ", "error writing ", "unable to create ", "unable to open ", "unable to write ", "unable to unlink ",
  "unlink ", "open ", "mkdir ", "rmdir ", "remove ", "rename ", "create ", "chmod ", "chown ", "read ", "write ", "stat ", NULL,
};

/* What tar puts between the name and the reason.  */
static const char *const guess_between[] = { "cannot open", "cannot mkdir", "cannot unlink", "cannot create symlink to",
                                             "bad interpreter", "/bin/sh", "/bin/bash", "/usr/bin/env", NULL };

/* One field of "program: field: reason", stripped of words; size 0: no name in it.  first: it may be the program's name.  */
static struct span
guess_field (struct span field, int first)
{
  static const struct span none = { NULL, 0 };
  const char *slash;

  field = guess_trim (field);
  for (size_t i = 0; guess_verbs[i] != NULL; i++) {
    const char *verb = classify_find (field.at, field.size, guess_verbs[i]);
    if (verb == field.at && field.size > strlen (guess_verbs[i])) {
      field.at += strlen (guess_verbs[i]);
      field.size -= strlen (guess_verbs[i]);
      return guess_trim (field);
    }
  }
  if (field.size == 0 || field.at[0] == '/')
    return field;
  /* "... in /a/b": everything from the first slash that begins a word.  */
  for (size_t i = 1; i < field.size; i++)
    if (field.at[i] == '/' && field.at[i - 1] == ' ')
      return (struct span){ field.at + i, field.size - i };
  if (first || memchr (field.at, ' ', field.size) == NULL)
    return first ? none : field;
  slash = memchr (field.at, '/', field.size);
  if (slash == NULL)
    return none;
  while (slash > field.at && slash[-1] != ' ')
    slash--;
  return (struct span){ slash, field.size - (size_t) (slash - field.at) };
}

/* The last ": " in a text, NULL: none.  */
static const char *
guess_colon (struct span s)
{
  for (size_t i = s.size; i >= 2; i--)
    if (s.at[i - 2] == ':' && s.at[i - 1] == ' ')
      return s.at + i - 2;
  return NULL;
}

static int
guess_is_between (struct span s)
{
  for (size_t i = 0; guess_between[i] != NULL; i++)
    if (s.size == strlen (guess_between[i]) && classify_find (s.at, s.size, guess_between[i]) == s.at)
      return 1;
  return 0;
}

/* "a: b: NAME" before the reason.  */
static struct span
guess_before (struct span head)
{
  for (;;) {
    const char *colon = guess_colon (head);
    struct span field = colon == NULL ? head : (struct span){ colon + 2, head.size - (size_t) (colon + 2 - head.at) };
    field = guess_trim (field);
    if (colon == NULL || !guess_is_between (field))
      return guess_field (field, colon == NULL);
    head.size = (size_t) (colon - head.at);
  }
}

static struct span
guess_bare (const char *line, size_t length)
{
  const char *reason = NULL;
  struct span head, tail, found = { NULL, 0 };
  size_t n = 0;

  for (size_t i = 0; guess_reasons[i] != NULL && reason == NULL; i++) {
    reason = classify_find (line, length, guess_reasons[i]);
    n = strlen (guess_reasons[i]);
  }
  if (reason == NULL)
    return found;
  head = (struct span){ line, (size_t) (reason - line) };
  tail = (struct span){ reason + n, length - (size_t) (reason - line) - n };
  if (tail.size > 2 && memcmp (tail.at, ": ", 2) == 0) /* zsh: "permission denied: NAME" */
    found = guess_trim ((struct span){ tail.at + 2, tail.size - 2 });
  else if (tail.size > 3 && tail.at[0] == ' ' && tail.at[1] == '[' && memchr (tail.at, ']', tail.size) != NULL) /* C++ */
    found = (struct span){ tail.at + 2, (size_t) ((const char *) memchr (tail.at, ']', tail.size) - tail.at) - 2 };
  if (found.size > 0 && (found.at[0] == '/' || memchr (found.at, ' ', found.size) == NULL))
    return found;
  if (head.size > 0 && head.at[head.size - 1] == '(') /* Java: "NAME (Permission denied)" */
    head.size--;
  head = guess_trim (head);
  if (head.size > 0 && head.at[head.size - 1] == ':')
    head.size--;
  return guess_before (head);
}

/* A shell's way to write a quotation mark in a quoted name.  */
static void
guess_unescape (char *path)
{
  for (char *at = strstr (path, "'\\''"); at != NULL; at = strstr (at + 1, "'\\''"))
    memmove (at + 1, at + 4, strlen (at + 4) + 1);
}

char *
classify_path (const char *line, size_t length, const char *cwd)
{
  struct span name = guess_quoted (line, length);
  char *path;

  if (name.size == 0)
    name = guess_bare (line, length);
  name = guess_trim (name);
  if (name.size == 0 || memchr (name.at, '\0', name.size) != NULL || name.size > 4095)
    return NULL;
  if (name.at[0] != '/' && cwd == NULL)
    return NULL;
  path = name.at[0] == '/' ? strndup (name.at, name.size)
                           : util_fmt ("%s%s%.*s", cwd, strcmp (cwd, "/") == 0 ? "" : "/", (int) name.size, name.at);
  if (path != NULL)
    guess_unescape (path);
  return path;
}

/* ---- the operation ---- */

static const struct {
  const char *word, *operation;
} guess_words[] = {
  { "connect", "connect" },
  { "socket", "connect" },
  { "bind", "connect" },
  { "network is unreachable", "connect" },
  { "cannot remove", "delete" },
  { "unlink", "delete" },
  { "rmdir", "delete" },
  { "delete", "delete" },
  { "cannot move", "rename" },
  { "rename", "rename" },
  { "permissions of", "metadata" },
  { "ownership of", "metadata" },
  { "setting times", "metadata" },
  { "setting attribute", "metadata" },
  { "chmod", "metadata" },
  { "chown", "metadata" },
  { "utime", "metadata" },
  { "xattr", "metadata" },
  { "mkdir", "create" },
  { "cannot create", "create" },
  { "can't create", "create" },
  { "could not create", "create" },
  { "unable to create", "create" },
  { "symbolic link", "create" },
  { "hard link", "create" },
  { "cannot touch", "create" },
  { "bad interpreter", "execute" },
  { "exec", "execute" },
  { "for reading", "read" },
  { "cannot open directory", "read" },
  { "reading directory", "read" },
  { "cannot access", "read" },
  { "cannot stat", "read" },
  { "scandir", "read" },
};

/* Programs that only read; their complaints are "NAME: path: reason".  */
static const char *const guess_readers[] = { "cat", "head", "tail", "grep", "ls", "find", "less", "more", "wc", "diff", "stat", "du",
                                             "file", "od", "xxd", "md5sum", "sha256sum", "rg", "fd", "awk", "cmp", NULL };

/* Is there a slash between the last space and this place?  */
static int
guess_in_path (const char *line, const char *at)
{
  while (at > line && !guess_space (at[-1]))
    if (*--at == '/')
      return 1;
  return 0;
}

/* "cat" of "/usr/bin/cat: ...": programs call themselves by the path that they were executed by.  */
static struct span
guess_program (const char *line, size_t length)
{
  const char *colon = memchr (line, ':', length);
  struct span name = { line, colon == NULL ? 0 : (size_t) (colon - line) };
  const char *slash = memrchr (name.at, '/', name.size);

  if (slash != NULL)
    name = (struct span){ slash + 1, (size_t) (colon - slash) - 1 };
  return name;
}

const char *
classify_operation (const char *line, size_t length)
{
  struct span name;

  for (size_t i = 0; i < ARRAY_SIZE (guess_words); i++) {
    const char *at = classify_find (line, length, guess_words[i].word);
    /* A word of the complaint, not a part of a name in it.  */
    if (at != NULL && (at == line || !guess_word_byte (at[-1])) && !guess_in_path (line, at))
      return guess_words[i].operation;
  }
  name = guess_program (line, length);
  for (size_t i = 0; guess_readers[i] != NULL; i++)
    if (strlen (guess_readers[i]) == name.size && memcmp (name.at, guess_readers[i], name.size) == 0)
      return "read";
  return "write";
}
