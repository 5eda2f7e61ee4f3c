/* Proofs that a sandbox works here: a no-op is really run under the policy of the call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

struct proof {
  struct proof *next;
  char *key;
  weir_status status; /* WEIR_OK: it works */
  char *message;
  struct strv hints;
};
struct proofs {
  struct proof *first;    /* latest first */
  struct strv being_made; /* kinds; who needs one of these waits for it instead of making it too */
  pthread_cond_t made;
};
#define PROOFS_MAX 256   /* older ones are forgotten, and made again when they are needed */
#define PROOFS_LOOK_MS 20 /* how often who waits looks at its cancel descriptor */

static void
proof_free (struct proof *p)
{
  free (p->key);
  free (p->message);
  strv_free (&p->hints);
  free (p);
}

void
proofs_free (struct proofs *proofs)
{
  while (proofs != NULL && proofs->first != NULL) {
    struct proof *p = proofs->first;
    proofs->first = p->next;
    proof_free (p);
  }
  if (proofs != NULL) {
    strv_free (&proofs->being_made);
    pthread_cond_destroy (&proofs->made);
  }
  free (proofs);
}

/* Under the runtime's lock.  NULL: out of memory.  */
static struct proofs *
proofs_of (weir_runtime *rt)
{
  pthread_condattr_t attributes;

  if (rt->proofs != NULL || (rt->proofs = calloc (1, sizeof *rt->proofs)) == NULL)
    return rt->proofs;
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&rt->proofs->made, &attributes);
  pthread_condattr_destroy (&attributes);
  return rt->proofs;
}

/* ---- what is known ---- */

/* FNV-1a.  */
static void
proof_hash (uint64_t *hash, const char *text)
{
  for (; *text != '\0'; text++)
    *hash = (*hash ^ (unsigned char) *text) * UINT64_C (0x100000001b3);
  *hash *= UINT64_C (0x100000001b3);
}

/* A success holds for every policy of its kind.  A failure may come from one root of one policy (a file system that cannot be
 * bound, say), so it holds for the policies that have the same view, but for the temporary directory, which is always new.  */
static char *
proof_key (const char *sandbox, const struct policy *policy, int failure)
{
  uint64_t hash = UINT64_C (0xcbf29ce484222325);

  for (size_t i = 0; i < policy->view.count && failure; i++) {
    const struct weir_view *line = policy->view.lines[i];
    if (line->flags & WEIR_VIEW_TMP)
      continue;
    proof_hash (&hash, line->host);
    proof_hash (&hash, line->world);
    hash ^= line->access;
  }
  if (failure)
    proof_hash (&hash, policy->cwd);
  return util_fmt ("%s %u %u %llx %d %llx", sandbox, policy->mode, policy->network, (unsigned long long) policy->axes,
                   policy->require_origin != NULL, failure ? (unsigned long long) hash : 0);
}

/* Under the lock.  1: known, and *status says how; then a failure's words are in *err.  */
static int
proof_known (const struct proofs *proofs, const char *key, weir_status *status, weir_error **err)
{
  for (const struct proof *p = proofs->first; p != NULL; p = p->next) {
    if (strcmp (p->key, key) != 0)
      continue;
    *status = p->status;
    if (p->status != WEIR_OK) {
      *status = error_set (err, p->status, 0, "%s", p->message);
      for (size_t i = 0; i < p->hints.count; i++)
        error_hint (err, "%s", p->hints.items[i]);
    }
    return 1;
  }
  return 0;
}

static weir_status
proof_may_wait (const weir_call *call, weir_error **err)
{
  struct pollfd p = { .fd = (int) call->cancel, .events = POLLIN };

  if (call->cancel >= 0 && poll (&p, 1, 0) == 1)
    return error_set (err, WEIR_E_CANCELLED, 0, "cancelled while a sandbox was being proved");
  if (call->deadline_ms != 0 && util_now_ms () >= call->deadline_ms)
    return error_set (err, WEIR_E_TIMEOUT, 0, "the call's time was up while a sandbox was being proved");
  return WEIR_OK;
}

static void
proof_wait (weir_runtime *rt)
{
  int64_t until = util_now_us () + PROOFS_LOOK_MS * 1000;
  struct timespec at = { until / 1000000, until % 1000000 * 1000 };

  pthread_cond_timedwait (&rt->proofs->made, &rt->lock, &at);
}

