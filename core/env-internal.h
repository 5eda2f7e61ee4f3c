/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CORE_ENV_INTERNAL_H
#define WEIR_CORE_ENV_INTERNAL_H

#include "core/policy.h"

/* Sets NAME to VALUE in a vector of "NAME=VALUE", in place of what it had.  Out of memory: env->failed.  */
void env_set (struct strv *env, const char *name, const char *value);
/* The value of NAME in a NULL-terminated "NAME=VALUE" vector (which may be NULL), NULL: not there.  */
const char *env_get (const char *const *env, const char *name);
/* The request names this variable itself, as "NAME" or "NAME=VALUE".  */
int env_named (const char *const *request_env, const char *name);
/* What the request says about the environment, over what is there.  */
weir_status env_request (const char *const *request_env, const char *const *environ, struct strv *env, weir_error **);

#endif
