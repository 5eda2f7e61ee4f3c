/* SPDX-License-Identifier: Apache-2.0 */
/*   state_dir/run/RANDOM/       one for each runtime that is alive, 0700
 *                       lock    locked by its runtime: the lock goes when the process does, a pid could be another's
 *                       tmp/X   private temporary directories
 *                       spill/
 *            run/dead-RANDOM    being removed, by whoever sees it
 *
 * Which session has which X is known to the runtime alone, so that no two names can meet in one directory.
 */
#include "config.h"
#include "core/sessiondir-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/rootcheck.h"
#include "core/trust.h"

#define SESSIONDIR_TRIES 100

struct remembered {
  char *session, *root;
  struct identity identity;
};

struct sessiondir {
  pthread_mutex_t mutex;
  pid_t owner; /* a fork of the harness must not remove what is its parent's */
  char *wanted;
  int state_fd, runs_fd, run_fd, lock_fd, tmp_fd;
  char *state, *runs, *run, *tmp, *spill; /* canonical paths */
  char name[17];
  struct strv sessions, places; /* a session, and its X */
  struct homes *homes;
  struct remembered *remembered;
  size_t remembered_count, remembered_room;
};

weir_status
sessiondir_new (const char *state_dir, struct sessiondir **out, weir_error **err)
{
  struct sessiondir *s;

  if (state_dir == NULL || state_dir[0] != '/')
    return error_set (err, WEIR_E_INVALID, 0, "the state directory '%s' is not an absolute path",
                      state_dir == NULL ? "" : state_dir);
  s = calloc (1, sizeof *s);
  if (s == NULL)
    return error_nomem (err);
  *s = (struct sessiondir){
    .owner = getpid (), .state_fd = -1, .runs_fd = -1, .run_fd = -1, .lock_fd = -1, .tmp_fd = -1
  };
  pthread_mutex_init (&s->mutex, NULL);
  s->wanted = strdup (state_dir);
  if (s->wanted == NULL) {
    sessiondir_free (s);
    return error_nomem (err);
  }
  *out = s;
  return WEIR_OK;
}

/* ---- the state directory ---- */

int
sessiondir_make (int dirfd, const char *name)
{
  if (mkdirat (dirfd, name, 0700) == 0) {
    auto_close int fd = openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* The umask may have taken away what we need.  */
    if (fd < 0)
      return fchmodat (dirfd, name, 0700, 0);
    return fchmod (fd, 0700);
  }
  return errno == EEXIST ? 0 : -1;
}

/* Makes what is missing of an absolute path.  -1: errno.  */
static int
sessiondir_make_path (const char *path)
{
  auto_free char *copy = strdup (path);
  struct stat st;

  if (copy == NULL)
    return -1;
  for (char *p = copy + 1;; p++) {
    int end = *p == '\0';
    if (*p != '/' && !end)
      continue;
    *p = '\0';
    /* Ours alone are made; what is there, a link included, is left to trust_open to judge.  */
    if (stat (copy, &st) != 0 && sessiondir_make (AT_FDCWD, copy) != 0)
      return -1;
    if (end)
      return 0;
    *p = '/';
  }
}

static weir_status
sessiondir_open_state (struct sessiondir *s, weir_error **err)
{
  weir_status status;

  if (s->state_fd >= 0)
    return WEIR_OK;
  if (sessiondir_make_path (s->wanted) != 0) {
    error_set (err, WEIR_E_IO, errno, "make the state directory '%s'", s->wanted);
    return error_hint (err, "Set state_dir to a directory that can be written, on a local file system.");
  }
  status = trust_open (s->wanted, TRUST_DIRECTORY, &s->state_fd, &s->state, err);
  return status == WEIR_OK ? WEIR_OK : error_wrap (err, "the state directory '%s' cannot be used", s->wanted);
}

