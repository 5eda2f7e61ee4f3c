# SPDX-License-Identifier: Apache-2.0
# Plugins that each break one rule.  Modules that are never installed: libtool makes shared ones only with -rpath.
MOCK_LDFLAGS = -module -avoid-version -shared -rpath /nowhere $(AM_LDFLAGS)
EXTRA_DIST += tests/mocks/mock.h tests/mocks/gone.c

if TESTS_BUILT
check_LTLIBRARIES += \
	tests/mocks/mock_bad_default.la \
	tests/mocks/mock_bare_world.la \
	tests/mocks/mock_fails_loudly.la \
	tests/mocks/mock_fails_silently.la \
	tests/mocks/mock_future_symbol.la \
	tests/mocks/mock_good.la \
	tests/mocks/mock_leaks_descriptor.la \
	tests/mocks/mock_leaks_thread.la \
	tests/mocks/mock_missing_dependency.la \
	tests/mocks/mock_nameless_option.la \
	tests/mocks/mock_newer_major.la \
	tests/mocks/mock_no_claims.la \
	tests/mocks/mock_no_symbol.la \
	tests/mocks/mock_no_version.la \
	tests/mocks/mock_null_confine.la \
	tests/mocks/mock_null_entry.la \
	tests/mocks/mock_provides_nothing.la \
	tests/mocks/mock_short_struct.la \
	tests/mocks/mock_undefined_symbol.la \
	tests/mocks/mock_wrong_name.la
tests_mocks_mock_bad_default_la_SOURCES = tests/mocks/mock_bad_default.c
tests_mocks_mock_bad_default_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_bad_default_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_bare_world_la_SOURCES = tests/mocks/mock_bare_world.c
tests_mocks_mock_bare_world_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_bare_world_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_fails_loudly_la_SOURCES = tests/mocks/mock_fails_loudly.c
tests_mocks_mock_fails_loudly_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_fails_loudly_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_fails_silently_la_SOURCES = tests/mocks/mock_fails_silently.c
tests_mocks_mock_fails_silently_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_fails_silently_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_future_symbol_la_SOURCES = tests/mocks/mock_future_symbol.c
tests_mocks_mock_future_symbol_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_future_symbol_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_good_la_SOURCES = tests/mocks/mock_good.c
tests_mocks_mock_good_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_good_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_leaks_descriptor_la_SOURCES = tests/mocks/mock_leaks_descriptor.c
tests_mocks_mock_leaks_descriptor_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_leaks_descriptor_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_leaks_thread_la_SOURCES = tests/mocks/mock_leaks_thread.c
tests_mocks_mock_leaks_thread_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_leaks_thread_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_missing_dependency_la_SOURCES = tests/mocks/mock_missing_dependency.c
tests_mocks_mock_missing_dependency_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_missing_dependency_la_LDFLAGS = $(MOCK_LDFLAGS) -Wl,tests/mocks/libmock_gone.so
tests_mocks_mock_nameless_option_la_SOURCES = tests/mocks/mock_nameless_option.c
tests_mocks_mock_nameless_option_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_nameless_option_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_newer_major_la_SOURCES = tests/mocks/mock_newer_major.c
tests_mocks_mock_newer_major_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_newer_major_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_no_claims_la_SOURCES = tests/mocks/mock_no_claims.c
tests_mocks_mock_no_claims_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_no_claims_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_no_symbol_la_SOURCES = tests/mocks/mock_no_symbol.c
tests_mocks_mock_no_symbol_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_no_symbol_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_no_version_la_SOURCES = tests/mocks/mock_no_version.c
tests_mocks_mock_no_version_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_no_version_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_null_confine_la_SOURCES = tests/mocks/mock_null_confine.c
tests_mocks_mock_null_confine_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_null_confine_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_null_entry_la_SOURCES = tests/mocks/mock_null_entry.c
tests_mocks_mock_null_entry_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_null_entry_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_provides_nothing_la_SOURCES = tests/mocks/mock_provides_nothing.c
tests_mocks_mock_provides_nothing_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_provides_nothing_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_short_struct_la_SOURCES = tests/mocks/mock_short_struct.c
tests_mocks_mock_short_struct_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_short_struct_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_undefined_symbol_la_SOURCES = tests/mocks/mock_undefined_symbol.c
tests_mocks_mock_undefined_symbol_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_undefined_symbol_la_LDFLAGS = $(MOCK_LDFLAGS) -Wl,-z,lazy
tests_mocks_mock_wrong_name_la_SOURCES = tests/mocks/mock_wrong_name.c
tests_mocks_mock_wrong_name_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
tests_mocks_mock_wrong_name_la_LDFLAGS = $(MOCK_LDFLAGS)

# Its name at run time is one that no file has.
tests_mocks_mock_missing_dependency_la_DEPENDENCIES = tests/mocks/libmock_gone.so
tests/mocks/libmock_gone.so: $(top_srcdir)/tests/mocks/gone.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -shared -fPIC $(PLUGIN_CPPFLAGS) -Wl,-soname,libmock_gone_nowhere.so -o $@ \
		$(top_srcdir)/tests/mocks/gone.c
CLEANFILES += tests/mocks/libmock_gone.so
endif
include tests/abi/local.mk
