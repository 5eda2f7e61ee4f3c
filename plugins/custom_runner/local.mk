# SPDX-License-Identifier: Apache-2.0
if PLUGIN_CUSTOM_RUNNER
plugin_LTLIBRARIES += plugins/custom_runner/custom_runner.la
plugins_custom_runner_custom_runner_la_SOURCES = plugins/custom_runner/custom_runner.c $(bwrap_profile)
plugins_custom_runner_custom_runner_la_CPPFLAGS = $(PLUGIN_CPPFLAGS)
plugins_custom_runner_custom_runner_la_LDFLAGS = $(PLUGIN_LDFLAGS)
endif
