/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/error.h"

#include <stdio.h>

#include "core/util.h"

struct weir_error {
  weir_status code;
  int errnum;
  char *message;
  struct strv hints;
  weir_error *cause;
};

/* Told when there is no memory to tell anything else; never freed, never changed.  */
static weir_error error_out_of_memory = { .code = WEIR_E_NOMEM, .message = (char *) "out of memory" };

static const char *const status_names[] = {
  [WEIR_OK] = "OK",
  [WEIR_E_INVALID] = "INVALID",
  [WEIR_E_NOT_FOUND] = "NOT_FOUND",
  [WEIR_E_DENIED] = "DENIED",
  [WEIR_E_UNAVAILABLE] = "SANDBOX_UNAVAILABLE",
  [WEIR_E_UNTRUSTED] = "UNTRUSTED",
  [WEIR_E_PLUGIN] = "PLUGIN",
  [WEIR_E_UNSUPPORTED] = "UNSUPPORTED",
  [WEIR_E_CONFLICT] = "CONFLICT",
  [WEIR_E_TIMEOUT] = "TIMEOUT",
  [WEIR_E_CANCELLED] = "CANCELLED",
  [WEIR_E_NOMEM] = "NOMEM",
  [WEIR_E_IO] = "IO",
  [WEIR_E_NO_PROGRAM] = "NO_PROGRAM",
  [WEIR_E_NOT_EXECUTABLE] = "NOT_EXECUTABLE",
  [WEIR_E_RUNNER] = "RUNNER",
};

const char *
weir_status_name (weir_status status)
{
  if (status < 0 || (size_t) status >= ARRAY_SIZE (status_names))
    return "UNKNOWN";
  return status_names[status];
}

weir_status
error_nomem (weir_error **err)
{
  if (err != NULL && *err == NULL)
    *err = &error_out_of_memory;
  return err != NULL ? (*err)->code : WEIR_E_NOMEM;
}

static char *
error_format (int errnum, const char *fmt, va_list ap)
{
  struct strbuf b = { 0 };

  strbuf_vfmt (&b, fmt, ap);
  if (errnum != 0) {
    char text[128];
    /* GNU strerror_r: reentrant, and returns its own static text when it has one.  */
    strbuf_fmt (&b, ": %s", strerror_r (errnum, text, sizeof text));
  }
  return strbuf_steal (&b);
}

weir_status
error_set (weir_error **err, weir_status code, int errnum, const char *fmt, ...)
{
  weir_error *e;
  va_list ap;

  if (err == NULL)
    return code;
  if (*err != NULL)
    return (*err)->code;
  e = calloc (1, sizeof *e);
  if (e == NULL)
    return error_nomem (err);
  e->code = code;
  e->errnum = errnum;
  va_start (ap, fmt);
  e->message = error_format (errnum, fmt, ap);
  va_end (ap);
  if (e->message == NULL) {
    free (e);
    return error_nomem (err);
  }
  *err = e;
  return code;
}

weir_status
error_wrap (weir_error **err, const char *fmt, ...)
{
  weir_error *e;
  va_list ap;

  if (err == NULL || *err == NULL)
    return WEIR_E_PLUGIN; /* nothing to wrap: whoever failed did not say why */
  if (*err == &error_out_of_memory)
    return WEIR_E_NOMEM;
  e = calloc (1, sizeof *e);
  if (e != NULL) {
    va_start (ap, fmt);
    e->message = error_format (0, fmt, ap);
    va_end (ap);
  }
  if (e == NULL || e->message == NULL) {
    free (e);
    return (*err)->code; /* the deeper error says more than "out of memory" would */
  }
  e->code = (*err)->code;
  e->errnum = (*err)->errnum;
  e->cause = *err;
  *err = e;
  return e->code;
}

weir_status
error_hint (weir_error **err, const char *fmt, ...)
{
  struct strbuf b = { 0 };
  va_list ap;

  if (err == NULL || *err == NULL)
    return WEIR_E_PLUGIN;
  if (*err == &error_out_of_memory)
    return WEIR_E_NOMEM;
  va_start (ap, fmt);
  strbuf_vfmt (&b, fmt, ap);
  va_end (ap);
  strv_take (&(*err)->hints, strbuf_steal (&b));
  (*err)->hints.failed = 0;
  return (*err)->code;
}

weir_status
error_move (weir_error **err, weir_error *src)
{
  weir_status code = src == NULL ? WEIR_E_PLUGIN : src->code;

  if (err == NULL) {
    weir_error_free (src);
    return code;
  }
  if (*err == NULL)
    *err = src;
  else
    weir_error_free (src);
  return *err == NULL ? code : (*err)->code;
}

void
error_clear (weir_error **err)
{
  weir_error_free (*err);
  *err = NULL;
}

void
weir_error_free (weir_error *e)
{
  while (e != NULL && e != &error_out_of_memory) {
    weir_error *cause = e->cause;
    free (e->message);
    strv_free (&e->hints);
    free (e);
    e = cause;
  }
}

weir_status
weir_error_code (const weir_error *e)
{
  return e == NULL ? WEIR_OK : e->code;
}

int
weir_error_errno (const weir_error *e)
{
  return e == NULL ? 0 : e->errnum;
}

const char *
weir_error_message (const weir_error *e)
{
  return e == NULL ? "" : e->message;
}

const weir_error *
weir_error_cause (const weir_error *e)
{
  return e == NULL ? NULL : e->cause;
}

const char *
weir_error_hint_at (const weir_error *e, size_t index)
{
  return e == NULL || index >= e->hints.count ? NULL : e->hints.items[index];
}

char *
error_text (const weir_error *e)
{
  struct strbuf b = { 0 };

  strbuf_str (&b, weir_error_message (e));
  for (const weir_error *c = weir_error_cause (e); c != NULL; c = c->cause)
    strbuf_fmt (&b, "\n  because: %s", c->message);
  for (; e != NULL; e = e->cause)
    for (size_t i = 0; i < e->hints.count; i++)
      strbuf_fmt (&b, "\n  hint: %s", e->hints.items[i]);
  return strbuf_steal (&b);
}
