/* The policy of one call: a plain value, resolved once at the top and handed down.
 *
 *   request + settings -> policy_resolve -> struct policy -> (struct weir_policy, struct weir_command) -> sandbox
 */
#ifndef WEIR_CORE_POLICY_H
#define WEIR_CORE_POLICY_H

#include "core/settings.h"

/* A view under construction: owns its lines (struct weir_view with owned strings).  */
struct view {
  struct weir_view **lines;
  size_t count, room;
  int failed;
};

struct places { /* what decides about confinement; no writable root may hold any of it (promise 10) */
  struct strv paths;   /* canonical */
  struct strv reasons; /* "the configuration file", "the plugin directory", ... */
};

struct policy {
  uint32_t mode;
  char *mode_origin;
  uint32_t network;
  char *network_origin;
  char *workspace; /* canonical */
  uint64_t workspace_dev, workspace_ino;
  char *session;   /* NULL: none */
  char *cwd;       /* as the command sees it, canonical */
  char *tmp;       /* host path of the private /tmp, NULL: the host's own */
  struct view view;
  struct strv env; /* "NAME=VALUE" */
  struct strv env_dropped; /* names, for weir plan */
  struct weir_limits limits;
  char *limits_origin[5]; /* processes memory cpu files file_size */
  uint64_t promised, axes;
  int64_t wall_ms;
  uint64_t output_limit, spill_limit;
  int64_t grace_ms;
  const char *require_origin; /* borrowed from settings; set when require = "full" */
  struct gitmeta *git; /* what git metadata there is and how it is kept, NULL: none */
  const struct places *places; /* borrowed, like homes: what judge.c shall not propose as a root; NULL: not known */
  const struct homes *homes;
};

/* Everything that the resolution needs beside the request.  */
struct policy_input {
  const struct settings *settings;
  const char *const *environ;  /* the harness's environment, snapshot */
  const struct places *places; /* see above */
  struct sessiondir *sessions; /* gives the private temporary directory */
};

/* Resolution order of the mode: the request, then the settings.  Refuses, in words that name the offender and its origin:
 * a workspace that is missing, no directory, "/", a home directory or an ancestor of one, or an ancestor of a place; the
 * same for every root; a symlink loop; a cwd outside of what the command can see.  DANGER_FULL_ACCESS resolves to an empty
 * view and nothing promised.  The caller frees with policy_free, also after a failure.  */
weir_status policy_resolve (const struct policy_input *, const struct weir_request *, struct policy *, weir_error **);
void policy_free (struct policy *);
/* The value that a sandbox plugin is handed; borrows from policy.  */
void policy_for_plugin (const struct policy *, struct weir_policy *);
/* Each root is still what it was when resolved (device and inode): WEIR_E_CONFLICT otherwise.  */
weir_status policy_recheck (const struct policy *, weir_error **);

const char *policy_mode_name (uint32_t mode);       /* "read-only" ...; "unknown" */
int policy_mode_parse (const char *, uint32_t *mode); /* -1: unknown */
const char *policy_network_name (uint32_t);
int policy_network_parse (const char *, uint32_t *);
/* Names for one bit of the effect/axis space: "content", "network none"...  */
const char *policy_bit_name (uint64_t bit);
/* Those of several bits: "sockets, network none".  Owned; NULL: out of memory.  */
char *policy_bit_names (uint64_t bits);

/* view.c */
weir_status view_add (struct view *, uint32_t access, uint32_t flags, const char *host, const char *world,
                      const char *origin, weir_error **); /* stats host; a missing one is WEIR_E_NOT_FOUND.  A PIN goes
                                                             before the lines for what it holds, which its mount would
                                                             cover otherwise */
void view_free (struct view *);
/* The line that decides about a path of the world (the last one whose world path holds it; a PIN decides nothing),
 * NULL: none.  */
const struct weir_view *view_find (const struct view *, const char *world_path);

/* canon.c: realpath(3) by components, of the deepest existing ancestor plus the missing rest when missing_ok.
 * WEIR_E_INVALID: loop, a component that is no directory; WEIR_E_NOT_FOUND.  */
weir_status canon_path (const char *path, const char *base, int missing_ok, char **canonical, weir_error **);

/* env.c: the allow-list plus what is named; see weir.conf(5) for the rules.  request_env: "NAME" or "NAME=VALUE".  */
weir_status env_build (const struct settings *, const char *const *environ, const char *const *request_env,
                       struct strv *env, struct strv *dropped, weir_error **);
/* A variable (NAME, or NAME=VALUE) that makes some loader, shell or interpreter run other code than its own.  Good for the
 * command, when it was named; never for a runner, which is not confined yet when it reads its environment.  */
int env_loads_code (const char *entry);

/* caches.c: named cache sets.  Adds, for each named set, environment that sends the tool's cache to a directory private to
 * the workspace (beneath the state directory, keyed by the workspace), and a WRITE line for it.  */
weir_status caches_apply (const struct policy_input *, struct policy *, weir_error **);
extern const char *const caches_names[]; /* NULL-terminated */

/* sessiondir.c: the private temporary directory of a session, 0700, beneath the state directory; the same for
 * every call of a session; one per call without a session.  Leftovers of dead runtimes are removed when a new
 * one starts (their owner is found dead by a lock, not by a pid).  */
struct sessiondir;
weir_status sessiondir_new (const char *state_dir, struct sessiondir **, weir_error **);
weir_status sessiondir_tmp (struct sessiondir *, const char *session, char **path, weir_error **);
void sessiondir_release_tmp (struct sessiondir *, const char *session, const char *path); /* of a call without a session: removes it */
const char *sessiondir_spill (struct sessiondir *, weir_error **); /* directory for spill files, 0700 */
void sessiondir_free (struct sessiondir *);
/* rm -rf beneath a directory of ours: never follows a link, never leaves the file system object it started at.  */
int sessiondir_remove_tree (int dirfd, const char *name);

/* gitmeta.c: what git trusts in the workspace and may not be changed by a command (hooks, config, pointers, modules;
 * worktrees whose repository lies elsewhere too).  gitmeta_apply adds PIN, READ and WRITE lines; gitmeta_before snapshots
 * what no mount can hold (things that do not exist yet, files that the host replaces); gitmeta_after compares, puts back
 * what it can, and says what it did (a line per warning).  */
weir_status gitmeta_apply (struct policy *, weir_error **);
weir_status gitmeta_before (struct gitmeta *, weir_error **);
void gitmeta_after (struct gitmeta *, struct strv *warnings);
void gitmeta_free (struct gitmeta *);
/* Said before gitmeta_after (earlier is cheaper): the plan that carries the command out governs WEIR_AXIS_PROTECT, so its
 * READ and PIN lines hold, and what changed beneath one of them was changed by the host.  Until it is said, everything is
 * compared.  NULL: nothing.  */
void gitmeta_set_held (struct gitmeta *, int held);

/* judge.c: what would become of an operation; used by weir explain and by denial messages.  */
struct verdict {
  int allowed;
  const char *rule;   /* static text */
  char *origin;       /* owned */
  char *remedy;       /* owned, NULL: nothing would */
  char *path;         /* canonical, owned */
};
weir_status judge_path (const struct policy *, const char *path, const char *operation, struct verdict *, weir_error **);
void judge_free (struct verdict *);
extern const char *const judge_operations[]; /* NULL-terminated */

#endif
