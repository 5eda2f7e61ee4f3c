/* What the tests of plugins and plans share: where the mocks are, errors as text, output as a string.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEIR_TESTS_PLUGIN_SUPPORT_H
#define WEIR_TESTS_PLUGIN_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/out.h"
#include "core/util.h"

/* The directory of the built mocks (NULL: not known): WEIR_TEST_MOCK_DIR, or in the build tree.  */
static inline const char *
mock_directory (void)
{
  static char directory[4096];
  const char *given = getenv ("WEIR_TEST_MOCK_DIR"), *build = getenv ("WEIR_BUILDDIR");

  if (given != NULL)
    return given;
  if (build == NULL)
    return NULL;
  snprintf (directory, sizeof directory, "%s/tests/mocks/.libs", build);
  return directory;
}

/* Checks code and text (with causes and hints) of an error, and frees it.  */
static inline void
expect_failure (weir_status status, weir_status wanted, weir_error **err, const char *part)
{
  char *text = error_text (*err);

  if (status != wanted || weir_error_code (*err) != wanted || strstr (text, part) == NULL)
    fail_msg ("status %d, wanted %d with '%s', error: %s", (int) status, (int) wanted, part, text);
  free (text);
  error_clear (err);
}

static inline void
expect_success (weir_status status, weir_error **err)
{
  if (status != WEIR_OK || *err != NULL) {
    char *text = error_text (*err);

    print_error ("status %d: %s\n", (int) status, text);
    free (text);
    error_clear (err);
    fail ();
  }
}

static inline void
keep_output (void *data, const char *bytes, size_t size)
{
  strbuf_add (data, bytes, size);
}

static inline void
expect_part (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    fail_msg ("no '%s' in: %s", part, text);
}

#endif
