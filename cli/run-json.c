/* weir run --json: one object for what became of the call.  The command's exit code and weir's own error are different
 * members, so that 125 to 127 are never ambiguous.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"

/* NULL and what is not UTF-8: null, or with the wrong bytes replaced by '?'.  Words of errors, not data.  */
static json_t *
json_words (const char *text)
{
  json_t *value;
  char *copy;

  if (text == NULL)
    return json_null ();
  value = json_string (text);
  if (value != NULL)
    return value;
  copy = strdup (text);
  for (char *p = copy; p != NULL && *p != '\0'; p++)
    if ((unsigned char) *p >= 0x80)
      *p = '?';
  value = copy != NULL ? json_string (copy) : json_null ();
  free (copy);
  return value;
}

static char *
json_base64 (const unsigned char *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = malloc ((size + 2) / 3 * 4 + 1), *p = text;

  if (text == NULL)
    return NULL;
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t v = (uint32_t) bytes[i] << 16 | (left > 1 ? (uint32_t) bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);

    *p++ = digits[v >> 18];
    *p++ = digits[v >> 12 & 63];
    *p++ = left > 1 ? digits[v >> 6 & 63] : '=';
    *p++ = left > 2 ? digits[v & 63] : '=';
  }
  *p = '\0';
  return text;
}

/* Data: {"text": ...} where it is UTF-8, else {"base64": ...}.  A name prefixes the key of a path.  */
static void
json_data (json_t *object, const char *text_key, const char *base64_key, const void *bytes, size_t size)
{
  json_t *text = json_stringn (size > 0 ? bytes : "", size);

  if (text != NULL)
    json_object_set_new (object, text_key, text);
  else {
    char *encoded = json_base64 (bytes, size);

    json_object_set_new (object, base64_key, encoded != NULL ? json_string (encoded) : json_null ());
    free (encoded);
  }
}

static json_t *
json_error (const weir_error *err)
{
  json_t *object, *causes, *hints;

  if (err == NULL)
    return json_null ();
  object = json_object ();
  causes = json_array ();
  hints = json_array ();
  json_object_set_new (object, "code", json_integer (weir_error_code (err)));
  json_object_set_new (object, "name", json_words (weir_status_name (weir_error_code (err))));
  json_object_set_new (object, "errno", weir_error_errno (err) != 0 ? json_integer (weir_error_errno (err)) : json_null ());
  json_object_set_new (object, "message", json_words (weir_error_message (err)));
  for (const weir_error *e = err; e != NULL; e = weir_error_cause (e)) {
    const char *hint;

    if (e != err)
      json_array_append_new (causes, json_words (weir_error_message (e)));
    for (size_t i = 0; (hint = weir_error_hint_at (e, i)) != NULL; i++)
      json_array_append_new (hints, json_words (hint));
  }
  json_object_set_new (object, "causes", causes);
  json_object_set_new (object, "hints", hints);
  return object;
}

static json_t *
json_failure (const char *name, const char *message)
{
  json_t *object = json_object ();

  json_object_set_new (object, "code", json_integer (WEIR_E_RUNNER));
  json_object_set_new (object, "name", json_words (name));
  json_object_set_new (object, "errno", json_null ());
  json_object_set_new (object, "message", json_words (message));
  json_object_set_new (object, "causes", json_array ());
  json_object_set_new (object, "hints", json_array ());
  return object;
}

static const char *
json_outcome (int outcome)
{
  switch (outcome) {
  case WEIR_OUTCOME_EXITED:
    return "exited";
  case WEIR_OUTCOME_SIGNALLED:
    return "signalled";
  case WEIR_OUTCOME_RUNNER_FAILED:
    return "runner-failed";
  case WEIR_OUTCOME_TIMED_OUT:
    return "timed-out";
  case WEIR_OUTCOME_CANCELLED:
    return "cancelled";
  case WEIR_OUTCOME_LIMIT:
    return "limit";
  default:
    return "unknown";
  }
}

static json_t *
json_output (const weir_result *result, int which)
{
  struct weir_output o = { .struct_size = (uint32_t) sizeof o };
  json_t *object = json_object ();

  weir_result_output (result, which, &o);
  json_data (object, "text", "base64", o.data, o.size);
  json_object_set_new (object, "offset", json_integer ((json_int_t) o.offset));
  json_object_set_new (object, "total", json_integer ((json_int_t) o.total));
  json_object_set_new (object, "truncated", json_boolean (o.truncated));
  json_object_set_new (object, "spill", json_words (o.spill));
  return object;
}

