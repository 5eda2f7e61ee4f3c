/* SPDX-License-Identifier: Apache-2.0 */
/* Sandboxes and a world made of functions of the test, in place of the loader: a test that includes this defines what
 * core/plugins.c defines, so that file is not linked.  */
#ifndef WEIR_TESTS_FAKE_PLUGINS_H
#define WEIR_TESTS_FAKE_PLUGINS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/exec.h"
#include "core/sink.h"

#define FAKES 8
static struct adopted fake_adopted[FAKES];
static struct instance fakes[FAKES];
static size_t fake_count;
static int fake_entered; /* depth of enter/leave */

weir_status
plugins_get (struct plugins *p UNUSED, const char *name, struct instance **out, weir_error **err)
{
  for (size_t i = 0; i < fake_count; i++)
    if (strcmp (fakes[i].adopted->name, name) == 0) {
      *out = &fakes[i];
      return WEIR_OK;
    }
  error_set (err, WEIR_E_NOT_FOUND, 0, "there is no plugin '%s'", name);
  return error_hint (err, "install it");
}

void
plugins_enter (struct instance *i UNUSED)
{
  fake_entered++;
}

void
plugins_leave (struct instance *i UNUSED)
{
  fake_entered--;
}

struct plugins *
plugins_new (const struct settings *s UNUSED, const struct log_target *t UNUSED, weir_error **err UNUSED)
{
  return NULL;
}

void
plugins_free (struct plugins *p UNUSED)
{
}

weir_status
plugins_list (struct plugins *p UNUSED, struct strv *names UNUSED, weir_error **err UNUSED)
{
  return WEIR_OK;
}

static struct instance *
fake_add (const char *name)
{
  struct instance *i = &fakes[fake_count];

  assert_true (fake_count < FAKES);
  i->adopted = &fake_adopted[fake_count++];
  memset (i->adopted, 0, sizeof *i->adopted);
  i->adopted->name = (char *) (uintptr_t) name;
  return i;
}

typedef weir_status (*fake_confine) (void *, const weir_call *, const struct weir_command *, const struct weir_policy *,
                                     weir_plan *, weir_error **);

static struct instance *
fake_sandbox (const char *name, fake_confine confine, uint64_t claims)
{
  struct instance *i = fake_add (name);

  i->adopted->sandbox = (struct weir_sandbox_ops){ WEIR_SIZED (struct weir_sandbox_ops), .claims = claims, .confine = confine };
  return i;
}

/* ---- a world whose spawn does what the test says ---- */

struct fake_spawn { /* one answer; the last one is repeated */
  weir_status status;
  uint32_t step, fact;
  int errnum;
};
static struct fake_spawn fake_answers[16];
static size_t fake_answer_count, fake_spawned;
static char fake_last_provider[64];
static struct weir_exit fake_exit;
static weir_status fake_wait_status;
static int fake_released;

static weir_status
fake_find (void *self UNUSED, const weir_call *call UNUSED, const char *name, const char *path UNUSED, const char *cwd UNUSED,
           weir_sink *sink, weir_error **err)
{
  if (strcmp (name, "missing") == 0)
    return error_set (err, WEIR_E_NO_PROGRAM, 0, "program 'missing' was not found in PATH");
  if (name[0] != '/')
    sink_write (sink, "/usr/bin/", 9, err);
  return sink_write (sink, name, strlen (name), err);
}

static weir_status
fake_do_spawn (void *self UNUSED, const weir_call *call UNUSED, const weir_plan *plan, const struct weir_stdio *stdio UNUSED,
               struct weir_process *process, weir_error **err)
{
  struct weir_plan *told = (struct weir_plan *) (uintptr_t) plan;
  const struct fake_spawn *a;

  assert_int_equal (fake_entered, 1);
  assert_true (fake_answer_count > 0);
  a = &fake_answers[fake_spawned < fake_answer_count ? fake_spawned : fake_answer_count - 1];
  fake_spawned++;
  snprintf (fake_last_provider, sizeof fake_last_provider, "%s", plan->provider == NULL ? "" : plan->provider);
  told->failed_step = a->step;
  told->failed_fact = a->fact;
  told->failed_errno = a->errnum;
  if (a->status != WEIR_OK)
    return error_set (err, a->status, a->errnum, "step %u failed", a->step);
  process->id = 4711;
  return WEIR_OK;
}

