/* SPDX-License-Identifier: Apache-2.0 */
/* Which files decide what git runs: one git directory, its worktrees, the pointers to it, its configuration.  */
#include "config.h"

#include "core/gitmeta-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CONFIG_FILES_LIMIT 64
#define WORKTREES_LIMIT 256

struct gitconfigs {
  struct gitconfig *files;
  size_t count;
  struct strv seen;
};

int
gitrepo_is_directory (const char *path)
{
  struct stat st;

  return lstat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

weir_status
gitrepo_say (struct gitbuild *b, weir_error **err, char *line)
{
  strv_take (&b->git->notes, line);
  return b->git->notes.failed ? error_nomem (err) : WEIR_OK;
}

/* ---- configuration ---- */

void
gitrepo_free_configs (struct gitconfigs *c)
{
  if (c == NULL)
    return;
  for (size_t i = 0; i < c->count; i++)
    gitconfig_free (&c->files[i]);
  free (c->files);
  strv_free (&c->seen);
  free (c);
}

static void
free_configs_ptr (struct gitconfigs **c)
{
  gitrepo_free_configs (*c);
}
#define auto_configs __attribute__ ((cleanup (free_configs_ptr)))

static weir_status collect (struct gitbuild *, const char *path, unsigned depth, struct gitconfigs *, weir_error **);

static weir_status
collect_include (struct gitbuild *b, const char *file, const char *value, unsigned depth, struct gitconfigs *c,
                 weir_error **err)
{
  const char *name;
  auto_free char *base = gitguard_parent (file, &name), *path = NULL;
  weir_status st;

  if (base == NULL)
    return error_nomem (err);
  path = gitconfig_path (value, b->home, base);
  if (path == NULL)
    return errno == ENOMEM ? error_nomem (err) : WEIR_OK;
  st = gitguard_protect (b, path, 0, "file included by git's configuration", err);
  return st == WEIR_OK ? collect (b, path, depth + 1, c, err) : st;
}

/* Every include counts, whatever its condition.  */
static weir_status
collect (struct gitbuild *b, const char *path, unsigned depth, struct gitconfigs *c, weir_error **err)
{
  auto_free char *canonical = NULL, *bytes = NULL;
  weir_status st = gitguard_trace (b, path, &canonical, err);
  struct gitconfig *files;
  size_t size, at;

  if (st != WEIR_OK || canonical == NULL || depth > GIT_INCLUDE_DEPTH || c->count == CONFIG_FILES_LIMIT
      || strv_has (&c->seen, canonical))
    return st;
  strv_add (&c->seen, canonical);
  bytes = gitguard_read (canonical, GIT_CONFIG_LIMIT, &size);
  if (bytes == NULL)
    return errno != EFBIG ? WEIR_OK
           : gitrepo_say (b, err, util_fmt ("git: '%s' is too large to be read: what it names is not protected", path));
  files = reallocarray (c->files, c->count + 1, sizeof *files);
  if (files == NULL)
    return error_nomem (err);
  c->files = files;
  at = c->count++;
  if (gitconfig_parse (bytes, size, &c->files[at]) != 0 && errno == ENOMEM)
    return error_nomem (err);
  for (size_t i = 0; st == WEIR_OK && i < c->files[at].count; i++) {
    const struct gitconfig_entry e = c->files[at].entries[i];

    if (e.value != NULL && gitconfig_is_include (e.key))
      st = collect_include (b, path, e.value, depth, c, err);
  }
  return st;
}

/* The first word of a command, when it is a path.  */
static char *
program_of (const char *command)
{
  size_t n = strcspn (command, " \t\n\"'");

  return memchr (command, '/', n) != NULL ? strndup (command, n) : NULL;
}

static weir_status
apply_entry (struct gitbuild *b, const struct gitconfig_entry *e, const char *base, weir_error **err)
{
  auto_free char *path = NULL, *program = NULL;
  const char *value = e->value;

  if (strcmp (e->key, "core.fsmonitor") == 0 && value != NULL && gitconfig_boolean (value) < 0)
    value = program = program_of (value);
  else if (strcmp (e->key, "core.hookspath") != 0 && strcmp (e->key, "core.attributesfile") != 0)
    return WEIR_OK;
  if (value == NULL)
    return WEIR_OK;
  path = gitconfig_path (value, b->home, base);
  if (path == NULL)
    return errno == ENOMEM ? error_nomem (err) : WEIR_OK;
  if (strcmp (e->key, "core.hookspath") == 0)
    return gitguard_hooks (b, path, 0, err);
  return gitguard_protect (b, path, 0, program != NULL ? "git's file system monitor" : "git attributes", err);
}

static weir_status
apply_configs (struct gitbuild *b, const struct gitconfigs *c, const char *base, weir_error **err)
{
  weir_status st = WEIR_OK;

  for (size_t i = 0; i < c->count; i++)
    for (size_t k = 0; st == WEIR_OK && k < c->files[i].count; k++)
      st = apply_entry (b, &c->files[i].entries[k], base, err);
  return st;
}

static struct gitconfigs *
configs_new (weir_error **err)
{
  struct gitconfigs *c = calloc (1, sizeof *c);

  if (c == NULL)
    error_nomem (err);
  return c;
}

/* The system's and the user's files, read once.  */
static weir_status
read_globals (struct gitbuild *b, weir_error **err)
{
  static const char *const names[] = { "%s/.config/git/config", "%s/.gitconfig" };
  weir_status st;

  if (b->globals != NULL)
    return WEIR_OK;
  b->globals = configs_new (err);
  if (b->globals == NULL)
    return WEIR_E_NOMEM;
  st = collect (b, "/etc/gitconfig", 0, b->globals, err);
  for (size_t i = 0; st == WEIR_OK && b->home != NULL && i < ARRAY_SIZE (names); i++) {
    auto_free char *path = util_fmt ("%s%s", b->home, names[i] + 2);

    st = path == NULL ? error_nomem (err) : collect (b, path, 0, b->globals, err);
  }
  return st;
}

/* Bytes of an object's name.  */
static size_t
hash_size (const struct gitconfigs *c)
{
  const char *format = NULL;

  for (size_t i = 0; i < c->count; i++)
    if (gitconfig_last (&c->files[i], "extensions.objectformat") != NULL)
      format = gitconfig_last (&c->files[i], "extensions.objectformat");
  return format != NULL && strcmp (format, "sha256") == 0 ? 32 : 20;
}

/* What the configuration of one worktree names.  */
static weir_status
protect_named (struct gitbuild *b, const char *gitdir, const char *common, const char *worktree, size_t *hash,
               weir_error **err)
{
  auto_configs struct gitconfigs *c = configs_new (err);
  auto_free char *config = util_fmt ("%s/config", common), *own = util_fmt ("%s/config.worktree", gitdir);
  const char *base = worktree != NULL ? worktree : gitdir;
  weir_status st;

  if (c == NULL || config == NULL || own == NULL)
    return error_nomem (err);
  st = read_globals (b, err);
  if (st == WEIR_OK)
    st = collect (b, config, 0, c, err);
  if (st == WEIR_OK)
    st = collect (b, own, 0, c, err);
  *hash = hash_size (c);
  if (st == WEIR_OK)
    st = apply_configs (b, c, base, err);
  return st == WEIR_OK ? apply_configs (b, b->globals, base, err) : st;
}

/* ---- pointers ---- */

/* The path in a pointer file: "gitdir: PATH", or PATH alone; relative to base.  NULL: not of that form (or no memory,
 * which leads to less being granted).  */
static char *
pointed (const char *file, const char *prefix, const char *base)
{
  size_t size, skip = strlen (prefix);
  auto_free char *text = gitguard_read (file, GIT_POINTER_LIMIT, &size);

  if (text == NULL || strncmp (text, prefix, skip) != 0)
    return NULL;
  while (size > skip && (text[size - 1] == '\n' || text[size - 1] == '\r'))
    text[--size] = '\0';
  if (size == skip)
    return NULL;
  return text[skip] == '/' ? strdup (text + skip) : util_fmt ("%s/%s", base, text + skip);
}

weir_status
gitrepo_pointed (struct gitbuild *b, const char *directory, const char *name, const char *prefix, char **canonical,
                 weir_error **err)
{
  auto_free char *file = util_fmt ("%s/%s", directory, name), *path = NULL, *real = NULL;
  weir_status st;

  *canonical = NULL;
  if (file == NULL)
    return error_nomem (err);
  st = gitguard_trace (b, file, &real, err);
  if (st != WEIR_OK || real == NULL)
    return st;
  path = pointed (real, prefix, directory);
  return path == NULL ? WEIR_OK : gitguard_trace (b, path, canonical, err);
}

/* ---- one git directory ---- */

static int
is_linked (const char *gitdir)
{
  const char *name, *container;
  auto_free char *parent = gitguard_parent (gitdir, &name), *above = NULL;

  above = parent != NULL ? gitguard_parent (parent, &container) : NULL;
  return above != NULL && strcmp (container, "worktrees") == 0;
}

static weir_status
remember_directory (struct gitbuild *b, const char *gitdir, weir_error **err)
{
  struct gitmeta *g = b->git;
  auto_close int fd = open (gitdir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  auto_free char *path = strdup (gitdir);
  struct gitdir *dirs;
  size_t base;

  if (fd < 0 || gitguard_base (b, gitdir, &base) != 0)
    return error_set (err, WEIR_E_CONFLICT, errno, "open the git directory '%s'", gitdir);
  dirs = reallocarray (g->dirs, g->dir_count + 1, sizeof *dirs);
  if (dirs == NULL || path == NULL)
    return error_nomem (err);
  g->dirs = dirs;
  dirs[g->dir_count++] = (struct gitdir) { base, steal (path), steal_fd (&fd) };
  return WEIR_OK;
}

static weir_status
protect_files (struct gitbuild *b, const char *gitdir, int linked, weir_error **err)
{
  static const struct {
    const char *name, *origin;
    int linked; /* 1: only in the directory of a linked worktree, -1: only elsewhere */
    unsigned flags;
  } files[] = {
    { "config", "git configuration", -1, 0 },
    { "config.worktree", "git configuration", 0, 0 },
    { "commondir", "git pointer", 1, 0 },
    { "commondir", "git pointer", -1, GITSNAP_STAY_GONE },
    { "gitdir", "git pointer", 1, 0 },
    { "info/attributes", "git attributes", -1, 0 },
    { "objects/info/alternates", "git pointer", -1, 0 },
  };
  weir_status st = WEIR_OK;

  for (size_t i = 0; st == WEIR_OK && i < ARRAY_SIZE (files); i++) {
    if (files[i].linked != 0 && (files[i].linked > 0) != linked)
      continue;
    auto_free char *path = util_fmt ("%s/%s", gitdir, files[i].name);
    st = path == NULL ? error_nomem (err) : gitguard_protect (b, path, files[i].flags, files[i].origin, err);
  }
  return st;
}

/* A directory WORKTREES/NAME of a repository, and the file .git that points to it.  */
static weir_status
protect_worktree (struct gitbuild *b, const char *linked, weir_error **err)
{
  auto_free char *pointer = NULL, *worktree = NULL;
  const char *name;
  weir_status st = gitrepo_pointed (b, linked, "gitdir", "", &pointer, err);

  if (st != WEIR_OK)
    return st;
  if (pointer != NULL && (worktree = gitguard_parent (pointer, &name)) == NULL)
    return error_nomem (err);
  if (pointer != NULL && strcmp (name, ".git") == 0 && gitrepo_is_directory (worktree))
    st = gitguard_protect (b, pointer, GITSNAP_STAY_GONE, "git pointer", err);
  return st == WEIR_OK ? gitrepo_protect (b, linked, worktree, err) : st;
}

static weir_status
protect_worktrees (struct gitbuild *b, const char *gitdir, weir_error **err)
{
  auto_free char *path = util_fmt ("%s/worktrees", gitdir);
  auto_strv struct strv names = { 0 };
  const struct dirent *e;
  weir_status st = WEIR_OK;
  DIR *d;

  if (path == NULL)
    return error_nomem (err);
  d = gitrepo_is_directory (path) ? opendir (path) : NULL;
  while (d != NULL && names.count <= WORKTREES_LIMIT && (e = readdir (d)) != NULL)
    if (e->d_name[0] != '.' || (e->d_name[1] != '\0' && strcmp (e->d_name, "..") != 0))
      strv_fmt (&names, "%s/%s", path, e->d_name);
  if (d != NULL)
    closedir (d);
  if (names.failed)
    return error_nomem (err);
  if (names.count > WORKTREES_LIMIT || b->repositories.count + names.count > GIT_REPOSITORIES_LIMIT)
    return gitguard_protect (b, path, 0, "git worktrees, too many to look at each", err);
  for (size_t i = 0; st == WEIR_OK && i < names.count; i++) {
    auto_free char *canonical = NULL;

    st = gitguard_trace (b, names.items[i], &canonical, err);
    if (st == WEIR_OK && canonical != NULL && gitrepo_is_directory (canonical))
      st = protect_worktree (b, canonical, err);
  }
  return st;
}

/* Where configuration and hooks are: commondir's target, or the git directory itself.  */
static weir_status
find_common (struct gitbuild *b, const char *gitdir, int linked, char **common, weir_error **err)
{
  weir_status st = gitrepo_pointed (b, gitdir, "commondir", "", common, err);

  if (st == WEIR_OK && *common != NULL && !linked)
    st = gitrepo_say (b, err, util_fmt ("git: '%s/commondir' makes git take its configuration and hooks from '%s'; "
                                "a repository of its own has no such file", gitdir, *common));
  if (st == WEIR_OK && *common == NULL && (*common = strdup (gitdir)) == NULL)
    st = error_nomem (err);
  return st;
}

weir_status
gitrepo_protect (struct gitbuild *b, const char *gitdir, const char *worktree, weir_error **err)
{
  auto_free char *common = NULL, *hooks = NULL;
  int linked = is_linked (gitdir);
  size_t hash = 20;
  weir_status st;

  if (strv_has (&b->repositories, gitdir) || !gitrepo_is_directory (gitdir) || b->repositories.count == GIT_REPOSITORIES_LIMIT)
    return WEIR_OK;
  strv_add (&b->repositories, gitdir);
  st = find_common (b, gitdir, linked, &common, err);
  if (st == WEIR_OK && gitguard_writable (b, gitdir) != NULL) {
    st = gitguard_pin (b, gitdir, "git directory", err);
    if (st == WEIR_OK && !linked)
      st = remember_directory (b, gitdir, err);
  }
  if (st == WEIR_OK)
    st = protect_files (b, gitdir, linked, err);
  hooks = util_fmt ("%s/hooks", common != NULL ? common : gitdir);
  if (hooks == NULL)
    return error_nomem (err);
  if (st == WEIR_OK)
    st = gitguard_hooks (b, hooks, 1, err);
  if (st == WEIR_OK && strcmp (common, gitdir) != 0 && gitguard_writable (b, common) != NULL)
    st = gitrepo_protect (b, common, NULL, err);
  if (st == WEIR_OK)
    st = protect_named (b, gitdir, common, worktree, &hash, err);
  if (st == WEIR_OK)
    st = gitmodules_protect (b, gitdir, worktree, err);
  if (st == WEIR_OK)
    st = gitlinks_protect (b, gitdir, worktree, hash, err);
  return st == WEIR_OK && !linked ? protect_worktrees (b, gitdir, err) : st;
}

/* ---- a writable root ---- */

static weir_status
bare (struct gitbuild *b, const char *root, weir_error **err)
{
  auto_free char *head = util_fmt ("%s/HEAD", root), *objects = util_fmt ("%s/objects", root),
                 *refs = util_fmt ("%s/refs", root);
  struct stat st;

  if (head == NULL || objects == NULL || refs == NULL)
    return error_nomem (err);
  if (lstat (head, &st) != 0 || S_ISDIR (st.st_mode) || !gitrepo_is_directory (objects) || !gitrepo_is_directory (refs))
    return WEIR_OK;
  return gitrepo_protect (b, root, NULL, err);
}

weir_status
gitrepo_root (struct gitbuild *b, const char *root, weir_error **err)
{
  auto_free char *dotgit = util_fmt ("%s/.git", root), *real = NULL, *gitdir = NULL;
  const char *name;
  struct stat s;
  weir_status st;

  if (dotgit == NULL)
    return error_nomem (err);
  if (lstat (dotgit, &s) != 0)
    return bare (b, root, err);
  st = gitguard_trace (b, dotgit, &real, err);
  if (st != WEIR_OK || real == NULL || lstat (real, &s) != 0)
    return st;
  if (S_ISDIR (s.st_mode))
    return gitguard_writable (b, real) != NULL ? gitrepo_protect (b, real, root, err) : gitoutside_grant (b, real, NULL, root, err);
  if (!S_ISREG (s.st_mode))
    return gitguard_protect (b, real, 0, "git pointer", err);
  st = gitguard_protect (b, real, 0, "git pointer", err);
  if (st != WEIR_OK)
    return st;
  auto_free char *directory = gitguard_parent (real, &name);
  if (directory == NULL)
    return error_nomem (err);
  st = gitrepo_pointed (b, directory, name, "gitdir: ", &gitdir, err);
  if (st != WEIR_OK || gitdir == NULL || !gitrepo_is_directory (gitdir))
    return st;
  if (gitguard_writable (b, gitdir) != NULL)
    return gitrepo_protect (b, gitdir, root, err);
  /* A link to another worktree's pointer, which is backed well enough, is no pointer of this one.  */
  return gitoutside_grant (b, gitdir, strcmp (real, dotgit) == 0 ? real : NULL, root, err);
}
