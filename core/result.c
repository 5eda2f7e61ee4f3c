/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/result.h"

int
weir_result_outcome (const weir_result *r)
{
  return r->outcome;
}

int
weir_result_code (const weir_result *r)
{
  return r->code;
}

int
weir_result_signal (const weir_result *r)
{
  return r->signal;
}

int
weir_result_exit_status (const weir_result *r)
{
  switch (r->outcome) {
  case WEIR_OUTCOME_EXITED:
    return r->code;
  case WEIR_OUTCOME_SIGNALLED:
    return 128 + r->signal;
  case WEIR_OUTCOME_TIMED_OUT:
    return 124;
  case WEIR_OUTCOME_CANCELLED:
    return 130;
  case WEIR_OUTCOME_LIMIT:
    return 137;
  default:
    return 125;
  }
}

const char *
weir_result_limit (const weir_result *r)
{
  return r->limit;
}

int
weir_result_tree_gone (const weir_result *r)
{
  return r->tree_gone;
}

int
weir_result_enforcement (const weir_result *r)
{
  return r->enforcement;
}

const char *
weir_result_enforcement_origin (const weir_result *r)
{
  return r->asserted;
}

const char *
weir_result_gap (const weir_result *r, size_t index)
{
  return index < r->gaps.count ? r->gaps.items[index] : NULL;
}

const char *
weir_result_provider (const weir_result *r)
{
  return r->provider;
}

uint32_t
weir_result_mode (const weir_result *r)
{
  return r->mode;
}

uint64_t
weir_result_cpu_usec (const weir_result *r)
{
  return r->cpu_usec;
}

uint64_t
weir_result_max_rss (const weir_result *r)
{
  return r->max_rss;
}

uint64_t
weir_result_wall_usec (const weir_result *r)
{
  return r->wall_usec;
}

/* Copies as much of a full-size value as the caller's struct_size has room for.  */
static void
result_fill (void *out, const void *full, size_t full_size)
{
  uint32_t size;

  memcpy (&size, out, sizeof size);
  if (size > sizeof size)
    memcpy ((char *) out + sizeof size, (const char *) full + sizeof size,
            (size < full_size ? size : full_size) - sizeof size);
}

void
weir_result_output (const weir_result *r, int which, struct weir_output *out)
{
  struct weir_output full = { .data = "" };

  if (which == 1 || which == 2) {
    const struct stream *s = &r->collect.stream[which - 1];
    full = (struct weir_output){
      .truncated = s->total > s->size,
      .data = s->data == NULL ? "" : s->data, /* outcome_make made it contiguous */
      .size = s->size,
      .offset = s->offset,
      .total = s->total,
      .spill = s->spill_path,
    };
  }
  result_fill (out, &full, sizeof full);
}

int
weir_result_order (const weir_result *r, size_t index, int *which, uint64_t *offset, uint64_t *size)
{
  const struct piece *p;

  if (index >= r->collect.order_count)
    return 0;
  p = &r->collect.order[index];
  *which = p->which;
  *offset = p->offset;
  *size = p->size;
  return 1;
}

int
weir_result_denial (const weir_result *r, size_t index, struct weir_denial *out)
{
  struct weir_denial full = { 0 };

  if (index >= r->denial_count)
    return 0;
  full.enforced = (uint32_t) r->denials[index].enforced;
  full.operation = r->denials[index].operation;
  full.path = r->denials[index].path;
  full.rule = r->denials[index].rule;
  full.origin = r->denials[index].origin;
  full.remedy = r->denials[index].remedy;
  result_fill (out, &full, sizeof full);
  return 1;
}

const char *
weir_result_warning (const weir_result *r, size_t index)
{
  return index < r->warnings.count ? r->warnings.items[index] : NULL;
}

void
weir_result_free (weir_result *r)
{
  if (r == NULL)
    return;
  for (size_t i = 0; i < r->denial_count; i++) {
    free (r->denials[i].operation);
    free (r->denials[i].path);
    free (r->denials[i].rule);
    free (r->denials[i].origin);
    free (r->denials[i].remedy);
  }
  free (r->denials);
  free (r->asserted);
  free (r->provider);
  strv_free (&r->gaps);
  strv_free (&r->warnings);
  collect_free (&r->collect);
  free (r);
}
