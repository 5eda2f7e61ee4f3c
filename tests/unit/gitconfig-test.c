/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of git's configuration files beside git itself.  */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/gitconfig.h"
#include "core/util.h"

static const char *const good[] = {
  "",
  "\n\n",
  "[core]\n",
  "[core]\n\thooksPath = .husky\n",
  "[CoRe]\nHooksPath=X\n",
  "[core] hooksPath = a b  c\t d   ; comment\n",
  "[core]\na\nb=\nc = \"\"\n",
  "[core]a=1\n[core]b=2\n",
  "[core] ; comment\n# another [x]\na = 1 # c\nb=2;d\n",
  "[core]\na = \"x ; y # z\"\n",
  "[core]\na = x\"  y  \"z  \n",
  "[core]\na = one \\\n  two\\\n three\n",
  "[core]\na = one \\\r\n  two\r\n[b]\r\nc=d\r\n",
  "[core]\na = \"q\\\"u\\\\o\\te\\nx\\by\"\n",
  "[core]\na = x\\ty\\\\z\n",
  "[include]\n\tpath = ../x\n\tPATH = ~/y\n",
  "[includeIf \"gitdir:~/Work/\"]\n path = /abs/file\n",
  "[includeIf \"onbranch:a\\\"b\\\\c\"]path=z\n",
  "[remote \"Ori Gin.x\"]\n\tUrl = a\n",
  "[Remote.OriGin]\nurl=b\n",
  "[a.b.C]\nd=e\n",
  "[core   \"sub\"]\nx=y\n",
  "[x \"\"]\ny=z\n",
  "[x \"a]b\"]\ny=z\n",
  "\xef\xbb\xbf[core]\na=b\n",
  "[core]\na=b",
  "[core]\na",
  "[core]\na = b\\",
  "[core]\na-1 = b\na2=c\n",
  "x = 1\n[core]\ny=2\n",
  "[core]\n a = \"\xc3\xa4\xff\"\n",
  "[core]\na = b \r c\n",
  "[core]\ra=b\n",
  "[core]\n;[evil]\n#\\\nb=1\n",
  "[core]\na=1;\\\nb=2\n",
  "[core]\na = \"multi \\\nline\"\n",
  "[core]\na=\\\n\\\n\\\nx\n",
  "[core]a=\tx\t\t y\n",
  "[-x]\na=1\n",
  "[1]\na=1\n",
  "[core]\na==b\n",
  "[core]\na = = b\n",
  "[x \"\\t\"]\nq=1\n",
};

static const char *const bad[] = {
  "[core\n", "[core\na=b\n", "[]\na=b\n", "[co_re]\na=b\n", "[core]\n1a=b\n", "[core]\na_b=1\n", "[core]\na \"b\"\n",
  "[core]\na = \"open\n", "[core]\na = \\q\n", "[core \"x\n\"]\na=b\n", "[core \"x\"\n]\n", "[core \"x\" ]\n",
  "[core x]\n", "=\n", "[core]\n-a=b\n", "[core]\na = \"x", "\xef\xbb[core]\na=b\n", "[a]\nb=1\n[c]\nd=\\x\n[e]\nf=2\n",
  "[core \"x\\\n\"]a=b\n", "[core]\na\rb\n",
};

static void
render (const struct gitconfig *g, struct strbuf *out)
{
  for (size_t i = 0; i < g->count; i++) {
    strbuf_str (out, g->entries[i].key);
    if (g->entries[i].value != NULL) {
      strbuf_str (out, "\n");
      strbuf_str (out, g->entries[i].value);
    }
    strbuf_add (out, "", 1);
  }
}

static int
git_says (const char *file, struct strbuf *out)
{
  char command[5000], buffer[4096];
  size_t n;
  FILE *p;

  snprintf (command, sizeof command, "GIT_CONFIG_NOSYSTEM=1 git config --no-includes -f '%s' --list -z 2>/dev/null", file);
  p = popen (command, "r");
  assert_non_null (p);
  while ((n = fread (buffer, 1, sizeof buffer, p)) > 0)
    strbuf_add (out, buffer, n);
  return pclose (p);
}

