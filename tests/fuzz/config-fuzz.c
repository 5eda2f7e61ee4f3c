/* Any bytes as a configuration file: parsed, checked, laid over the built-in values, shown, read again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"
#include "core/conf.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/out.h"
#include "core/settings-internal.h"
#include "core/settings.h"

int LLVMFuzzerTestOneInput (const uint8_t *, size_t);

static const uint8_t *fuzz_bytes;
static size_t fuzz_size;

/* The file is the input, whatever its name; what it includes is missing.  */
static weir_status
fuzz_open (const char *path, int kind UNUSED, int *fd, char **canonical UNUSED, weir_error **err)
{
  if (strcmp (path, "/fuzz.conf") != 0)
    return error_set (err, WEIR_E_NOT_FOUND, 0, "open '%s'", path);
  *fd = memfd_create ("fuzz", MFD_CLOEXEC);
  if (*fd < 0 || util_write_all (*fd, fuzz_bytes, fuzz_size) != 0 || lseek (*fd, 0, SEEK_SET) != 0)
    __builtin_trap ();
  return WEIR_OK;
}

static void
fuzz_collect (void *data, const char *bytes, size_t size)
{
  strbuf_add (data, bytes, size);
}

static weir_status
fuzz_load (struct settings **s, weir_error **err)
{
  struct settings_sources src = { .home = (char *) "/home/u",
                                  .local_home = (char *) "/home/v",
                                  .state_home = "/state" };
  weir_status status;

  strv_add (&src.paths, "/fuzz.conf");
  src.layers[0] = (struct conf_layer){ src.paths.items[0], 1 };
  status = settings_from (&src, fuzz_open, s, err);
  strv_free (&src.paths);
  return status;
}

static char *
fuzz_show (const struct settings *s, int format)
{
  struct strbuf b = { 0 };
  weir_error *err = NULL;
  struct out out;

  out_init (&out, format, fuzz_collect, &b);
  settings_show (s, &out, 0);
  if (out_end (&out, &err) != WEIR_OK)
    __builtin_trap ();
  return strbuf_steal (&b);
}

static void
fuzz_options (const struct settings *s)
{
  static const struct weir_option table[] = {
    { "s", WEIR_OPT_STRING, 0, "x", "" },
    { "p", WEIR_OPT_PATH, 0, NULL, "" },
    { "b", WEIR_OPT_BOOLEAN, 0, NULL, "" },
    { "z", WEIR_OPT_SIZE, 0, "1M", "" },
    { "d", WEIR_OPT_DURATION, 0, NULL, "" },
    { "i", WEIR_OPT_INTEGER, 0, NULL, "" },
    { "l", WEIR_OPT_LIST, 0, "a,b", "" },
    { "c", WEIR_OPT_CHOICE, 0, NULL, "a|b: choice" },
    WEIR_OPTION_END,
  };
  weir_error *err = NULL;
  weir_config *config = NULL;

  if (settings_plugin_config (s, "p", table, &config, &err) == WEIR_OK)
    settings_config_free (config);
  error_clear (&err);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  struct settings *s = NULL, *again = NULL;
  weir_error *err = NULL;
  char *text, *json, *json_again;

  fuzz_bytes = bytes;
  fuzz_size = size;
  if (fuzz_load (&s, &err) != WEIR_OK) {
    if (err == NULL || weir_error_message (err)[0] == '\0')
      __builtin_trap ();
    error_clear (&err);
    return 0;
  }
  fuzz_options (s);
  text = fuzz_show (s, WEIR_FORMAT_TEXT);
  json = fuzz_show (s, WEIR_FORMAT_JSON);
  /* What is shown is a file that says the same.  */
  fuzz_bytes = (const uint8_t *) text;
  fuzz_size = strlen (text);
  if (fuzz_load (&again, &err) == WEIR_OK) {
    json_again = fuzz_show (again, WEIR_FORMAT_JSON);
    if (strcmp (json, json_again) != 0)
      __builtin_trap ();
    free (json_again);
  }
  else if (fuzz_size <= 1u << 19) {
    __builtin_trap ();
  }
  error_clear (&err);
  free (text);
  free (json);
  settings_free (s);
  settings_free (again);
  return 0;
}
