/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/classify.h"

/* ASCII only: what runners print does not depend on a locale, and must not be judged by the embedder's.  */
static char
classify_lower (char c)
{
  return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

static int
classify_equal (const char *a, size_t size, const char *b)
{
  if (strlen (b) != size)
    return 0;
  for (size_t i = 0; i < size; i++)
    if (classify_lower (a[i]) != classify_lower (b[i]))
      return 0;
  return 1;
}

const char *
classify_find (const char *text, size_t size, const char *word)
{
  size_t n = strlen (word);

  for (size_t i = 0; n <= size && i <= size - n; i++)
    if (classify_equal (text + i, n, word))
      return text + i;
  return NULL;
}

/* The line that begins at *at, without its LF or CR LF; *at becomes the start of the next.  NULL: no more.  */
static const char *
classify_line (const char *text, size_t size, size_t *at, size_t *length)
{
  const char *line = text + *at, *end;

  if (*at >= size)
    return NULL;
  end = memchr (line, '\n', size - *at);
  if (end == NULL) {
    *length = size - *at;
    *at = size;
  }
  else {
    *length = (size_t) (end - line);
    *at += *length + 1;
    if (*length > 0 && line[*length - 1] == '\r')
      (*length)--;
  }
  return line;
}

static int
classify_blank (const char *s)
{
  return s[strspn (s, " \t\r\n\v\f")] == '\0';
}

static int
classify_rule_holds (const struct plan_rule *rule, int exit_code, const char *line, size_t length)
{
  int listed = rule->codes == NULL;

  for (size_t i = 0; i < rule->code_count && !listed; i++)
    listed = rule->codes[i] == exit_code;
  return listed && !classify_blank (rule->signature) && classify_find (line, length, rule->signature) != NULL;
}

const char *
classify_runner_failure (const weir_plan *plan, int exit_code, const char *text, size_t size, size_t *length)
{
  const char *line;
  size_t at = 0;

  if (exit_code <= 0)
    return NULL;
  while ((line = classify_line (text, size, &at, length)) != NULL) {
    int informational = 0;
    for (size_t i = 0; i < plan->informational.count && !informational; i++)
      informational = classify_equal (line, *length, plan->informational.items[i]);
    for (size_t i = 0; i < plan->rule_count && !informational; i++)
      if (classify_rule_holds (&plan->rules[i], exit_code, line, *length))
        return line;
  }
  return NULL;
}

const char *
classify_denial (const weir_plan *plan, int exit_code, const char *text, size_t size, size_t *at, size_t *length)
{
  const char *line;

  if (exit_code <= 0)
    return NULL;
  while ((line = classify_line (text, size, at, length)) != NULL)
    for (size_t i = 0; i < plan->denials.count; i++)
      if (!classify_blank (plan->denials.items[i]) && classify_find (line, *length, plan->denials.items[i]) != NULL)
        return line;
  return NULL;
}