static weir_status
fake_wait (void *self UNUSED, const weir_call *call UNUSED, struct weir_process *process UNUSED, struct weir_exit *out, weir_error **err)
{
  if (fake_wait_status != WEIR_OK)
    return error_set (err, fake_wait_status, 0, "the call's time was up");
  *out = fake_exit;
  return WEIR_OK;
}

static weir_status
fake_release (void *self UNUSED, struct weir_process *process UNUSED, weir_error **err UNUSED)
{
  fake_released++;
  return WEIR_OK;
}

static void
fake_world (uint64_t steps)
{
  struct instance *i = fake_add ("world");

  i->adopted->world = (struct weir_world_ops){ WEIR_SIZED (struct weir_world_ops), .flags = WEIR_WORLD_LOCAL };
  i->adopted->process = (struct weir_process_ops){ WEIR_SIZED (struct weir_process_ops), .steps = steps, .find_executable = fake_find,
                                                   .spawn = fake_do_spawn,                .wait = fake_wait,
                                                   .release = fake_release };
}

/* ---- a runtime and a policy by hand ---- */

static struct settings fake_settings;
static struct weir_runtime fake_runtime;
static struct policy fake_policy;

static void
fake_begin (void)
{
  struct stat st;

  fake_count = 0;
  fake_entered = 0;
  fake_answer_count = fake_spawned = 0;
  fake_released = 0;
  fake_wait_status = WEIR_OK;
  fake_exit = (struct weir_exit){ WEIR_SIZED (struct weir_exit), .kind = WEIR_EXIT_EXITED };
  memset (&fake_settings, 0, sizeof fake_settings);
  memset (&fake_runtime, 0, sizeof fake_runtime);
  memset (&fake_policy, 0, sizeof fake_policy);
  fake_settings.world = (char *) (uintptr_t) "world";
  fake_settings.probe_timeout_ms = 5000;
  fake_runtime.settings = &fake_settings;
  pthread_mutex_init (&fake_runtime.lock, NULL);
  facts_init (&fake_runtime.facts);
  for (uint32_t i = 1; i < WEIR_FACT_COUNT_; i++)
    atomic_store (&fake_runtime.facts.value[i], 1);
  assert_int_equal (stat ("/", &st), 0);
  fake_policy.mode = WEIR_MODE_WORKSPACE_WRITE;
  fake_policy.workspace = strdup ("/");
  fake_policy.workspace_dev = st.st_dev;
  fake_policy.workspace_ino = st.st_ino;
  fake_policy.cwd = strdup ("/");
  fake_policy.promised = WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES;
  strv_add (&fake_policy.env, "PATH=/usr/bin");
}

static inline void
fake_chain (const char *name)
{
  strv_add (&fake_settings.chain.items, name);
  strv_add (&fake_settings.chain.origins, "test:1");
}

static void
fake_end (void)
{
  assert_int_equal (fake_entered, 0);
  proofs_free (fake_runtime.proofs);
  pthread_mutex_destroy (&fake_runtime.lock);
  strv_free (&fake_settings.chain.items);
  strv_free (&fake_settings.chain.origins);
  policy_free (&fake_policy);
}

static inline void
expect_error (weir_status status, weir_status wanted, weir_error **err, const char *part)
{
  char *text = error_text (*err);

  assert_non_null (text);
  if (status != wanted || weir_error_code (*err) != wanted || strstr (text, part) == NULL)
    fail_msg ("status %d, wanted %d with '%s': %s", (int) status, (int) wanted, part, text);
  free (text);
  error_clear (err);
}

#define STEP(...) plan_step (plan, &(struct weir_step){ WEIR_SIZED (struct weir_step), __VA_ARGS__ })

/* A plan that confines, well-formed.  */
static inline void
fake_good_plan (weir_plan *plan)
{
  STEP (.kind = WEIR_STEP_NAMESPACES, .flags = WEIR_NS_MOUNT | WEIR_NS_PID, .fact = WEIR_FACT_USER_NAMESPACES);
  STEP (.kind = WEIR_STEP_ROOT_READ_ONLY);
  STEP (.kind = WEIR_STEP_NO_NEW_PRIVILEGES);
  STEP (.kind = WEIR_STEP_SUPERVISE);
  plan_governs (plan, WEIR_EFFECT_CONTENT | WEIR_EFFECT_NAMES);
}

#endif
