# SPDX-License-Identifier: Apache-2.0
# The init has no C library and takes none of the flags of the rest: no sanitizer, no stack protector, one page of code.
init_compile_flags = -std=gnu11 -Wall -Wextra -Wshadow -Os -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fno-pic -fno-pie -fno-builtin -fcf-protection=none
init_link_flags = -static -nostdlib -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,noexecstack -s
init_sources = init/init.c init/tree.c
init_headers = init/raw.h init/tree.h core/init-protocol.h
EXTRA_DIST += $(init_sources) init/raw.h init/tree.h tools/embed.sh

init/weir-init: $(init_sources) $(init_headers)
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(init_compile_flags) $(init_link_flags) -I$(top_srcdir) -o $@ \
	  $(top_srcdir)/init/init.c $(top_srcdir)/init/tree.c
core/init-bytes.c: init/weir-init tools/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(top_srcdir)/tools/embed.sh init_bytes init_size init/weir-init >$@.tmp && mv $@.tmp $@
CLEANFILES += init/weir-init
