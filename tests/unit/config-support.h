/* What the tests of the configuration share: a directory of their own, files in it, an opener that trusts everything.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TESTS_CONFIG_SUPPORT_H
#define WEIR_TESTS_CONFIG_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/util.h"

/* Removed with all beneath it by scratch_end.  */
static char scratch[512];

static int
scratch_unlink (const char *path, const struct stat *st UNUSED, int type UNUSED, struct FTW *ftw UNUSED)
{
  return remove (path);
}

static inline int
scratch_begin_in (const char *parent)
{
  snprintf (scratch, sizeof scratch, "%s/weir-test-XXXXXX", parent);
  return mkdtemp (scratch) == NULL ? -1 : 0;
}

static inline int
scratch_begin (void **state UNUSED)
{
  const char *tmp = getenv ("TMPDIR");

  return scratch_begin_in (tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
}

static inline int
scratch_end (void **state UNUSED)
{
  return nftw (scratch, scratch_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a name in the scratch directory; of the last eight calls.  */
static inline const char *
scratch_path (const char *name)
{
  static char paths[8][1024];
  static unsigned next;
  char *p = paths[next++ % 8];

  snprintf (p, sizeof paths[0], "%s/%s", scratch, name);
  return p;
}

static inline void
scratch_bytes (const char *name, const void *bytes, size_t size)
{
  FILE *f = fopen (scratch_path (name), "w");

  assert_non_null (f);
  assert_int_equal (fwrite (bytes, 1, size, f), size);
  assert_int_equal (fclose (f), 0);
}

static inline const char *
scratch_file (const char *name, const char *text)
{
  scratch_bytes (name, text, strlen (text));
  return scratch_path (name);
}

/* A config_opener for directories that are not trusted, as /tmp.  */
static inline weir_status
open_anything (const char *path, int kind UNUSED, int *fd, char **canonical UNUSED, weir_error **err)
{
  int opened = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

  if (opened < 0)
    return error_set (err, errno == ENOENT ? WEIR_E_NOT_FOUND : WEIR_E_IO, errno, "open '%s'", path);
  *fd = opened;
  return WEIR_OK;
}

/* The error's text with its hints holds this.  The error is freed.  By address: the call that sets it may stand in the
 * same argument list.  */
static inline void
expect_error (weir_status status, weir_status wanted, weir_error **err, const char *part)
{
  char *text = error_text (*err);

  if (status != wanted)
    print_error ("status %d, not %d: %s\n", (int) status, (int) wanted, text);
  assert_int_equal (status, wanted);
  assert_non_null (*err);
  if (strstr (text, part) == NULL) {
    print_error ("no '%s' in: %s\n", part, text);
    fail ();
  }
  free (text);
  error_clear (err);
}

static inline void
expect_ok (weir_status status, weir_error **err)
{
  if (status != WEIR_OK) {
    char *text = error_text (*err);
    print_error ("status %d: %s\n", (int) status, text);
    free (text);
  }
  assert_int_equal (status, WEIR_OK);
  assert_null (*err);
}

#endif
