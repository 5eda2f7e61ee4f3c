# SPDX-License-Identifier: Apache-2.0
if PLUGIN_LANDLOCK
plugin_LTLIBRARIES += plugins/landlock/landlock.la
plugins_landlock_landlock_la_SOURCES = plugins/landlock/landlock.c plugins/landlock/landlock-tiers.c \
	plugins/landlock/landlock-tiers.h plugins/landlock/landlock-rights.h
plugins_landlock_landlock_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_landlock_landlock_la_LDFLAGS = $(PLUGIN_LDFLAGS)
endif
include plugins/landlock/launcher.mk
