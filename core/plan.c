/* plan.c: making a plan, call by call.  The first call that fails leaves its reason in the plan, which is asked for
 * once, by plan_check: a plugin has no error to look after while it describes what it wants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plan.h"

#include "core/init-protocol.h"

#define PLAN_FIRST_FD 3
#define PLAN_MAX 4096 /* steps, descriptors, gaps, rules */

#define END_OF(type, field) (offsetof (type, field) + sizeof ((type *) NULL)->field)

/* The array with room for one more, zeroed, behind its COUNT items; its room is always the next power of two.  */
static void *
plan_grown (weir_plan *plan, void *items, size_t count, size_t width)
{
  if (count >= PLAN_MAX) {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan has more than %d parts of one kind", PLAN_MAX);
    return NULL;
  }
  if ((count & (count - 1)) == 0)
    items = reallocarray (items, count == 0 ? 1 : count * 2, width);
  if (items == NULL) {
    error_nomem (&plan->sticky);
    return NULL;
  }
  memset ((char *) items + count * width, 0, width);
  return items;
}

/* A pointer to one more item of an array of the plan, NULL: told to the plan.  */
#define plan_grow(plan, array, count)                                                                                  \
  __extension__({                                                                                                      \
    void *grown_ = plan_grown ((plan), (plan)->array, (plan)->count, sizeof *(plan)->array);                           \
    if (grown_ != NULL)                                                                                                \
      (plan)->array = grown_;                                                                                          \
    grown_ != NULL ? (plan)->array + (plan)->count : NULL;                                                             \
  })

/* A copy of text, which may be NULL.  -1: out of memory, told to the plan.  */
static int
plan_copy (weir_plan *plan, char **to, const char *text)
{
  *to = text != NULL ? strdup (text) : NULL;
  if (text == NULL || *to != NULL)
    return 0;
  error_nomem (&plan->sticky);
  return -1;
}

static void
plan_add_text (weir_plan *plan, struct strv *to, const char *text, const char *what)
{
  if (text == NULL || text[0] == '\0') {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given %s without text", what);
    return;
  }
  strv_add (to, text);
  if (to->failed)
    error_nomem (&plan->sticky);
}

struct weir_plan *
plan_new (const struct weir_command *command, weir_error **err)
{
  struct weir_plan *plan = calloc (1, sizeof *plan);

  if (plan == NULL) {
    error_nomem (err);
    return NULL;
  }
  for (const char *const *s = command->argv; s != NULL && *s != NULL; s++)
    strv_add (&plan->argv, *s);
  for (const char *const *s = command->env; s != NULL && *s != NULL; s++)
    strv_add (&plan->env, *s);
  if (plan_copy (plan, &plan->cwd, command->cwd) != 0 || plan->argv.failed || plan->env.failed) {
    plan_free (plan);
    error_nomem (err);
    return NULL;
  }
  return plan;
}

static void
plan_free_lists (struct weir_plan *plan)
{
  for (size_t i = 0; i < plan->step_count; i++) {
    free ((char *) plan->steps[i].path);
    free ((char *) plan->steps[i].target);
  }
  for (size_t i = 0; i < plan->fd_count; i++)
    free (plan->fds[i].path);
  for (size_t i = 0; i < plan->gap_count; i++)
    free (plan->gaps[i].text);
  for (size_t i = 0; i < plan->rule_count; i++) {
    free (plan->rules[i].codes);
    free (plan->rules[i].signature);
  }
  free (plan->steps);
  free (plan->fds);
  free (plan->gaps);
  free (plan->rules);
}

void
plan_free (struct weir_plan *plan)
{
  if (plan == NULL)
    return;
  plan_free_lists (plan);
  strv_free (&plan->argv);
  strv_free (&plan->env);
  strv_free (&plan->runner_arguments);
  strv_free (&plan->denials);
  strv_free (&plan->informational);
  free (plan->cwd);
  free (plan->runner);
  free (plan->asserted);
  free (plan->provider);
  error_clear (&plan->sticky);
  free (plan);
}

void
plan_step (weir_plan *plan, const struct weir_step *given)
{
  char *path, *target = NULL;
  struct weir_step *step;

  if (given == NULL || given->struct_size < END_OF (struct weir_step, kind)) {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "step %zu of the plan has no struct_size", plan->step_count + 1);
    return;
  }
  step = plan_grow (plan, steps, step_count);
  if (step == NULL)
    return;
  memcpy (step, given, given->struct_size < sizeof *step ? given->struct_size : sizeof *step);
  step->struct_size = sizeof *step;
  if (plan_copy (plan, &path, step->path) != 0 || plan_copy (plan, &target, step->target) != 0) {
    free (path);
    return;
  }
  step->path = path;
  step->target = target;
  plan->step_count++;
}

