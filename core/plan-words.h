/* What the numbers of a plan are called, for plan-text.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_CORE_PLAN_WORDS_H
#define WEIR_CORE_PLAN_WORDS_H

#include "core/plan.h"

/* Adds the words that say what a step does beside its path and target: flags, rights, sizes.  */
void words_of_step (const struct weir_step *, struct strv *);
void words_of_bits (uint64_t effects_and_axes, struct strv *);
void words_of_groups (uint64_t seccomp_groups, struct strv *);
const char *words_purpose (uint32_t purpose); /* of a descriptor */

#endif
