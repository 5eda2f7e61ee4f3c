/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/plan.h"

#include "plugin-support.h"

static const char *const argv[] = { "/bin/echo", "a b", "it's", "\033[31mred\302\233", "caf\303\251", "", NULL };
static const struct weir_command command = { WEIR_SIZED (struct weir_command), .argv = argv, .cwd = "/srv/my work" };

static void
add (weir_plan *plan, uint32_t kind, uint64_t flags, uint64_t value, const char *path, const char *target,
     uint32_t fact)
{
  struct weir_step step = { WEIR_SIZED (struct weir_step),
                            .kind = kind,
                            .flags = flags,
                            .value = value,
                            .path = path,
                            .target = target,
                            .fact = fact };

  plan_step (plan, &step);
}

static weir_plan *
example (void)
{
  const int32_t codes[] = { 1, 125 };
  weir_error *err = NULL;
  weir_plan *plan = plan_new (&command, &err);

  assert_non_null (plan);
  plan->provider = strdup ("mine");
  add (plan, WEIR_STEP_NAMESPACES, WEIR_NS_MOUNT | WEIR_NS_PID, 0, NULL, NULL, WEIR_FACT_USER_NAMESPACES);
  add (plan, WEIR_STEP_ROOT_READ_ONLY, 0, 0, NULL, NULL, 0);
  add (plan, WEIR_STEP_BIND, WEIR_BIND_READ_ONLY | WEIR_BIND_MAKE, 0, "/srv/a", "/b", 0);
  add (plan, WEIR_STEP_BIND, 0, 0, "/srv/my work", "/srv/my work", 0);
  add (plan, WEIR_STEP_TMPFS, 0, 65536, "/run", NULL, 0);
  add (plan, WEIR_STEP_HIDE, 1, 0, "/root/.netrc", NULL, 0);
  add (plan, WEIR_STEP_LANDLOCK_HANDLE, 1 << 1 | 1 << 15 | UINT64_C (1) << 20, 2 | UINT64_C (1) << 32, NULL, NULL, 0);
  add (plan, WEIR_STEP_LANDLOCK_RULE, 1 << 1, WEIR_OPTIONAL | WEIR_RULE_INSIDE, "/dev/pts", NULL, 0);
  add (plan, WEIR_STEP_CAPABILITIES, 1 << 0 | 1 << 5, 0, NULL, NULL, 0);
  add (plan, WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_MEMORY, 1 << 30, NULL, NULL, 0);
  add (plan, WEIR_STEP_LIMIT, WEIR_AXIS_LIMIT_PROCESSES, 64, NULL, NULL, 0);
  add (plan, WEIR_STEP_SECCOMP, WEIR_SECCOMP_BASE | WEIR_SECCOMP_OTHERS, 0, NULL, NULL, 0);
  plan_runner (plan, "/usr/bin/runner");
  plan_argument (plan, "--bind x");
  plan_fd (plan, WEIR_FD_SECCOMP, NULL, 0, 0, WEIR_SECCOMP_BASE);
  plan_fd (plan, WEIR_FD_PATH, "/srv/a", 1, 2, 0);
  plan_governs (plan, WEIR_EFFECT_CONTENT | WEIR_AXIS_NETWORK_NONE);
  plan_gap (plan, WEIR_EFFECT_SOCKETS, "sockets stay");
  plan_asserted (plan, "/etc/weir.conf:7");
  plan_denial (plan, "read-only");
  plan_failure (plan, codes, 2, "runner: ");
  plan_failure (plan, NULL, 0, "oops");
  plan_informational (plan, "runner: note");
  assert_null (plan->sticky);
  return plan;
}

static char *
printed (const weir_plan *plan, int format)
{
  struct strbuf kept = { 0 };
  weir_error *err = NULL;
  struct out out;

  out_init (&out, format, keep_output, &kept);
  out_open (&out, NULL, '{');
  plan_print (plan, &out);
  out_close (&out, '}');
  expect_success (out_end (&out, &err), &err);
  return strbuf_steal (&kept);
}

