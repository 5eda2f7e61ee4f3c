/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

static int have;
static struct verdict verdict;

static int
setup (void **state UNUSED)
{
  have = fixture_begin () == 0;
  return 0;
}

static int
teardown (void **state UNUSED)
{
  judge_free (&verdict);
  if (have)
    fixture_end ();
  return 0;
}

#define NEEDS_FIXTURE()                                                                                                \
  if (!have)                                                                                                           \
  skip ()
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
judge (const char *path, const char *operation, int allowed)
{
  auto_error weir_error *e = NULL;

  judge_free (&verdict);
  if (judge_path (&t.policy, path, operation, &verdict, &e) != WEIR_OK)
    fail_msg ("%s", weir_error_message (e));
  assert_non_null (verdict.rule);
  assert_non_null (verdict.origin);
  assert_non_null (verdict.path);
  if (verdict.allowed != allowed)
    fail_msg ("%s %s: %s", operation, path, verdict.rule);
  if (allowed)
    assert_null (verdict.remedy);
}

static void
remedy_says (const char *words)
{
  assert_non_null (verdict.remedy);
  if (strstr (verdict.remedy, words) == NULL)
    fail_msg ("'%s' is not in '%s'", words, verdict.remedy);
}

static void
test_workspace (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  for (size_t i = 0; judge_operations[i] != NULL; i++)
    judge ("some/file", judge_operations[i], 1);
  judge ("/usr/bin/env", "read", 1);
  judge ("/usr/bin/env", "execute", 1);
  judge ("file", "write", 1);
  assert_string_equal (verdict.path, in_dir ("ws/file"));
}

static void
test_outside (void **state UNUSED)
{
  static const char *const changes[] = { "write", "create", "delete", "rename", "metadata" };

  NEEDS_FIXTURE ();
  make_dir ("data");
  assert_resolves ();
  for (size_t i = 0; i < ARRAY_SIZE (changes); i++) {
    judge (in_dir ("data/file"), changes[i], 0);
    assert_string_equal (verdict.origin, "/etc/weir/weir.conf:3");
    remedy_says ("--rw");
    remedy_says (in_dir ("data"));
    remedy_says ("sandbox.roots in /etc/weir/weir.conf");
  }
  make_file ("home/file", "");
  judge (in_dir ("home/file"), "write", 0);
  remedy_says (in_dir ("home/file"));
}

/* What would be refused is not proposed.  */
static void
test_no_remedy (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  judge (in_dir ("home/file"), "create", 0);
  assert_null (verdict.remedy);
  judge (in_dir ("etc/weir.conf"), "write", 0);
  assert_null (verdict.remedy);
  judge ("/nowhere", "create", 0);
  assert_null (verdict.remedy);
  judge ("/proc/sys/kernel/hostname", "write", 0);
  assert_null (verdict.remedy);
}

static void
test_through_link (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_link (t.home, "ws/link");
  assert_resolves ();
  judge ("link/file", "write", 0);
  assert_string_equal (verdict.path, in_dir ("home/file"));
  judge ("link", "metadata", 0);
  /* The link itself is the workspace's.  */
  judge ("link", "delete", 1);
  assert_string_equal (verdict.path, in_dir ("ws/link"));
}

static void
test_read_only_mode (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  judge ("file", "write", 0);
  assert_string_equal (verdict.remedy, "-m workspace-write");
  judge (in_dir ("data/x"), "create", 0);
  remedy_says ("-m workspace-write --rw");
  judge ("file", "read", 1);
  judge ("/tmp/x", "create", 1);
}

static void
test_danger (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  assert_resolves ();
  judge ("/etc/passwd", "delete", 1);
  assert_string_equal (verdict.origin, "command line");
}

static void
test_protected (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("ws/ci");
  make_dir ("ws/ci/secrets");
  make_dir ("ws/mine");
  list_add (&t.settings.protect, "ci/secrets", "/f:6");
  t.request.read_only = LIST ("mine");
  assert_resolves ();
  judge ("ci/secrets/key", "write", 0);
  assert_string_equal (verdict.origin, "/f:6");
  remedy_says ("sandbox.protect (/f:6)");
  judge ("ci/secrets", "delete", 0);
  judge ("ci", "rename", 0);
  judge ("ci", "metadata", 1);
  judge ("ci/other", "create", 1);
  judge ("ci/secrets/key", "read", 1);
  judge ("mine/x", "create", 0);
  remedy_says ("--ro");
  judge ("mine/x", "delete", 0);
}

static void
test_hidden (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("home/.ssh");
  make_dir ("ws/private");
  list_add (&t.settings.deny_read, in_dir ("home/.ssh"), "/f:8");
  t.request.deny_read = LIST ("private");
  assert_resolves ();
  judge (in_dir ("home/.ssh/id"), "read", 0);
  assert_string_equal (verdict.origin, "/f:8");
  remedy_says ("sandbox.deny_read (/f:8)");
  judge (in_dir ("home/.ssh"), "execute", 0);
  judge ("private/x", "write", 0);
  remedy_says ("--deny-read");
  judge ("private/x", "delete", 0);
  judge ("private", "delete", 0);
  judge (in_dir ("state/run/x"), "read", 0);
  assert_null (verdict.remedy);
}

static void
test_tmp (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  judge ("/tmp/x", "create", 1);
  judge ("/tmp/x", "read", 1);
  judge ("/tmp/x", "delete", 1);
  judge ("/tmp", "delete", 0);
}

static void
test_roots_keep_their_names (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  judge (".", "delete", 0);
  judge (".", "rename", 0);
  judge (".", "metadata", 1);
  judge ("/", "delete", 0);
}

static void
test_devices (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  judge ("/dev/null", "write", 1);
  judge ("/dev/null", "delete", 0);
  judge ("/dev/null", "metadata", 0);
  judge ("/dev/sda", "write", 0);
}

static void
test_odd_paths (void **state UNUSED)
{
  auto_error weir_error *e = NULL;

  NEEDS_FIXTURE ();
  make_link ("loop", "ws/loop");
  make_file ("ws/file", "");
  assert_int_equal (mkfifo (in_dir ("ws/fifo"), 0600), 0);
  assert_resolves ();
  judge ("\xff\n", "create", 1);
  judge ("fifo", "write", 1);
  judge ("loop", "delete", 1);
  judge_free (&verdict);
  assert_int_equal (judge_path (&t.policy, "loop", "write", &verdict, &e), WEIR_E_INVALID);
  error_clear (&e);
  assert_int_equal (judge_path (&t.policy, "file/x", "write", &verdict, &e), WEIR_E_INVALID);
  error_clear (&e);
  assert_int_equal (judge_path (&t.policy, "", "write", &verdict, &e), WEIR_E_NOT_FOUND);
}

static void
test_unknown_operation (void **state UNUSED)
{
  auto_error weir_error *e = NULL;

  NEEDS_FIXTURE ();
  assert_resolves ();
  assert_int_equal (judge_path (&t.policy, "x", "wriet", &verdict, &e), WEIR_E_INVALID);
  assert_says (e, "'write'");
  error_clear (&e);
  assert_int_equal (judge_path (&t.policy, "x", "", &verdict, &e), WEIR_E_INVALID);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_workspace),
    TEST (test_outside),
    TEST (test_no_remedy),
    TEST (test_through_link),
    TEST (test_read_only_mode),
    TEST (test_danger),
    TEST (test_protected),
    TEST (test_hidden),
    TEST (test_tmp),
    TEST (test_roots_keep_their_names),
    TEST (test_devices),
    TEST (test_odd_paths),
    TEST (test_unknown_operation),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
