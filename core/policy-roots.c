/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that says where a command may write.  */
#include "config.h"
#include "core/policy-internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/canon-internal.h"
#include "core/rootcheck.h"
#include "core/sessiondir-internal.h"
#include "core/view-internal.h"

/* ---- one root ---- */

/* A root's name leads through links: remember them, they are judged when all roots are known.  */
static weir_status
root_note_links (struct resolve *r, const struct strv *links, const char *target, const char *origin, weir_error **err)
{
  for (size_t i = 0; i < links->count; i++) {
    strv_add (&r->links, links->items[i]);
    strv_add (&r->link_targets, target);
    strv_add (&r->link_origins, origin);
  }
  return r->links.failed || r->link_targets.failed || r->link_origins.failed ? error_nomem (err) : WEIR_OK;
}

static weir_status
root_canon (struct resolve *r, const char *what, const char *path, const char *base, const char *origin,
            char **canonical, weir_error **err)
{
  auto_strv struct strv links = { 0 };
  const struct canon_options options = { .links = &links };
  weir_status status = canon_walk (path, base, &options, canonical, err);

  if (status != WEIR_OK)
    return error_wrap (err, "%s '%s' (%s)", what, path, origin);
  return root_note_links (r, &links, *canonical, origin, err);
}

/* Within a session a root stays what it was: a call must not find another directory under the name.  */
static weir_status
root_remember (struct resolve *r, const char *what, const char *path, const char *base, const struct stat *st,
               const char *canonical, const char *origin, weir_error **err)
{
  struct identity id;
  auto_free char *key = path[0] == '/' || base == NULL ? strdup (path) : util_fmt ("%s/%s", base, path);
  int changed;

  if (r->policy->session == NULL || r->input->sessions == NULL || !S_ISDIR (st->st_mode))
    return WEIR_OK;
  if (sessiondir_identify (canonical, &id) != 0)
    return error_set (err, WEIR_E_NOT_FOUND, errno, "%s '%s' (%s)", what, canonical, origin);
  changed = key == NULL ? -1 : sessiondir_remember (r->input->sessions, r->policy->session, key, &id);
  if (changed < 0)
    return error_nomem (err);
  if (changed == 0)
    return WEIR_OK;
  error_set (err, WEIR_E_CONFLICT, 0, "%s '%s' (%s) was replaced since an earlier call of session '%s'", what, path,
             origin, r->policy->session);
  return error_hint (err, "If that was meant, go on in a new session.");
}

static weir_status
root_check_kind (const char *what, const char *path, const char *origin, struct stat *st, weir_error **err)
{
  if (stat (path, st) != 0)
    return error_set (err, WEIR_E_NOT_FOUND, errno, "%s '%s' (%s)", what, path, origin);
  if (!S_ISDIR (st->st_mode) && !S_ISREG (st->st_mode))
    return error_set (err, WEIR_E_INVALID, 0, "%s '%s' (%s) is neither a directory nor a regular file", what, path,
                      origin);
  return WEIR_OK;
}

static weir_status
root_add (struct resolve *r, const char *path, const char *origin, weir_error **err)
{
  static const char what[] = "writable root";
  auto_free char *canonical = NULL;
  const char *base = r->policy->workspace;
  struct stat st;
  weir_status status = root_canon (r, what, path, base, origin, &canonical, err);

  if (status == WEIR_OK)
    status = root_check_kind (what, canonical, origin, &st, err);
  if (status == WEIR_OK)
    status = rootcheck (canonical, what, origin, r->input->places, r->homes, err);
  if (status == WEIR_OK)
    status = root_remember (r, what, path, base, &st, canonical, origin, err);
  if (status == WEIR_OK)
    status = view_add (&r->policy->view, WEIR_ACCESS_WRITE, 0, canonical, canonical, origin, err);
  return status;
}

/* ---- the workspace ---- */

weir_status
resolve_workspace (struct resolve *r, weir_error **err)
{
  static const char what[] = "workspace";
  struct policy *p = r->policy;
  const char *path = r->request->workspace;
  auto_free char *here = NULL;
  struct stat st;
  weir_status status;

  r->workspace_origin = path != NULL ? RESOLVE_COMMAND_LINE : "the working directory";
  /* What a relative name is relative to; an absolute one needs no working directory.  */
  if (path == NULL || path[0] != '/') {
    status = canon_path (".", NULL, 0, &here, err);
    if (status != WEIR_OK)
      return error_wrap (err, "the working directory of this process has no usable path");
  }
  if (path == NULL)
    path = here;
  status = root_canon (r, what, path, here, r->workspace_origin, &p->workspace, err);
  if (status != WEIR_OK)
    return status;
  if (stat (p->workspace, &st) != 0)
    return error_set (err, WEIR_E_NOT_FOUND, errno, "workspace '%s' (%s)", p->workspace, r->workspace_origin);
  if (!S_ISDIR (st.st_mode))
    return error_set (err, WEIR_E_INVALID, 0, "workspace '%s' (%s) is not a directory", p->workspace,
                      r->workspace_origin);
  p->workspace_dev = st.st_dev;
  p->workspace_ino = st.st_ino;
  if (p->mode == WEIR_MODE_DANGER_FULL_ACCESS)
    return WEIR_OK;
  status = rootcheck (p->workspace, what, r->workspace_origin, r->input->places, r->homes, err);
  return status == WEIR_OK ? root_remember (r, what, path, here, &st, p->workspace, r->workspace_origin, err) : status;
}

