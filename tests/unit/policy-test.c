/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "policy-support.h"

#include "core/env-internal.h"

static int have;

static int
setup (void **state UNUSED)
{
  have = fixture_begin () == 0;
  return 0;
}

static int
teardown (void **state UNUSED)
{
  if (have)
    fixture_end ();
  return 0;
}

#define NEEDS_FIXTURE()                                                                                                \
  if (!have)                                                                                                           \
  skip ()
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *
get (const char *name)
{
  return env_get (strv_items (&t.policy.env), name);
}

/* A directory of the host's /tmp, which the caller removes.  NULL: not to be had.  */
static char *
make_in_tmp (void)
{
  char path[] = "/tmp/weir-policy-XXXXXX";

  return mkdtemp (path) == NULL ? NULL : strdup (path);
}

/* ---- names ---- */

static void
test_names (void **state UNUSED)
{
  uint32_t value = 0;

  assert_int_equal (policy_mode_parse ("workspace-write", &value), 0);
  assert_int_equal (value, WEIR_MODE_WORKSPACE_WRITE);
  assert_int_equal (policy_mode_parse ("Workspace-write", &value), -1);
  assert_int_equal (policy_mode_parse ("", &value), -1);
  assert_string_equal (policy_mode_name (WEIR_MODE_READ_ONLY), "read-only");
  assert_string_equal (policy_mode_name (WEIR_MODE_DANGER_FULL_ACCESS), "danger-full-access");
  assert_string_equal (policy_mode_name (0), "unknown");
  assert_string_equal (policy_mode_name (99), "unknown");
  assert_int_equal (policy_network_parse ("none", &value), 0);
  assert_int_equal (value, WEIR_NETWORK_NONE);
  assert_int_equal (policy_network_parse ("nothing", &value), -1);
  assert_string_equal (policy_network_name (WEIR_NETWORK_LOOPBACK), "loopback");
  assert_string_equal (policy_network_name (3), "unknown");
  assert_string_equal (policy_bit_name (WEIR_EFFECT_CONTENT), "content");
  assert_string_equal (policy_bit_name (WEIR_EFFECT_PROCESSES), "processes");
  assert_string_equal (policy_bit_name (WEIR_AXIS_NETWORK_NONE), "network none");
  assert_string_equal (policy_bit_name (WEIR_AXIS_LIMIT_FILE_SIZE), "limit file_size");
  assert_string_equal (policy_bit_name (0), "unknown");
  assert_string_equal (policy_bit_name (3), "unknown");
  assert_string_equal (policy_bit_name (UINT64_C (1) << 63), "unknown");
}

/* ---- modes ---- */

static void
test_workspace_write (void **state UNUSED)
{
  struct weir_policy plugin;

  NEEDS_FIXTURE ();
  assert_resolves ();
  assert_int_equal (t.policy.mode, WEIR_MODE_WORKSPACE_WRITE);
  assert_string_equal (t.policy.mode_origin, "/etc/weir/weir.conf:3");
  assert_string_equal (t.policy.workspace, t.workspace);
  assert_string_equal (t.policy.cwd, t.workspace);
  assert_int_equal (line_of (t.workspace)->access, WEIR_ACCESS_WRITE);
  assert_int_equal (line_of (t.workspace)->flags, WEIR_VIEW_WORKSPACE);
  assert_int_equal (line_of ("/tmp")->flags, WEIR_VIEW_TMP);
  assert_string_equal (line_of ("/tmp")->host, t.policy.tmp);
  assert_int_equal (t.policy.promised, WEIR_EFFECTS_ALL);
  assert_int_equal (t.policy.axes & WEIR_AXIS_PRIVATE_TMP, WEIR_AXIS_PRIVATE_TMP);
  assert_string_equal (get ("PWD"), t.workspace);
  assert_string_equal (get ("TMPDIR"), "/tmp");
  assert_string_equal (get ("HOME"), t.home);
  policy_for_plugin (&t.policy, &plugin);
  assert_int_equal (plugin.struct_size, sizeof plugin);
  assert_int_equal (plugin.view_count, t.policy.view.count);
  assert_ptr_equal (plugin.view[0], t.policy.view.lines[0]);
  assert_ptr_equal (plugin.limits, &t.policy.limits);
  assert_string_equal (plugin.workspace, t.workspace);
}

