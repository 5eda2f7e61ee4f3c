# SPDX-License-Identifier: Apache-2.0
include tests/unit/sources.mk
include tests/mocks/local.mk
include tests/escape/local.mk

if TESTS_BUILT
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
# For every unit test: the core as one static library.
LDADD = core/libcore.la $(CMOCKA_LIBS)
AM_TESTS_ENVIRONMENT = WEIR_SRCDIR='$(abs_top_srcdir)' WEIR_BUILDDIR='$(abs_top_builddir)'; \
	export WEIR_SRCDIR WEIR_BUILDDIR;
EXTRA_DIST += tests/run-suites tests/installcheck.sh tests/e2e tests/fuzz tests/unit/sources.mk

print-unit-tests:
	@echo $(unit_tests)
.PHONY: print-unit-tests