/* 0: the caller is to make it, and to call proof_end; 1: *status is the answer.  */
static int
proof_begin (weir_runtime *rt, const char *good, const char *bad, const weir_call *call, weir_status *status, weir_error **err)
{
  struct proofs *proofs;
  int answered = 1;

  pthread_mutex_lock (&rt->lock);
  proofs = proofs_of (rt);
  *status = proofs == NULL ? error_nomem (err) : WEIR_OK;
  while (*status == WEIR_OK && !(answered = proof_known (proofs, good, status, err) || proof_known (proofs, bad, status, err))
         && strv_has (&proofs->being_made, good)) {
    proof_wait (rt);
    *status = proof_may_wait (call, err);
    answered = *status != WEIR_OK;
  }
  if (!answered)
    strv_add (&proofs->being_made, good);
  pthread_mutex_unlock (&rt->lock);
  return answered;
}

static void
proof_end (weir_runtime *rt, const char *good)
{
  struct strv *v;

  pthread_mutex_lock (&rt->lock);
  v = &rt->proofs->being_made;
  for (size_t i = 0; i < v->count; i++)
    if (strcmp (v->items[i], good) == 0) {
      free (v->items[i]);
      v->items[i] = v->items[--v->count];
      v->items[v->count] = NULL;
      break;
    }
  v->failed = 0; /* one that could not be noted was made twice */
  pthread_cond_broadcast (&rt->proofs->made);
  pthread_mutex_unlock (&rt->lock);
}

static void
proof_copy_error (struct proof *p, const weir_error *error)
{
  struct strbuf text = { 0 };

  for (const weir_error *e = error; e != NULL; e = weir_error_cause (e)) {
    strbuf_fmt (&text, "%s%s", text.size > 0 ? ": " : "", weir_error_message (e));
    for (size_t i = 0; weir_error_hint_at (e, i) != NULL; i++)
      strv_add (&p->hints, weir_error_hint_at (e, i));
  }
  p->message = strbuf_steal (&text);
}

static void
proofs_forget_oldest (struct proofs *proofs)
{
  struct proof **at = &proofs->first;
  size_t count = 0;

  for (; *at != NULL && count < PROOFS_MAX; at = &(*at)->next)
    count++;
  if (*at != NULL) {
    proof_free (*at);
    *at = NULL; /* never more than one too many */
  }
}

/* A proof that cannot be remembered is made again.  */
static void
proof_remember (weir_runtime *rt, const char *key, weir_status status, const weir_error *error)
{
  struct proof *p = calloc (1, sizeof *p);

  if (p == NULL)
    return;
  p->key = strdup (key);
  p->status = status;
  if (status != WEIR_OK)
    proof_copy_error (p, error);
  pthread_mutex_lock (&rt->lock);
  if (p->key != NULL && (status == WEIR_OK || p->message != NULL)) {
    p->next = rt->proofs->first;
    rt->proofs->first = p;
    proofs_forget_oldest (rt->proofs);
    p = NULL;
  }
  pthread_mutex_unlock (&rt->lock);
  if (p != NULL)
    proof_free (p);
}

/* ---- making one ---- */

/* A program that does nothing.  */
static const char *const *
proof_command (void)
{
  static const char *const commands[][4] = {
    { "/bin/true", NULL },
    { "/usr/bin/true", NULL },
    { "/bin/sh", "-c", ":", NULL },
  };

  for (size_t i = 0; i < ARRAY_SIZE (commands); i++)
    if (access (commands[i][0], X_OK) == 0)
      return commands[i];
  return NULL;
}

/* The first line that a runner wrote, for the message.  */
static void
proof_line (intptr_t fd, char *line, size_t size)
{
  struct pollfd p = { .fd = (int) fd, .events = POLLIN };
  ssize_t n = fd >= 0 && poll (&p, 1, 0) == 1 ? read ((int) fd, line, size - 1) : 0;

  line[n > 0 ? n : 0] = '\0';
  line[strcspn (line, "\r\n")] = '\0';
}