/* Other sessions' temporary files and spilled output.  */
static void
test_runs_are_hidden (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  assert_int_equal (line_of (in_dir ("state/run"))->access, WEIR_ACCESS_NONE);
  assert_int_equal (t.policy.axes & WEIR_AXIS_DENY_READ, WEIR_AXIS_DENY_READ);
}

static void
test_read_only (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("extra");
  list_add (&t.settings.roots, in_dir ("extra"), "/f:1");
  list_add (&t.settings.caches, "npm", "/f:1");
  list_add (&t.settings.protect, ".", "/f:1");
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  assert_string_equal (t.policy.mode_origin, "command line");
  for (size_t i = 0; i < t.policy.view.count; i++)
    if (!(t.policy.view.lines[i]->flags & WEIR_VIEW_TMP))
      assert_int_equal (t.policy.view.lines[i]->access, WEIR_ACCESS_NONE);
  assert_int_equal (line_of ("/tmp")->access, WEIR_ACCESS_WRITE);
  assert_int_equal (t.policy.promised, WEIR_EFFECTS_ALL);
  t.request.write = LIST (in_dir ("extra"));
  assert_refused (WEIR_E_INVALID, "read-only");
}

static void
test_read_only_host_tmp (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.settings.private_tmp = 0;
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  assert_int_equal (t.policy.view.count, 0);
  assert_null (t.policy.tmp);
  assert_null (get ("TMPDIR"));
}

static void
test_danger (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  t.request.workspace = "/";
  t.settings.limit_processes = 64;
  t.settings.network = WEIR_NETWORK_NONE;
  t.settings.wall_ms = 1000;
  t.request.limits = LIST ("wall=2s", "output=3K");
  assert_resolves ();
  assert_int_equal (t.policy.view.count, 0);
  assert_int_equal (t.policy.promised, 0);
  assert_int_equal (t.policy.axes, 0);
  assert_int_equal (t.policy.limits.processes, 0);
  assert_int_equal (t.policy.network, WEIR_NETWORK_INHERIT);
  assert_int_equal (t.policy.wall_ms, 2000);
  assert_int_equal (t.policy.output_limit, 3072);
  assert_null (t.policy.tmp);
  assert_string_equal (t.policy.cwd, "/");
  assert_string_equal (get ("PWD"), "/");
  t.request.workspace = in_dir ("none");
  assert_refused (WEIR_E_NOT_FOUND, "workspace");
}

/* What was asked for on top is not dropped without a word.  */
static void
test_danger_with_restrictions (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  t.request.network_set = 1;
  t.request.network = WEIR_NETWORK_INHERIT;
  assert_resolves ();
  t.request.network = WEIR_NETWORK_NONE;
  assert_refused (WEIR_E_INVALID, "network");
  t.request.network_set = 0;
  t.request.deny_read = LIST (t.home);
  assert_refused (WEIR_E_INVALID, "hidden");
  t.request.deny_read = NULL;
  t.request.read_only = LIST (t.home);
  assert_refused (WEIR_E_INVALID, "read-only");
  t.request.read_only = NULL;
  t.request.limits = LIST ("processes=3");
  assert_refused (WEIR_E_INVALID, "limit");
}

static void
test_unknown_mode (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.mode = 4;
  assert_refused (WEIR_E_INVALID, "unknown mode");
}

static void
test_network (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.settings.network = WEIR_NETWORK_LOOPBACK;
  assert_resolves ();
  assert_int_equal (t.policy.axes & (WEIR_AXIS_NETWORK_LOOPBACK | WEIR_AXIS_NETWORK_NONE), WEIR_AXIS_NETWORK_LOOPBACK);
  t.request.network_set = 1;
  t.request.network = WEIR_NETWORK_NONE;
  assert_resolves ();
  assert_int_equal (t.policy.axes & (WEIR_AXIS_NETWORK_LOOPBACK | WEIR_AXIS_NETWORK_NONE), WEIR_AXIS_NETWORK_NONE);
  assert_string_equal (t.policy.network_origin, "command line");
}

