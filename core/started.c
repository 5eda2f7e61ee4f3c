/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"
#include "core/sink.h"

/* ---- what the candidates answered ---- */

void
answers_add (struct answers *a, const char *sandbox, const weir_error *error)
{
  struct strbuf line = { 0 };

  strbuf_str (&line, sandbox);
  for (const weir_error *e = error; e != NULL; e = weir_error_cause (e)) {
    strbuf_fmt (&line, ": %s", weir_error_message (e));
    for (size_t i = 0; weir_error_hint_at (e, i) != NULL; i++)
      strv_fmt (&a->hints, "%s: %s", sandbox, weir_error_hint_at (e, i));
  }
  strv_take (&a->lines, strbuf_steal (&line));
}

weir_status
answers_unavailable (const struct answers *a, const struct policy *policy, weir_error **err)
{
  auto_error weir_error *e = NULL;

  for (size_t i = a->lines.count; i > 0; i--)
    if (e == NULL)
      error_set (&e, WEIR_E_UNAVAILABLE, 0, "%s", a->lines.items[i - 1]);
    else
      error_wrap (&e, "%s", a->lines.items[i - 1]);
  if (e == NULL)
    error_set (&e, WEIR_E_UNAVAILABLE, 0, "sandbox.chain names no sandbox");
  error_wrap (&e, "mode \"%s\" cannot be enforced here; the command did not run, and it is never run unconfined instead",
              policy_mode_name (policy->mode));
  for (size_t i = 0; i < a->hints.count; i++)
    error_hint (&e, "%s", a->hints.items[i]);
  error_hint (&e, "'weir doctor' tries every sandbox of this configuration and says what to do about each");
  return error_move (err, steal (e));
}

void
answers_free (struct answers *a)
{
  strv_free (&a->lines);
  strv_free (&a->hints);
}

/* ---- the command ---- */

static const char *
started_path (const struct policy *policy)
{
  for (size_t i = 0; i < policy->env.count; i++)
    if (strncmp (policy->env.items[i], "PATH=", 5) == 0)
      return policy->env.items[i] + 5;
  return "/usr/local/bin:/usr/bin:/bin";
}

/* Where the host has a path of the command's view; the name itself when they are the same.  */
static char *
started_host_path (const struct policy *policy, const char *name)
{
  auto_free char *path = name[0] == '/' ? strdup (name) : util_fmt ("%s/%s", policy->cwd, name);
  const struct weir_view *line = path == NULL ? NULL : view_find (&policy->view, path);

  if (path == NULL)
    return NULL;
  if (line == NULL || strcmp (line->host, line->world) == 0)
    return steal (path);
  return util_fmt ("%s%s", line->host, path + strlen (line->world));
}

static weir_status
started_find (struct instance *world, const struct policy *policy, const char *name, const weir_call *call, struct strv *argv,
              weir_error **err)
{
  weir_sink sink = SINK_INIT (4096);
  auto_free char *path = strchr (name, '/') == NULL ? strdup (name) : started_host_path (policy, name);
  auto_free char *seen = NULL;
  weir_status status;

  if (path == NULL)
    return error_nomem (err);
  plugins_enter (world);
  status = world->adopted->process.find_executable (world->self, call, path, started_path (policy), policy->cwd, &sink, err);
  plugins_leave (world);
  if (status == WEIR_OK && name[0] != '/' && strchr (name, '/') != NULL) {
    seen = util_fmt ("%s/%s", strcmp (policy->cwd, "/") == 0 ? "" : policy->cwd, name);
    strv_take (argv, steal (seen));
  }
  else if (status == WEIR_OK) {
    /* What the host calls otherwise is executed by the name that the command's view has for it.  */
    strv_take (argv, name[0] == '/' ? strdup (name) : strbuf_steal (&sink.bytes));
  }
  strbuf_free (&sink.bytes);
  return status;
}

weir_status
started_command (weir_runtime *rt, const struct policy *policy, const struct weir_request *request, const weir_call *call,
                 struct strv *argv, struct weir_command *command, weir_error **err)
{
  struct instance *world;
  weir_status status = runtime_world (rt, &world, err);

