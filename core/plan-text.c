/* plan-text.c: a plan for people, a line per step, and for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plan.h"

#include <stdio.h>

#include "core/facts.h"
#include "core/out.h"
#include "core/plan-words.h"

#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"

/* Would it move a terminal's cursor?  The second byte of the UTF-8 form of U+0080 to U+009F counts too.  */
static int
is_control (const char *word, const char *p)
{
  unsigned char c = (unsigned char) *p;

  return c < ' ' || c == 127 || (p > word && (unsigned char) p[-1] == 0xc2 && c < 0xa0);
}

/* One word as a shell would read it, so that it cannot be taken for several.  */
static void
quote (struct strbuf *to, const char *word)
{
  int control = 0;

  if (word[0] != '\0' && word[strspn (word, SAFE)] == '\0') {
    strbuf_str (to, word);
    return;
  }
  for (const char *p = word; *p != '\0'; p++)
    control |= is_control (word, p);
  strbuf_str (to, control ? "$'" : "'");
  for (const char *p = word; *p != '\0'; p++) {
    if (is_control (word, p))
      strbuf_fmt (to, "\\%03o", (unsigned char) *p);
    else if (control && (*p == '\'' || *p == '\\'))
      strbuf_fmt (to, "\\%c", *p);
    else if (*p == '\'')
      strbuf_str (to, "'\\''");
    else
      strbuf_add (to, p, 1);
  }
  strbuf_str (to, "'");
}

static void
quote_all (struct strbuf *to, const struct strv *words)
{
  for (size_t i = 0; i < words->count; i++) {
    strbuf_str (to, i > 0 ? " " : "");
    quote (to, words->items[i]);
  }
}

static void
join (struct strbuf *to, const struct strv *words)
{
  for (size_t i = 0; i < words->count; i++)
    strbuf_fmt (to, "%s%s", i > 0 ? ", " : "", words->items[i]);
}

static void
text_line (struct out *out, const char *label, struct strbuf *text)
{
  if (text->failed)
    out->buffer.failed = 1;
  else
    out_line (out, "%-10s %s", label, text->data != NULL ? text->data : "");
  strbuf_free (text);
}

static void
json_list (struct out *out, const char *key, const struct strv *words)
{
  out_open (out, key, '[');
  for (size_t i = 0; i < words->count; i++)
    out_string (out, NULL, words->items[i]);
  out_close (out, ']');
  if (words->failed)
    out->buffer.failed = 1;
}

/* ---- text ---- */

static void
text_step (struct out *out, size_t index, const struct weir_step *s)
{
  auto_strbuf struct strbuf b = { 0 };
  auto_strv struct strv words = { 0 };
  char label[32];

  snprintf (label, sizeof label, "step %zu", index + 1);
  words_of_step (s, &words);
  strbuf_str (&b, plan_step_name (s->kind));
  if (s->path != NULL) {
    strbuf_str (&b, " ");
    quote (&b, s->path);
  }
  if (s->target != NULL && (s->path == NULL || strcmp (s->path, s->target) != 0)) {
    strbuf_str (&b, " at ");
    quote (&b, s->target);
  }
  if (words.count > 0) {
    strbuf_str (&b, ": ");
    join (&b, &words);
  }
  if (s->fact != 0)
    strbuf_fmt (&b, " (needs %s)", facts_name (s->fact));
  b.failed |= words.failed;
  text_line (out, label, &b);
}

static void
text_fd (struct out *out, const struct plan_fd *fd)
{
  auto_strbuf struct strbuf b = { 0 };
  auto_strv struct strv groups = { 0 };

  strbuf_fmt (&b, "%d: %s", fd->number, words_purpose (fd->purpose));
  if (fd->path != NULL) {
    strbuf_str (&b, " ");
    quote (&b, fd->path);
  }
  if (fd->purpose == WEIR_FD_SECCOMP) {
    words_of_groups (fd->value, &groups);
    strbuf_str (&b, ": ");
    join (&b, &groups);
  }
  b.failed |= groups.failed;
  text_line (out, "descriptor", &b);
}

static void
text_bits (struct out *out, const char *label, uint64_t bits, const char *text)
{
  auto_strbuf struct strbuf b = { 0 };
  auto_strv struct strv words = { 0 };

  words_of_bits (bits, &words);
  join (&b, &words);
  if (text != NULL)
    strbuf_fmt (&b, "%s%s", words.count > 0 ? ": " : "", text);
  b.failed |= words.failed;
  text_line (out, label, &b);
}

static void
text_rule (struct out *out, const struct plan_rule *rule)
{
  auto_strbuf struct strbuf b = { 0 };

  quote (&b, rule->signature);
  strbuf_str (&b, rule->code_count > 0 ? " with exit status" : " with any exit status but 0");
  for (size_t i = 0; i < rule->code_count; i++)
    strbuf_fmt (&b, "%s %d", i > 0 ? "," : "", (int) rule->codes[i]);
  text_line (out, "failure", &b);
}

