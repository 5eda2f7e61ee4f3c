/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ways to confine.  Each fills the plan with steps, with what they govern, and with a gap for what they do not.  */
#ifndef LANDLOCK_TIERS_H
#define LANDLOCK_TIERS_H

#include <weir/plugin.h>

weir_status tiers_with_namespaces (const weir_call *, const struct weir_policy *, weir_plan *, weir_error **);
weir_status tiers_without_namespaces (const weir_call *, const struct weir_policy *, weir_plan *, weir_error **);

#endif
