/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/rootcheck.h"

static struct homes *homes;

static int
setup (void **state UNUSED)
{
  return fixture_begin_in (getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
}

static int
teardown (void **state UNUSED)
{
  homes_free (homes);
  homes = NULL;
  fixture_end ();
  return 0;
}

/* A passwd file with these lines, and $HOME (NULL: none).  */
static void
have_homes (const char *passwd, const char *home)
{
  auto_free char *entry = home == NULL ? NULL : util_fmt ("HOME=%s", home);
  const char *const environ[] = { entry, NULL };

  make_file ("passwd", passwd);
  homes_free (homes);
  homes = homes_new (in_dir ("passwd"), &t.settings, environ);
  assert_non_null (homes);
}

static void
allowed (const char *path)
{
  auto_error weir_error *e = NULL;

  if (rootcheck (path, "writable root", "/f:7", &t.places, homes, &e) != WEIR_OK)
    fail_msg ("%s", weir_error_message (e));
}

static void
refused (const char *path, const char *words)
{
  auto_error weir_error *e = NULL;

  assert_int_equal (rootcheck (path, "writable root", "/f:7", &t.places, homes, &e), WEIR_E_DENIED);
  assert_says (e, "writable root");
  assert_says (e, path);
  assert_says (e, "/f:7");
  assert_says (e, words);
}

static void
test_system (void **state UNUSED)
{
  have_homes ("", NULL);
  refused ("/", "everything");
  refused ("/proc", "kernel");
  refused ("/sys", "kernel");
  refused ("/dev", "devices");
  allowed (t.workspace);
}

static void
test_home (void **state UNUSED)
{
  make_dir ("home/u");
  make_dir ("home/u/project");
  have_homes ("", in_dir ("home/u"));
  refused (in_dir ("home/u"), "home directory");
  refused (in_dir ("home"), in_dir ("home/u"));
  refused (t.dir, "home directory");
  allowed (in_dir ("home/u/project"));
  allowed (t.workspace);
}

static void
test_home_of_settings (void **state UNUSED)
{
  t.settings.home = t.home;
  have_homes ("", NULL);
  t.settings.home = NULL;
  refused (t.home, "home directory");
}

static void
test_passwd (void **state UNUSED)
{
  make_dir ("home/alice");
  make_dir ("home/bob");
  auto_free char *text =
      util_fmt ("alice:x:1:1:A,,:%s:/bin/sh\n"
                "ghost:x:2:2::%s:/bin/sh\n"
                "file:x:3:3::%s:/bin/sh\n"
                "short:x\n"
                "\n"
                "relative:x:1:1::home:/bin/sh\n"
                "empty:x:1:1:::/bin/sh\n"
                "root:x:0:0::/:/bin/sh\n"
                "bob:x:1:1::%s:",
                in_dir ("home/alice"), in_dir ("home/ghost"), in_dir ("etc/weir.conf"), in_dir ("home/bob"));
  have_homes (text, NULL);
  refused (in_dir ("home/alice"), "alice");
  refused (in_dir ("home/bob"), "bob");
  refused (in_dir ("home"), "alice");
  allowed (in_dir ("etc"));
  allowed (t.workspace);
}

/* The home is one by any name.  */
static void
test_home_through_link (void **state UNUSED)
{
  make_dir ("home/real");
  make_link ("real", "home/link");
  have_homes ("", in_dir ("home/link"));
  refused (in_dir ("home/real"), "home directory");
}

/* By identity: what a bind mount would show under another name is tried with a name that was not canonical.  */
static void
test_other_name (void **state UNUSED)
{
  make_dir ("home/u");
  make_link ("home", "alias");
  make_link ("/", "top");
  make_link ("etc", "etc-alias");
  strv_add (&t.places.paths, in_dir ("etc/weir.conf"));
  strv_add (&t.places.reasons, "the configuration file");
  have_homes ("", in_dir ("home/u"));
  refused (in_dir ("alias"), "home directory");
  refused (in_dir ("alias/u"), "home directory");
  refused (in_dir ("top"), "everything");
  refused (in_dir ("etc-alias"), "configuration");
  strv_free (&t.places.paths);
  strv_free (&t.places.reasons);
}

static void
test_places (void **state UNUSED)
{
  make_dir ("plugins");
  make_dir ("plugins/sub");
  make_dir ("etcx");
  strv_add (&t.places.paths, in_dir ("etc/weir.conf"));
  strv_add (&t.places.reasons, "the configuration file");
  strv_add (&t.places.paths, in_dir ("plugins"));
  strv_add (&t.places.reasons, "the plugin directory");
  strv_add (&t.places.paths, in_dir ("not/there/yet"));
  strv_add (&t.places.reasons, "the state directory");
  have_homes ("", NULL);
  refused (in_dir ("etc/weir.conf"), "the configuration file");
  refused (in_dir ("etc"), in_dir ("etc/weir.conf"));
  refused (in_dir ("plugins"), "the plugin directory");
  refused (in_dir ("plugins/sub"), "the plugin directory");
  refused (t.dir, "holds");
  allowed (in_dir ("etcx"));
  allowed (t.workspace);
  strv_free (&t.places.paths);
  strv_free (&t.places.reasons);
}

static void
test_nothing_known (void **state UNUSED)
{
  const char *const environ[] = { "HOME=relative", NULL };

  homes = homes_new (in_dir ("no-passwd"), &t.settings, environ);
  assert_non_null (homes);
  allowed (t.workspace);
  homes_free (homes);
  /* A FIFO does not make it wait.  */
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  homes = homes_new (in_dir ("fifo"), &t.settings, NULL);
  assert_non_null (homes);
  allowed (t.workspace);
}

static void
test_missing_root (void **state UNUSED)
{
  auto_error weir_error *e = NULL;

  assert_int_equal (rootcheck (in_dir ("none"), "workspace", "x", &t.places, NULL, &e), WEIR_E_NOT_FOUND);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_system, setup, teardown),
    cmocka_unit_test_setup_teardown (test_home, setup, teardown),
    cmocka_unit_test_setup_teardown (test_home_of_settings, setup, teardown),
    cmocka_unit_test_setup_teardown (test_passwd, setup, teardown),
    cmocka_unit_test_setup_teardown (test_home_through_link, setup, teardown),
    cmocka_unit_test_setup_teardown (test_other_name, setup, teardown),
    cmocka_unit_test_setup_teardown (test_places, setup, teardown),
    cmocka_unit_test_setup_teardown (test_nothing_known, setup, teardown),
    cmocka_unit_test_setup_teardown (test_missing_root, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