static void
text_words (struct out *out, const char *label, const char *first, const struct strv *words)
{
  auto_strbuf struct strbuf b = { 0 };

  if (first != NULL) {
    quote (&b, first);
    strbuf_str (&b, words != NULL && words->count > 0 ? " " : "");
  }
  if (words != NULL)
    quote_all (&b, words);
  text_line (out, label, &b);
}

static void
print_text (const weir_plan *plan, struct out *out)
{
  text_words (out, "command", NULL, &plan->argv);
  if (plan->cwd != NULL)
    text_words (out, "directory", plan->cwd, NULL);
  out_line (out, "%-10s %s", "sandbox", plan->provider != NULL ? plan->provider : "none");
  for (size_t i = 0; i < plan->step_count; i++)
    text_step (out, i, &plan->steps[i]);
  if (plan->runner != NULL)
    text_words (out, "runner", plan->runner, &plan->runner_arguments);
  for (size_t i = 0; i < plan->fd_count; i++)
    text_fd (out, &plan->fds[i]);
  if (plan->governs != 0)
    text_bits (out, "governs", plan->governs, NULL);
  for (size_t i = 0; i < plan->gap_count; i++)
    text_bits (out, "gap", plan->gaps[i].bits, plan->gaps[i].text);
  if (plan->asserted != NULL)
    text_words (out, "asserted", plan->asserted, NULL);
  for (size_t i = 0; i < plan->denials.count; i++)
    text_words (out, "denial", plan->denials.items[i], NULL);
  for (size_t i = 0; i < plan->rule_count; i++)
    text_rule (out, &plan->rules[i]);
  for (size_t i = 0; i < plan->informational.count; i++)
    text_words (out, "remark", plan->informational.items[i], NULL);
}

/* ---- JSON ---- */

static void
json_bits (struct out *out, const char *key, uint64_t bits)
{
  auto_strv struct strv words = { 0 };

  words_of_bits (bits, &words);
  json_list (out, key, &words);
}

static void
json_step (struct out *out, const struct weir_step *s)
{
  auto_strv struct strv words = { 0 };

  words_of_step (s, &words);
  out_open (out, NULL, '{');
  out_string (out, "step", plan_step_name (s->kind));
  if (s->path != NULL)
    out_string (out, "path", s->path);
  if (s->target != NULL)
    out_string (out, "target", s->target);
  json_list (out, "details", &words);
  if (s->fact != 0)
    out_string (out, "needs", facts_name (s->fact));
  out_close (out, '}');
}

static void
json_fd (struct out *out, const struct plan_fd *fd)
{
  auto_strv struct strv groups = { 0 };

  out_open (out, NULL, '{');
  out_integer (out, "number", fd->number);
  out_string (out, "purpose", words_purpose (fd->purpose));
  if (fd->path != NULL)
    out_string (out, fd->purpose == WEIR_FD_DATA ? "data" : "path", fd->path);
  if (fd->purpose == WEIR_FD_SECCOMP) {
    words_of_groups (fd->value, &groups);
    json_list (out, "details", &groups);
  }
  out_close (out, '}');
}

static void
json_rule (struct out *out, const struct plan_rule *rule)
{
  out_open (out, NULL, '{');
  out_string (out, "signature", rule->signature);
  out_open (out, "exit_codes", '[');
  for (size_t i = 0; i < rule->code_count; i++)
    out_integer (out, NULL, rule->codes[i]);
  out_close (out, ']');
  out_close (out, '}');
}

static void
json_gaps (struct out *out, const weir_plan *plan)
{
  out_open (out, "gaps", '[');
  for (size_t i = 0; i < plan->gap_count; i++) {
    out_open (out, NULL, '{');
    json_bits (out, "of", plan->gaps[i].bits);
    out_string (out, "reason", plan->gaps[i].text);
    out_close (out, '}');
  }
  out_close (out, ']');
}

static void
print_json (const weir_plan *plan, struct out *out)
{
  json_list (out, "command", &plan->argv);
  out_string (out, "directory", plan->cwd);
  out_string (out, "sandbox", plan->provider);
  out_open (out, "steps", '[');
  for (size_t i = 0; i < plan->step_count; i++)
    json_step (out, &plan->steps[i]);
  out_close (out, ']');
  out_string (out, "runner", plan->runner);
  json_list (out, "runner_arguments", &plan->runner_arguments);
  out_open (out, "descriptors", '[');
  for (size_t i = 0; i < plan->fd_count; i++)
    json_fd (out, &plan->fds[i]);
  out_close (out, ']');
  json_bits (out, "governs", plan->governs);
  json_gaps (out, plan);
  out_string (out, "asserted", plan->asserted);
  json_list (out, "denial_signatures", &plan->denials);
  out_open (out, "failure_signatures", '[');
  for (size_t i = 0; i < plan->rule_count; i++)
    json_rule (out, &plan->rules[i]);
  out_close (out, ']');
  json_list (out, "informational", &plan->informational);
}

void
plan_print (const weir_plan *plan, struct out *out)
{
  if (out->json)
    print_json (plan, out);
  else
    print_text (plan, out);
}
