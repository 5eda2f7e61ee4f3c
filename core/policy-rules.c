/* SPDX-License-Identifier: Apache-2.0 */
/* What stays read-only or hidden in spite of the roots.  A rule holds for what its name means now: a link is followed,
 * and a name that means nothing gets no line, since no mount can hold what does not exist (weir.conf(5)).  */
#include "config.h"
#include "core/policy-internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/canon-internal.h"
#include "core/sessiondir-internal.h"
#include "core/view-internal.h"

/* The directories between a writable root and a rule in it: were one renamed, the rule would go with it and the command
 * could make another at its place.  */
static weir_status
rules_pin (struct view *view, const char *path, const char *origin, weir_error **err)
{
  const struct weir_view *root = view_find (view, path);
  auto_free char *at = strdup (path);
  size_t size;

  if (at == NULL)
    return error_nomem (err);
  if (root == NULL || root->access != WEIR_ACCESS_WRITE || strcmp (root->host, root->world) != 0)
    return WEIR_OK;
  size = strlen (root->world);
  for (char *slash = strrchr (at, '/'); slash != NULL && (size_t) (slash - at) > size; slash = strrchr (at, '/')) {
    weir_status status;
    *slash = '\0';
    if (view_pin (view, at) != NULL)
      continue;
    status = view_add (view, WEIR_ACCESS_PIN, 0, at, at, origin, err);
    if (status != WEIR_OK)
      return status;
  }
  return WEIR_OK;
}

static weir_status
rules_add (struct view *view, uint32_t access, const char *path, const char *origin, weir_error **err)
{
  weir_status status = rules_pin (view, path, origin, err);

  return status == WEIR_OK ? view_add (view, access, strcmp (origin, "built in") == 0 ? WEIR_VIEW_DERIVED : 0, path, path, origin, err)
                           : status;
}

static const struct weir_view *
rules_root_beneath (const struct view *view, const char *path)
{
  for (size_t i = 0; i < view->count; i++)
    if (view->lines[i]->access == WEIR_ACCESS_WRITE && util_path_beneath (view->lines[i]->world, path))
      return view->lines[i];
  return NULL;
}

/* *canonical stays NULL for a name that means nothing and may.  */
static weir_status
rules_canon (struct resolve *r, const char *what, const char *path, const char *origin, int must_exist,
             char **canonical, weir_error **err)
{
  auto_free char *whole = path[0] == '/' ? strdup (path) : util_fmt ("%s/%s", r->policy->workspace, path);
  struct stat st;

  if (whole == NULL)
    return error_nomem (err);
  /* Most names of the shipped list mean nothing on most machines: one call each.  What we cannot look at, for want of
   * permission or for a loop, a command of ours cannot either.  */
  if (!must_exist && stat (whole, &st) != 0)
    return WEIR_OK;
  weir_status status = canon_path (whole, NULL, 0, canonical, err);
  return status == WEIR_OK ? WEIR_OK : error_wrap (err, "%s path '%s' (%s)", what, path, origin);
}

/* ---- read-only ---- */

static weir_status
rules_protect (struct resolve *r, const char *path, const char *origin, int must_exist, weir_error **err)
{
  struct view *view = &r->policy->view;
  auto_free char *canonical = NULL;
  weir_status status = rules_canon (r, "read-only", path, origin, must_exist, &canonical, err);
  const struct weir_view *line, *root;

  if (status != WEIR_OK || canonical == NULL)
    return status;
  line = view_find (view, canonical);
  if (line != NULL && (line->access != WEIR_ACCESS_WRITE || strcmp (line->host, line->world) != 0))
    return WEIR_OK;
  if (line != NULL)
    return rules_add (view, WEIR_ACCESS_READ, canonical, origin, err);
  root = rules_root_beneath (view, canonical);
  if (root == NULL)
    return WEIR_OK;
  return error_set (err, WEIR_E_INVALID, 0, "read-only path '%s' (%s) holds the writable root '%s' (%s)", canonical,
                    origin, root->world, root->origin);
}

/* ---- hidden ---- */

static weir_status
rules_deny (struct resolve *r, const char *path, const char *origin, int must_exist, weir_error **err)
{
  struct view *view = &r->policy->view;
  auto_free char *canonical = NULL;
  weir_status status = rules_canon (r, "hidden", path, origin, must_exist, &canonical, err);
  const struct weir_view *root;

  if (status != WEIR_OK || canonical == NULL || !view_shows (view, canonical))
    return status;
  root = rules_root_beneath (view, canonical);
  if (root != NULL) {
    error_set (err, WEIR_E_INVALID, 0, "the root '%s' (%s) lies in '%s', which is hidden from commands (%s)",
               root->world, root->origin, canonical, origin);
    return error_hint (err, "Take one of the two out.");
  }
  return rules_add (view, WEIR_ACCESS_NONE, canonical, origin, err);
}

/* What other sessions have in their /tmp, and the spilled output of other commands.  */
static weir_status
rules_deny_runs (struct resolve *r, weir_error **err)
{
  const char *runs;
  weir_status status;

  if (r->policy->tmp == NULL)
    return WEIR_OK;
  status = sessiondir_runs (r->input->sessions, &runs, err);
  return status == WEIR_OK ? rules_deny (r, runs, RESOLVE_BUILT_IN, 1, err) : status;
}

weir_status
resolve_rules (struct resolve *r, weir_error **err)
{
  const struct settings *s = r->input->settings;
  int writes = r->policy->mode == WEIR_MODE_WORKSPACE_WRITE;
  weir_status status = WEIR_OK;

  for (size_t i = 0; writes && i < s->protect.items.count && status == WEIR_OK; i++)
    status = rules_protect (r, s->protect.items.items[i], s->protect.origins.items[i], 0, err);
  for (const char *const *p = r->request->read_only; p != NULL && *p != NULL && status == WEIR_OK; p++)
    status = rules_protect (r, *p, RESOLVE_COMMAND_LINE, 1, err);
  for (size_t i = 0; i < s->deny_read.items.count && status == WEIR_OK; i++)
    status = rules_deny (r, s->deny_read.items.items[i], s->deny_read.origins.items[i], 0, err);
  for (const char *const *p = r->request->deny_read; p != NULL && *p != NULL && status == WEIR_OK; p++)
    status = rules_deny (r, *p, RESOLVE_COMMAND_LINE, 1, err);
  return status == WEIR_OK ? rules_deny_runs (r, err) : status;
}
