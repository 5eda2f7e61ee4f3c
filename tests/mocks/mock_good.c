/* Breaks no rule: a sandbox that governs next to nothing and says so, with options of every type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mock.h"

#include <stdio.h>

struct mock_good {
  long created; /* how many times in this process */
};
static long mock_good_count;

static weir_status
mock_good_create (weir_log *log, const weir_config *config, void **self, weir_error **err)
{
  struct mock_good *m = calloc (1, sizeof *m);

  if (m == NULL)
    return weir_error_set (err, WEIR_E_NOMEM, 0, "out of memory");
  m->created = ++mock_good_count;
  weir_log_line (log, WEIR_LOG_INFO, "created with word '%s' and number %lld", weir_config_string (config, "word"),
                 (long long) weir_config_integer (config, "number"));
  *self = m;
  return WEIR_OK;
}

static void
mock_good_destroy (void *self)
{
  free (self);
}

static weir_status
mock_good_describe (void *self, const weir_call *call, weir_sink *sink, weir_error **err)
{
  const struct mock_good *m = self;
  char lines[64];

  snprintf (lines, sizeof lines, "created=%ld\nuid=%llu\n", m->created, (unsigned long long) weir_fact (call, WEIR_FACT_UID));
  return weir_sink_write (sink, lines, strlen (lines), err);
}

static const struct weir_option mock_good_options[] = {
  { "word", WEIR_OPT_STRING, 0, "hello", "A string" },
  { "place", WEIR_OPT_PATH, 0, "/nowhere", "A path" },
  { "yes", WEIR_OPT_BOOLEAN, 0, "true", "A boolean" },
  { "much", WEIR_OPT_SIZE, 0, "10M", "A size" },
  { "long", WEIR_OPT_DURATION, 0, "5s", "A duration" },
  { "number", WEIR_OPT_INTEGER, 0, "-3", "An integer" },
  { "words", WEIR_OPT_LIST, 0, NULL, "A list" },
  { "one", WEIR_OPT_CHOICE, 0, "b", "a|b|c: a choice" },
  WEIR_OPTION_END,
};

static const struct weir_sandbox_ops mock_good_sandbox = {
  WEIR_SIZED (struct weir_sandbox_ops),
  .claims = MOCK_ALL_CLAIMS,
  .confine = mock_confine,
  .describe = mock_good_describe,
};

static const struct weir_plugin mock_good = {
  WEIR_PLUGIN (mock_good),
  MOCK_TEXTS,
  .threading = WEIR_SERIAL,
  .options = mock_good_options,
  .create = mock_good_create,
  .destroy = mock_good_destroy,
  .sandbox = &mock_good_sandbox,
};

WEIR_PLUGIN_REGISTER (mock_good);
