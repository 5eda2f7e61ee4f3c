/* A plan: what a sandbox makes of a command and a policy.  A value; holds no descriptor.  */
#ifndef WEIR_CORE_PLAN_H
#define WEIR_CORE_PLAN_H

#include "core/error.h"
#include "core/util.h"

struct plan_fd {
  uint32_t purpose; /* WEIR_FD_* */
  int number;       /* in the child */
  char *path;
  uint64_t dev, ino, value;
};
struct plan_gap {
  uint64_t bits;
  char *text;
};
struct plan_rule { /* runner failure by text, the last resort: reference rules in classify.h */
  int32_t *codes;  /* NULL: any but 0 */
  size_t code_count;
  char *signature;
};

struct weir_plan {
  /* The command as it was given.  */
  struct strv argv, env;
  char *cwd;
  /* What the sandbox made of it.  */
  struct weir_step *steps; /* strings owned */
  size_t step_count;
  char *runner; /* NULL: the command itself is executed */
  struct strv runner_arguments;
  struct plan_fd *fds;
  size_t fd_count;
  uint64_t governs;
  struct plan_gap *gaps;
  size_t gap_count;
  char *asserted; /* origin */
  struct strv denials;
  struct plan_rule *rules;
  size_t rule_count;
  struct strv informational;
  int inner_init;  /* plan_supervisor was called: the init runs inside the runner */
  char *provider;
  weir_error *sticky; /* first failure of a builder call */
  /* Written by process_spawn when it fails, although its plan is const (no plan object is ever defined const): the step
   * or stage that failed, and the fact to take back.  In the plan, since a world plugin's spawn has no other place to
   * hand them through; a plan belongs to one call, so nobody else looks meanwhile.  0: nothing failed.  */
  uint32_t failed_step, failed_fact;
  int32_t failed_errno;
};

/* A plan that runs the command as it is (danger-full-access; also the start of every confine).  */
struct weir_plan *plan_new (const struct weir_command *, weir_error **);
void plan_free (struct weir_plan *);

/* The host functions of the same names.  */
void plan_step (weir_plan *, const struct weir_step *);
void plan_runner (weir_plan *, const char *);
void plan_argument (weir_plan *, const char *);
int plan_fd (weir_plan *, uint32_t purpose, const char *path, uint64_t dev, uint64_t ino, uint64_t value);
void plan_supervisor (weir_plan *);
void plan_environment (weir_plan *, const char *, const char *);
void plan_governs (weir_plan *, uint64_t);
void plan_gap (weir_plan *, uint64_t, const char *, ...) __attribute__ ((format (printf, 3, 4)));
void plan_asserted (weir_plan *, const char *);
void plan_denial (weir_plan *, const char *);
void plan_failure (weir_plan *, const int32_t *, size_t, const char *);
void plan_informational (weir_plan *, const char *);

/* After confine: is it a plan that the world can carry out, well-formed (order of steps, SUPERVISE last, paths absolute), and
 * does it restrict at all?  WEIR_E_PLUGIN names the plugin and the rule.  */
weir_status plan_check (const weir_plan *, uint64_t world_steps, weir_error **);
/* Missing bits: promised or used, and not governed, or named by a gap.  0: full.  */
uint64_t plan_missing (const weir_plan *, uint64_t promised, uint64_t axes);

struct out;
void plan_print (const weir_plan *, struct out *); /* text: one line per step; JSON: an object's members */
const char *plan_step_name (uint32_t kind);        /* steps and stages; "unknown" */

/* Encoding for the launcher: steps only.  plan_encode gives bytes that carry_decode (carry.h) reads.  */
weir_status plan_encode (const weir_plan *, struct strbuf *, weir_error **);

#endif
