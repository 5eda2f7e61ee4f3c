# made by tools/sources.sh
unit_tests = \
	tests/unit/adopt-test \
	tests/unit/caches-test \
	tests/unit/candidate-test \
	tests/unit/canon-test \
	tests/unit/carry-test \
	tests/unit/classify-test \
	tests/unit/collect-test \
	tests/unit/conf-test \
	tests/unit/config-test \
	tests/unit/death-test \
	tests/unit/doctor-test \
	tests/unit/env-test \
	tests/unit/exec-sandbox-test \
	tests/unit/exec-test \
	tests/unit/facts-test \
	tests/unit/filter-test \
	tests/unit/gitconfig-test \
	tests/unit/gitindex-test \
	tests/unit/gitmeta-test \
	tests/unit/gitmodules-test \
	tests/unit/guess-test \
	tests/unit/init-test \
	tests/unit/judge-test \
	tests/unit/launcher-test \
	tests/unit/local-test \
	tests/unit/outcome-test \
	tests/unit/plan-test \
	tests/unit/plan-text-test \
	tests/unit/plugins-test \
	tests/unit/policy-test \
	tests/unit/process-test \
	tests/unit/rootcheck-test \
	tests/unit/runner-test \
	tests/unit/runtime-test \
	tests/unit/sessiondir-test \
	tests/unit/settings-plugins-test \
	tests/unit/settings-show-test \
	tests/unit/settings-test \
	tests/unit/spawn-test \
	tests/unit/started-test \
	tests/unit/steps-mounts-test \
	tests/unit/steps-test \
	tests/unit/trust-test \
	tests/unit/units-test \
	tests/unit/userns-test \
	tests/unit/view-test \
	tests/unit/walk-test
unit_support = \
	tests/unit/support-steps-child.c \
	tests/unit/config-support.h \
	tests/unit/exec-support.h \
	tests/unit/fake-plugins.h \
	tests/unit/gitmeta-support.h \
	tests/unit/plugin-support.h \
	tests/unit/policy-support.h \
	tests/unit/settings-support.h \
	tests/unit/spawn-support.h \
	tests/unit/steps-child.h
tests_unit_adopt_test_SOURCES = tests/unit/adopt-test.c $(unit_support)
tests_unit_caches_test_SOURCES = tests/unit/caches-test.c $(unit_support)
tests_unit_candidate_test_SOURCES = tests/unit/candidate-test.c $(unit_support)
tests_unit_canon_test_SOURCES = tests/unit/canon-test.c $(unit_support)
tests_unit_carry_test_SOURCES = tests/unit/carry-test.c $(unit_support)
tests_unit_classify_test_SOURCES = tests/unit/classify-test.c $(unit_support)
tests_unit_collect_test_SOURCES = tests/unit/collect-test.c $(unit_support)
tests_unit_conf_test_SOURCES = tests/unit/conf-test.c $(unit_support)
tests_unit_config_test_SOURCES = tests/unit/config-test.c $(unit_support)
tests_unit_death_test_SOURCES = tests/unit/death-test.c $(unit_support)
tests_unit_doctor_test_SOURCES = tests/unit/doctor-test.c $(unit_support)
tests_unit_env_test_SOURCES = tests/unit/env-test.c $(unit_support)
tests_unit_exec_sandbox_test_SOURCES = tests/unit/exec-sandbox-test.c $(unit_support)
tests_unit_exec_test_SOURCES = tests/unit/exec-test.c $(unit_support)
tests_unit_facts_test_SOURCES = tests/unit/facts-test.c $(unit_support)
tests_unit_filter_test_SOURCES = tests/unit/filter-test.c $(unit_support)
tests_unit_gitconfig_test_SOURCES = tests/unit/gitconfig-test.c $(unit_support)
tests_unit_gitindex_test_SOURCES = tests/unit/gitindex-test.c $(unit_support)
tests_unit_gitmeta_test_SOURCES = tests/unit/gitmeta-test.c $(unit_support)
tests_unit_gitmodules_test_SOURCES = tests/unit/gitmodules-test.c $(unit_support)
tests_unit_guess_test_SOURCES = tests/unit/guess-test.c $(unit_support)
tests_unit_init_test_SOURCES = tests/unit/init-test.c $(unit_support)
tests_unit_judge_test_SOURCES = tests/unit/judge-test.c $(unit_support)
tests_unit_launcher_test_SOURCES = tests/unit/launcher-test.c $(unit_support)
tests_unit_local_test_SOURCES = tests/unit/local-test.c $(unit_support)
tests_unit_outcome_test_SOURCES = tests/unit/outcome-test.c $(unit_support)
tests_unit_plan_test_SOURCES = tests/unit/plan-test.c $(unit_support)
tests_unit_plan_text_test_SOURCES = tests/unit/plan-text-test.c $(unit_support)
tests_unit_plugins_test_SOURCES = tests/unit/plugins-test.c $(unit_support)
tests_unit_policy_test_SOURCES = tests/unit/policy-test.c $(unit_support)
tests_unit_process_test_SOURCES = tests/unit/process-test.c $(unit_support)
tests_unit_rootcheck_test_SOURCES = tests/unit/rootcheck-test.c $(unit_support)
tests_unit_runner_test_SOURCES = tests/unit/runner-test.c $(unit_support)
tests_unit_runtime_test_SOURCES = tests/unit/runtime-test.c $(unit_support)
tests_unit_sessiondir_test_SOURCES = tests/unit/sessiondir-test.c $(unit_support)
tests_unit_settings_plugins_test_SOURCES = tests/unit/settings-plugins-test.c $(unit_support)
tests_unit_settings_show_test_SOURCES = tests/unit/settings-show-test.c $(unit_support)
tests_unit_settings_test_SOURCES = tests/unit/settings-test.c $(unit_support)
tests_unit_spawn_test_SOURCES = tests/unit/spawn-test.c $(unit_support)
tests_unit_started_test_SOURCES = tests/unit/started-test.c $(unit_support)
tests_unit_steps_mounts_test_SOURCES = tests/unit/steps-mounts-test.c $(unit_support)
tests_unit_steps_test_SOURCES = tests/unit/steps-test.c $(unit_support)
tests_unit_trust_test_SOURCES = tests/unit/trust-test.c $(unit_support)
tests_unit_units_test_SOURCES = tests/unit/units-test.c $(unit_support)
tests_unit_userns_test_SOURCES = tests/unit/userns-test.c $(unit_support)
tests_unit_view_test_SOURCES = tests/unit/view-test.c $(unit_support)
tests_unit_walk_test_SOURCES = tests/unit/walk-test.c $(unit_support)
