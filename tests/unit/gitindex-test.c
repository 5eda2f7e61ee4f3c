/* SPDX-License-Identifier: Apache-2.0 */
/* The submodules in an index, beside what git says.  */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "core/gitindex.h"

static char directory[4096];

static void
shell (const char *format, ...)
{
  auto_strbuf struct strbuf text = { 0 };
  va_list ap;

  strbuf_fmt (&text, "set -e; cd '%s'; export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1; ", directory);
  va_start (ap, format);
  strbuf_vfmt (&text, format, ap);
  va_end (ap);
  assert_int_equal (system (text.data), 0);
}

static int
setup (void **state)
{
  (void) state;
  snprintf (directory, sizeof directory, "%s/weir-gitindex-XXXXXX", getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
  return mkdtemp (directory) == NULL ? -1 : 0;
}

static int
teardown (void **state)
{
  (void) state;
  shell ("rm -rf '%s'", directory);
  return 0;
}

static int
have_git (void)
{
  if (system ("git --version >/dev/null 2>&1") == 0)
    return 1;
  print_message ("skipped: git is not installed\n");
  return 0;
}

static const char populate[] =
  "i=0; while [ $i -lt 40 ]; do d=dir$((i %% 7))/$(printf %%0${i}d 0); mkdir -p $d; echo $i > $d/f; i=$((i+1)); done; git add .; "
  "h=$(git hash-object f 2>/dev/null || git hash-object dir0/0/f); "
  "for p in a/sub dir3/x/module \"sp ace\" \303\244 z; do git update-index --add --cacheinfo 160000,$h,\"$p\"; done; "
  "git add -N new 2>/dev/null || { echo > new; git add -N new; }; ";

static void
compare (const char *options, const char *after, size_t hash)
{
  auto_strv struct strv links = { 0 };
  auto_strbuf struct strbuf text = { 0 };
  auto_free char *expected = NULL;
  size_t size;
  int fd;

  shell ("rm -rf * .git; git init -q %s .; ", options);
  shell (populate, 0);
  shell ("%s", after);
  shell ("git ls-files -z -s | tr '\\0' '\\n' | sed -n 's/^160000 [0-9a-f]* 0\t//p' > expected");
  fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (gitindex_links (fd, ".git/index", hash, 100, &links), 0);
  for (size_t i = 0; i < links.count; i++)
    strbuf_fmt (&text, "%s\n", links.items[i]);
  expected = util_read_file (fd, "expected", 65536, &size);
  close (fd);
  assert_int_equal (links.count, 5);
  assert_string_equal (text.data, expected);
}

static void
test_versions (void **state)
{
  (void) state;
  if (!have_git ())
    skip ();
  compare ("", "git rm -q --cached new; git update-index --index-version 2", 20);
  compare ("", "git update-index --index-version 3", 20);
  compare ("", "git update-index --index-version 4", 20);
  compare ("--object-format=sha256", ":", 32);
  compare ("--object-format=sha256", "git update-index --index-version 4", 32);
}

static void
test_limit (void **state)
{
  auto_strv struct strv links = { 0 };
  int fd;

  (void) state;
  if (!have_git ())
    skip ();
  shell ("git init -q .");
  shell (populate, 0);
  fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (gitindex_links (fd, ".git/index", 20, 2, &links), 0);
  assert_int_equal (links.count, 2);
  close (fd);
}

static int
refused (int fd, const char *script)
{
  auto_strv struct strv links = { 0 };
  int rc;

  shell ("rm -rf x; %s", script);
  alarm (60);
  rc = gitindex_links (fd, "x", 20, 100, &links);
  alarm (0);
  return rc == -1;
}

static void
test_bad (void **state)
{
  int fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  (void) state;
  assert_true (refused (fd, ":"));
  assert_true (refused (fd, "mkfifo x"));
  assert_true (refused (fd, "mkdir x"));
  assert_true (refused (fd, ": > x"));
  assert_true (refused (fd, "ln -s /dev/zero x"));
  assert_true (refused (fd, "printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\1' > x"));
  assert_true (refused (fd, "printf 'DIRC\\0\\0\\0\\5\\0\\0\\0\\0' > x"));
  assert_true (refused (fd, "printf 'DIRC\\0\\0\\0\\2\\377\\377\\377\\377' > x"));
  assert_true (refused (fd, "{ printf 'DIRC\\0\\0\\0\\4\\0\\0\\0\\2'; head -c 62 /dev/zero; printf '\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377'; } > x"));
  assert_true (refused (fd, "{ printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\2'; head -c 70000 /dev/zero | tr '\\0' a; } > x"));
  assert_false (refused (fd, "printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\0' > x"));
  close (fd);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_versions, setup, teardown),
    cmocka_unit_test_setup_teardown (test_limit, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bad, setup, teardown),
  };

  return cmocka_run_group_tests_name ("gitindex", tests, NULL, NULL);
}
