# SPDX-License-Identifier: Apache-2.0
# For authors of plugins: the header and the .pc file are installed by Makefile.am; here is the template.
templatedir = $(docdir)/plugin-template
dist_template_DATA = sdk/template/mine.c sdk/template/Makefile sdk/template/README
