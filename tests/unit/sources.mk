# made by tools/sources.sh
unit_tests = \
	tests/unit/adopt-test \
	tests/unit/candidate-test \
	tests/unit/carry-test \
	tests/unit/classify-test \
	tests/unit/collect-test \
	tests/unit/conf-test \
	tests/unit/config-test \
	tests/unit/facts-test \
	tests/unit/filter-test \
	tests/unit/gitconfig-test \
	tests/unit/gitmeta-test \
	tests/unit/guess-test \
	tests/unit/plan-test \
	tests/unit/plan-text-test \
	tests/unit/plugins-test \
	tests/unit/process-test \
	tests/unit/settings-test \
	tests/unit/spawn-test \
	tests/unit/started-test \
	tests/unit/steps-test \
	tests/unit/trust-test \
	tests/unit/units-test
unit_support = \
	tests/unit/support-steps-child.c \
	tests/unit/config-support.h \
	tests/unit/fake-plugins.h \
	tests/unit/plugin-support.h \
	tests/unit/spawn-support.h \
	tests/unit/steps-child.h
tests_unit_adopt_test_SOURCES = tests/unit/adopt-test.c $(unit_support)
tests_unit_candidate_test_SOURCES = tests/unit/candidate-test.c $(unit_support)
tests_unit_carry_test_SOURCES = tests/unit/carry-test.c $(unit_support)
tests_unit_classify_test_SOURCES = tests/unit/classify-test.c $(unit_support)
tests_unit_collect_test_SOURCES = tests/unit/collect-test.c $(unit_support)
tests_unit_conf_test_SOURCES = tests/unit/conf-test.c $(unit_support)
tests_unit_config_test_SOURCES = tests/unit/config-test.c $(unit_support)
tests_unit_facts_test_SOURCES = tests/unit/facts-test.c $(unit_support)
tests_unit_filter_test_SOURCES = tests/unit/filter-test.c $(unit_support)
tests_unit_gitconfig_test_SOURCES = tests/unit/gitconfig-test.c $(unit_support)
tests_unit_gitmeta_test_SOURCES = tests/unit/gitmeta-test.c $(unit_support)
tests_unit_guess_test_SOURCES = tests/unit/guess-test.c $(unit_support)
tests_unit_plan_test_SOURCES = tests/unit/plan-test.c $(unit_support)
tests_unit_plan_text_test_SOURCES = tests/unit/plan-text-test.c $(unit_support)
tests_unit_plugins_test_SOURCES = tests/unit/plugins-test.c $(unit_support)
tests_unit_process_test_SOURCES = tests/unit/process-test.c $(unit_support)
tests_unit_settings_test_SOURCES = tests/unit/settings-test.c $(unit_support)
tests_unit_spawn_test_SOURCES = tests/unit/spawn-test.c $(unit_support)
tests_unit_started_test_SOURCES = tests/unit/started-test.c $(unit_support)
tests_unit_steps_test_SOURCES = tests/unit/steps-test.c $(unit_support)
tests_unit_trust_test_SOURCES = tests/unit/trust-test.c $(unit_support)
tests_unit_units_test_SOURCES = tests/unit/units-test.c $(unit_support)