static void
prints_a_line_per_step (void **state UNUSED)
{
  static const char *const lines[] = {
    "command    /bin/echo 'a b' 'it'\\''s' $'\\033[31mred\302\\233' 'caf\303\251' ''\n",
    "directory  '/srv/my work'\n",
    "sandbox    mine\n",
    "step 1     namespaces: user, mount, pid (needs ",
    "step 2     read-only root\n",
    "step 3     bind /srv/a at /b: read-only, made when missing\n",
    "step 4     bind '/srv/my work': writable\n",
    "step 5     tmpfs /run: size 64K\n",
    "step 6     hide /root/.netrc: file\n",
    "step 7     access rules: write_file, ioctl_dev, bit 20, connect_tcp, scope abstract_unix_socket\n",
    "step 8     access rule /dev/pts: write_file, optional, opened inside\n",
    "step 9     capabilities: chown, kill\n",
    "step 10    limit: memory 1G\n",
    "step 11    limit: processes 64\n",
    "step 12    system call filter: base, other processes\n",
    "runner     /usr/bin/runner '--bind x'\n",
    "descriptor 3: system call filter: base\n",
    "descriptor 4: path /srv/a\n",
    "asserted   /etc/weir.conf:7\n",
    "denial     read-only\n",
    "failure    'runner: ' with exit status 1, 125\n",
    "failure    oops with any exit status but 0\n",
    "remark     'runner: note'\n",
  };
  weir_plan *plan = example ();
  char *text = printed (plan, WEIR_FORMAT_TEXT);

  for (size_t i = 0; i < ARRAY_SIZE (lines); i++)
    expect_part (text, lines[i]);
  expect_part (text, ": sockets stay\n");
  assert_null (strchr (text, '\033'));
  free (text);
  plan_free (plan);
}

static void
prints_json (void **state UNUSED)
{
  static const char *const parts[] = {
    "{\"command\":[\"/bin/echo\",\"a b\",",
    "\"\\u001b[31mred",
    "\"directory\":\"/srv/my "
    "work\",\"sandbox\":\"mine\",\"steps\":[{\"step\":\"namespaces\",\"details\":[\"user\",\"mount\",\"pid\"],"
    "\"needs\":\"",
    "\"},{\"step\":\"read-only root\",\"details\":[]},{\"step\":\"bind\",\"path\":\"/srv/a\","
    "\"target\":\"/b\",\"details\":[\"read-only\",\"made when missing\"]},",
    "\"runner\":\"/usr/bin/runner\",\"runner_arguments\":[\"--bind x\"],\"descriptors\":[{\"number\":3,",
    "\"reason\":\"sockets stay\"}],\"asserted\":\"/etc/weir.conf:7\",\"denial_signatures\":[\"read-only\"],"
    "\"failure_signatures\":[{\"signature\":\"runner: "
    "\",\"exit_codes\":[1,125]},{\"signature\":\"oops\",\"exit_codes\":[]}],"
    "\"informational\":[\"runner: note\"]}\n",
  };
  weir_plan *plan = example ();
  char *text = printed (plan, WEIR_FORMAT_JSON);

  for (size_t i = 0; i < ARRAY_SIZE (parts); i++)
    expect_part (text, parts[i]);
  free (text);
  plan_free (plan);
}

static void
prints_a_bare_plan (void **state UNUSED)
{
  static const char *const bare[] = { "/bin/true", NULL };
  const struct weir_command plain = { WEIR_SIZED (struct weir_command), .argv = bare, .cwd = "/" };
  weir_error *err = NULL;
  weir_plan *plan = plan_new (&plain, &err);
  char *text = printed (plan, WEIR_FORMAT_TEXT);

  assert_string_equal (text, "command    /bin/true\ndirectory  /\nsandbox    none\n");
  free (text);
  text = printed (plan, WEIR_FORMAT_JSON);
  expect_part (text, "\"sandbox\":null,\"steps\":[],\"runner\":null,");
  free (text);
  plan_free (plan);
}

static void
names_every_step_and_stage (void **state UNUSED)
{
  for (uint32_t kind = 1; kind < WEIR_STEP_COUNT_; kind++)
    for (uint32_t other = 1; other <= kind; other++)
      assert_int_equal (strcmp (plan_step_name (kind), plan_step_name (other)) == 0, kind == other);
  for (uint32_t stage = WEIR_STAGE_CLONE; stage <= WEIR_STAGE_INIT; stage++)
    assert_string_not_equal (plan_step_name (stage), "unknown");
  assert_string_equal (plan_step_name (0), "unknown");
  assert_string_equal (plan_step_name (WEIR_STEP_COUNT_), "unknown");
  assert_string_equal (plan_step_name (WEIR_STAGE_CLONE - 1), "unknown");
  assert_string_equal (plan_step_name (WEIR_STAGE_INIT + 1), "unknown");
  assert_string_equal (plan_step_name (UINT32_MAX), "unknown");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (prints_a_line_per_step),
    cmocka_unit_test (prints_json),
    cmocka_unit_test (prints_a_bare_plan),
    cmocka_unit_test (names_every_step_and_stage),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
