/* Looking without running the command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"
#include "core/out.h"
#include "core/result.h"
#include "core/units.h"

/* ---- weir plan ---- */

static const char *
inspect_access (const struct weir_view *line)
{
  switch (line->access) {
  case WEIR_ACCESS_NONE:
    return "hidden";
  case WEIR_ACCESS_READ:
    return "read";
  case WEIR_ACCESS_WRITE:
    return "write";
  default:
    return "pin";
  }
}

static void
inspect_strings (struct out *o, const char *key, const char *const *items)
{
  out_open (o, key, '[');
  for (; *items != NULL; items++)
    out_string (o, NULL, *items);
  out_close (o, ']');
}

/* A path on a line of its own, whatever bytes it is made of: it must not drive a terminal.  */
static void
inspect_line (struct out *o, const char *label, const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

static void
inspect_line (struct out *o, const char *label, const char *fmt, ...)
{
  auto_strbuf struct strbuf raw = { 0 }, clean = { 0 };
  va_list ap;

  va_start (ap, fmt);
  strbuf_vfmt (&raw, fmt, ap);
  va_end (ap);
  for (size_t i = 0; i < raw.size; i++)
    if ((unsigned char) raw.data[i] < ' ' || raw.data[i] == 0x7f)
      strbuf_fmt (&clean, "\\%03o", (unsigned char) raw.data[i]);
    else
      strbuf_add (&clean, raw.data + i, 1);
  if (raw.failed || clean.failed)
    o->buffer.failed = 1;
  else
    out_line (o, "%-10s %s", label, clean.data == NULL ? "" : clean.data);
}

static const char *
inspect_origin (const char *origin)
{
  return origin == NULL ? "built in" : origin;
}

static void
inspect_policy (struct out *o, const struct policy *policy)
{
  inspect_line (o, "mode", "%s (%s)", policy_mode_name (policy->mode), inspect_origin (policy->mode_origin));
  inspect_line (o, "network", "%s (%s)", policy_network_name (policy->network), inspect_origin (policy->network_origin));
  inspect_line (o, "workspace", "%s", policy->workspace == NULL ? "" : policy->workspace);
  out_string (o, "mode", policy_mode_name (policy->mode));
  out_string (o, "mode_origin", policy->mode_origin);
  out_string (o, "network", policy_network_name (policy->network));
  out_string (o, "network_origin", policy->network_origin);
  out_string (o, "workspace", policy->workspace);
  out_string (o, "cwd", policy->cwd);
}

static void
inspect_limits (struct out *o, const struct policy *policy)
{
  const struct {
    const char *name;
    uint64_t value;
    int size;
  } limits[] = {
    { "processes", policy->limits.processes, 0 }, { "memory", policy->limits.memory, 1 },
    { "cpu", policy->limits.cpu, 0 },             { "files", policy->limits.files, 0 },
    { "file_size", policy->limits.file_size, 1 },
  };

  out_open (o, "limits", '{');
  for (size_t i = 0; i < ARRAY_SIZE (limits); i++) {
    const char *origin = inspect_origin (policy->limits_origin[i]);
    char text[48];
    if (limits[i].value == 0)
      continue;
    if (limits[i].size)
      units_print_size (limits[i].value, text);
    else
      units_print_duration ((int64_t) limits[i].value * 1000, text);
    if (limits[i].size || i == 2)
      inspect_line (o, "limit", "%s %s (%s)", limits[i].name, text, origin);
    else
      inspect_line (o, "limit", "%s %llu (%s)", limits[i].name, (unsigned long long) limits[i].value, origin);
    out_integer (o, limits[i].name, (int64_t) limits[i].value);
  }
  out_integer (o, "wall_ms", policy->wall_ms);
  out_integer (o, "output", (int64_t) policy->output_limit);
  out_close (o, '}');
}

/* Names only: a value may be a credential that was named on purpose.  */
static void
inspect_environment (struct out *o, const struct policy *policy)
{
  auto_strbuf struct strbuf kept = { 0 }, dropped = { 0 };

  out_open (o, "env", '[');
  for (size_t i = 0; i < policy->env.count; i++) {
    const char *item = policy->env.items[i];
    auto_free char *name = strndup (item, strcspn (item, "="));
    strbuf_fmt (&kept, " %s", name == NULL ? "?" : name);
    out_string (o, NULL, name);
  }
  out_close (o, ']');
  for (size_t i = 0; i < policy->env_dropped.count; i++)
    strbuf_fmt (&dropped, " %s", policy->env_dropped.items[i]);
  inspect_strings (o, "env_dropped", strv_items (&policy->env_dropped));
  inspect_line (o, "env", "%s", kept.size > 0 ? kept.data + 1 : "(empty)");
  if (dropped.size > 0)
    inspect_line (o, "dropped", "%s", dropped.data + 1);
}

static void
inspect_view (struct out *o, const struct policy *policy)
{
  out_open (o, "view", '[');
  for (size_t i = 0; i < policy->view.count; i++) {
    const struct weir_view *line = policy->view.lines[i];
    const char *origin = inspect_origin (line->origin);
    if (strcmp (line->host, line->world) == 0)
      inspect_line (o, "view", "%-6s %s (%s)", inspect_access (line), line->world, origin);
    else
      inspect_line (o, "view", "%-6s %s, which is %s (%s)", inspect_access (line), line->world, line->host, origin);
    out_open (o, NULL, '{');
    out_string (o, "access", inspect_access (line));
    out_string (o, "path", line->world);
    out_string (o, "host", line->host);
    out_string (o, "origin", origin);
    out_close (o, '}');
  }
  out_close (o, ']');
}

static void
inspect_candidate (struct out *o, const struct policy *policy, const struct candidate *used)
{
  static const char *const words[] = { "none", "partial", "full" };
  const char *word = words[outcome_enforcement (policy, used)];
  auto_strv struct strv gaps = { 0 };

  if (used->sandbox != NULL)
    outcome_gaps (used, &gaps);
  out_string (o, "enforcement", word);
  inspect_strings (o, "gaps", strv_items (&gaps));
  inspect_line (o, "enforced", "%s%s%s", word, used->plan->asserted == NULL ? "" : ", asserted by ",
                used->plan->asserted == NULL ? "" : used->plan->asserted);
  for (size_t i = used->plan->gap_count; i < gaps.count; i++) /* the plan prints its own */
    inspect_line (o, "gap", "%s", gaps.items[i]);
  out_open (o, "plan", '{');
  plan_print (used->plan, o);
  out_close (o, '}');
}

/* The first entry of the chain that works here, and what those before it answered.  */
static weir_status
inspect_choose (weir_runtime *rt, const struct weir_request *request, const struct policy *policy,
                const struct weir_command *command, const weir_call *call, struct candidate *used, struct answers *answers,
                weir_error **err)
{
  auto_strv struct strv chain = { 0 };
  uint64_t facts[WEIR_FACT_COUNT_];
  weir_call asked = *call;

  asked.facts = facts;
  if (policy->mode == WEIR_MODE_DANGER_FULL_ACCESS) {
    facts_snapshot (&rt->facts, facts);
    return candidate_confine (rt, NULL, command, policy, &asked, used, err);
  }
  started_chain (rt, request, &chain);
  for (size_t i = 0; i < chain.count; i++) {
    auto_error weir_error *answer = NULL;
    weir_status status = candidate_prove (rt, chain.items[i], policy, call, &answer);
    /* After the proof: what it took back is known.  */
    facts_snapshot (&rt->facts, facts);
    if (status == WEIR_OK)
      status = candidate_confine (rt, chain.items[i], command, policy, &asked, used, &answer);
    if (status == WEIR_OK)
      return WEIR_OK;
    if (candidate_ends_call (status))
      return error_move (err, steal (answer));
    answers_add (answers, chain.items[i], answer);
  }
  return chain.failed ? error_nomem (err) : answers_unavailable (answers, policy, err);
}

static weir_status
inspect_plan (weir_runtime *rt, const struct weir_request *request, const struct policy *policy, struct out *o, weir_error **err)
{
  weir_call call = { WEIR_SIZED (weir_call), .cancel = request->cancel_fd, .session = request->session };
  auto_strv struct strv argv = { 0 };
  struct answers answers = { 0 };
  struct candidate used = { 0 };
  struct weir_command command;
  weir_status status = started_command (rt, policy, request, &call, &argv, &command, err);

  if (status == WEIR_OK)
    status = inspect_choose (rt, request, policy, &command, &call, &used, &answers, err);
  if (status == WEIR_OK) {
    inspect_policy (o, policy);
    inspect_limits (o, policy);
    inspect_environment (o, policy);
    inspect_view (o, policy);
    for (size_t i = 0; i < answers.lines.count; i++)
      inspect_line (o, "unusable", "%s", answers.lines.items[i]);
    inspect_strings (o, "not_usable", strv_items (&answers.lines));
    inspect_candidate (o, policy, &used);
  }
  answers_free (&answers);
  candidate_free (&used);
  return status;
}

weir_status
weir_show_plan (weir_runtime *rt, const struct weir_request *given, int format, weir_writer write, void *data, weir_error **err)
{
  struct weir_request request;
  struct policy policy = { 0 };
  struct out o;
  weir_status status = request_check (given, 1, &request, err);

  if (status != WEIR_OK)
    return status;
  out_init (&o, format, write, data);
  out_open (&o, NULL, '{');
  out_integer (&o, "schema_version", 1);
  status = runtime_policy (rt, &request, &policy, err);
  if (status == WEIR_OK)
    status = inspect_plan (rt, &request, &policy, &o, err);
  out_close (&o, '}');
  runtime_policy_end (rt, &policy);
  if (status == WEIR_OK)
    return out_end (&o, err);
  strbuf_free (&o.buffer);
  return status;
}

/* ---- weir explain ---- */

static void
inspect_verdict (struct out *o, const char *operation, const struct policy *policy, const struct verdict *v)
{
  inspect_line (o, v->allowed ? "ALLOWED" : "DENIED", "%s %s", operation, v->path == NULL ? "" : v->path);
  inspect_line (o, "mode", "%s (%s)", policy_mode_name (policy->mode), inspect_origin (policy->mode_origin));
  inspect_line (o, "rule", "%s (%s)", v->rule == NULL ? "" : v->rule, inspect_origin (v->origin));
  if (!v->allowed)
    inspect_line (o, "to allow", "%s", v->remedy == NULL ? "nothing would" : v->remedy);
  out_open (o, NULL, '{');
  out_integer (o, "schema_version", 1);
  out_string (o, "answer", v->allowed ? "allowed" : "denied");
  out_string (o, "operation", operation);
  out_string (o, "path", v->path);
  out_string (o, "mode", policy_mode_name (policy->mode));
  out_string (o, "rule", v->rule);
  out_string (o, "origin", inspect_origin (v->origin));
  out_string (o, "remedy", v->remedy);
  out_close (o, '}');
}

weir_status
weir_explain (weir_runtime *rt, const struct weir_request *given, const char *path, const char *operation, int format, int *answer,
              weir_writer write, void *data, weir_error **err)
{
  struct weir_request request;
  struct policy policy = { 0 };
  struct verdict verdict = { 0 };
  struct out o;
  weir_status status = request_check (given, 0, &request, err);

  if (status != WEIR_OK)
    return status;
  if (path == NULL || path[0] == '\0' || operation == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "a path and an operation are needed");
  out_init (&o, format, write, data);
  status = runtime_policy (rt, &request, &policy, err);
  if (status == WEIR_OK)
    status = judge_path (&policy, path, operation, &verdict, err);
  if (status == WEIR_OK) {
    if (answer != NULL)
      *answer = verdict.allowed ? WEIR_ANSWER_ALLOWED : WEIR_ANSWER_DENIED;
    inspect_verdict (&o, operation, &policy, &verdict);
    status = out_end (&o, err);
  }
  judge_free (&verdict);
  runtime_policy_end (rt, &policy);
  strbuf_free (&o.buffer);
  return status;
}

/* ---- weir config show, weir plugin list|info ---- */

weir_status
weir_show_config (weir_runtime *rt, int format, uint32_t flags, weir_writer write, void *data, weir_error **err)
{
  struct out o;

  if (flags & ~WEIR_SHOW_ORIGIN)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "unknown flag %u", flags);
  out_init (&o, format, write, data);
  settings_show (rt->settings, &o, (flags & WEIR_SHOW_ORIGIN) != 0);
  return out_end (&o, err);
}

weir_status
weir_show_plugins (weir_runtime *rt, const char *name, int format, weir_writer write, void *data, weir_error **err)
{
  struct out o;
  weir_status status;

  out_init (&o, format, write, data);
  status = plugins_show (rt->plugins, name, &o, err);
  if (status == WEIR_OK)
    return out_end (&o, err);
  strbuf_free (&o.buffer);
  return status;
}
