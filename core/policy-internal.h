/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that resolve a policy share.  */
#ifndef WEIR_CORE_POLICY_INTERNAL_H
#define WEIR_CORE_POLICY_INTERNAL_H

#include "core/policy.h"

struct homes;

struct resolve {
  const struct policy_input *input;
  const struct weir_request *request;
  struct policy *policy;
  struct homes *homes;
  int homes_owned;
  const char *workspace_origin;
  struct strv links, link_targets, link_origins; /* followed on the way to a root */
};

#define RESOLVE_COMMAND_LINE "command line"
#define RESOLVE_BUILT_IN "built in"

/* policy-roots.c */
weir_status resolve_workspace (struct resolve *, weir_error **);
/* Every WRITE line, checked, and the private /tmp.  */
weir_status resolve_roots (struct resolve *, weir_error **);
weir_status resolve_cwd (struct resolve *, weir_error **);

/* policy-rules.c: what is read-only or hidden in spite of the roots.  */
weir_status resolve_rules (struct resolve *, weir_error **);

/* policy-limits.c: limits, time-outs, amounts of output.  */
weir_status resolve_limits (struct resolve *, weir_error **);

#endif
