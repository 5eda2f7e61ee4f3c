# SPDX-License-Identifier: Apache-2.0
include cli/sources.mk
if CLI
bin_PROGRAMS += cli/weir
cli_weir_SOURCES = $(cli_sources)
cli_weir_CPPFLAGS = -I$(top_srcdir) -I$(top_srcdir)/include
cli_weir_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
cli_weir_LDADD = core/libweir.la $(JANSSON_LIBS)

bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = cli/completion/weir
dist_zshcompletion_DATA = cli/completion/_weir
dist_fishcompletion_DATA = cli/completion/weir.fish
endif
EXTRA_DIST += cli/sources.mk
