/* SPDX-License-Identifier: Apache-2.0 */
/* Named cache sets: state_dir/caches/KEY/NAME, where KEY stands for the workspace.  caches/KEY/path names the
 * workspace, so that two whose keys are equal do not share what each of them may write.  */
#include "config.h"
#include "core/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/env-internal.h"
#include "core/sessiondir-internal.h"

#define CACHES_PATH_LIMIT ((size_t) 65536)
#define CACHES_KEYS 1000

struct cache_set {
  const char *name;
  struct {
    const char *variable, *beneath;
  } env[2];
};

static const struct cache_set cache_sets[] = {
  { "npm", { { "npm_config_cache", "" } } },
  { "pip", { { "PIP_CACHE_DIR", "" } } },
  { "cargo", { { "CARGO_HOME", "" } } }, /* the registry has no variable of its own */
  { "go", { { "GOCACHE", "/build" }, { "GOMODCACHE", "/mod" } } },
  { "ccache", { { "CCACHE_DIR", "" } } },
};

const char *const caches_names[] = { "npm", "pip", "cargo", "go", "ccache", NULL };

static const struct cache_set *
caches_find (const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE (cache_sets); i++)
    if (strcmp (cache_sets[i].name, name) == 0)
      return &cache_sets[i];
  return NULL;
}

/* FNV-1a, which only has to spread.  */
static uint64_t
caches_hash (const char *text)
{
  uint64_t hash = UINT64_C (0xcbf29ce484222325);

  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char) *text) * UINT64_C (0x100000001b3);
  return hash;
}

/* Is the directory this workspace's, or nobody's until now?  1: yes; 0: another's; -1: errno.  */
static int
caches_claim (int fd, const char *workspace)
{
  char fresh[17];
  auto_free char *owner = util_read_file (fd, "path", CACHES_PATH_LIMIT, NULL);

  if (owner != NULL)
    return strcmp (owner, workspace) == 0;
  if (errno != ENOENT)
    return -1;
  util_random_name (fresh);
  auto_close int file = openat (fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return -1;
  int failed = util_write_all (file, workspace, strlen (workspace)) != 0;
  /* Whole or not at all, and the first one wins.  */
  if (!failed && linkat (fd, fresh, fd, "path", 0) != 0 && errno != EEXIST)
    failed = 1;
  int saved = errno;
  unlinkat (fd, fresh, 0);
  errno = saved;
  if (failed)
    return -1;
  owner = util_read_file (fd, "path", CACHES_PATH_LIMIT, NULL);
  return owner == NULL ? -1 : strcmp (owner, workspace) == 0;
}

/* The directory of the workspace's caches.  -1: errno.  */
static int
caches_open (int state_fd, const char *workspace, char key[32])
{
  uint64_t hash = caches_hash (workspace);

  if (sessiondir_make (state_fd, "caches") != 0)
    return -1;
  auto_close int all = openat (state_fd, "caches", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (all < 0)
    return -1;
  for (int i = 0; i < CACHES_KEYS; i++) {
    snprintf (key, 32, i == 0 ? "%016llx" : "%016llx-%d", (unsigned long long) hash, i);
    if (sessiondir_make (all, key) != 0)
      return -1;
    auto_close int fd = openat (all, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int claimed = fd < 0 ? -1 : caches_claim (fd, workspace);
    if (claimed != 0)
      return claimed < 0 ? -1 : steal_fd (&fd);
  }
  errno = EEXIST;
  return -1;
}

static weir_status
caches_add (int dirfd, const char *directory, const struct cache_set *set, const char *origin, struct policy *policy,
            weir_error **err)
{
  auto_free char *path = util_fmt ("%s/%s", directory, set->name);
  struct stat st;

  if (path == NULL)
    return error_nomem (err);
  /* A command can write in it, so it is only ever looked at without following links.  */
  if (sessiondir_make (dirfd, set->name) != 0 || fstatat (dirfd, set->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return error_set (err, WEIR_E_IO, errno, "make the cache directory '%s'", path);
  if (!S_ISDIR (st.st_mode))
    return error_set (err, WEIR_E_INVALID, 0, "the cache '%s' is not a directory", path);
  for (size_t i = 0; i < ARRAY_SIZE (set->env) && set->env[i].variable != NULL; i++) {
    auto_free char *value = util_fmt ("%s%s", path, set->env[i].beneath);
    if (value == NULL)
      return error_nomem (err);
    env_set (&policy->env, set->env[i].variable, value);
  }
  return view_add (&policy->view, WEIR_ACCESS_WRITE, 0, path, path, origin, err);
}

weir_status
caches_apply (const struct policy_input *input, struct policy *policy, weir_error **err)
{
  const struct setting_list *names = &input->settings->caches;
  auto_free char *directory = NULL;
  const char *state;
  char key[32];
  int state_fd;
  weir_status status = WEIR_OK;

  if (names->items.count == 0)
    return WEIR_OK;
  if (input->sessions == NULL)
    return error_set (err, WEIR_E_INVALID, 0, "caches need a state directory");
  status = sessiondir_state (input->sessions, &state_fd, &state, err);
  if (status != WEIR_OK)
    return status;
  auto_close int fd = caches_open (state_fd, policy->workspace, key);
  if (fd < 0)
    return error_set (err, WEIR_E_IO, errno, "make the cache directories in '%s/caches'", state);
  directory = util_fmt ("%s/caches/%s", state, key);
  if (directory == NULL)
    return error_nomem (err);
  for (size_t i = 0; i < names->items.count && status == WEIR_OK; i++) {
    const struct cache_set *set = caches_find (names->items.items[i]);
    if (set == NULL) {
      const char *near = util_nearest (names->items.items[i], caches_names);
      error_set (err, WEIR_E_INVALID, 0, "%s: unknown cache set '%s'", names->origins.items[i], names->items.items[i]);
      return near == NULL ? error_hint (err, "The sets are npm, pip, cargo, go and ccache.")
                          : error_hint (err, "Did you mean '%s'?", near);
    }
    status = caches_add (fd, directory, set, names->origins.items[i], policy, err);
  }
  return status == WEIR_OK && policy->env.failed ? error_nomem (err) : status;
}
