# SPDX-License-Identifier: Apache-2.0
if PLUGIN_BWRAP
plugin_LTLIBRARIES += plugins/bwrap/bwrap.la
plugins_bwrap_bwrap_la_SOURCES = plugins/bwrap/bwrap.c
plugins_bwrap_bwrap_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_bwrap_bwrap_la_LDFLAGS = $(PLUGIN_LDFLAGS)
endif
