# SPDX-License-Identifier: Apache-2.0
# Built with everything else, so that it stays true; installed as documentation.
noinst_PROGRAMS += examples/embed
examples_embed_SOURCES = examples/embed.c
examples_embed_CPPFLAGS = -I$(top_srcdir)/include
examples_embed_LDADD = core/libweir.la
exampledir = $(docdir)/examples
example_DATA = examples/embed.c
