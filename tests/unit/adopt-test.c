/* Each mock breaks one rule; what is told of it is tested here, without a runtime.  */
/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/plugins.h"

#include "plugin-support.h"

#define NEEDS_MOCKS()                                                                                                  \
  if (mock_directory () == NULL) {                                                                                     \
    print_message ("skipped: neither WEIR_TEST_MOCK_DIR nor WEIR_BUILDDIR is set\n");                                  \
    skip ();                                                                                                           \
  }

static weir_status
mock_open (const char *name, weir_plugin_entry *entry, weir_error **err)
{
  auto_free char *path = util_fmt ("%s/%s.so", mock_directory (), name);
  auto_free char *symbol = util_fmt ("%s_LTX_weir_plugin_v1", name);

  return dl_open (path, symbol, entry, err);
}

static void
not_opened (const char *name, const char *part)
{
  weir_plugin_entry entry = NULL;
  weir_error *err = NULL;
  weir_status status = mock_open (name, &entry, &err);

  expect_failure (status, WEIR_E_PLUGIN, &err, part);
  assert_null (entry);
}

static void
not_adopted (const char *name, const char *part)
{
  weir_plugin_entry entry = NULL;
  weir_error *err = NULL;
  struct adopted adopted;
  char whole[512];
  weir_status status = mock_open (name, &entry, &err);

  expect_success (status, &err);
  snprintf (whole, sizeof whole, "plugin '%s' breaks a rule of the plugin interface: %s", name, part);
  status = adopt (entry (&host_table), name, "/plugins/x.so", &adopted, &err);
  expect_failure (status, WEIR_E_PLUGIN, &err, whole);
  assert_null (adopted.name);
}

static void
says_why_a_file_cannot_be_loaded (void **state UNUSED)
{
  NEEDS_MOCKS ();
  not_opened ("mock_no_symbol", "it has no symbol 'mock_no_symbol_LTX_weir_plugin_v1'");
  not_opened ("mock_future_symbol", "it was made for major version 2 of the plugin interface, this is 1");
  not_opened ("mock_undefined_symbol", "mock_nobody_has_this");
  not_opened ("mock_missing_dependency", "libmock_gone_nowhere.so");
  not_opened ("mock_that_is_not_there", "No such file or directory");
  /* A second try tells the same.  */
  not_opened ("mock_undefined_symbol", "mock_nobody_has_this");
}

static void
wants_an_absolute_path (void **state UNUSED)
{
  weir_plugin_entry entry;
  weir_error *err = NULL;

  expect_failure (dl_open ("mock_good.so", "x", &entry, &err), WEIR_E_INVALID, &err, "the path is not absolute");
}

static void
names_the_rule_that_was_broken (void **state UNUSED)
{
  NEEDS_MOCKS ();
  not_adopted ("mock_null_entry", "its entry function returned NULL");
  not_adopted ("mock_short_struct", "its descriptor is too short: its struct_size is");
  not_adopted ("mock_newer_major", "it was made for major version 2 of the plugin interface, this is 1");
  not_adopted ("mock_wrong_name", "it calls itself 'another_name', its file is 'mock_wrong_name.so'");
  not_adopted ("mock_no_version", "it has no version");
  not_adopted ("mock_provides_nothing", "it provides neither a sandbox nor a world");
  not_adopted ("mock_null_confine", "its sandbox has no confine");
  not_adopted ("mock_no_claims", "its sandbox claims nothing");
  not_adopted ("mock_bare_world", "its world's process operations have no spawn");
  not_adopted ("mock_nameless_option", "option 2 of its table has no name");
  not_adopted ("mock_bad_default", "the default 'soon' of option 'patience' does not fit its type");
}

static void
adopts_a_good_plugin (void **state UNUSED)
{
  weir_plugin_entry entry = NULL, again = NULL;
  weir_error *err = NULL;
  struct adopted adopted;

  NEEDS_MOCKS ();
  expect_success (mock_open ("mock_good", &entry, &err), &err);
  expect_success (mock_open ("mock_good", &again, &err), &err);
  assert_ptr_equal (entry, again);
  expect_success (adopt (entry (&host_table), "mock_good", "/plugins/mock_good.so", &adopted, &err), &err);
  assert_string_equal (adopted.name, "mock_good");
  assert_string_equal (adopted.path, "/plugins/mock_good.so");
  assert_int_equal (adopted.threading, WEIR_SERIAL);
  assert_int_equal (adopted.sandbox.struct_size, sizeof (struct weir_sandbox_ops));
  assert_non_null (adopted.sandbox.describe);
  assert_int_equal (adopted.world.struct_size, 0);
  assert_ptr_equal (adopted.plugin.sandbox, &adopted.sandbox);
  assert_string_equal (adopted.options[0].name, "word");
  adopted_free (&adopted);
  adopted_free (NULL);
}

