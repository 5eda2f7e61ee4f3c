# SPDX-License-Identifier: Apache-2.0
# The plugin interface as released: it never moves, old plugins load, plugins of a later minor load too.
EXTRA_DIST += tests/abi/1.0/weir/plugin.h tests/abi/future.sh

if TESTS_BUILT
check_PROGRAMS += tests/abi/layout-test tests/abi/layout-1.0-test
TESTS += tests/abi/layout-test tests/abi/layout-1.0-test
tests_abi_layout_test_SOURCES = tests/abi/layout-test.c
tests_abi_layout_test_LDADD =
tests_abi_layout_1_0_test_SOURCES = tests/abi/layout-test.c
tests_abi_layout_1_0_test_CPPFLAGS = -I$(top_srcdir)/tests/abi/1.0
tests_abi_layout_1_0_test_LDADD =

check_LTLIBRARIES += tests/mocks/mock_abi_1_0.la tests/mocks/mock_abi_future.la
tests_mocks_mock_abi_1_0_la_SOURCES = tests/abi/abi-plugin.c
tests_mocks_mock_abi_1_0_la_CPPFLAGS = -I$(top_srcdir)/tests/abi/1.0
tests_mocks_mock_abi_1_0_la_LDFLAGS = $(MOCK_LDFLAGS)
tests_mocks_mock_abi_future_la_SOURCES = tests/abi/abi-plugin.c
tests_mocks_mock_abi_future_la_CPPFLAGS = -Itests/abi/future -DABI_FUTURE
tests_mocks_mock_abi_future_la_LDFLAGS = $(MOCK_LDFLAGS)

$(tests_mocks_mock_abi_future_la_OBJECTS): tests/abi/future/weir/plugin.h
tests/abi/future/weir/plugin.h: $(top_srcdir)/sdk/include/weir/plugin.h $(top_srcdir)/tests/abi/future.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(top_srcdir)/tests/abi/future.sh $(top_srcdir)/sdk/include/weir/plugin.h >$@.tmp && mv $@.tmp $@
CLEANFILES += tests/abi/future/weir/plugin.h
endif
