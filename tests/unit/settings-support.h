/* Settings from text, for their tests.  */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_SETTINGS_SUPPORT_H
#define WEIR_TESTS_SETTINGS_SUPPORT_H

#include "config-support.h"
#include "core/settings-internal.h"
#include "core/settings.h"

/* Settings of one file's text ("" and NULL: no file) and --set strings, of a user whose home is /home/u.  */
static inline weir_status
load (const char *text, const char *const *set, struct settings **out, weir_error **err)
{
  struct settings_sources src = { .home = (char *) "/home/u", .local_home = (char *) "/home/u" };
  weir_status status;

  if (text != NULL) {
    strv_add (&src.paths, scratch_file ("t.conf", text));
    src.layers[0] = (struct conf_layer){ src.paths.items[0], 1 };
  }
  for (; set != NULL && *set != NULL; set++)
    strv_add (&src.set, *set);
  status = settings_from (&src, open_anything, out, err);
  strv_free (&src.paths);
  strv_free (&src.set);
  return status;
}

static inline struct settings *
loaded (const char *text, const char *const *set)
{
  weir_error *err = NULL;
  struct settings *s = NULL;

  expect_ok (load (text, set, &s, &err), &err);
  assert_non_null (s);
  return s;
}

#endif
