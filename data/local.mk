# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += data/weir.conf

# The operator's file is never overwritten, and removed only when it is still ours.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysconfdir)/weir"
	test -e "$(DESTDIR)$(sysconfdir)/weir/weir.conf" || \
	  $(INSTALL_DATA) $(srcdir)/data/weir.conf "$(DESTDIR)$(sysconfdir)/weir/weir.conf"
uninstall-local:
	if cmp -s $(srcdir)/data/weir.conf "$(DESTDIR)$(sysconfdir)/weir/weir.conf"; then \
	  rm -f "$(DESTDIR)$(sysconfdir)/weir/weir.conf"; \
	fi
	-rmdir "$(DESTDIR)$(sysconfdir)/weir" 2>/dev/null