/* ---- the workspace ---- */

static void
test_bad_workspaces (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.workspace = in_dir ("none");
  assert_refused (WEIR_E_NOT_FOUND, "workspace");
  t.request.workspace = in_dir ("etc/weir.conf");
  assert_refused (WEIR_E_INVALID, "not a directory");
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  t.request.workspace = in_dir ("fifo");
  assert_refused (WEIR_E_INVALID, "not a directory");
  make_link ("loop", "loop");
  t.request.workspace = in_dir ("loop");
  assert_refused (WEIR_E_INVALID, "loop");
  t.request.workspace = "/";
  assert_refused (WEIR_E_DENIED, "root of the file system");
  t.request.workspace = t.home;
  assert_refused (WEIR_E_DENIED, "home directory");
  t.request.workspace = t.dir;
  assert_refused (WEIR_E_DENIED, "the configuration file");
  t.request.mode = WEIR_MODE_READ_ONLY;
  t.request.workspace = "/";
  assert_refused (WEIR_E_DENIED, "workspace '/'");
  t.request.workspace = "";
  assert_refused (WEIR_E_NOT_FOUND, "workspace");
}

static void
test_workspace_canonical (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_link ("ws", "link");
  make_dir ("ws/\xff\xfe");
  t.request.workspace = in_dir ("link/");
  assert_resolves ();
  assert_string_equal (t.policy.workspace, t.workspace);
  t.request.workspace = in_dir ("ws/\xff\xfe");
  assert_resolves ();
  assert_string_equal (t.policy.workspace, in_dir ("ws/\xff\xfe"));
}