/* ---- /tmp ---- */

static weir_status
tmp_canon (char **canonical, weir_error **err)
{
  weir_status status = canon_path ("/tmp", NULL, 0, canonical, err);
  struct stat st;

  if (status == WEIR_OK && stat (*canonical, &st) == 0 && S_ISDIR (st.st_mode))
    return WEIR_OK;
  if (status == WEIR_OK)
    error_set (err, WEIR_E_INVALID, 0, "'/tmp' is not a directory");
  error_wrap (err, "there is no /tmp to give to the command");
  error_hint (err, "Make it: install -d -m 1777 /tmp");
  return status == WEIR_OK ? WEIR_E_INVALID : status;
}

static weir_status
tmp_host (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  auto_free char *tmp = NULL;
  weir_status status;

  if (r->policy->mode == WEIR_MODE_READ_ONLY)
    return WEIR_OK;
  status = tmp_canon (&tmp, err);
  return status == WEIR_OK ? root_add (r, tmp, s->tmp_origin != NULL ? s->tmp_origin : RESOLVE_BUILT_IN, err) : status;
}

/* In read-only mode too: what is written there nobody else sees, and few programs do without a temporary file.  */
static weir_status
tmp_private (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  struct policy *p = r->policy;
  auto_free char *tmp = NULL;
  weir_status status = tmp_canon (&tmp, err);

  if (status != WEIR_OK)
    return status;
  for (size_t i = 0; i < p->view.count; i++)
    if (strcmp (p->view.lines[i]->world, tmp) == 0) {
      error_set (err, WEIR_E_INVALID, 0, "root '%s' (%s) is where the private /tmp of the session is seen", tmp,
                 p->view.lines[i]->origin);
      return error_hint (err,
                         "Use a directory beneath it, or set sandbox.tmp = \"host\" to give commands the host's /tmp.");
    }
  if (strcmp (p->workspace, tmp) == 0) {
    error_set (err, WEIR_E_INVALID, 0, "workspace '%s' (%s) is where the private /tmp of the session is seen", tmp,
               r->workspace_origin);
    return error_hint (err,
                       "Use a directory beneath it, or set sandbox.tmp = \"host\" to give commands the host's /tmp.");
  }
  if (r->input->sessions == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "a private /tmp needs a state directory");
  status = sessiondir_tmp (r->input->sessions, p->session, &p->tmp, err);
  if (status == WEIR_OK)
    status = view_add (&p->view, WEIR_ACCESS_WRITE, WEIR_VIEW_TMP, p->tmp, tmp,
                       s->tmp_origin != NULL ? s->tmp_origin : RESOLVE_BUILT_IN, err);
  /* A workspace in the host's /tmp would be hidden by it.  */
  if (status == WEIR_OK && p->mode == WEIR_MODE_READ_ONLY && util_path_beneath (p->workspace, tmp))
    status = view_add (&p->view, WEIR_ACCESS_READ, WEIR_VIEW_WORKSPACE, p->workspace, p->workspace, r->workspace_origin,
                       err);
  return status;
}

/* ---- all of them ---- */

static weir_status
roots_named (struct resolve *r, weir_error **err)
{
  const struct setting_list *roots = &r->input->settings->roots;
  const char *const *asked = r->request->write;
  struct policy *p = r->policy;
  weir_status status;

  if (p->mode == WEIR_MODE_READ_ONLY) {
    if (asked == NULL || asked[0] == NULL)
      return WEIR_OK;
    error_set (err, WEIR_E_INVALID, 0, "writable root '%s' (%s): nothing is writable in mode \"read-only\"", asked[0],
               RESOLVE_COMMAND_LINE);
    return error_hint (err, "Use mode \"workspace-write\" with it.");
  }
  status =
      view_add (&p->view, WEIR_ACCESS_WRITE, WEIR_VIEW_WORKSPACE, p->workspace, p->workspace, r->workspace_origin, err);
  for (size_t i = 0; i < roots->items.count && status == WEIR_OK; i++)
    status = root_add (r, roots->items.items[i], roots->origins.items[i], err);
  for (; asked != NULL && *asked != NULL && status == WEIR_OK; asked++)
    status = root_add (r, *asked, RESOLVE_COMMAND_LINE, err);
  return status == WEIR_OK ? caches_apply (r->input, p, err) : status;
}