static void
compare (const char *file, const char *text, size_t size, int must)
{
  auto_strbuf struct strbuf ours = { 0 }, theirs = { 0 };
  struct gitconfig g;
  int rc = gitconfig_parse (text, size, &g), status;
  FILE *f = fopen (file, "w");

  assert_non_null (f);
  assert_int_equal (fwrite (text, 1, size, f), size);
  fclose (f);
  status = git_says (file, &theirs);
  render (&g, &ours);
  if ((rc == 0) != (status == 0) || ours.size != theirs.size || (ours.size && memcmp (ours.data, theirs.data, ours.size) != 0))
    print_error ("differs for:\n%s\nours %d: %.*s\ngit %d: %.*s\n", text, rc, (int) ours.size, ours.size ? ours.data : "", status,
                 (int) theirs.size, theirs.size ? theirs.data : "");
  assert_int_equal (rc == 0, status == 0);
  if (must >= 0)
    assert_int_equal (rc == 0, must);
  assert_int_equal (ours.size, theirs.size);
  if (ours.size > 0)
    assert_memory_equal (ours.data, theirs.data, ours.size);
  gitconfig_free (&g);
}

static char file[4096];

static int
setup (void **state)
{
  int fd;

  (void) state;
  snprintf (file, sizeof file, "%s/weir-gitconfig-XXXXXX", getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
  fd = mkstemp (file);
  return fd < 0 ? -1 : close (fd);
}

static int
teardown (void **state)
{
  (void) state;
  return unlink (file);
}

static void
need_git (void)
{
  if (system ("git --version >/dev/null 2>&1") != 0) {
    print_message ("skipped: git is not installed\n");
    skip ();
  }
}

static void
test_good (void **state)
{
  (void) state;
  need_git ();
  for (size_t i = 0; i < ARRAY_SIZE (good); i++)
    compare (file, good[i], strlen (good[i]), 1);
}

static void
test_bad (void **state)
{
  (void) state;
  need_git ();
  for (size_t i = 0; i < ARRAY_SIZE (bad); i++)
    compare (file, bad[i], strlen (bad[i]), 0);
}

/* Texts made of the characters that mean something, from a fixed sequence.  */
static void
test_random (void **state)
{
  static const char *const words[] = { "[core]", "[a \"B\"]", "\n", "\n", "a", "b", "=", "=", " ", "\t", "\"", "\\", "#", ";", "\r",
                                       "\\n", "[", "]", "x-1", "\\\n", "\r\n", "\xc3\xa4", "1", "." };
  uint32_t seed = 20261201;

  (void) state;
  need_git ();
  for (int round = 0; round < 400; round++) {
    auto_strbuf struct strbuf text = { 0 };
    int n;

    strbuf_str (&text, round % 2 ? "[core]\n" : "");
    seed = seed * 1664525 + 1013904223;
    n = 1 + (int) (seed >> 24) % 14;
    for (int i = 0; i < n; i++) {
      seed = seed * 1664525 + 1013904223;
      strbuf_str (&text, words[(seed >> 16) % ARRAY_SIZE (words)]);
    }
    compare (file, text.data, text.size, -1);
  }
}

static void
test_zero_bytes (void **state)
{
  static const char text[] = "[core]\na = x\0y\nb = 1\n";
  static const char open[] = "[core]\na = b\n\0";
  struct gitconfig g;

  (void) state;
  assert_int_equal (gitconfig_parse (text, sizeof text - 1, &g), 0);
  assert_int_equal (g.count, 2);
  assert_string_equal (g.entries[0].value, "x");
  gitconfig_free (&g);
  assert_int_equal (gitconfig_parse (open, sizeof open - 1, &g), -1);
  assert_int_equal (g.count, 1);
  gitconfig_free (&g);
}

static void
test_lookup (void **state)
{
  static const char text[] = "[core]\nhooksPath=a\n[core]\nHOOKSPATH=b\nfsmonitor\n";
  struct gitconfig g;

  (void) state;
  assert_int_equal (gitconfig_parse (text, sizeof text - 1, &g), 0);
  assert_string_equal (gitconfig_last (&g, "core.hookspath"), "b");
  assert_null (gitconfig_last (&g, "core.fsmonitor"));
  assert_null (gitconfig_last (&g, "core.none"));
  gitconfig_free (&g);
  assert_true (gitconfig_is_include ("include.path"));
  assert_true (gitconfig_is_include ("includeif.gitdir:/a.path.path"));
  assert_false (gitconfig_is_include ("includeif.path"));
  assert_false (gitconfig_is_include ("include.paths"));
  assert_int_equal (gitconfig_boolean (NULL), 1);
  assert_int_equal (gitconfig_boolean ("On"), 1);
  assert_int_equal (gitconfig_boolean (""), 0);
  assert_int_equal (gitconfig_boolean ("./watch"), -1);
}

static void
check_path (const char *value, const char *home, const char *expected)
{
  auto_free char *path = gitconfig_path (value, home, "/base");

  if (expected == NULL) {
    assert_null (path);
    assert_int_equal (errno, EINVAL);
  }
  else
    assert_string_equal (path, expected);
}

static void
test_path (void **state)
{
  (void) state;
  check_path ("/a/b", NULL, "/a/b");
  check_path ("../x", NULL, "/base/../x");
  check_path ("~/x", "/home/u", "/home/u/x");
  check_path ("~", "/home/u", "/home/u");
  check_path ("~/x", NULL, NULL);
  check_path ("~root/x", "/home/u", NULL);
  check_path ("%(prefix)/x", "/home/u", NULL);
  check_path ("", "/home/u", NULL);
  check_path (":(optional)x", "/home/u", "/base/x");
}

/* Entries own their strings; these are never freed.  */
#define ENTRY(key, value) { (char *) (uintptr_t) (key), (char *) (uintptr_t) (value) }

static void
test_harmless (void **state)
{
  static const struct gitconfig_entry yes[] = {
    ENTRY ("core.bare", "false"), ENTRY ("remote.origin.url", "https://example.org/x"), ENTRY ("remote.a.b.fetch", "+refs/*:refs/*"),
    ENTRY ("branch.main.merge", "refs/heads/main"), ENTRY ("core.worktree", "../../../x"), ENTRY ("remote.origin.url", "/srv/x"),
  };
  static const struct gitconfig_entry no[] = {
    ENTRY ("core.fsmonitor", "x"), ENTRY ("core.hookspath", "x"), ENTRY ("core.sshcommand", "x"), ENTRY ("include.path", "x"),
    ENTRY ("remote.origin.url", "ext::sh -c x"), ENTRY ("remote.origin.url", "--upload-pack=x"), ENTRY ("remote.origin.uploadpack", "x"),
    ENTRY ("filter.x.clean", "x"), ENTRY ("alias.x", "!x"), ENTRY ("extensions.worktreeconfig", "true"), ENTRY ("submodule.x.update", "!x"),
    ENTRY ("branch.x.mergeoptions", "x"), ENTRY ("includeif.a.remote.x.fetch.path", "x"),
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_SIZE (yes); i++)
    assert_true (gitconfig_harmless (&yes[i]));
  for (size_t i = 0; i < ARRAY_SIZE (no); i++)
    assert_false (gitconfig_harmless (&no[i]));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_good, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bad, setup, teardown),
    cmocka_unit_test_setup_teardown (test_random, setup, teardown),
    cmocka_unit_test (test_zero_bytes),
    cmocka_unit_test (test_lookup),
    cmocka_unit_test (test_path),
    cmocka_unit_test (test_harmless),
  };

  return cmocka_run_group_tests_name ("gitconfig", tests, NULL, NULL);
}
