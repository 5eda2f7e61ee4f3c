/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/result.h"
#include "core/sink.h"

/* A workspace that exists for as long as the checks do.  */
struct arena {
  char *base;
  char *inside;  /* a file in the workspace, which must get written */
  char *outside; /* a file in the state directory, which must not */
};

static const char *
arena_base (weir_runtime *rt)
{
  for (size_t i = 0; i < rt->environ.count; i++)
    if (strncmp (rt->environ.items[i], "TMPDIR=/", 8) == 0)
      return rt->environ.items[i] + 7;
  return "/tmp";
}

static int
arena_open (struct arena *a, weir_runtime *rt)
{
  char name[17];

  util_random_name (name);
  a->base = util_fmt ("%s/weir-doctor-XXXXXX", arena_base (rt));
  a->outside = util_fmt ("%s/doctor-%s", rt->settings->state_dir, name);
  if (a->base == NULL || a->outside == NULL || mkdtemp (a->base) == NULL) {
    free (a->base);
    a->base = NULL;
    return -1;
  }
  a->inside = util_fmt ("%s/written", a->base);
  return a->inside == NULL ? -1 : 0;
}

static void
arena_close (struct arena *a)
{
  if (a->inside != NULL)
    unlink (a->inside);
  if (a->base != NULL)
    rmdir (a->base);
  free (a->base);
  free (a->inside);
  free (a->outside);
}

static char *
sandbox_describe (struct doctor *d, const char *name)
{
  auto_error weir_error *ignored = NULL;
  uint64_t facts[WEIR_FACT_COUNT_];
  weir_call call = { WEIR_SIZED (weir_call), .cancel = -1, .deadline_ms = util_now_ms () + 5000, .facts = facts };
  weir_sink sink = SINK_INIT (16384);
  struct instance *instance;
  weir_status status;

  facts_snapshot (&d->rt->facts, facts);
  if (plugins_get (d->rt->plugins, name, &instance, &ignored) != WEIR_OK || instance->adopted->sandbox.describe == NULL)
    return NULL;
  plugins_enter (instance);
  status = instance->adopted->sandbox.describe (instance->self, &call, &sink, &ignored);
  plugins_leave (instance);
  if (status != WEIR_OK) {
    strbuf_free (&sink.bytes);
    return NULL;
  }
  return strbuf_steal (&sink.bytes);
}

static char *
sandbox_details (struct doctor *d, const char *name, const weir_result *result)
{
  auto_free char *described = sandbox_describe (d, name);
  struct strbuf b = { 0 };

  if (result != NULL)
    for (size_t i = 0; weir_result_gap (result, i) != NULL; i++)
      strbuf_fmt (&b, "gap: %s\n", weir_result_gap (result, i));
  if (described != NULL)
    strbuf_str (&b, described);
  return b.size == 0 ? (strbuf_free (&b), NULL) : strbuf_steal (&b);
}

static char *
sandbox_fix (const weir_error *error)
{
  struct strbuf b = { 0 };

  for (const weir_error *e = error; e != NULL; e = weir_error_cause (e))
    for (size_t i = 0; weir_error_hint_at (e, i) != NULL; i++)
      if (strstr (weir_error_hint_at (e, i), "'weir doctor'") == NULL) /* that is us */
        strbuf_fmt (&b, "%s%s", b.size > 0 ? "\n" : "", weir_error_hint_at (e, i));
  if (b.size == 0)
    strbuf_str (&b, "take it out of sandbox.chain, or see the manual page of its plugin for what it needs");
  return strbuf_steal (&b);
}

static void
sandbox_unusable (struct doctor *d, const char *name, const weir_error *error)
{
  doctor_add (d, "sandbox", name, weir_error_code (error) == WEIR_E_INVALID ? DOCTOR_FAIL : DOCTOR_WARN, error_text (error),
              sandbox_fix (error), "not usable here");
}

static void
sandbox_judge (struct doctor *d, const char *name, const struct arena *a, const weir_result *result)
{
  static const char *const words[] = { "no", "partial", "full" };
  struct stat st;
  int inside = lstat (a->inside, &st) == 0, outside = lstat (a->outside, &st) == 0;

  unlink (a->outside);
  unlink (a->inside);
  if (outside) {
    doctor_add (d, "sandbox", name, DOCTOR_FAIL, sandbox_details (d, name, result), strdup ("take it out of sandbox.chain now, and report this"),
                "it let a command write outside of the workspace");
    return;
  }
  if (!inside || weir_result_outcome (result) != WEIR_OUTCOME_EXITED) {
    struct weir_output words_of_it = { .struct_size = (uint32_t) sizeof words_of_it };
    weir_result_output (result, 2, &words_of_it);
    doctor_add (d, "sandbox", name, DOCTOR_WARN,
                util_fmt ("outcome %d, exit status %d: %.*s", weir_result_outcome (result), weir_result_exit_status (result),
                          (int) (words_of_it.size < 400 ? words_of_it.size : 400), (const char *) words_of_it.data),
                sandbox_fix (NULL), "a confined command could not write in its workspace");
    return;
  }
  d->usable++;
  doctor_add (d, "sandbox", name, weir_result_enforcement (result) == WEIR_ENFORCEMENT_FULL ? DOCTOR_OK : DOCTOR_WARN,
              sandbox_details (d, name, result),
              weir_result_enforcement (result) == WEIR_ENFORCEMENT_FULL ? NULL
                : strdup ("the checks of 'system' above say what would let it enforce more; require = \"full\" refuses it as it is"),
              "works: inside writable, outside not; %s enforcement%s%s", words[weir_result_enforcement (result)],
              weir_result_enforcement_origin (result) == NULL ? "" : ", ",
              weir_result_enforcement_origin (result) == NULL ? "" : weir_result_enforcement_origin (result));
}

static void
sandbox_check (struct doctor *d, const char *name)
{
  struct arena a = { 0 };
  auto_error weir_error *error = NULL;
  weir_result *result = NULL;

  if (arena_open (&a, d->rt) != 0) {
    doctor_add (d, "sandbox", name, DOCTOR_SKIP, NULL, util_fmt ("make '%s' a directory that you can write", arena_base (d->rt)),
                "not tried: no temporary workspace could be made: %s", strerrorname_np (errno));
    arena_close (&a);
    return;
  }
  struct weir_request request = WEIR_REQUEST_INIT;
  const char *const argv[] = { "/bin/sh", "-c", "true >\"$1\"; true >\"$2\"; exit 0", "sh", a.inside, a.outside, NULL };
  request.argv = argv;
  request.workspace = a.base;
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  request.sandbox = name;
  request.timeout_ms = 2 * d->rt->settings->probe_timeout_ms;
  request.output_limit = 4096;
  if (weir_run (d->rt, &request, &result, &error) == WEIR_OK)
    sandbox_judge (d, name, &a, result);
  else
    sandbox_unusable (d, name, error);
  weir_result_free (result);
  arena_close (&a);
}

void
doctor_sandboxes (struct doctor *d)
{
  const struct strv *chain = &d->rt->settings->chain.items;
  size_t first = d->count;

  for (size_t i = 0; i < chain->count; i++)
    sandbox_check (d, chain->items[i]);
  /* One that works is enough for the chain; when none does, each of them is at fault.  */
  for (size_t i = first; i < d->count && d->usable == 0; i++)
    d->checks[i].status = DOCTOR_FAIL;
  if (chain->count == 0)
    doctor_add (d, "sandbox", "chain", DOCTOR_FAIL, NULL, strdup ("name at least one sandbox in sandbox.chain"), "the chain is empty");
}
