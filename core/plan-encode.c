/* plan-encode.c: the steps of a plan as bytes, in the form of plan-encoding.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "core/plan.h"

#include "core/plan-encoding.h"

/* Adds text behind what is there and stores where it went.  */
static void
encode_string (struct strbuf *out, unsigned char at[8], const char *text)
{
  if (text == NULL)
    return;
  plan_encoding_put32 (at, (uint32_t) out->size);
  plan_encoding_put32 (at + 4, (uint32_t) strlen (text));
  strbuf_add (out, text, strlen (text) + 1);
}

static void
encode_step (struct strbuf *out, size_t index, const struct weir_step *step)
{
  unsigned char record[PLAN_ENCODING_STEP] = { 0 };

  plan_encoding_put32 (record, step->kind);
  plan_encoding_put32 (record + 4, step->fact);
  plan_encoding_put64 (record + 8, step->flags);
  plan_encoding_put64 (record + 16, step->dev);
  plan_encoding_put64 (record + 24, step->ino);
  plan_encoding_put64 (record + 32, step->value);
  encode_string (out, record + 40, step->path);
  encode_string (out, record + 48, step->target);
  if (!out->failed)
    memcpy (out->data + PLAN_ENCODING_HEADER + index * PLAN_ENCODING_STEP, record, sizeof record);
}

/* What a reader would refuse is not written.  */
static weir_status
encode_check (const weir_plan *plan, weir_error **err)
{
  size_t size = PLAN_ENCODING_HEADER + plan->step_count * PLAN_ENCODING_STEP;

  if (plan->step_count > PLAN_ENCODING_MAX_STEPS)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "encode the plan: it has %zu steps, more than %u", plan->step_count,
                      PLAN_ENCODING_MAX_STEPS);
  for (size_t i = 0; i < plan->step_count && size <= PLAN_ENCODING_MAX_SIZE; i++) {
    const struct weir_step *step = &plan->steps[i];

    size += (step->path != NULL ? strlen (step->path) + 1 : 0) + (step->target != NULL ? strlen (step->target) + 1 : 0);
  }
  if (size > PLAN_ENCODING_MAX_SIZE)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "encode the plan: it is larger than %u bytes",
                      PLAN_ENCODING_MAX_SIZE);
  return WEIR_OK;
}

weir_status
plan_encode (const weir_plan *plan, struct strbuf *out, weir_error **err)
{
  auto_strbuf struct strbuf b = { 0 };
  unsigned char header[PLAN_ENCODING_HEADER] = { 0 };
  const unsigned char empty[PLAN_ENCODING_STEP] = { 0 };
  weir_status status = encode_check (plan, err);

  if (status != WEIR_OK)
    return status;
  memcpy (header, PLAN_ENCODING_MAGIC, PLAN_ENCODING_MAGIC_SIZE);
  plan_encoding_put32 (header + 8, PLAN_ENCODING_VERSION);
  plan_encoding_put32 (header + 16, (uint32_t) plan->step_count);
  strbuf_add (&b, header, sizeof header);
  for (size_t i = 0; i < plan->step_count; i++)
    strbuf_add (&b, empty, sizeof empty);
  for (size_t i = 0; i < plan->step_count; i++)
    encode_step (&b, i, &plan->steps[i]);
  if (!b.failed) {
    plan_encoding_put32 ((unsigned char *) b.data + 12, (uint32_t) b.size);
    strbuf_add (out, b.data, b.size);
  }
  return b.failed || out->failed ? error_nomem (err) : WEIR_OK;
}
