/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/policy-internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/env-internal.h"
#include "core/rootcheck.h"
#include "core/sessiondir-internal.h"

/* ---- what was asked for ---- */

static weir_status
policy_copy (char **to, const char *from, weir_error **err)
{
  if (from == NULL)
    return WEIR_OK;
  *to = strdup (from);
  return *to == NULL ? error_nomem (err) : WEIR_OK;
}

static int
policy_any (const char *const *list)
{
  return list != NULL && list[0] != NULL;
}

/* What a caller asks for and this mode cannot give is said, not ignored.  */
static weir_status
policy_check_danger (const struct weir_request *request, weir_error **err)
{
  const char *what = request->network_set && request->network != WEIR_NETWORK_INHERIT ? "a network setting"
                     : policy_any (request->read_only)                                ? "a read-only path"
                     : policy_any (request->deny_read)                                ? "a hidden path"
                                                                                      : NULL;

  if (what == NULL)
    return WEIR_OK;
  error_set (err, WEIR_E_INVALID, 0,
             "mode \"danger-full-access\" confines nothing: %s that was asked for cannot be held", what);
  return error_hint (err, "Leave it out, or use mode \"workspace-write\".");
}

static weir_status
policy_mode (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  const struct weir_request *q = r->request;
  struct policy *p = r->policy;
  weir_status status;

  p->mode = q->mode != 0 ? q->mode : s->mode;
  if (p->mode < WEIR_MODE_READ_ONLY || p->mode > WEIR_MODE_DANGER_FULL_ACCESS)
    return error_set (err, WEIR_E_INVALID, 0, "unknown mode %u", (unsigned) p->mode);
  status = policy_copy (&p->mode_origin,
                        q->mode != 0     ? RESOLVE_COMMAND_LINE
                        : s->mode_origin ? s->mode_origin
                                         : RESOLVE_BUILT_IN,
                        err);
  if (status == WEIR_OK)
    status = policy_copy (&p->session, q->session, err);
  if (status == WEIR_OK && q->session != NULL && q->session[0] == '\0')
    return error_set (err, WEIR_E_INVALID, 0, "the name of the session is empty");
  if (status != WEIR_OK || p->mode != WEIR_MODE_DANGER_FULL_ACCESS)
    return status;
  return policy_check_danger (q, err);
}

static weir_status
policy_network (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  const struct weir_request *q = r->request;
  struct policy *p = r->policy;
  const char *origin = q->network_set ? RESOLVE_COMMAND_LINE : s->network_origin ? s->network_origin : RESOLVE_BUILT_IN;

  p->network = q->network_set ? q->network : s->network;
  if (p->mode == WEIR_MODE_DANGER_FULL_ACCESS) {
    p->network = WEIR_NETWORK_INHERIT;
    origin = p->mode_origin;
  }
  if (p->network > WEIR_NETWORK_NONE)
    return error_set (err, WEIR_E_INVALID, 0, "unknown network setting %u", (unsigned) p->network);
  return policy_copy (&p->network_origin, origin, err);
}

/* ---- what follows ---- */

static weir_status
policy_environment (struct resolve *r, weir_error **err)
{
  const char *const *named = r->request->env;
  struct policy *p = r->policy;

  /* The caller's own word stands also over what a cache set needs.  */
  weir_status status = env_request (named, r->input->environ, &p->env, err);
  if (status != WEIR_OK)
    return status;
  if (p->tmp != NULL && !env_named (named, "TMPDIR"))
    env_set (&p->env, "TMPDIR", "/tmp");
  env_set (&p->env, "PWD", p->cwd);
  return p->env.failed ? error_nomem (err) : WEIR_OK;
}

static void
policy_axes (struct policy *p)
{
  p->promised = WEIR_EFFECTS_ALL;
  p->axes |= p->network == WEIR_NETWORK_NONE ? WEIR_AXIS_NETWORK_NONE : 0;
  p->axes |= p->network == WEIR_NETWORK_LOOPBACK ? WEIR_AXIS_NETWORK_LOOPBACK : 0;
  for (size_t i = 0; i < p->view.count; i++) {
    const struct weir_view *line = p->view.lines[i];
    p->axes |= line->access == WEIR_ACCESS_NONE ? WEIR_AXIS_DENY_READ : 0;
    p->axes |= line->access == WEIR_ACCESS_READ || line->access == WEIR_ACCESS_PIN ? WEIR_AXIS_PROTECT : 0;
    p->axes |= strcmp (line->host, line->world) != 0 ? WEIR_AXIS_PRIVATE_TMP : 0;
  }
}

