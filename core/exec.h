/* A call from end to end: request -> policy -> confine -> spawn -> collect -> classify -> result.  */
#ifndef WEIR_CORE_EXEC_H
#define WEIR_CORE_EXEC_H

#include <pthread.h>

#include "core/facts.h"
#include "core/plan.h"
#include "core/plugins.h"
#include "core/policy.h"

struct weir_runtime {
  struct settings *settings;
  struct plugins *plugins;
  struct facts facts;
  struct log_target log_target;
  weir_log log; /* tag "core" */
  struct strv environ;
  struct places places;
  struct sessiondir *sessions; /* NULL until runtime_sessions made it */
  uint32_t flags; /* WEIR_RUNTIME_* */
  struct proofs *proofs; /* proof.c: which sandboxes were proved to work, thread-safe */
  pthread_mutex_t lock;  /* of sessions and of proofs' being made */
};

/* runtime.c.  The state directory is made when a call first needs it: what only looks, leaves nothing behind.  */
weir_status runtime_sessions (weir_runtime *, struct sessiondir **, weir_error **);
/* The policy of a request, after the request itself was checked; see policy_resolve.  */
weir_status runtime_policy (weir_runtime *, const struct weir_request *, struct policy *, weir_error **);
/* Gives back what a call without a session was given, and frees the policy.  */
void runtime_policy_end (weir_runtime *, struct policy *);
weir_status runtime_world (weir_runtime *, struct instance **, weir_error **);
void runtime_places (weir_runtime *);

/* candidate.c: a sandbox of the chain, asked for a plan.  */
struct candidate {
  struct instance *sandbox; /* NULL: danger-full-access */
  struct weir_plan *plan;   /* owned */
  uint64_t missing;         /* 0: full */
};
/* One confine, with the claims, the world's steps and "require" checked.  sandbox NULL: the command as it is, for
 * DANGER_FULL_ACCESS alone.  */
weir_status candidate_confine (weir_runtime *, const char *sandbox, const struct weir_command *, const struct policy *,
                               const weir_call *, struct candidate *, weir_error **);
/* Confine and spawn, with facts taken back and confine asked again as long as steps fail for want of one.  *transient: the
 * machine was short of something; another try may do.  On failure nothing runs and the candidate is freed.  */
weir_status candidate_start (weir_runtime *, const char *sandbox, const struct weir_command *, const struct policy *,
                             const struct weir_stdio *, const weir_call *, struct candidate *, struct weir_process *,
                             int *transient, weir_error **);
void candidate_free (struct candidate *);
/* The failure is the call's own: no other sandbox would do better.  */
int candidate_ends_call (weir_status);

/* proof.c.  Proves, unless it is known, that a sandbox can run something with this policy, by doing so (bounded by
 * probe_timeout); a transient failure is not remembered.  */
weir_status candidate_prove (weir_runtime *, const char *sandbox, const struct policy *, const weir_call *, weir_error **);
void proofs_free (struct proofs *);

/* started.c: walks the chain until a command runs.  On WEIR_OK process runs under *used.  On failure nothing ran; the
 * error is WEIR_E_UNAVAILABLE with what each candidate answered, or the reason that ends the call.  */
struct started {
  struct instance *world;
  struct candidate used;
  struct weir_process process;
  int running;
};
weir_status started_run (weir_runtime *, const struct policy *, const struct weir_request *, const struct weir_stdio *,
                         const weir_call *, struct started *, weir_error **);
/* The command of a request: its program found in the world, its environment and directory.  Strings that the command borrows
 * are kept in *argv.  */
weir_status started_command (weir_runtime *, const struct policy *, const struct weir_request *, const weir_call *,
                             struct strv *argv, struct weir_command *, weir_error **);
/* The chain that a request is given.  */
void started_chain (weir_runtime *, const struct weir_request *, struct strv *);
/* What each candidate of a chain answered.  */
struct answers {
  struct strv lines, hints;
};
void answers_add (struct answers *, const char *sandbox, const weir_error *);
weir_status answers_unavailable (const struct answers *, const struct policy *, weir_error **);
void answers_free (struct answers *);

/* job.c.  A request at full size, checked for what needs no policy.  */
weir_status request_check (const struct weir_request *, int need_argv, struct weir_request *full, weir_error **);

#endif