static void
adopts_plugins_of_other_versions (void **state UNUSED)
{
  static const char *const names[] = { "mock_abi_1_0", "mock_abi_future" };
  weir_plugin_entry entry;
  weir_error *err = NULL;
  struct adopted adopted;
  void *self = NULL;

  NEEDS_MOCKS ();
  for (size_t i = 0; i < ARRAY_SIZE (names); i++) {
    weir_log log = { 0 };

    expect_success (mock_open (names[i], &entry, &err), &err);
    expect_success (adopt (entry (&host_table), names[i], "/plugins/x.so", &adopted, &err), &err);
    assert_int_equal (adopted.plugin.struct_size, sizeof (struct weir_plugin));
    assert_int_equal (adopted.plugin.abi_minor, i == 0 ? 0 : 99);
    /* It checks the host's table itself.  */
    expect_success (adopted.plugin.create (&log, NULL, &self, &err), &err);
    adopted_free (&adopted);
  }
}

/* ---- descriptors that are made here ---- */

static weir_status
confine (void *self UNUSED, const weir_call *call UNUSED, const struct weir_command *command UNUSED,
         const struct weir_policy *policy UNUSED, weir_plan *plan UNUSED, weir_error **err UNUSED)
{
  return WEIR_OK;
}

static const struct weir_sandbox_ops sandbox = { WEIR_SIZED (struct weir_sandbox_ops), .claims = 1,
                                                 .confine = confine };
static const struct weir_plugin good = { WEIR_SIZED (struct weir_plugin),
                                         .abi_major = WEIR_ABI_MAJOR,
                                         .name = "mine",
                                         .version = "1",
                                         .summary = "s",
                                         .sandbox = &sandbox };

static void
refused (const struct weir_plugin *p, const char *part)
{
  struct adopted adopted;
  weir_error *err = NULL;
  weir_status status = adopt (p, "mine", "/plugins/mine.so", &adopted, &err);

  expect_failure (status, WEIR_E_PLUGIN, &err, part);
}

static void
refused_option (struct weir_option first, const char *part)
{
  const struct weir_option options[] = { first, { "last", WEIR_OPT_STRING, 0, NULL, "help" }, WEIR_OPTION_END };
  struct weir_plugin p = good;

  p.options = options;
  refused (&p, part);
}

static void
accepted_option (struct weir_option first)
{
  const struct weir_option options[] = { first, WEIR_OPTION_END };
  struct weir_plugin p = good;
  struct adopted adopted;
  weir_error *err = NULL;

  p.options = options;
  expect_success (adopt (&p, "mine", "/plugins/mine.so", &adopted, &err), &err);
  adopted_free (&adopted);
}

static void
checks_descriptors (void **state UNUSED)
{
  struct weir_plugin p = good;

  p.struct_size = 0;
  refused (&p, "its descriptor is too short: its struct_size is 0");
  p.struct_size = 1u << 30;
  refused (&p, "which no version of it has");
  p = good;
  p.abi_major = 0;
  refused (&p, "made for major version 0");
  p = good;
  p.name = NULL;
  refused (&p, "it has no name");
  p = good;
  p.summary = "two\nlines";
  refused (&p, "it has no summary of one line");
  p = good;
  p.threading = 2;
  refused (&p, "its threading is 2");
}

static void
checks_operations (void **state UNUSED)
{
  struct weir_sandbox_ops ops = sandbox;
  struct weir_process_ops process = { WEIR_SIZED (struct weir_process_ops) };
  struct weir_world_ops world = { WEIR_SIZED (struct weir_world_ops) };
  struct weir_plugin p = good;

  p.sandbox = &ops;
  ops.struct_size = offsetof (struct weir_sandbox_ops, confine);
  refused (&p, "its sandbox is too short");
  p = good;
  p.world = &world;
  refused (&p, "its world has no process operations");
  world.process = &process;
  refused (&p, "its world's process operations have no find_executable");
  process.struct_size = 8;
  refused (&p, "its world's table of process operations is too short");
  world.struct_size = 8;
  refused (&p, "its world is too short");
}

