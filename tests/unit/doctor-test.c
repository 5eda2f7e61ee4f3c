/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor, and what else looks without running.  */
#include "config.h"
#include "core/exec.h"

#include "exec-support.h"

static struct place place;
static struct strbuf text;
static struct weir_request request;

static void
keep (void *data, const char *bytes, size_t size)
{
  strbuf_add (data, bytes, size);
}

static int
setup (void **state UNUSED)
{
  place_make (&place);
  request = (struct weir_request) WEIR_REQUEST_INIT;
  request.workspace = place.workspace;
  request.mode = WEIR_MODE_WORKSPACE_WRITE;
  return 0;
}

static int
teardown (void **state UNUSED)
{
  strbuf_free (&text);
  place_free (&place);
  return 0;
}

static void
expect_text (const char *part)
{
  if (text.data == NULL || strstr (text.data, part) == NULL) {
    print_error ("no '%s' in:\n%s\n", part, text.data == NULL ? "" : text.data);
    fail ();
  }
}

static weir_runtime *
runtime (const char *const *set)
{
  weir_runtime *rt;
  weir_error *err = NULL;

  expect_ok (place_runtime (&place, 0, set, &rt, &err), &err);
  return rt;
}

static void
test_doctor_as_text (void **state UNUSED)
{
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;
  int worst = -1;

  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  assert_true (worst == 0 || worst == 1 || worst == 3);
  expect_text ("system.kernel: ");
  expect_text ("system.user-namespaces: ");
  expect_text ("plugin.local: version");
  expect_text ("state.directory: ");
  expect_text ("sandbox.");
  weir_runtime_free (rt);
}

/* A document of the promised form; json-test of the command reads it with a real parser.  */
static void
test_doctor_as_json (void **state UNUSED)
{
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;
  int worst = -1;

  expect_ok (weir_doctor (rt, WEIR_FORMAT_JSON, &worst, keep, &text, &err), &err);
  assert_int_equal (strncmp (text.data, "{\"schema_version\":1,\"overall_status\":\"", 38), 0);
  expect_text ("\"checks\":[{\"id\":\"system.kernel\",\"category\":\"system\",\"status\":\"");
  expect_text ("\"fix\":null");
  assert_int_equal (text.data[text.size - 1], '\n');
  weir_runtime_free (rt);
}

static int
count_entries (const char *path)
{
  auto_free char *command = util_fmt ("find '%s' | wc -l", path);
  FILE *f = popen (command, "r");
  int n = -1;

  assert_non_null (f);
  assert_int_equal (fscanf (f, "%d", &n), 1);
  pclose (f);
  return n;
}

static void
test_doctor_leaves_nothing (void **state UNUSED)
{
  weir_runtime *rt;
  weir_error *err = NULL;
  int worst, before = count_entries (place.base), descriptors;
  auto_free char *state_dir = util_fmt ("%s/not-yet", place.state), *kept = place.state;
  struct stat st;

  place.state = state_dir;
  rt = runtime (NULL);
  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  descriptors = count_descriptors ();
  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  assert_int_equal (count_descriptors (), descriptors);
  weir_runtime_free (rt);
  place.state = steal (kept);
  assert_int_equal (lstat (state_dir, &st), -1);
  assert_int_equal (count_entries (place.base), before);
}

static void
test_doctor_without_a_sandbox (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.chain=[\"no_such_sandbox\"]", NULL };
  weir_runtime *rt = runtime (set);
  weir_error *err = NULL;
  int worst = -1;

  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  assert_int_equal (worst, 3);
  expect_text ("fail    sandbox.no_such_sandbox: not usable here");
  expect_text ("no sandbox is usable");
  weir_runtime_free (rt);
}

static void
test_doctor_with_full_required (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.require=full", NULL };
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;
  int worst = -1, full;

  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  full = strstr (text.data, "full enforcement") != NULL;
  weir_runtime_free (rt);
  if (worst == 3 || full) {
    print_message ("skipped: %s\n", full ? "a sandbox enforces all here" : "no sandbox works here");
    skip ();
  }
  strbuf_free (&text);
  rt = runtime (set);
  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  assert_int_equal (worst, 3);
  expect_text ("partial enforcement refused by ");
  weir_runtime_free (rt);
}

static void
test_doctor_without_a_state_directory (void **state UNUSED)
{
  auto_free char *file = util_fmt ("%s/file", place.state), *kept = place.state;
  int fd = open (file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), worst = -1;
  weir_runtime *rt;
  weir_error *err = NULL;

  assert_true (fd >= 0);
  close (fd);
  place.state = file;
  rt = runtime (NULL);
  place.state = steal (kept);
  expect_ok (weir_doctor (rt, WEIR_FORMAT_TEXT, &worst, keep, &text, &err), &err);
  expect_text ("fail    state.directory: ");
  expect_text ("fix: ");
  assert_int_equal (worst, 3);
  weir_runtime_free (rt);
}

/* ---- plan, explain, config, plugins ---- */

