/* A call from end to end: request -> policy -> confine -> spawn -> collect -> classify -> result.  */
#ifndef WEIR_CORE_EXEC_H
#define WEIR_CORE_EXEC_H

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
  struct sessiondir *sessions;
  uint32_t flags; /* WEIR_RUNTIME_* */
  struct proofs *proofs; /* candidate.c: which sandboxes were proved to work, thread-safe */
};

/* candidate.c: a sandbox of the chain, asked for a plan.  */
struct candidate {
  struct instance *sandbox; /* NULL: danger-full-access */
  struct weir_plan *plan;   /* owned */
  uint64_t missing;         /* 0: full */
};
/* One confine, with the claims, the world's steps and "require" checked.  */
weir_status candidate_confine (weir_runtime *, const char *sandbox, const struct weir_command *, const struct policy *,
                               const weir_call *, struct candidate *, weir_error **);
void candidate_free (struct candidate *);
/* Proves, unless it is known, that a sandbox can run something with this policy, by doing so (bounded by probe_timeout);
 * a transient failure is not remembered.  */
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

#endif