static void
takes_only_the_bits_it_knows (void **state UNUSED)
{
  struct weir_sandbox_ops ops = sandbox;
  struct weir_plugin p = good;
  struct adopted adopted;
  weir_error *err = NULL;

  p.sandbox = &ops;
  ops.claims = UINT64_MAX;
  ops.struct_size = offsetof (struct weir_sandbox_ops, describe);
  ops.describe = (weir_status (*) (void *, const weir_call *, weir_sink *, weir_error **)) (uintptr_t) 1;
  expect_success (adopt (&p, "mine", "/plugins/mine.so", &adopted, &err), &err);
  assert_null (adopted.sandbox.describe);
  assert_int_equal (adopted.sandbox.claims, WEIR_EFFECTS_ALL | UINT64_C (0x03ff0000));
  assert_non_null (adopted.options);
  assert_null (adopted.options[0].name);
  adopted_free (&adopted);
}

static void
checks_options (void **state UNUSED)
{
  refused_option ((struct weir_option){ "", WEIR_OPT_STRING, 0, NULL, "help" }, "option 1 of its table has no name");
  refused_option ((struct weir_option){ "a-b", WEIR_OPT_STRING, 0, NULL, "help" },
                  "the name of option 'a-b' is no identifier");
  refused_option ((struct weir_option){ "a", 0, 0, NULL, "help" }, "option 'a' has the unknown type 0");
  refused_option ((struct weir_option){ "a", 99, 0, NULL, "help" }, "option 'a' has the unknown type 99");
  refused_option ((struct weir_option){ "a", WEIR_OPT_STRING, 8, NULL, "help" }, "unknown flags 0x8");
  refused_option ((struct weir_option){ "a", WEIR_OPT_STRING, 0, NULL, NULL }, "option 'a' has no line of help");
  refused_option ((struct weir_option){ "a", WEIR_OPT_STRING, 0, NULL, "two\nlines" },
                  "option 'a' has no line of help");
  refused_option ((struct weir_option){ "last", WEIR_OPT_STRING, 0, NULL, "help" },
                  "option 'last' is in its table twice");
  refused_option ((struct weir_option){ "a", WEIR_OPT_STRING, WEIR_OPT_REQUIRED, "x", "help" },
                  "is required and has a default");
  refused_option ((struct weir_option){ "a", WEIR_OPT_PATH, 0, "relative", "help" }, "does not fit its type");
  refused_option ((struct weir_option){ "a", WEIR_OPT_BOOLEAN, 0, "1", "help" }, "does not fit its type");
  refused_option ((struct weir_option){ "a", WEIR_OPT_SIZE, 0, "big", "help" }, "does not fit its type");
  refused_option ((struct weir_option){ "a", WEIR_OPT_INTEGER, 0, "12x", "help" }, "does not fit its type");
  refused_option ((struct weir_option){ "a", WEIR_OPT_INTEGER, 0, "99999999999999999999", "help" },
                  "does not fit its type");
  refused_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, NULL, "no choices" },
                  "does not begin with its choices");
  refused_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, NULL, "a||b: text" },
                  "does not begin with its choices");
  refused_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, "c", "a|b: text" }, "the default 'c' of option 'a'");
  refused_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, "a|b", "a|b: text" },
                  "the default 'a|b' of option 'a'");
  accepted_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, "b", "a|b: text" });
  accepted_option ((struct weir_option){ "a", WEIR_OPT_CHOICE, 0, NULL, "a|b: text: more" });
  accepted_option ((struct weir_option){ "a", WEIR_OPT_PATH, 0, "~/x", "help" });
  accepted_option ((struct weir_option){ "a", WEIR_OPT_DURATION, 0, "1h30m", "help" });
  accepted_option ((struct weir_option){ "a", WEIR_OPT_LIST, 0, "[ \"x\" ]", "help" });
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (says_why_a_file_cannot_be_loaded),
    cmocka_unit_test (wants_an_absolute_path),
    cmocka_unit_test (names_the_rule_that_was_broken),
    cmocka_unit_test (adopts_a_good_plugin),
    cmocka_unit_test (adopts_plugins_of_other_versions),
    cmocka_unit_test (checks_descriptors),
    cmocka_unit_test (checks_operations),
    cmocka_unit_test (takes_only_the_bits_it_knows),
    cmocka_unit_test (checks_options),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
