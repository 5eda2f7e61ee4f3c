/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/exec.h"

#include <errno.h>
#include <fcntl.h>

static weir_status
request_copy (const struct weir_request *request, struct weir_request *full, weir_error **err)
{
  const unsigned char *tail;

  if (request == NULL || request->struct_size < sizeof *full)
    return error_set (err, WEIR_E_INVALID, 0, "the request is not initialised (struct_size %u)",
                      request == NULL ? 0u : request->struct_size);
  memcpy (full, request, sizeof *full);
  full->struct_size = (uint32_t) sizeof *full;
  /* What a newer caller asks for must not be ignored.  */
  tail = (const unsigned char *) request;
  for (size_t i = sizeof *full; i < request->struct_size; i++)
    if (tail[i] != 0)
      return error_set (err, WEIR_E_UNSUPPORTED, 0, "the request uses a field that this version of Weir does not know");
  if (request->flags != 0 || request->reserved != 0 || request->reserved2 != 0)
    return error_set (err, WEIR_E_UNSUPPORTED, 0, "the request uses a flag that this version of Weir does not know");
  return WEIR_OK;
}

static weir_status
request_stream (const struct weir_request *r, int i, weir_error **err)
{
  static const char *const names[] = { "standard input", "standard output", "standard error" };
  uint32_t kind = r->stream[i];

  if (kind > WEIR_STREAM_TEE || (i == 0 && kind == WEIR_STREAM_TEE))
    return error_set (err, WEIR_E_INVALID, 0, "%s: unknown kind of stream %u", names[i], kind);
  if ((kind == WEIR_STREAM_PTY) != (r->stream[0] == WEIR_STREAM_PTY))
    return error_set (err, WEIR_E_INVALID, 0, "%s: a terminal is used for all three streams or for none", names[i]);
  if ((kind == WEIR_STREAM_INHERIT || kind == WEIR_STREAM_TEE) && fcntl ((int) r->stream_fd[i], F_GETFD) < 0) {
    error_set (err, WEIR_E_INVALID, errno, "%s: descriptor %d", names[i], (int) r->stream_fd[i]);
    return error_hint (err, "redirect %s to or from /dev/null instead of closing it", names[i]);
  }
  return WEIR_OK;
}

static weir_status
request_values (const struct weir_request *r, weir_error **err)
{
  if (r->mode > WEIR_MODE_DANGER_FULL_ACCESS)
    return error_set (err, WEIR_E_INVALID, 0, "unknown mode %u", r->mode);
  if (r->network_set > 1 || r->network > WEIR_NETWORK_NONE)
    return error_set (err, WEIR_E_INVALID, 0, "unknown network setting %u", r->network);
  if (r->keep > WEIR_KEEP_HEAD)
    return error_set (err, WEIR_E_INVALID, 0, "unknown way %u to keep output", r->keep);
  if (r->timeout_ms < 0)
    return error_set (err, WEIR_E_INVALID, 0, "negative time-out of %lld ms", (long long) r->timeout_ms);
  if (r->input == NULL && r->input_size > 0)
    return error_set (err, WEIR_E_INVALID, 0, "input of %zu bytes without bytes", r->input_size);
  return WEIR_OK;
}

weir_status
request_check (const struct weir_request *request, int need_argv, struct weir_request *full, weir_error **err)
{
  weir_status status = request_copy (request, full, err);

  if (status == WEIR_OK)
    status = request_values (full, err);
  for (int i = 0; i < 3 && status == WEIR_OK && need_argv; i++)
    status = request_stream (full, i, err);
  if (status == WEIR_OK && need_argv && (full->argv == NULL || full->argv[0] == NULL || full->argv[0][0] == '\0'))
    return error_set (err, WEIR_E_INVALID, 0, "the command is empty");
  return status;
}