  if (status == WEIR_OK)
    status = started_find (world, policy, request->argv[0], call, argv, err);
  if (status != WEIR_OK)
    return status;
  for (size_t i = 1; request->argv[i] != NULL; i++)
    strv_add (argv, request->argv[i]);
  if (argv->failed)
    return error_nomem (err);
  *command = (struct weir_command){ WEIR_SIZED (struct weir_command), .argv = strv_items (argv),
                                    .env = strv_items (&policy->env), .cwd = policy->cwd };
  return WEIR_OK;
}

/* ---- the chain ---- */

void
started_chain (weir_runtime *rt, const struct weir_request *request, struct strv *chain)
{
  if (request->sandbox != NULL) {
    strv_add (chain, request->sandbox);
    return;
  }
  for (size_t i = 0; i < rt->settings->chain.items.count; i++)
    strv_add (chain, rt->settings->chain.items.items[i]);
}

/* One entry.  *go_on: the next may do.  */
static weir_status
started_entry (weir_runtime *rt, const char *sandbox, const struct weir_command *command, const struct policy *policy,
               const struct weir_stdio *stdio, const weir_call *call, struct started *started, int *go_on, weir_error **err)
{
  int transient = 0;
  weir_status status = rt->flags & WEIR_RUNTIME_ONE_SHOT ? WEIR_OK : candidate_prove (rt, sandbox, policy, call, err);

  if (status == WEIR_OK)
    status = candidate_start (rt, sandbox, command, policy, stdio, call, &started->used, &started->process, &transient, err);
  /* A shortage is no reason to go on to a sandbox that may govern less.  */
  *go_on = !transient && !candidate_ends_call (status);
  return status;
}

static weir_status
started_walk (weir_runtime *rt, const struct strv *chain, const struct weir_command *command, const struct policy *policy,
              const struct weir_stdio *stdio, const weir_call *call, struct started *started, weir_error **err)
{
  struct answers answers = { 0 };
  weir_status status = WEIR_E_UNAVAILABLE;
  int go_on = 1;

  for (size_t i = 0; i < chain->count && go_on; i++) {
    auto_error weir_error *answer = NULL;
    status = started_entry (rt, chain->items[i], command, policy, stdio, call, started, &go_on, &answer);
    if (status == WEIR_OK)
      break;
    if (!go_on) {
      status = error_move (err, steal (answer));
      break;
    }
    log_line (&rt->log, WEIR_LOG_INFO, "sandbox '%s' is not usable: %s", chain->items[i], weir_error_message (answer));
    answers_add (&answers, chain->items[i], answer);
  }
  if (status != WEIR_OK && go_on)
    status = answers_unavailable (&answers, policy, err);
  answers_free (&answers);
  return status;
}

weir_status
started_run (weir_runtime *rt, const struct policy *policy, const struct weir_request *request, const struct weir_stdio *stdio,
             const weir_call *call, struct started *started, weir_error **err)
{
  auto_strv struct strv argv = { 0 }, chain = { 0 };
  struct weir_command command;
  int transient;
  weir_status status = runtime_world (rt, &started->world, err);

  started->running = 0;
  if (status == WEIR_OK)
    status = started_command (rt, policy, request, call, &argv, &command, err);
  if (status != WEIR_OK)
    return status;
  if (policy->mode == WEIR_MODE_DANGER_FULL_ACCESS) {
    status = candidate_start (rt, NULL, &command, policy, stdio, call, &started->used, &started->process, &transient, err);
  }
  else if (!(started->world->adopted->world.flags & WEIR_WORLD_LOCAL)) {
    status = error_set (err, WEIR_E_UNAVAILABLE, 0, "mode \"%s\" cannot be enforced in world '%s', whose paths are not this machine's",
                        policy_mode_name (policy->mode), started->world->adopted->name);
  }
  else {
    started_chain (rt, request, &chain);
    status = chain.failed ? error_nomem (err) : started_walk (rt, &chain, &command, policy, stdio, call, started, err);
  }
  started->running = status == WEIR_OK;
  return status;
}