static json_t *
json_order (const weir_result *result)
{
  json_t *list = json_array ();
  uint64_t offset, size;
  int which;

  for (size_t i = 0; weir_result_order (result, i, &which, &offset, &size); i++)
    json_array_append_new (list, json_pack ("{s:s, s:I, s:I}", "stream", which == 1 ? "stdout" : "stderr", "offset",
                                            (json_int_t) offset, "size", (json_int_t) size));
  return list;
}

static json_t *
json_denials (const weir_result *result)
{
  struct weir_denial d = { .struct_size = (uint32_t) sizeof d };
  json_t *list = json_array ();

  for (size_t i = 0; weir_result_denial (result, i, &d); i++) {
    json_t *object = json_object ();

    json_object_set_new (object, "operation", json_words (d.operation));
    if (d.path != NULL)
      json_data (object, "path", "path_base64", d.path, strlen (d.path));
    else
      json_object_set_new (object, "path", json_null ());
    json_object_set_new (object, "rule", json_words (d.rule));
    json_object_set_new (object, "origin", json_words (d.origin));
    json_object_set_new (object, "remedy", json_words (d.remedy));
    json_object_set_new (object, "certainty", json_string (d.enforced ? "enforced" : "inferred"));
    json_array_append_new (list, object);
  }
  return list;
}

static json_t *
json_lines (const weir_result *result, const char *(*at) (const weir_result *, size_t))
{
  json_t *list = json_array ();
  const char *line;

  for (size_t i = 0; (line = at (result, i)) != NULL; i++)
    json_array_append_new (list, json_words (line));
  return list;
}

static void
json_ran (json_t *root, const weir_result *r)
{
  static const char *const enforcements[] = { "none", "partial", "full" };
  int enforcement = weir_result_enforcement (r), signo = weir_result_signal (r);

  json_object_set_new (root, "exit_code", weir_result_code (r) >= 0 ? json_integer (weir_result_code (r)) : json_null ());
  json_object_set_new (root, "signal", signo != 0 ? json_integer (signo) : json_null ());
  json_object_set_new (root, "outcome", json_string (json_outcome (weir_result_outcome (r))));
  json_object_set_new (root, "limit", json_words (weir_result_limit (r)));
  json_object_set_new (root, "tree_gone", json_boolean (weir_result_tree_gone (r)));
  json_object_set_new (root, "enforcement",
                       json_string (enforcement >= 0 && enforcement <= 2 ? enforcements[enforcement] : "none"));
  json_object_set_new (root, "enforcement_origin", json_words (weir_result_enforcement_origin (r)));
  json_object_set_new (root, "gaps", json_lines (r, weir_result_gap));
  json_object_set_new (root, "provider", json_words (weir_result_provider (r)));
  json_object_set_new (root, "mode", json_string (print_mode (weir_result_mode (r))));
  json_object_set_new (root, "denials", json_denials (r));
  json_object_set_new (root, "warnings", json_lines (r, weir_result_warning));
  json_object_set_new (root, "stdout", json_output (r, 1));
  json_object_set_new (root, "stderr", json_output (r, 2));
  json_object_set_new (root, "order", json_order (r));
  json_object_set_new (root, "timings",
                       json_pack ("{s:I, s:I}", "wall_usec", (json_int_t) weir_result_wall_usec (r), "cpu_usec",
                                  (json_int_t) weir_result_cpu_usec (r)));
  json_object_set_new (root, "max_rss", json_integer ((json_int_t) weir_result_max_rss (r)));
}

static int
json_write (const char *bytes, size_t size, void *data)
{
  print_bytes (data, bytes, size);
  return 0;
}

void
json_result (const weir_result *result, const weir_error *err, int status)
{
  json_t *root = json_object ();

  json_object_set_new (root, "schema_version", json_integer (1));
  json_object_set_new (root, "exit_status", json_integer (status));
  if (result != NULL) {
    json_ran (root, result);
    json_object_set_new (root, "error",
                         weir_result_outcome (result) != WEIR_OUTCOME_RUNNER_FAILED
                           ? json_null ()
                           : json_failure (weir_status_name (WEIR_E_RUNNER),
                                           "the sandbox could not be set up; the command did not run"));
  } else {
    json_object_set_new (root, "exit_code", json_null ());
    json_object_set_new (root, "signal", json_null ());
    json_object_set_new (root, "outcome", json_null ());
    json_object_set_new (root, "error", err != NULL ? json_error (err) : json_failure ("UNKNOWN", "failed without saying why"));
  }
  if (root == NULL || json_dump_callback (root, json_write, NULL, JSON_COMPACT) != 0)
    print_text ("{\"schema_version\":1,\"exit_status\":125,\"error\":{\"name\":\"NOMEM\",\"message\":\"out of memory\"}}");
  print_text ("\n");
  json_decref (root);
}