static void
test_workspace_default (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  int here = open (".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal (chdir (t.workspace), 0);
  t.request.workspace = NULL;
  assert_resolves ();
  assert_string_equal (t.policy.workspace, t.workspace);
  t.request.workspace = "../home/..//ws";
  assert_resolves ();
  assert_string_equal (t.policy.workspace, t.workspace);
  make_dir ("gone");
  assert_int_equal (chdir (in_dir ("gone")), 0);
  assert_int_equal (rmdir (in_dir ("gone")), 0);
  t.request.workspace = NULL;
  assert_refused (WEIR_E_NOT_FOUND, "working directory");
  t.request.workspace = t.workspace;
  assert_resolves ();
  assert_int_equal (fchdir (here), 0);
  close (here);
}

static void
test_no_home (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  free (t.settings.home);
  t.settings.home = NULL;
  t.input.environ = LIST ("X=1");
  assert_resolves ();
  t.input.environ = NULL;
  assert_resolves ();
  assert_null (get ("HOME"));
  assert_non_null (get ("PATH"));
}

/* ---- roots ---- */

static void
test_roots (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  make_dir ("data/sub");
  make_dir ("more");
  make_dir ("ws/in");
  make_file ("ledger", "");
  make_link ("data", "data-link");
  list_add (&t.settings.roots, in_dir ("data-link"), "/f:1");
  list_add (&t.settings.roots, in_dir ("data/sub"), "/f:2");
  t.request.write = LIST ("../more", "in", in_dir ("ledger"), in_dir ("more"));
  assert_resolves ();
  assert_string_equal (line_of (in_dir ("data"))->origin, "/f:1");
  assert_null (line_of (in_dir ("data/sub")));
  assert_null (line_of (in_dir ("ws/in")));
  assert_string_equal (line_of (in_dir ("more"))->origin, "command line");
  assert_int_equal (line_of (in_dir ("ledger"))->is_dir, 0);
  for (size_t i = 0; i < t.policy.view.count; i++)
    for (size_t k = i + 1; k < t.policy.view.count; k++)
      assert_false (util_path_beneath (t.policy.view.lines[i]->world, t.policy.view.lines[k]->world));
}

static void
test_bad_roots (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_int_equal (mkfifo (in_dir ("fifo"), 0600), 0);
  make_link ("b", "a");
  make_link ("a", "b");
  t.request.write = LIST ("/");
  assert_refused (WEIR_E_DENIED, "root of the file system");
  t.request.write = LIST (in_dir ("none"));
  assert_refused (WEIR_E_NOT_FOUND, "writable root");
  t.request.write = LIST (in_dir ("fifo"));
  assert_refused (WEIR_E_INVALID, "neither");
  t.request.write = LIST ("/dev/null");
  assert_refused (WEIR_E_INVALID, "neither");
  t.request.write = LIST (in_dir ("a"));
  assert_refused (WEIR_E_INVALID, "loop");
  t.request.write = LIST (in_dir ("etc/weir.conf"));
  assert_refused (WEIR_E_DENIED, "the configuration file");
  t.request.write = NULL;
  list_add (&t.settings.roots, t.home, "/f:12");
  assert_refused (WEIR_E_DENIED, "/f:12");
  assert_says (t.error, t.home);
}

/* A command could have pointed the link anywhere before this call.  */
static void
test_root_through_writable_link (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  make_dir ("ws/real");
  make_link ("real", "ws/inside");
  make_link ("../data", "ws/outside");
  t.request.write = LIST ("inside");
  assert_resolves ();
  t.request.write = LIST ("outside");
  assert_refused (WEIR_E_DENIED, "ws/outside");
  t.request.write = LIST (in_dir ("data"));
  assert_resolves ();
}

static void
test_workspace_through_writable_link (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  make_link ("../ws", "data/ws");
  t.request.workspace = in_dir ("data/ws");
  assert_resolves ();
  t.request.write = LIST (in_dir ("data"));
  assert_refused (WEIR_E_DENIED, "symbolic link");
}

static void
test_caches (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  list_add (&t.settings.caches, "npm", "/f:4");
  list_add (&t.settings.caches, "go", "/f:4");
  assert_resolves ();
  const struct weir_view *line = view_find (&t.policy.view, get ("npm_config_cache"));
  assert_int_equal (line->access, WEIR_ACCESS_WRITE);
  assert_string_equal (line->origin, "/f:4");
  t.request.env = LIST ("npm_config_cache=/mine");
  assert_resolves ();
  assert_string_equal (get ("npm_config_cache"), "/mine");
}

/* ---- /tmp ---- */

static void
test_tmp_of_sessions (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.session = "a";
  assert_resolves ();
  assert_string_equal (t.policy.session, "a");
  auto_free char *a = strdup (t.policy.tmp);
  assert_resolves ();
  assert_string_equal (t.policy.tmp, a);
  t.request.session = "b";
  assert_resolves ();
  assert_string_not_equal (t.policy.tmp, a);
  t.request.session = "";
  assert_refused (WEIR_E_INVALID, "session");
}

/* A call that is refused leaves no directory behind.  */
static void
test_tmp_of_a_failure (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  auto_free char *tmp = strdup (t.policy.tmp);
  sessiondir_release_tmp (t.sessions, NULL, tmp);
  strrchr (tmp, '/')[0] = '\0';
  t.request.cwd = "none";
  assert_refused (WEIR_E_NOT_FOUND, "working directory");
  assert_null (t.policy.tmp);
  assert_int_equal (rmdir (tmp), 0);
}

static void
test_tmp_host (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  if (util_path_beneath (t.dir, "/tmp"))
    skip ();
  t.settings.private_tmp = 0;
  t.settings.tmp_origin = (char *) "/f:5";
  assert_resolves ();
  t.settings.tmp_origin = NULL;
  assert_string_equal (line_of ("/tmp")->host, "/tmp");
  assert_string_equal (line_of ("/tmp")->origin, "/f:5");
  assert_null (t.policy.tmp);
  assert_int_equal (t.policy.axes & WEIR_AXIS_PRIVATE_TMP, 0);
}

static void
test_tmp_as_root (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.write = LIST ("/tmp");
  assert_refused (WEIR_E_INVALID, "private /tmp");
  t.request.write = NULL;
  t.request.workspace = "/tmp";
  assert_refused (WEIR_E_INVALID, "private /tmp");
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_refused (WEIR_E_INVALID, "private /tmp");
}

/* A workspace in the host's /tmp is seen on top of the private one; its neighbours are not.  */
static void
test_workspace_in_tmp (void **state UNUSED)
{
  char *inside, *beside;

  NEEDS_FIXTURE ();
  inside = make_in_tmp ();
  beside = make_in_tmp ();
  if (inside == NULL || beside == NULL)
    skip ();
  t.request.workspace = inside;
  assert_resolves ();
  assert_string_equal (t.policy.cwd, inside);
  assert_int_equal (line_of (inside)->access, WEIR_ACCESS_WRITE);
  assert_ptr_equal (view_find (&t.policy.view, inside), line_of (inside));
  assert_int_equal (view_find (&t.policy.view, beside)->flags, WEIR_VIEW_TMP);
  t.request.cwd = beside;
  assert_refused (WEIR_E_INVALID, "private to the session");
  t.request.cwd = "/tmp";
  assert_resolves ();
  assert_string_equal (t.policy.cwd, "/tmp");
  t.request.cwd = NULL;
  t.request.deny_read = LIST (beside);
  assert_resolves ();
  assert_null (line_of (beside));
  t.request.deny_read = NULL;
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  assert_int_equal (line_of (inside)->access, WEIR_ACCESS_READ);
  assert_int_equal (view_find (&t.policy.view, inside)->access, WEIR_ACCESS_READ);
  rmdir (inside);
  rmdir (beside);
  free (inside);
  free (beside);
}

/* ---- read-only and hidden ---- */

static void
test_protect (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("ws/ci");
  make_dir ("ws/ci/deep");
  make_file ("ws/ci/deep/secrets", "");
  make_link ("ci/deep", "ws/link");
  list_add (&t.settings.protect, "ci/deep/secrets", "/f:6");
  list_add (&t.settings.protect, "missing", "/f:6");
  list_add (&t.settings.protect, t.home, "/f:6");
  assert_resolves ();
  assert_int_equal (view_find (&t.policy.view, in_dir ("ws/ci/deep/secrets"))->access, WEIR_ACCESS_READ);
  assert_int_equal (line_of (in_dir ("ws/ci"))->access, WEIR_ACCESS_PIN);
  assert_int_equal (line_of (in_dir ("ws/ci/deep"))->access, WEIR_ACCESS_PIN);
  assert_int_equal (view_find (&t.policy.view, in_dir ("ws/ci/deep/x"))->access, WEIR_ACCESS_WRITE);
  assert_null (line_of (in_dir ("ws/missing")));
  assert_null (line_of (t.home));
  assert_int_equal (t.policy.axes & WEIR_AXIS_PROTECT, WEIR_AXIS_PROTECT);
  t.request.read_only = LIST ("link");
  assert_resolves ();
  assert_int_equal (view_find (&t.policy.view, in_dir ("ws/ci/deep/x"))->access, WEIR_ACCESS_READ);
  t.request.read_only = LIST (".");
  assert_resolves ();
  assert_int_equal (view_find (&t.policy.view, in_dir ("ws/x"))->access, WEIR_ACCESS_READ);
  t.request.read_only = LIST ("missing");
  assert_refused (WEIR_E_NOT_FOUND, "read-only path");
  t.request.read_only = LIST ("..");
  assert_refused (WEIR_E_INVALID, "holds the writable root");
}

/* A directory that holds two rules is pinned before both, or its mount would cover one.  */
static void
test_pins_come_first (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("ws/a");
  make_dir ("ws/a/b");
  make_dir ("ws/a/c");
  list_add (&t.settings.protect, "a/b", "/f:6");
  list_add (&t.settings.deny_read, in_dir ("ws/a/c"), "/f:7");
  assert_resolves ();
  size_t pin = 0, first = 0, second = 0;
  for (size_t i = 0; i < t.policy.view.count; i++) {
    const char *world = t.policy.view.lines[i]->world;
    if (strcmp (world, in_dir ("ws/a")) == 0)
      pin = i;
    else if (strcmp (world, in_dir ("ws/a/b")) == 0)
      first = i;
    else if (strcmp (world, in_dir ("ws/a/c")) == 0)
      second = i;
  }
  assert_true (pin > 0 && pin < first && first < second);
}

static void
test_deny_read (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("home/.ssh");
  make_file ("home/token", "");
  make_dir ("ws/private");
  make_link ("home/.ssh", "keys");
  make_link ("loop", "loop");
  list_add (&t.settings.deny_read, in_dir ("keys"), "/f:8");
  list_add (&t.settings.deny_read, in_dir ("home/.ssh"), "/f:9");
  list_add (&t.settings.deny_read, in_dir ("home/missing"), "/f:9");
  list_add (&t.settings.deny_read, in_dir ("loop"), "/f:9");
  list_add (&t.settings.deny_read, in_dir ("etc/weir.conf/x"), "/f:9");
  t.request.deny_read = LIST (in_dir ("home/token"), "private");
  assert_resolves ();
  assert_string_equal (line_of (in_dir ("home/.ssh"))->origin, "/f:8");
  assert_int_equal (line_of (in_dir ("home/.ssh"))->access, WEIR_ACCESS_NONE);
  assert_int_equal (line_of (in_dir ("home/token"))->is_dir, 0);
  assert_int_equal (view_find (&t.policy.view, in_dir ("ws/private/x"))->access, WEIR_ACCESS_NONE);
  assert_null (line_of (in_dir ("home/missing")));
  t.request.deny_read = LIST (in_dir ("home/missing"));
  assert_refused (WEIR_E_NOT_FOUND, "hidden path");
  t.request.deny_read = LIST (in_dir ("loop"));
  assert_refused (WEIR_E_INVALID, "loop");
}

static void
test_deny_read_of_a_root (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  make_dir ("data/root");
  list_add (&t.settings.roots, in_dir ("data/root"), "/f:10");
  list_add (&t.settings.deny_read, in_dir ("data"), "/f:11");
  assert_refused (WEIR_E_INVALID, "/f:10");
  assert_says (t.error, "/f:11");
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  t.request.deny_read = LIST (".");
  assert_refused (WEIR_E_INVALID, "hidden");
  t.request.deny_read = LIST ("/");
  assert_refused (WEIR_E_INVALID, "hidden");
}

/* ---- the working directory ---- */

static void
test_cwd (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("ws/sub");
  make_file ("ws/file", "");
  make_link ("sub", "ws/link");
  make_dir ("home/hidden");
  list_add (&t.settings.deny_read, in_dir ("home/hidden"), "/f:8");
  t.request.cwd = "sub";
  assert_resolves ();
  assert_string_equal (t.policy.cwd, in_dir ("ws/sub"));
  assert_string_equal (get ("PWD"), in_dir ("ws/sub"));
  t.request.cwd = "link/../link";
  assert_resolves ();
  assert_string_equal (t.policy.cwd, in_dir ("ws/sub"));
  t.request.cwd = "/usr";
  assert_resolves ();
  t.request.cwd = "file";
  assert_refused (WEIR_E_INVALID, "not a directory");
  t.request.cwd = "none";
  assert_refused (WEIR_E_NOT_FOUND, "working directory");
  t.request.cwd = in_dir ("home/hidden");
  assert_refused (WEIR_E_INVALID, "/f:8");
  t.request.cwd = in_dir ("home/hidden/x");
  assert_refused (WEIR_E_INVALID, "hidden");
}

static void
test_cwd_in_private_tmp (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.session = "s";
  assert_resolves ();
  auto_free char *made = util_fmt ("%s/made", t.policy.tmp), *link = util_fmt ("%s/link", t.policy.tmp);
  assert_int_equal (mkdir (made, 0755), 0);
  assert_int_equal (symlink ("/tmp/made", link), 0);
  t.request.cwd = "/tmp/link";
  assert_resolves ();
  assert_string_equal (t.policy.cwd, "/tmp/made");
}

/* ---- limits ---- */

static void
test_limits (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.settings.limit_processes = 512;
  t.settings.limit_files = 256;
  t.settings.wall_ms = 600000;
  t.settings.output_limit = 1000;
  t.settings.spill_limit = 2000;
  t.settings.grace_ms = 3000;
  t.settings.limits_origin[0] = (char *) "/f:20";
  t.request.limits = LIST ("memory=1G", "cpu=1500ms", "files=none", "file_size=10M");
  assert_resolves ();
  t.settings.limits_origin[0] = NULL;
  assert_int_equal (t.policy.limits.processes, 512);
  assert_int_equal (t.policy.limits.memory, UINT64_C (1) << 30);
  assert_int_equal (t.policy.limits.cpu, 2);
  assert_int_equal (t.policy.limits.files, 0);
  assert_int_equal (t.policy.limits.file_size, 10 << 20);
  assert_string_equal (t.policy.limits_origin[0], "/f:20");
  assert_string_equal (t.policy.limits_origin[1], "command line");
  assert_string_equal (t.policy.limits_origin[3], "command line");
  assert_int_equal (t.policy.axes
                        & (WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU
                           | WEIR_AXIS_LIMIT_FILES | WEIR_AXIS_LIMIT_FILE_SIZE),
                    WEIR_AXIS_LIMIT_PROCESSES | WEIR_AXIS_LIMIT_MEMORY | WEIR_AXIS_LIMIT_CPU
                        | WEIR_AXIS_LIMIT_FILE_SIZE);
  assert_int_equal (t.policy.wall_ms, 600000);
  assert_int_equal (t.policy.output_limit, 1000);
  assert_int_equal (t.policy.spill_limit, 2000);
  assert_int_equal (t.policy.grace_ms, 3000);
  t.request.timeout_ms = 5;
  t.request.output_limit = 6;
  assert_resolves ();
  assert_int_equal (t.policy.wall_ms, 5);
  assert_int_equal (t.policy.output_limit, 6);
}

static void
test_bad_limits (void **state UNUSED)
{
  static const char *const bad[] = { "processes=-1", "processes=",  "processes",
                                     "processes=1x", "memory=lots", "cpu=10",
                                     "files= 3",     "=3",          "",
                                     "output=0",     "wall=-1s",    "processes=99999999999999999999" };

  NEEDS_FIXTURE ();
  for (size_t i = 0; i < ARRAY_SIZE (bad); i++) {
    t.request.limits = LIST (bad[i]);
    assert_refused (WEIR_E_INVALID, "limit");
  }
  t.request.limits = LIST ("proceses=3");
  assert_refused (WEIR_E_INVALID, "'processes'");
  t.request.limits = NULL;
  t.request.timeout_ms = -1;
  assert_refused (WEIR_E_INVALID, "negative");
}

static void
test_environment (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  strv_add (&t.environ, "TMPDIR=/somewhere");
  t.input.environ = strv_items (&t.environ);
  t.request.env = LIST ("A=1");
  assert_resolves ();
  assert_string_equal (get ("A"), "1");
  assert_string_equal (get ("TMPDIR"), "/tmp");
  assert_int_equal (t.policy.env_dropped.count, 1);
  t.request.env = LIST ("TMPDIR=/tmp/x", "PWD=/lie");
  assert_resolves ();
  assert_string_equal (get ("TMPDIR"), "/tmp/x");
  assert_string_equal (get ("PWD"), t.workspace);
  t.request.env = LIST ("=1");
  assert_refused (WEIR_E_INVALID, "environment");
}

static void
test_require (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  assert_resolves ();
  assert_null (t.policy.require_origin);
  t.settings.require_full = 1;
  assert_resolves ();
  assert_non_null (t.policy.require_origin);
}

/* ---- what changes between two looks ---- */

static void
replace (const char *name)
{
  auto_free char *old = util_fmt ("%s.old", in_dir (name));

  assert_int_equal (rename (in_dir (name), old), 0);
  make_dir (name);
}

static void
test_recheck (void **state UNUSED)
{
  weir_error *e = NULL;

  NEEDS_FIXTURE ();
  make_dir ("data");
  t.request.write = LIST (in_dir ("data"));
  assert_resolves ();
  assert_int_equal (policy_recheck (&t.policy, NULL), WEIR_OK);
  replace ("data");
  assert_int_equal (policy_recheck (&t.policy, &e), WEIR_E_CONFLICT);
  assert_says (e, in_dir ("data"));
  error_clear (&e);
  assert_resolves ();
  assert_int_equal (policy_recheck (&t.policy, NULL), WEIR_OK);
  replace ("ws");
  assert_int_equal (policy_recheck (&t.policy, &e), WEIR_E_CONFLICT);
  assert_says (e, t.workspace);
  error_clear (&e);
  assert_resolves ();
  assert_int_equal (rmdir (t.workspace), 0);
  assert_int_equal (policy_recheck (&t.policy, NULL), WEIR_E_CONFLICT);
  make_link ("data", "ws");
  assert_int_equal (policy_recheck (&t.policy, NULL), WEIR_E_CONFLICT);
}

static void
test_recheck_read_only (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  t.request.mode = WEIR_MODE_READ_ONLY;
  assert_resolves ();
  replace ("ws");
  assert_int_equal (policy_recheck (&t.policy, NULL), WEIR_E_CONFLICT);
}

/* Between two calls of one session; another session knows nothing of it.  */
static void
test_replaced_between_calls (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("data");
  t.request.session = "s";
  t.request.write = LIST (in_dir ("data"));
  assert_resolves ();
  assert_resolves ();
  replace ("data");
  assert_refused (WEIR_E_CONFLICT, in_dir ("data"));
  t.request.session = "other";
  assert_resolves ();
  replace ("ws");
  assert_refused (WEIR_E_CONFLICT, "workspace");
  t.request.session = NULL;
  assert_resolves ();
}

static void
test_link_changed_between_calls (void **state UNUSED)
{
  NEEDS_FIXTURE ();
  make_dir ("other");
  make_link ("ws", "link");
  t.request.session = "s";
  t.request.workspace = in_dir ("link");
  assert_resolves ();
  assert_int_equal (unlink (in_dir ("link")), 0);
  make_link ("other", "link");
  assert_refused (WEIR_E_CONFLICT, "workspace");
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_names),
    TEST (test_workspace_write),
    TEST (test_runs_are_hidden),
    TEST (test_read_only),
    TEST (test_read_only_host_tmp),
    TEST (test_danger),
    TEST (test_danger_with_restrictions),
    TEST (test_unknown_mode),
    TEST (test_network),
    TEST (test_bad_workspaces),
    TEST (test_workspace_canonical),
    TEST (test_workspace_default),
    TEST (test_no_home),
    TEST (test_roots),
    TEST (test_bad_roots),
    TEST (test_root_through_writable_link),
    TEST (test_workspace_through_writable_link),
    TEST (test_caches),
    TEST (test_tmp_of_sessions),
    TEST (test_tmp_of_a_failure),
    TEST (test_tmp_host),
    TEST (test_tmp_as_root),
    TEST (test_workspace_in_tmp),
    TEST (test_protect),
    TEST (test_pins_come_first),
    TEST (test_deny_read),
    TEST (test_deny_read_of_a_root),
    TEST (test_cwd),
    TEST (test_cwd_in_private_tmp),
    TEST (test_limits),
    TEST (test_bad_limits),
    TEST (test_environment),
    TEST (test_require),
    TEST (test_recheck),
    TEST (test_recheck_read_only),
    TEST (test_replaced_between_calls),
    TEST (test_link_changed_between_calls),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
