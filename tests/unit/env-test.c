/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/env-internal.h"

static struct settings settings;
static struct strv env, dropped;
static weir_error *error;

static int
teardown (void **state UNUSED)
{
  list_free (&settings.env);
  strv_free (&env);
  strv_free (&dropped);
  error_clear (&error);
  return 0;
}

static weir_status
build (const char *const *environ, const char *const *request)
{
  strv_free (&env);
  strv_free (&dropped);
  error_clear (&error);
  return env_build (&settings, environ, request, &env, &dropped, &error);
}

static const char *
get (const char *name)
{
  return env_get (strv_items (&env), name);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_nothing_passes_unnamed (void **state UNUSED)
{
  list_add (&settings.env, "LANG", "built in");
  assert_int_equal (build (LIST ("LANG=C", "LANGUAGE=de", "FOO=1", "AWS_SECRET_ACCESS_KEY=x"), NULL), WEIR_OK);
  assert_string_equal (get ("LANG"), "C");
  assert_null (get ("LANGUAGE"));
  assert_null (get ("FOO"));
  assert_int_equal (env.count, 2); /* and PATH */
  assert_int_equal (dropped.count, 3);
  assert_true (strv_has (&dropped, "AWS_SECRET_ACCESS_KEY"));
}

static void
test_pattern_is_scrubbed (void **state UNUSED)
{
  static const char *const bad[] = { "API_KEY=1",
                                     "my_password=1",
                                     "PASSWD_FILE=1",
                                     "a_Secret_b=1",
                                     "GITHUB_TOKEN=1",
                                     "GOOGLE_APPLICATION_CREDENTIALS=1",
                                     "PASSPHRASE=1",
                                     "SSH_AUTH_SOCK=1",
                                     "COOKIEJAR=1",
                                     "DBUS_SESSION_BUS_ADDRESS=1",
                                     "DATABASE_URL=postgres://user:hunter2@db/x",
                                     "TWO=http://a/ https://u:p@b",
                                     "LD_PRELOAD=/x.so",
                                     "LD_LIBRARY_PATH=/x",
                                     "BASH_ENV=/x",
                                     "ENV=/x",
                                     "IFS=x",
                                     "PYTHONSTARTUP=/x",
                                     "NODE_OPTIONS=-r x",
                                     "GIT_SSH_COMMAND=x",
                                     "BASH_FUNC_ls%%=() { x; }",
                                     "GLIBC_TUNABLES=x",
                                     NULL };
  static const char *const good[] = { "PLAIN=1",        "HOMEPAGE=http://host:80/path@x",
                                      "EMPTY=",         "ENVIRONMENT=x",
                                      "URL=http://u@h", NULL };

  list_add (&settings.env, "*", "/f:1");
  assert_int_equal (build (bad, NULL), WEIR_OK);
  assert_int_equal (env.count, 1);
  assert_int_equal (dropped.count, ARRAY_SIZE (bad) - 1);
  assert_int_equal (build (good, NULL), WEIR_OK);
  assert_int_equal (env.count, ARRAY_SIZE (good));
  assert_int_equal (dropped.count, 0);
}

static void
test_named_passes (void **state UNUSED)
{
  list_add (&settings.env, "*", "/f:1");
  list_add (&settings.env, "GITHUB_TOKEN", "/f:1");
  list_add (&settings.env, "G*", "/f:1");
  assert_int_equal (build (LIST ("GITHUB_TOKEN=t", "GITLAB_TOKEN=u"), NULL), WEIR_OK);
  assert_string_equal (get ("GITHUB_TOKEN"), "t");
  assert_null (get ("GITLAB_TOKEN"));
}

static void
test_prefix (void **state UNUSED)
{
  list_add (&settings.env, "LC_*", "/f:1");
  assert_int_equal (build (LIST ("LC_ALL=C", "LC_=x", "LC=y", "XLC_ALL=z"), NULL), WEIR_OK);
  assert_string_equal (get ("LC_ALL"), "C");
  assert_string_equal (get ("LC_"), "x");
  assert_null (get ("LC"));
  assert_null (get ("XLC_ALL"));
}

static void
test_request (void **state UNUSED)
{
  list_add (&settings.env, "A", "/f:1");
  assert_int_equal (build (LIST ("A=1", "B=2", "TOKEN=3"), LIST ("A=x=y", "TOKEN", "NOT_SET", "EMPTY=")), WEIR_OK);
  assert_string_equal (get ("A"), "x=y");
  assert_null (get ("B"));
  assert_string_equal (get ("TOKEN"), "3");
  assert_null (get ("NOT_SET"));
  assert_string_equal (get ("EMPTY"), "");
  assert_int_equal (dropped.count, 1);
}

static void
test_bad_names (void **state UNUSED)
{
  assert_int_equal (build (NULL, LIST ("=x")), WEIR_E_INVALID);
  assert_says (error, "NAME=VALUE");
  assert_int_equal (build (NULL, LIST ("")), WEIR_E_INVALID);
}

/* What is no variable in the harness's environment, and what is there twice.  */
static void
test_odd_environment (void **state UNUSED)
{
  list_add (&settings.env, "*", "/f:1");
  assert_int_equal (build (LIST ("NOVALUE", "=odd", "", "A=1", "A=2", "B\xff=\xfe"), NULL), WEIR_OK);
  assert_int_equal (env.count, 3);
  assert_string_equal (get ("A"), "1");
  assert_string_equal (get ("B\xff"), "\xfe");
  assert_int_equal (dropped.count, 0);
}

static void
test_path (void **state UNUSED)
{
  list_add (&settings.env, "PATH", "/f:1");
  assert_int_equal (build (NULL, NULL), WEIR_OK);
  assert_string_equal (get ("PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  assert_int_equal (build (LIST ("PATH=:/a:.:b/c:/d e::"), NULL), WEIR_OK);
  assert_string_equal (get ("PATH"), "/a:/d e");
  assert_int_equal (build (LIST ("PATH=."), NULL), WEIR_OK);
  assert_string_equal (get ("PATH"), "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  assert_int_equal (build (NULL, LIST ("PATH=bin:/x")), WEIR_OK);
  assert_string_equal (get ("PATH"), "/x");
}

static void
test_set (void **state UNUSED)
{
  env_set (&env, "A", "1");
  env_set (&env, "AB", "2");
  env_set (&env, "A", "3");
  assert_int_equal (env.count, 2);
  assert_string_equal (get ("A"), "3");
  assert_true (env_named (LIST ("A=1"), "A"));
  assert_true (env_named (LIST ("A"), "A"));
  assert_false (env_named (LIST ("AB=1"), "A"));
  assert_false (env_named (NULL, "A"));
}

static void
test_loads_code (void **state UNUSED)
{
  assert_true (env_loads_code ("LD_PRELOAD=/x"));
  assert_true (env_loads_code ("LD_AUDIT"));
  assert_true (env_loads_code ("BASH_ENV=x"));
  assert_false (env_loads_code ("OLD_LD=x"));
  assert_false (env_loads_code ("PATH=LD_PRELOAD"));
  assert_false (env_loads_code (""));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_nothing_passes_unnamed, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_pattern_is_scrubbed, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_named_passes, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_prefix, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_request, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_bad_names, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_odd_environment, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_path, NULL, teardown),
    cmocka_unit_test_setup_teardown (test_set, NULL, teardown),
    cmocka_unit_test (test_loads_code),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
