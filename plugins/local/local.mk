# SPDX-License-Identifier: Apache-2.0
if PLUGIN_LOCAL
plugin_LTLIBRARIES += plugins/local/local.la
plugins_local_local_la_SOURCES = plugins/local/local.c
plugins_local_local_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_local_local_la_LDFLAGS = $(PLUGIN_LDFLAGS)
endif