static int
sessiondir_open_directory (int dirfd, const char *name)
{
  return sessiondir_make (dirfd, name) != 0 ? -1
                                            : openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static weir_status
sessiondir_open_runs (struct sessiondir *s, weir_error **err)
{
  weir_status status = sessiondir_open_state (s, err);

  if (status != WEIR_OK || s->runs_fd >= 0)
    return status;
  s->runs = util_fmt ("%s/run", strcmp (s->state, "/") == 0 ? "" : s->state);
  if (s->runs == NULL)
    return error_nomem (err);
  s->runs_fd = sessiondir_open_directory (s->state_fd, "run");
  if (s->runs_fd < 0) {
    error_set (err, WEIR_E_IO, errno, "make '%s'", s->runs);
    free (steal (s->runs));
    return error_hint (err, "Set state_dir to a directory that can be written, with room in it.");
  }
  return WEIR_OK;
}

/* ---- leftovers ---- */

/* A directory is alive while its lock file is locked.  One that has none is being made or removed: its maker notices
 * that it was renamed and makes another.  */
static int
sessiondir_is_dead (int runs_fd, const char *name)
{
  auto_close int dir = openat (runs_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  auto_close int lock = dir < 0 ? -1 : openat (dir, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

  if (dir < 0)
    return errno == EACCES;
  if (lock < 0)
    return errno == ENOENT;
  return flock (lock, LOCK_EX | LOCK_NB) == 0;
}

static void
sessiondir_sweep (int runs_fd)
{
  int copy = openat (runs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  struct dirent *entry;
  char dead[32], fresh[17];

  if (dir == NULL) {
    util_close_ptr (&copy);
    return;
  }
  while ((entry = readdir (dir)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    if (strncmp (entry->d_name, "dead-", 5) == 0) {
      sessiondir_remove_tree (runs_fd, entry->d_name);
      continue;
    }
    if (!sessiondir_is_dead (runs_fd, entry->d_name))
      continue;
    util_random_name (fresh);
    snprintf (dead, sizeof dead, "dead-%s", fresh);
    if (renameat (runs_fd, entry->d_name, runs_fd, dead) == 0)
      sessiondir_remove_tree (runs_fd, dead);
  }
  closedir (dir);
}

/* ---- the directory of this runtime ---- */

/* 1: made; 0: somebody swept it before it was locked; -1: errno.  */
static int
sessiondir_try_run (struct sessiondir *s)
{
  char fresh[32];

  util_random_name (s->name);
  snprintf (fresh, sizeof fresh, "new-%s", s->name);
  if (mkdirat (s->runs_fd, fresh, 0700) != 0)
    return errno == EEXIST ? 0 : -1;
  if (fchmodat (s->runs_fd, fresh, 0700, 0) != 0)
    return errno == ENOENT ? 0 : -1;
  auto_close int run = openat (s->runs_fd, fresh, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (run < 0)
    return errno == ENOENT ? 0 : -1;
  auto_close int lock = openat (run, "lock", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  /* ENOENT: the directory is there for us alone, removed by a sweep.  */
  if (lock < 0)
    return errno == ENOENT ? 0 : -1;
  if (flock (lock, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? 0 : -1;
  if (renameat (s->runs_fd, fresh, s->runs_fd, s->name) != 0)
    return errno == ENOENT ? 0 : -1;
  s->run_fd = steal_fd (&run);
  s->lock_fd = steal_fd (&lock);
  return 1;
}

static weir_status
sessiondir_open_run (struct sessiondir *s, weir_error **err)
{
  weir_status status = sessiondir_open_runs (s, err);
  int made = 0;

  if (status != WEIR_OK || s->run != NULL)
    return status;
  if (s->run_fd < 0) {
    sessiondir_sweep (s->runs_fd);
    for (int i = 0; i < SESSIONDIR_TRIES && made == 0; i++)
      made = sessiondir_try_run (s);
  }
  if (s->run_fd < 0) {
    error_set (err, WEIR_E_IO, made < 0 ? errno : EAGAIN, "make a directory of this runtime in '%s'", s->runs);
    return error_hint (err, "Set state_dir to a directory that can be written, with room in it.");
  }
  s->run = util_fmt ("%s/%s", s->runs, s->name);
  return s->run == NULL ? error_nomem (err) : WEIR_OK;
}

static weir_status
sessiondir_open_tmp (struct sessiondir *s, weir_error **err)
{
  weir_status status = sessiondir_open_run (s, err);

  if (status != WEIR_OK || s->tmp_fd >= 0)
    return status;
  if (s->tmp == NULL)
    s->tmp = util_fmt ("%s/tmp", s->run);
  if (s->tmp == NULL)
    return error_nomem (err);
  s->tmp_fd = sessiondir_open_directory (s->run_fd, "tmp");
  return s->tmp_fd < 0 ? error_set (err, WEIR_E_IO, errno, "make '%s'", s->tmp) : WEIR_OK;
}

/* ---- private temporary directories ---- */

/* 01777 as /tmp is, for a command that took another uid; the directories above are 0700.  */
static weir_status
sessiondir_make_tmp (struct sessiondir *s, const char *name, weir_error **err)
{
  auto_close int fd = sessiondir_open_directory (s->tmp_fd, name);

  if (fd < 0 || fchmod (fd, 01777) != 0)
    return error_set (err, WEIR_E_IO, errno, "make the private temporary directory '%s/%s'", s->tmp, name);
  return WEIR_OK;
}

static const char *
sessiondir_known (const struct sessiondir *s, const char *session)
{
  for (size_t i = 0; i < s->sessions.count; i++)
    if (strcmp (s->sessions.items[i], session) == 0)
      return s->places.items[i];
  return NULL;
}

static weir_status
sessiondir_tmp_locked (struct sessiondir *s, const char *session, char **path, weir_error **err)
{
  const char *known = session == NULL ? NULL : sessiondir_known (s, session);
  char name[17];
  weir_status status = sessiondir_open_tmp (s, err);

  if (status != WEIR_OK)
    return status;
  if (known == NULL)
    util_random_name (name);
  else
    memcpy (name, known, sizeof name);
  /* Also for a known one: somebody may have tidied up.  */
  status = sessiondir_make_tmp (s, name, err);
  if (status != WEIR_OK)
    return status;
  *path = util_fmt ("%s/%s", s->tmp, name);
  if (*path == NULL)
    return error_nomem (err);
  if (session != NULL && known == NULL) {
    strv_add (&s->places, name);
    if (!s->places.failed)
      strv_add (&s->sessions, session);
    if (s->places.failed || s->sessions.failed) {
      free (steal (*path));
      return error_nomem (err);
    }
  }
  return WEIR_OK;
}

weir_status
sessiondir_tmp (struct sessiondir *s, const char *session, char **path, weir_error **err)
{
  weir_status status;

  if (session != NULL && session[0] == '\0')
    return error_set (err, WEIR_E_INVALID, 0, "the name of the session is empty");
  pthread_mutex_lock (&s->mutex);
  status = sessiondir_tmp_locked (s, session, path, err);
  pthread_mutex_unlock (&s->mutex);
  return status;
}

void
sessiondir_release_tmp (struct sessiondir *s, const char *session, const char *path)
{
  size_t size;

  if (s == NULL || session != NULL || path == NULL || getpid () != s->owner)
    return;
  pthread_mutex_lock (&s->mutex);
  size = s->tmp == NULL ? 0 : strlen (s->tmp);
  int ours = size > 0 && strncmp (path, s->tmp, size) == 0 && path[size] == '/' && strchr (path + size + 1, '/') == NULL
             && path[size + 1] != '.' && path[size + 1] != '\0';
  int fd = ours ? s->tmp_fd : -1;
  pthread_mutex_unlock (&s->mutex);
  /* The descriptor lives as long as the runtime.  */
  if (ours)
    sessiondir_remove_tree (fd, path + size + 1);
}

const char *
sessiondir_spill (struct sessiondir *s, weir_error **err)
{
  weir_status status;

  pthread_mutex_lock (&s->mutex);
  status = sessiondir_open_run (s, err);
  if (status == WEIR_OK && s->spill == NULL) {
    auto_free char *spill = util_fmt ("%s/spill", s->run);
    if (spill == NULL)
      error_nomem (err);
    else if (sessiondir_make (s->run_fd, "spill") != 0)
      error_set (err, WEIR_E_IO, errno, "make '%s'", spill);
    else
      s->spill = steal (spill);
  }
  pthread_mutex_unlock (&s->mutex);
  return status == WEIR_OK ? s->spill : NULL;
}

/* ---- for the policy ---- */

weir_status
sessiondir_state (struct sessiondir *s, int *fd, const char **canonical, weir_error **err)
{
  weir_status status;

  pthread_mutex_lock (&s->mutex);
  status = sessiondir_open_state (s, err);
  *fd = s->state_fd;
  *canonical = s->state;
  pthread_mutex_unlock (&s->mutex);
  return status;
}

weir_status
sessiondir_runs (struct sessiondir *s, const char **canonical, weir_error **err)
{
  weir_status status;

  pthread_mutex_lock (&s->mutex);
  status = sessiondir_open_runs (s, err);
  *canonical = s->runs;
  pthread_mutex_unlock (&s->mutex);
  return status;
}

struct homes *
sessiondir_homes (struct sessiondir *s, const struct policy_input *input)
{
  struct homes *homes;

  pthread_mutex_lock (&s->mutex);
  if (s->homes == NULL)
    s->homes = homes_new ("/etc/passwd", input->settings, input->environ);
  homes = s->homes;
  pthread_mutex_unlock (&s->mutex);
  return homes;
}

int
sessiondir_identify (const char *path, struct identity *id)
{
  struct statx st;

  if (statx (AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
    return -1;
  *id = (struct identity){ .dev = (uint64_t) st.stx_dev_major << 32 | st.stx_dev_minor, .ino = st.stx_ino };
  if (st.stx_mask & STATX_BTIME)
    id->born = (uint64_t) st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
  return 0;
}

static int
sessiondir_remember_locked (struct sessiondir *s, const char *session, const char *root, const struct identity *id)
{
  struct remembered fresh = { .identity = *id };

  for (size_t i = 0; i < s->remembered_count; i++) {
    const struct remembered *r = &s->remembered[i];
    if (strcmp (r->session, session) == 0 && strcmp (r->root, root) == 0)
      return r->identity.dev != id->dev || r->identity.ino != id->ino || r->identity.born != id->born;
  }
  if (s->remembered_count == s->remembered_room) {
    size_t room = s->remembered_room == 0 ? 8 : s->remembered_room * 2;
    struct remembered *grown = reallocarray (s->remembered, room, sizeof *grown);
    if (grown == NULL)
      return -1;
    s->remembered = grown;
    s->remembered_room = room;
  }
  fresh.session = strdup (session);
  fresh.root = strdup (root);
  if (fresh.session == NULL || fresh.root == NULL) {
    free (fresh.session);
    free (fresh.root);
    return -1;
  }
  s->remembered[s->remembered_count++] = fresh;
  return 0;
}

int
sessiondir_remember (struct sessiondir *s, const char *session, const char *root, const struct identity *id)
{
  int changed;

  pthread_mutex_lock (&s->mutex);
  changed = sessiondir_remember_locked (s, session, root, id);
  pthread_mutex_unlock (&s->mutex);
  return changed;
}

/* ---- the end ---- */

static void
sessiondir_remove_run (struct sessiondir *s)
{
  char dead[32];

  if (s->run_fd < 0 || getpid () != s->owner)
    return;
  snprintf (dead, sizeof dead, "dead-%s", s->name);
  if (renameat (s->runs_fd, s->name, s->runs_fd, dead) == 0)
    sessiondir_remove_tree (s->runs_fd, dead);
}

void
sessiondir_free (struct sessiondir *s)
{
  if (s == NULL)
    return;
  sessiondir_remove_run (s);
  util_close_ptr (&s->state_fd);
  util_close_ptr (&s->runs_fd);
  util_close_ptr (&s->run_fd);
  util_close_ptr (&s->tmp_fd);
  util_close_ptr (&s->lock_fd);
  for (size_t i = 0; i < s->remembered_count; i++) {
    free (s->remembered[i].session);
    free (s->remembered[i].root);
  }
  free (s->remembered);
  strv_free (&s->sessions);
  strv_free (&s->places);
  homes_free (s->homes);
  free (s->wanted);
  free (s->state);
  free (s->runs);
  free (s->run);
  free (s->tmp);
  free (s->spill);
  pthread_mutex_destroy (&s->mutex);
  free (s);
}