static weir_status
proof_judge (const struct weir_exit *end, const char *line, int *transient, weir_error **err)
{
  const char *separator = line[0] == '\0' ? "" : ": ";

  if (end->kind == WEIR_EXIT_EXITED && end->code == 0)
    return WEIR_OK;
  if (end->kind == WEIR_EXIT_NOT_STARTED) {
    *transient = end->errnum == EAGAIN || end->errnum == ENOMEM || end->errnum == EMFILE || end->errnum == ENFILE;
    return error_set (err, WEIR_E_UNAVAILABLE, end->errnum, "%s%s%s%s%s", plan_step_name (end->step),
                      end->detail[0] == '\0' ? "" : " ", end->detail, separator, line);
  }
  if (end->kind == WEIR_EXIT_SIGNALLED)
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "a confined no-op was ended by signal %d%s%s", end->code, separator, line);
  if (end->kind == WEIR_EXIT_LOST)
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "the supervisor of a confined no-op ended without a word%s%s", separator, line);
  return error_set (err, WEIR_E_UNAVAILABLE, 0, "a confined no-op exited with status %d%s%s", end->code, separator, line);
}

static weir_status
proof_finish (struct instance *world, struct weir_process *process, const weir_call *call, int *transient, weir_error **err)
{
  const struct weir_process_ops *ops = &world->adopted->process;
  struct weir_exit end = { WEIR_SIZED (struct weir_exit) };
  auto_error weir_error *ignored = NULL;
  char line[512];
  weir_status status;

  plugins_enter (world);
  status = ops->wait (world->self, call, process, &end, err);
  plugins_leave (world);
  proof_line (process->streams[2], line, sizeof line);
  if (status == WEIR_OK)
    status = proof_judge (&end, line, transient, err);
  else
    *transient = 1;
  plugins_enter (world);
  ops->release (world->self, process, &ignored);
  plugins_leave (world);
  return status;
}

static weir_status
proof_make (weir_runtime *rt, const char *sandbox, const struct policy *policy, const weir_call *call, int *transient,
            weir_error **err)
{
  static const struct weir_stdio stdio = { WEIR_SIZED (struct weir_stdio),
                                           .kind = { WEIR_STDIO_NULL, WEIR_STDIO_NULL, WEIR_STDIO_PIPE },
                                           .fd = { -1, -1, -1 } };
  struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = proof_command (),
                                  .env = strv_items (&policy->env), .cwd = policy->cwd };
  struct candidate used;
  struct weir_process process;
  struct instance *world;
  weir_status status = runtime_world (rt, &world, err);

  if (status != WEIR_OK)
    return status;
  if (command.argv == NULL) {
    *transient = 1;
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "no program to prove a sandbox with: neither /bin/true nor /bin/sh is there");
  }
  status = candidate_start (rt, sandbox, &command, policy, &stdio, call, &used, &process, transient, err);
  if (status != WEIR_OK)
    return status;
  status = proof_finish (world, &process, call, transient, err);
  candidate_free (&used);
  return status;
}

weir_status
candidate_prove (weir_runtime *rt, const char *sandbox, const struct policy *policy, const weir_call *call, weir_error **err)
{
  auto_free char *good = proof_key (sandbox, policy, 0), *bad = proof_key (sandbox, policy, 1);
  auto_error weir_error *answer = NULL;
  weir_call bounded = *call;
  int transient = 0, ours;
  int64_t deadline;
  weir_status status;

  if (good == NULL || bad == NULL)
    return error_nomem (err);
  if (proof_begin (rt, good, bad, call, &status, err))
    return status;
  deadline = util_now_ms () + rt->settings->probe_timeout_ms;
  ours = call->deadline_ms == 0 || deadline < call->deadline_ms;
  if (ours)
    bounded.deadline_ms = deadline;
  status = proof_make (rt, sandbox, policy, &bounded, &transient, &answer);
  /* The no-op's program is ours: that it was not found or not executed is the sandbox's doing.  */
  if (status == WEIR_E_NO_PROGRAM || status == WEIR_E_NOT_EXECUTABLE) {
    auto_error weir_error *seen = steal (answer);
    status = error_set (&answer, WEIR_E_UNAVAILABLE, 0, "a confined no-op could not be executed: %s", weir_error_message (seen));
  }
  if (!transient && !(status != WEIR_OK && candidate_ends_call (status)))
    proof_remember (rt, status == WEIR_OK ? good : bad, status, answer);
  proof_end (rt, good);
  /* What the probe's own limit ended is this candidate's failure; only the caller's deadline is the call's.  */
  if (status == WEIR_E_TIMEOUT && ours)
    return error_set (err, WEIR_E_UNAVAILABLE, 0, "a confined no-op did not end within the probe's time limit of %lld ms",
                      (long long) rt->settings->probe_timeout_ms);
  return status == WEIR_OK ? WEIR_OK : error_move (err, steal (answer));
}
