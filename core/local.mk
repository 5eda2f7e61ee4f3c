# SPDX-License-Identifier: Apache-2.0
include core/sources.mk

# Everything of the core, for libweir and for the unit tests, which call what libweir hides.
noinst_LTLIBRARIES += core/libcore.la
core_libcore_la_SOURCES = $(core_sources)
nodist_core_libcore_la_SOURCES = core/init-bytes.c core/filter-table.c
core_libcore_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) \
	-DWEIR_SYSCONFDIR='"$(sysconfdir)"' -DWEIR_PLUGIN_DIR='"$(plugindir)"' -DWEIR_LAUNCHER_DIR='"$(launcherdir)"'
core_libcore_la_LIBADD = $(LTDL_LIBS) $(LIBCONFIG_LIBS)
CLEANFILES += core/init-bytes.c core/filter-table.c

lib_LTLIBRARIES += core/libweir.la
core_libweir_la_SOURCES =
core_libweir_la_LIBADD = core/libcore.la
core_libweir_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,--version-script=$(top_srcdir)/core/weir.map
core_libweir_la_DEPENDENCIES = core/libcore.la core/weir.map
EXTRA_DIST += core/weir.map core/sources.mk

# The seccomp programs are finished at build time, so that no run pays for libseccomp.
noinst_PROGRAMS += tools/filter-gen
tools_filter_gen_SOURCES = tools/filter-gen.c
tools_filter_gen_CPPFLAGS = $(AM_CPPFLAGS) $(LIBSECCOMP_CFLAGS)
tools_filter_gen_LDADD = $(LIBSECCOMP_LIBS)
core/filter-table.c: tools/filter-gen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && tools/filter-gen$(EXEEXT) >$@.tmp && mv $@.tmp $@
EXTRA_DIST += tools/sources.sh tools/check-layers