static void
test_plan (void **state UNUSED)
{
  static const char *const argv[] = { "sh", "-c", "touch ran", NULL }, *const env[] = { "TOKEN=very-secret", NULL };
  auto_free char *ran = util_fmt ("%s/ran", place.workspace);
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;
  struct stat st;

  request.argv = argv;
  request.env = env;
  if (weir_show_plan (rt, &request, WEIR_FORMAT_TEXT, keep, &text, &err) == WEIR_E_UNAVAILABLE) {
    auto_free char *reason = error_text (err);
    error_clear (&err);
    weir_runtime_free (rt);
    print_message ("skipped: no sandbox works here: %s\n", reason);
    skip ();
  }
  expect_ok (weir_error_code (err), &err);
  expect_text ("mode       workspace-write (");
  expect_text ("command    ");
  expect_text ("env        ");
  expect_text ("TOKEN");
  expect_text ("SECRET_TOKEN"); /* among what was dropped */
  expect_text ("view       write  ");
  expect_text ("enforced   ");
  expect_text ("step 1");
  assert_null (strstr (text.data, "very-secret"));
  assert_null (strstr (text.data, "hunter2"));
  assert_int_equal (lstat (ran, &st), -1);
  strbuf_free (&text);
  expect_ok (weir_show_plan (rt, &request, WEIR_FORMAT_JSON, keep, &text, &err), &err);
  assert_int_equal (strncmp (text.data, "{\"schema_version\":1,", 20), 0);
  expect_text ("\"steps\":[");
  weir_runtime_free (rt);
}

static void
test_plan_of_danger (void **state UNUSED)
{
  static const char *const argv[] = { "sh", NULL };
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;

  request.argv = argv;
  request.mode = WEIR_MODE_DANGER_FULL_ACCESS;
  expect_ok (weir_show_plan (rt, &request, WEIR_FORMAT_TEXT, keep, &text, &err), &err);
  expect_text ("sandbox    none");
  expect_text ("enforced   none");
  weir_runtime_free (rt);
}

static void
test_plan_that_cannot_be (void **state UNUSED)
{
  static const char *const set[] = { "sandbox.chain=[\"no_such_sandbox\"]", NULL }, *const argv[] = { "sh", NULL };
  weir_runtime *rt = runtime (set);
  weir_error *err = NULL;

  request.argv = argv;
  expect_error (weir_show_plan (rt, &request, WEIR_FORMAT_JSON, keep, &text, &err), WEIR_E_UNAVAILABLE, &err, "no_such_sandbox");
  assert_null (text.data); /* not half a document */
  weir_runtime_free (rt);
}

static void
test_explain (void **state UNUSED)
{
  auto_free char *inside = util_fmt ("%s/x", place.workspace);
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;
  int answer = 0;

  expect_ok (weir_explain (rt, &request, inside, "create", WEIR_FORMAT_TEXT, &answer, keep, &text, &err), &err);
  assert_int_equal (answer, WEIR_ANSWER_ALLOWED);
  expect_text ("ALLOWED    create ");
  strbuf_free (&text);
  expect_ok (weir_explain (rt, &request, "/etc/passwd", "write", WEIR_FORMAT_TEXT, &answer, keep, &text, &err), &err);
  assert_int_equal (answer, WEIR_ANSWER_DENIED);
  expect_text ("DENIED     write /etc/passwd");
  expect_text ("to allow   ");
  strbuf_free (&text);
  expect_ok (weir_explain (rt, &request, "/etc/passwd", "write", WEIR_FORMAT_JSON, &answer, keep, &text, &err), &err);
  expect_text ("\"answer\":\"denied\"");
  expect_error (weir_explain (rt, &request, "/etc/passwd", "frobnicate", WEIR_FORMAT_TEXT, &answer, keep, &text, &err),
                WEIR_E_INVALID, &err, "frobnicate");
  expect_error (weir_explain (rt, &request, "", "write", WEIR_FORMAT_TEXT, &answer, keep, &text, &err), WEIR_E_INVALID, &err, "path");
  weir_runtime_free (rt);
}

static void
test_config_and_plugins (void **state UNUSED)
{
  weir_runtime *rt = runtime (NULL);
  weir_error *err = NULL;

  expect_ok (weir_show_config (rt, WEIR_FORMAT_TEXT, WEIR_SHOW_ORIGIN, keep, &text, &err), &err);
  expect_text ("mode");
  strbuf_free (&text);
  expect_ok (weir_show_plugins (rt, NULL, WEIR_FORMAT_TEXT, keep, &text, &err), &err);
  expect_text ("local");
  strbuf_free (&text);
  assert_int_not_equal (weir_show_plugins (rt, "no_such", WEIR_FORMAT_JSON, keep, &text, &err), WEIR_OK);
  assert_null (text.data);
  error_clear (&err);
  expect_error (weir_show_config (rt, WEIR_FORMAT_TEXT, 8, keep, &text, &err), WEIR_E_UNSUPPORTED, &err, "flag 8");
  weir_runtime_free (rt);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_doctor_as_text),
    TEST (test_doctor_as_json),
    TEST (test_doctor_leaves_nothing),
    TEST (test_doctor_without_a_sandbox),
    TEST (test_doctor_with_full_required),
    TEST (test_doctor_without_a_state_directory),
    TEST (test_plan),
    TEST (test_plan_of_danger),
    TEST (test_plan_that_cannot_be),
    TEST (test_explain),
    TEST (test_config_and_plugins),
  };
  return place_run (tests, NULL, NULL);
}
