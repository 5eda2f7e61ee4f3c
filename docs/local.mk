# SPDX-License-Identifier: Apache-2.0
include docs/sources.mk
if MAN
man1_MANS += $(pages_1)
man5_MANS += $(pages_5)
man7_MANS += $(pages_7)
endif
CLEANFILES += $(pages_1) $(pages_5) $(pages_7)
EXTRA_DIST += docs/sources.mk $(pages_1:=.scd) $(pages_5:=.scd) $(pages_7:=.scd)