void
plan_runner (weir_plan *plan, const char *program)
{
  if (plan->runner != NULL)
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given two runners, '%s' and '%s'", plan->runner,
               program != NULL ? program : "(none)");
  else if (program == NULL || program[0] != '/')
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan's runner '%s' is no absolute path",
               program != NULL ? program : "(none)");
  else
    plan_copy (plan, &plan->runner, program);
}

void
plan_argument (weir_plan *plan, const char *argument)
{
  if (argument == NULL) {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "argument %zu of the plan's runner is NULL",
               plan->runner_arguments.count + 1);
    return;
  }
  strv_add (&plan->runner_arguments, argument);
  if (plan->runner_arguments.failed)
    error_nomem (&plan->sticky);
}

int
plan_fd (weir_plan *plan, uint32_t purpose, const char *path, uint64_t dev, uint64_t ino, uint64_t value)
{
  struct plan_fd *fd = plan_grow (plan, fds, fd_count);

  if (fd == NULL)
    return -1;
  if (plan_copy (plan, &fd->path, path) != 0)
    return -1;
  fd->purpose = purpose;
  fd->number = PLAN_FIRST_FD + (int) plan->fd_count++;
  fd->dev = dev;
  fd->ino = ino;
  fd->value = value;
  return fd->number;
}

void
plan_supervisor (weir_plan *plan)
{
  int init = plan_fd (plan, WEIR_FD_INIT, NULL, 0, 0, 0);
  int report = plan_fd (plan, WEIR_FD_REPORT, NULL, 0, 0, 0);
  int harness = plan_fd (plan, WEIR_FD_HARNESS, NULL, 0, 0, 0);

  /* init-protocol.h: program, report, harness, then the command.  The program's own name takes the place of argv[0]. */
  strv_fmt (&plan->runner_arguments, "/proc/self/fd/%d", init);
  strv_fmt (&plan->runner_arguments, "%d", report);
  strv_fmt (&plan->runner_arguments, "%d", harness);
  _Static_assert(WEIR_INIT_ARGC == 3, "the init's own arguments are the three above");
  if (plan->runner_arguments.failed)
    error_nomem (&plan->sticky);
  if (plan->inner_init)
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given two supervisors");
  plan->inner_init = 1;
}

void
plan_environment (weir_plan *plan, const char *name, const char *value)
{
  size_t length = name != NULL ? strlen (name) : 0;
  char *line;

  if (length == 0 || strchr (name, '=') != NULL || value == NULL) {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given the variable '%s', which cannot be set",
               name != NULL ? name : "(none)");
    return;
  }
  line = util_fmt ("%s=%s", name, value);
  if (line == NULL) {
    error_nomem (&plan->sticky);
    return;
  }
  for (size_t i = 0; i < plan->env.count; i++)
    if (strncmp (plan->env.items[i], line, length + 1) == 0) {
      free (plan->env.items[i]);
      plan->env.items[i] = line;
      return;
    }
  strv_take (&plan->env, line);
  if (plan->env.failed)
    error_nomem (&plan->sticky);
}

void
plan_governs (weir_plan *plan, uint64_t bits)
{
  plan->governs |= bits;
}

void
plan_gap (weir_plan *plan, uint64_t bits, const char *fmt, ...)
{
  struct plan_gap *gap = plan_grow (plan, gaps, gap_count);
  auto_strbuf struct strbuf text = { 0 };
  va_list ap;

  if (gap == NULL)
    return;
  va_start (ap, fmt);
  strbuf_vfmt (&text, fmt, ap);
  va_end (ap);
  gap->bits = bits;
  gap->text = strbuf_steal (&text);
  if (gap->text == NULL)
    error_nomem (&plan->sticky);
  else
    plan->gap_count++;
}

void
plan_asserted (weir_plan *plan, const char *origin)
{
  char *own;

  if (origin == NULL) {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given an assertion without its origin");
    return;
  }
  if (plan_copy (plan, &own, origin) != 0)
    return;
  free (plan->asserted);
  plan->asserted = own;
}

void
plan_denial (weir_plan *plan, const char *signature)
{
  plan_add_text (plan, &plan->denials, signature, "a denial signature");
}

void
plan_failure (weir_plan *plan, const int32_t *codes, size_t count, const char *signature)
{
  struct plan_rule *rule;

  if (signature == NULL || signature[0] == '\0') {
    error_set (&plan->sticky, WEIR_E_PLUGIN, 0, "the plan was given a failure signature without text");
    return;
  }
  rule = plan_grow (plan, rules, rule_count);
  if (rule == NULL || plan_copy (plan, &rule->signature, signature) != 0)
    return;
  if (codes != NULL && count > 0) {
    rule->codes = reallocarray (NULL, count, sizeof *codes);
    if (rule->codes == NULL) {
      free (rule->signature);
      error_nomem (&plan->sticky);
      return;
    }
    memcpy (rule->codes, codes, count * sizeof *codes);
    rule->code_count = count;
  }
  plan->rule_count++;
}

void
plan_informational (weir_plan *plan, const char *line)
{
  plan_add_text (plan, &plan->informational, line, "an informational line");
}