/* A link that lies in a writable root is one that a command can point anywhere, so a later call would make writable
 * whatever it chose.  Harmless when it leads to what is writable through the same root anyway.  */
static weir_status
roots_check_links (struct resolve *r, weir_error **err)
{
  const struct view *view = &r->policy->view;

  for (size_t i = 0; i < r->links.count; i++)
    for (size_t k = 0; k < view->count; k++) {
      const struct weir_view *line = view->lines[k];
      if (line->access != WEIR_ACCESS_WRITE || !util_path_beneath (r->links.items[i], line->host)
          || util_path_beneath (r->link_targets.items[i], line->host))
        continue;
      error_set (err, WEIR_E_DENIED, 0,
                 "root '%s' (%s) is refused: its name leads through the symbolic link '%s', which a command can "
                 "change, since it "
                 "lies in the writable root '%s' (%s)",
                 r->link_targets.items[i], r->link_origins.items[i], r->links.items[i], line->host, line->origin);
      return error_hint (err, "Name '%s' itself.", r->link_targets.items[i]);
    }
  return WEIR_OK;
}

static size_t
roots_count (const struct view *view)
{
  size_t n = 0;

  for (size_t i = 0; i < view->count; i++)
    n += view->lines[i]->access == WEIR_ACCESS_WRITE;
  return n;
}

/* Roots that git metadata needs (a repository elsewhere) are refused like any other.  */
static weir_status
roots_of_git (struct resolve *r, weir_error **err)
{
  const struct view *view = &r->policy->view;
  size_t before = roots_count (view), n = 0;
  weir_status status = gitmeta_apply (r->policy, err);

  for (size_t i = 0; i < view->count && status == WEIR_OK; i++)
    if (view->lines[i]->access == WEIR_ACCESS_WRITE && ++n > before)
      status = rootcheck (view->lines[i]->host, "repository", view->lines[i]->origin, r->input->places, r->homes, err);
  return status;
}

weir_status
resolve_roots (struct resolve *r, weir_error **err)
{
  weir_status status = roots_named (r, err);

  if (status == WEIR_OK)
    status = r->input->settings->private_tmp ? tmp_private (r, err) : tmp_host (r, err);
  if (status != WEIR_OK)
    return status;
  view_settle (&r->policy->view);
  status = roots_check_links (r, err);
  if (status == WEIR_OK && r->policy->mode == WEIR_MODE_WORKSPACE_WRITE)
    status = roots_of_git (r, err);
  return status;
}

/* ---- the working directory ---- */

/* Why a directory that the host has is not there for the command.  */
static weir_status
cwd_missing (struct resolve *r, const char *given, const char *seen, weir_error **err)
{
  const struct weir_view *line = view_find (&r->policy->view, seen);
  struct stat st;

  if (line == NULL || !(line->flags & WEIR_VIEW_TMP) || lstat (seen, &st) != 0)
    return error_set (err, WEIR_E_NOT_FOUND, ENOENT, "working directory '%s'", given);
  error_set (err, WEIR_E_INVALID, 0,
             "working directory '%s' lies in the host's /tmp, which the command does not see: its /tmp is "
             "private to the session",
             given);
  return error_hint (err, "Make it the workspace or a writable root, or set sandbox.tmp = \"host\".");
}

weir_status
resolve_cwd (struct resolve *r, weir_error **err)
{
  struct policy *p = r->policy;
  const char *given = r->request->cwd != NULL ? r->request->cwd : p->workspace;
  const struct canon_options options = { .view = &p->view, .missing_ok = 1 };
  weir_status status = canon_walk (given, p->workspace, &options, &p->cwd, err);
  const struct weir_view *line;
  struct stat st;

  if (status != WEIR_OK)
    return error_wrap (err, "working directory '%s'", given);
  line = view_find (&p->view, p->cwd);
  if (line != NULL && line->access == WEIR_ACCESS_NONE)
    return error_set (err, WEIR_E_INVALID, 0, "working directory '%s' is hidden from the command by '%s' (%s)", given,
                      line->world, line->origin);
  if (view_holds_beneath (&p->view, p->cwd))
    return WEIR_OK;
  auto_free char *host = view_host (&p->view, p->cwd);
  if (host == NULL)
    return error_nomem (err);
  if (stat (host, &st) != 0)
    return errno == ENOENT ? cwd_missing (r, given, p->cwd, err)
                           : error_set (err, WEIR_E_IO, errno, "working directory '%s'", given);
  return S_ISDIR (st.st_mode) ? WEIR_OK
                              : error_set (err, WEIR_E_INVALID, 0, "working directory '%s' is not a directory", given);
}
