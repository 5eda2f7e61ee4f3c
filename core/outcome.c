/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/result.h"

#include <signal.h>

#include "core/classify.h"

int
outcome_enforcement (const struct policy *policy, const struct candidate *used)
{
  if (policy->mode == WEIR_MODE_DANGER_FULL_ACCESS || used->sandbox == NULL)
    return WEIR_ENFORCEMENT_NONE;
  return used->missing == 0 ? WEIR_ENFORCEMENT_FULL : WEIR_ENFORCEMENT_PARTIAL;
}

void
outcome_gaps (const struct candidate *used, struct strv *gaps)
{
  uint64_t told = 0;

  for (size_t i = 0; i < used->plan->gap_count; i++) {
    auto_free char *names = policy_bit_names (used->plan->gaps[i].bits);
    told |= used->plan->gaps[i].bits;
    strv_fmt (gaps, "%s: %s", names == NULL ? "?" : names, used->plan->gaps[i].text);
  }
  for (unsigned bit = 0; bit < 64; bit++)
    if ((used->missing & ~told) >> bit & 1)
      strv_fmt (gaps, "%s: not governed by this sandbox", policy_bit_name (UINT64_C (1) << bit));
}

/* ---- denials, from text ---- */

#define OUTCOME_TEXT_MAX 262144 /* the last part of the output that is looked at */
#define OUTCOME_LINES_MAX 256   /* complaints that are judged */
#define OUTCOME_LINE_MAX 8192   /* a longer one is no complaint */

/* What the policy says of a complaint.  0: it would have refused that; verdict is filled.  */
static int
outcome_judge (const struct policy *policy, const char *path, const char **operation, struct verdict *verdict)
{
  const char *guesses[] = { *operation, "read" };

  /* "Permission denied" of a shell does not say whether it wanted to read or to write.  */
  for (size_t i = 0; i < ARRAY_SIZE (guesses); i++) {
    auto_error weir_error *ignored = NULL;
    *verdict = (struct verdict){ 0 };
    if (judge_path (policy, path, guesses[i], verdict, &ignored) != WEIR_OK)
      continue;
    if (!verdict->allowed) {
      *operation = guesses[i];
      return 0;
    }
    judge_free (verdict);
  }
  *verdict = (struct verdict){ 0 };
  return -1;
}

static int
outcome_known (const weir_result *r, const char *operation, const char *path)
{
  for (size_t i = 0; i < r->denial_count; i++) {
    const struct denial *d = &r->denials[i];
    if (strcmp (d->operation, operation) == 0
        && (path == NULL ? d->path == NULL : d->path != NULL && strcmp (d->path, path) == 0))
      return 1;
  }
  return 0;
}

static void
outcome_add (weir_result *r, const struct denial *d)
{
  struct denial *denials = reallocarray (r->denials, r->denial_count + 1, sizeof *denials);

  if (denials == NULL)
    return;
  r->denials = denials;
  denials[r->denial_count++] = *d;
}

/* A refusal about which no path is known: a network call, or words that name none.  */
static void
outcome_deny_without_path (weir_result *r, const struct policy *policy, const char *operation)
{
  struct denial d = { 0 };
  int network = strcmp (operation, "connect") == 0;

  if ((network && policy->network == WEIR_NETWORK_INHERIT) || outcome_known (r, operation, NULL))
    return;
  d.operation = strdup (operation);
  if (network) {
    d.rule = util_fmt ("network = %s", policy_network_name (policy->network));
    d.origin = strdup (policy->network_origin == NULL ? "built in" : policy->network_origin);
    d.remedy = strdup ("--network inherit");
  }
  else {
    d.rule = util_fmt ("mode %s", policy_mode_name (policy->mode));
    d.origin = strdup (policy->mode_origin == NULL ? "built in" : policy->mode_origin);
  }
  if (d.operation != NULL)
    outcome_add (r, &d);
}

static void
outcome_deny (weir_result *r, const struct policy *policy, const char *line, size_t length)
{
  const char *operation = classify_operation (line, length);
  auto_free char *path = classify_path (line, length, policy->cwd);
  struct verdict verdict;
  struct denial d = { 0 };

  if (path == NULL || strcmp (operation, "connect") == 0) {
    outcome_deny_without_path (r, policy, operation);
    return;
  }
  if (outcome_judge (policy, path, &operation, &verdict) != 0)
    return; /* an ordinary complaint: this policy would have allowed it */
  d.operation = strdup (operation);
  d.path = verdict.path != NULL ? steal (verdict.path) : steal (path);
  d.rule = strdup (verdict.rule == NULL ? "" : verdict.rule);
  d.origin = steal (verdict.origin);
  d.remedy = steal (verdict.remedy);
  judge_free (&verdict);
  if (d.operation != NULL && d.path != NULL && !outcome_known (r, d.operation, d.path)) {
    outcome_add (r, &d);
    return;
  }
  free (d.operation);
  free (d.path);
  free (d.rule);
  free (d.origin);
  free (d.remedy);
}

