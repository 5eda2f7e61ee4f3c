# SPDX-License-Identifier: Apache-2.0
# The attacks are one static program, so that it runs wherever a command can; never with sanitizers.
escape_sources = tests/escape/attack-main.c tests/escape/attack-content.c tests/escape/attack-names.c \
	tests/escape/attack-metadata.c tests/escape/attack-mounts.c tests/escape/attack-devices.c \
	tests/escape/attack-processes.c tests/escape/attack-sockets.c tests/escape/attack-ipc.c \
	tests/escape/attack-kernel.c tests/escape/attack-descriptors.c tests/escape/attack-setid.c tests/escape/attack-git.c
EXTRA_DIST += $(escape_sources) tests/escape/attack.h tests/escape/driver.py

if TESTS_BUILT
check_SCRIPTS = tests/escape/weir-attack
tests/escape/weir-attack: $(escape_sources) tests/escape/attack.h
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && sources= && \
	for f in $(escape_sources); do sources="$$sources $(top_srcdir)/$$f"; done && \
	$(LAUNCHER_CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Os -static -o $@ $$sources
CLEANFILES += tests/escape/weir-attack
endif
