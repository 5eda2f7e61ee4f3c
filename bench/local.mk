# SPDX-License-Identifier: Apache-2.0
noinst_PROGRAMS += bench/spawn
bench_spawn_SOURCES = bench/spawn.c
bench_spawn_CPPFLAGS = -I$(top_srcdir)/include
bench_spawn_LDADD = core/libweir.la
EXTRA_DIST += bench/README.md bench/run