static void
outcome_denials (weir_result *r, const struct ending *e, const char *text, size_t size)
{
  const char *line;
  size_t at = size > OUTCOME_TEXT_MAX ? size - OUTCOME_TEXT_MAX : 0, length;

  /* The command writes what it likes: neither its amount nor its form may keep the caller waiting.  */
  for (int judged = 0; judged < OUTCOME_LINES_MAX && r->denial_count < OUTCOME_DENIALS_MAX; judged++) {
    line = classify_denial (e->used->plan, r->code, text, size, &at, &length);
    if (line == NULL)
      return;
    if (length <= OUTCOME_LINE_MAX)
      outcome_deny (r, e->policy, line, length);
  }
}

/* ---- how it ended ---- */

/* The name of the policy's limit that a signal means, NULL: none.  The kernel sends SIGXCPU at the soft limit and SIGKILL at
 * the hard one (setrlimit(2)), which are the same here.  */
static const char *
outcome_limit (const struct ending *e)
{
  const struct weir_limits *limits = &e->policy->limits;
  /* A runner ends as its command did, in a shell's way.  */
  int told = e->exit.kind == WEIR_EXIT_EXITED && (e->exit.flags & WEIR_EXIT_FROM_RUNNER) && e->exit.code > 128;
  int signo = e->exit.kind == WEIR_EXIT_SIGNALLED ? e->exit.code : told ? e->exit.code - 128 : 0;
  int cpu = limits->cpu != 0 && (signo == SIGXCPU || (signo == SIGKILL && e->exit.cpu_usec >= limits->cpu * 1000000));

  return cpu ? "cpu" : limits->file_size != 0 && signo == SIGXFSZ ? "file_size" : NULL;
}

static void
outcome_ending (weir_result *r, const struct ending *e, const char *text, size_t size)
{
  size_t length;

  r->code = e->exit.kind == WEIR_EXIT_EXITED ? e->exit.code : -1;
  r->signal = e->exit.kind == WEIR_EXIT_SIGNALLED ? e->exit.code : 0;
  r->limit = outcome_limit (e);
  if (e->cancelled) {
    r->outcome = WEIR_OUTCOME_CANCELLED;
  }
  else if (e->timed_out) {
    r->outcome = WEIR_OUTCOME_TIMED_OUT;
  }
  else if (e->exit.kind == WEIR_EXIT_NOT_STARTED
           || ((e->exit.flags & WEIR_EXIT_FROM_RUNNER)
               && classify_runner_failure (e->used->plan, r->code, text, size, &length) != NULL)) {
    r->outcome = WEIR_OUTCOME_RUNNER_FAILED;
  }
  else if (e->exit.kind == WEIR_EXIT_LOST) {
    r->outcome = WEIR_OUTCOME_SIGNALLED;
    r->signal = SIGKILL;
    strv_add (&r->warnings, "the command's supervisor ended without a word (killed from outside?); how the command itself ended "
                            "is not known");
  }
  else if (r->limit != NULL) {
    r->outcome = WEIR_OUTCOME_LIMIT;
  }
  else {
    r->outcome = e->exit.kind == WEIR_EXIT_SIGNALLED ? WEIR_OUTCOME_SIGNALLED : WEIR_OUTCOME_EXITED;
  }
}

static void
outcome_fill (weir_result *r, const struct ending *e)
{
  const char *text, *out;
  size_t size, out_size;

  collect_linear (&r->collect.stream[0], &out, &out_size);
  collect_linear (&r->collect.stream[1], &text, &size);
  if (r->collect.stream[1].total == 0) { /* both went through one pipe, or one terminal */
    text = out;
    size = out_size;
  }
  r->tree_gone = (e->exit.flags & WEIR_EXIT_TREE_GONE) != 0;
  r->mode = e->policy->mode;
  r->cpu_usec = e->exit.cpu_usec;
  r->max_rss = e->exit.max_rss;
  r->wall_usec = e->wall_usec;
  r->enforcement = outcome_enforcement (e->policy, e->used);
  if (e->used->sandbox != NULL) {
    outcome_gaps (e->used, &r->gaps);
    r->provider = strdup (e->used->sandbox->adopted->name);
    r->asserted = e->used->plan->asserted == NULL ? NULL : util_fmt ("asserted by %s", e->used->plan->asserted);
  }
  outcome_ending (r, e, text, size);
  if (r->outcome == WEIR_OUTCOME_RUNNER_FAILED && e->exit.kind == WEIR_EXIT_NOT_STARTED)
    strv_fmt (&r->warnings, "%s%s%s", plan_step_name (e->exit.step), e->exit.detail[0] != '\0' ? ": " : "", e->exit.detail);
  if (e->used->sandbox != NULL && r->outcome == WEIR_OUTCOME_EXITED)
    outcome_denials (r, e, text, size);
}

weir_status
outcome_make (const struct ending *e, struct collect *collect, weir_result **out, weir_error **err)
{
  weir_result *r = calloc (1, sizeof *r);

  if (r == NULL)
    return error_nomem (err);
  collect_seal (collect);
  r->collect = *collect;
  collect_init (collect);
  outcome_fill (r, e);
  *out = r;
  return WEIR_OK;
}
