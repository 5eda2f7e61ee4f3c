/* The result object, as the core fills it.  See weir/weir.h for the getters.  */
#ifndef WEIR_CORE_RESULT_H
#define WEIR_CORE_RESULT_H

#include "core/collect.h"
#include "core/exec.h"

struct denial {
  char *operation, *path, *rule, *origin, *remedy;
  int enforced;
};
struct weir_result {
  int outcome, code, signal;
  const char *limit; /* static; NULL */
  int tree_gone;
  int enforcement;
  char *asserted;
  struct strv gaps;
  char *provider;
  uint32_t mode;
  uint64_t cpu_usec, max_rss, wall_usec;
  struct collect collect;
  struct denial *denials;
  size_t denial_count;
  struct strv warnings;
};

/* What the job knows when everything has ended.  */
struct ending {
  const struct policy *policy;
  const struct candidate *used;
  struct weir_exit exit;
  int timed_out, cancelled; /* which came first; at most one */
  uint64_t wall_usec;
};
#define OUTCOME_DENIALS_MAX 32

/* outcome.c: what became of a command, from how it ended, its plan and its output.  Takes the collected output.  */
weir_status outcome_make (const struct ending *, struct collect *, weir_result **, weir_error **);
/* WEIR_ENFORCEMENT_* of a candidate, and its gaps in words.  */
int outcome_enforcement (const struct policy *, const struct candidate *);
void outcome_gaps (const struct candidate *, struct strv *);

#endif
