# SPDX-License-Identifier: Apache-2.0
if PLUGIN_BWRAP
plugin_LTLIBRARIES += plugins/bwrap/bwrap.la
plugins_bwrap_bwrap_la_SOURCES = plugins/bwrap/bwrap.c $(bwrap_profile)
plugins_bwrap_bwrap_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_bwrap_bwrap_la_LDFLAGS = $(PLUGIN_LDFLAGS)
endif
# Compiled into each plugin that speaks bubblewrap's command line.
bwrap_profile = plugins/bwrap-profile/bwrap-profile.c plugins/bwrap-profile/bwrap-profile.h
