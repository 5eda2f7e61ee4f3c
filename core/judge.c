/* SPDX-License-Identifier: Apache-2.0 */
/* What the policy says of one operation on one path.  Only the policy: owner and mode of the file are the kernel's to
 * judge, and the command is told of them as ever.  */
#include "config.h"
#include "core/canon-internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/rootcheck.h"
#include "core/view-internal.h"

enum judge_operation {
  JUDGE_READ,
  JUDGE_WRITE,
  JUDGE_CREATE,
  JUDGE_DELETE,
  JUDGE_RENAME,
  JUDGE_METADATA,
  JUDGE_EXECUTE
};

const char *const judge_operations[] = {
  [JUDGE_READ] = "read",     [JUDGE_WRITE] = "write",       [JUDGE_CREATE] = "create",   [JUDGE_DELETE] = "delete",
  [JUDGE_RENAME] = "rename", [JUDGE_METADATA] = "metadata", [JUDGE_EXECUTE] = "execute", NULL
};

/* Device files that every backend leaves writable.  */
static const char *const judge_devices[] = { "/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                             "/dev/urandom", "/dev/tty",  "/dev/ptmx", NULL };

void
judge_free (struct verdict *v)
{
  free (v->origin);
  free (v->remedy);
  free (v->path);
  *v = (struct verdict){ 0 };
}

/* ---- answers; -1: out of memory ---- */

static int
judge_set (struct verdict *v, int allowed, const char *rule, const char *origin)
{
  v->allowed = allowed;
  v->rule = rule;
  v->origin = strdup (origin);
  return v->origin == NULL ? -1 : 0;
}

static int
judge_remedy (struct verdict *v, char *remedy)
{
  v->remedy = remedy;
  return remedy == NULL ? -1 : 0;
}

/* "FILE" of "FILE:LINE"; "the configuration" for another origin.  */
static char *
judge_file (const char *origin)
{
  const char *colon = origin == NULL ? NULL : strrchr (origin, ':');

  if (colon == NULL || origin[0] != '/' || colon[1] == '\0' || colon[1 + strspn (colon + 1, "0123456789")] != '\0')
    return strdup ("the configuration");
  return strndup (origin, (size_t) (colon - origin));
}

/* How to take back a rule that a line of the view stands for.  */
static int
judge_remedy_line (struct verdict *v, const struct weir_view *line, const char *option, const char *key)
{
  /* Of git's metadata, and of what is Weir's own: there is no switch.  */
  if (strcmp (line->origin, "command line") == 0)
    return judge_remedy (v, util_fmt ("leave out %s %s", option, line->world));
  if (line->origin[0] != '/')
    return 0;
  return judge_remedy (v, util_fmt ("take '%s' out of sandbox.%s (%s)", line->world, key, line->origin));
}

/* What would have to be a writable root: the path when it is there, else the nearest directory above that is.  */
static char *
judge_root_for (const struct policy *p, const char *path, int parent)
{
  auto_free char *at = strdup (path);
  struct stat st;

  while (at != NULL && at[0] == '/' && at[1] != '\0') {
    auto_free char *host = view_host (&p->view, at);
    if (host == NULL)
      return NULL;
    if (!parent && lstat (host, &st) == 0 && (S_ISDIR (st.st_mode) || S_ISREG (st.st_mode)))
      return steal (at);
    parent = 0;
    *strrchr (at, '/') = '\0';
  }
  return at == NULL ? NULL : strdup ("/");
}

static int
judge_remedy_root (const struct policy *p, struct verdict *v, int parent)
{
  int read_only = p->mode == WEIR_MODE_READ_ONLY;
  auto_free char *root = NULL, *file = NULL;
  auto_error weir_error *ignored = NULL;

  if (read_only && util_path_beneath (v->path, p->workspace))
    return judge_remedy (v, strdup ("-m workspace-write"));
  root = judge_root_for (p, v->path, parent);
  file = judge_file (p->mode_origin);
  if (root == NULL || file == NULL)
    return -1;
  /* No root that would be refused.  */
  if (rootcheck (root, "writable root", "", p->places, p->homes, &ignored) != WEIR_OK)
    return 0;
  return judge_remedy (v, util_fmt ("%s--rw %s, or add \"%s\" to sandbox.roots in %s",
                                    read_only ? "-m workspace-write " : "", root, root, file));
}

/* ---- rules ---- */

static int
judge_view (const struct policy *p, const struct weir_view *line, struct verdict *v)
{
  if (line->flags & WEIR_VIEW_TMP)
    return judge_set (v, 1, "in the private temporary directory, which the command sees as /tmp", line->origin);
  if (line->access == WEIR_ACCESS_WRITE)
    return judge_set (v, 1, line->flags & WEIR_VIEW_WORKSPACE ? "in the workspace" : "in a writable root",
                      line->origin);
  if (line->access == WEIR_ACCESS_NONE) {
    if (judge_set (v, 0, "the path is hidden from commands", line->origin) != 0)
      return -1;
    return judge_remedy_line (v, line, "--deny-read", "deny_read");
  }
  if (line->flags & WEIR_VIEW_WORKSPACE) {
    if (judge_set (v, 0, "in mode \"read-only\" a command writes nothing", p->mode_origin) != 0)
      return -1;
    return judge_remedy_root (p, v, 0);
  }
  if (judge_set (v, 0, "the path is read-only inside a writable root", line->origin) != 0)
    return -1;
  return judge_remedy_line (v, line, "--ro", "protect");
}

static int
judge_outside (const struct policy *p, struct verdict *v, int parent)
{
  const char *rule = p->mode == WEIR_MODE_READ_ONLY ? "in mode \"read-only\" a command writes nothing"
                                                    : "the path lies outside of every writable root";

  if (judge_set (v, 0, rule, p->mode_origin) != 0)
    return -1;
  return judge_remedy_root (p, v, parent);
}

static int
judge_read (const struct policy *p, struct verdict *v)
{
  const struct weir_view *line = view_find (&p->view, v->path);

  if (line != NULL && (line->access == WEIR_ACCESS_NONE || line->flags & WEIR_VIEW_TMP))
    return judge_view (p, line, v);
  return judge_set (v, 1, "whatever is not hidden can be read", p->mode_origin);
}

static int
judge_is_device (const char *path)
{
  for (const char *const *d = judge_devices; *d != NULL; d++)
    if (strcmp (path, *d) == 0)
      return 1;
  return 0;
}

static int
judge_write (const struct policy *p, struct verdict *v, enum judge_operation operation)
{
  const struct weir_view *line = view_find (&p->view, v->path);

  if (operation == JUDGE_WRITE && judge_is_device (v->path) && (line == NULL || line->access != WEIR_ACCESS_NONE))
    return judge_set (v, 1, "a device file that commands need", "built in");
  return line != NULL ? judge_view (p, line, v) : judge_outside (p, v, operation == JUDGE_CREATE);
}

/* The name itself: taken away, or given to something else.  It belongs to the directory that it is in.  */
static int
judge_name (const struct policy *p, struct verdict *v)
{
  const struct weir_view *at = NULL, *around;
  auto_free char *parent = strdup (v->path);
  char *slash;

  if (parent == NULL)
    return -1;
  for (size_t i = 0; i < p->view.count; i++)
    if (strcmp (p->view.lines[i]->world, v->path) == 0
        || (p->view.lines[i]->access == WEIR_ACCESS_NONE && util_path_beneath (v->path, p->view.lines[i]->world)))
      at = p->view.lines[i];
  if (at != NULL && (at->access == WEIR_ACCESS_READ || at->access == WEIR_ACCESS_NONE))
    return judge_view (p, at, v);
  if (at != NULL && at->access == WEIR_ACCESS_PIN)
    return judge_set (v, 0, "the path holds what is protected, so it keeps its name", at->origin);
  if (at != NULL)
    return judge_set (v, 0, "a root of the view keeps its name", at->origin);
  slash = strrchr (parent, '/');
  slash[slash == parent] = '\0';
  around = view_find (&p->view, parent);
  if (around == NULL)
    return judge_outside (p, v, 1);
  return judge_view (p, around, v);
}

/* ---- the path ---- */

static int
judge_find_operation (const char *word)
{
  for (int i = 0; judge_operations[i] != NULL; i++)
    if (strcmp (judge_operations[i], word) == 0)
      return i;
  return -1;
}

static weir_status
judge_unknown (const char *word, weir_error **err)
{
  const char *near = util_nearest (word, judge_operations);

  error_set (err, WEIR_E_INVALID, 0, "unknown operation '%s'", word);
  return near != NULL
             ? error_hint (err, "Did you mean '%s'?", near)
             : error_hint (err, "The operations are read, write, create, delete, rename, metadata and execute.");
}

weir_status
judge_path (const struct policy *p, const char *path, const char *operation, struct verdict *v, weir_error **err)
{
  int op = judge_find_operation (operation), failed;
  int name = op == JUDGE_DELETE || op == JUDGE_RENAME;
  const struct canon_options options = { .view = &p->view, .missing_ok = 1, .keep_last = name };
  auto_error weir_error *unasked = NULL;
  weir_status status;

  if (err == NULL)
    err = &unasked;
  *v = (struct verdict){ 0 };
  if (op < 0)
    return judge_unknown (operation, err);
  status = canon_walk (path, p->cwd != NULL ? p->cwd : p->workspace, &options, &v->path, err);
  if (status != WEIR_OK)
    return status;
  if (p->mode == WEIR_MODE_DANGER_FULL_ACCESS)
    failed = judge_set (v, 1, "mode \"danger-full-access\" confines nothing", p->mode_origin);
  else if (op == JUDGE_READ || op == JUDGE_EXECUTE)
    failed = judge_read (p, v);
  else
    failed = name ? judge_name (p, v) : judge_write (p, v, (enum judge_operation) op);
  if (failed == 0)
    return WEIR_OK;
  judge_free (v);
  return error_nomem (err);
}