static weir_status
policy_resolve_all (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  struct policy *p = r->policy;
  weir_status status = policy_mode (r, err);

  if (status == WEIR_OK)
    status = policy_network (r, err);
  if (status == WEIR_OK)
    status = resolve_limits (r, err);
  if (status == WEIR_OK)
    status = resolve_workspace (r, err);
  if (status == WEIR_OK)
    status = env_build (s, r->input->environ, r->request->env, &p->env, &p->env_dropped, err);
  if (status == WEIR_OK && p->mode != WEIR_MODE_DANGER_FULL_ACCESS) {
    status = resolve_roots (r, err);
    if (status == WEIR_OK)
      status = resolve_rules (r, err);
  }
  if (status == WEIR_OK)
    status = resolve_cwd (r, err);
  if (status == WEIR_OK)
    status = policy_environment (r, err);
  if (status != WEIR_OK || p->mode == WEIR_MODE_DANGER_FULL_ACCESS)
    return status;
  policy_axes (p);
  p->require_origin = s->require_full ? s->require_origin ? s->require_origin : RESOLVE_BUILT_IN : NULL;
  return WEIR_OK;
}

static weir_status
policy_homes (struct resolve *r, weir_error **err)
{
  r->homes_owned = r->input->sessions == NULL;
  r->homes = r->homes_owned ? homes_new ("/etc/passwd", r->input->settings, r->input->environ)
                            : sessiondir_homes (r->input->sessions, r->input);
  return r->homes == NULL ? error_nomem (err) : WEIR_OK;
}

weir_status
policy_resolve (const struct policy_input *input, const struct weir_request *request, struct policy *policy,
                weir_error **err)
{
  struct resolve r = { .input = input, .request = request, .policy = policy };
  auto_error weir_error *unasked = NULL; /* a hint or a wrap needs an error to find the code in */
  weir_status status;

  if (err == NULL)
    err = &unasked;
  *policy = (struct policy){ .places = input->places };
  status = policy_homes (&r, err);
  policy->homes = r.homes_owned ? NULL : r.homes;
  if (status == WEIR_OK)
    status = policy_resolve_all (&r, err);
  if (status != WEIR_OK && policy->tmp != NULL) {
    sessiondir_release_tmp (input->sessions, policy->session, policy->tmp);
    free (steal (policy->tmp));
  }
  if (r.homes_owned)
    homes_free (r.homes);
  strv_free (&r.links);
  strv_free (&r.link_targets);
  strv_free (&r.link_origins);
  return status;
}

void
policy_free (struct policy *p)
{
  gitmeta_free (p->git);
  free (p->mode_origin);
  free (p->network_origin);
  free (p->workspace);
  free (p->session);
  free (p->cwd);
  free (p->tmp);
  view_free (&p->view);
  strv_free (&p->env);
  strv_free (&p->env_dropped);
  for (size_t i = 0; i < ARRAY_SIZE (p->limits_origin); i++)
    free (p->limits_origin[i]);
  *p = (struct policy){ 0 };
}

/* ---- a resolved policy ---- */

void
policy_for_plugin (const struct policy *p, struct weir_policy *out)
{
  *out = (struct weir_policy){ WEIR_SIZED (struct weir_policy),
                               .mode = p->mode,
                               .network = p->network,
                               .promised = p->promised,
                               .axes = p->axes,
                               .workspace = p->workspace,
                               .session = p->session,
                               .view = (const struct weir_view *const *) p->view.lines,
                               .view_count = p->view.count,
                               .limits = &p->limits };
}

static weir_status
policy_recheck_one (const char *path, const char *origin, int is_dir, uint64_t dev, uint64_t ino, weir_error **err)
{
  struct stat st;

  /* The path is canonical: a link at its end is a replacement, whatever it leads to, and it may have got the number of
   * what it replaces.  */
  if (lstat (path, &st) == 0 && st.st_dev == dev && st.st_ino == ino
      && (is_dir ? S_ISDIR (st.st_mode) : S_ISREG (st.st_mode)))
    return WEIR_OK;
  error_set (err, WEIR_E_CONFLICT, 0, "root '%s' (%s) was replaced since the policy was made", path, origin);
  return error_hint (err, "Run the command again if the new '%s' is meant.", path);
}

weir_status
policy_recheck (const struct policy *p, weir_error **err)
{
  auto_error weir_error *unasked = NULL;
  weir_status status = WEIR_OK;

  if (err == NULL)
    err = &unasked;
  if (p->workspace != NULL)
    status = policy_recheck_one (p->workspace, "the workspace", 1, p->workspace_dev, p->workspace_ino, err);
  for (size_t i = 0; i < p->view.count && status == WEIR_OK; i++) {
    const struct weir_view *line = p->view.lines[i];
    if (line->access == WEIR_ACCESS_WRITE)
      status = policy_recheck_one (line->host, line->origin, (int) line->is_dir, line->dev, line->ino, err);
  }
  return status;
}
