#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: future.sh HEADER: writes the header of a later minor, in which a field was added wherever "1.0 ends here".
set -eu
awk '
  /^struct weir_host \{/ { where = "host" }
  /^struct weir_plugin \{/ { where = "plugin" }
  /^struct weir_sandbox_ops \{/ { where = "sandbox" }
  /^\};/ && where == "sandbox" { print "  const void *added_to_sandbox; /* 1.99 */"; where = ""; found++ }
  /1\.0 ends here/ {
    if (where == "host") print "  void (*added_later) (int); /* 1.99 */"
    if (where == "plugin") print "  const void *added_later_too; /* 1.99 */"
    found++
  }
  { sub (/^#define WEIR_ABI_MINOR 0/, "#define WEIR_ABI_MINOR 99"); print }
  END { if (found != 3) exit 1 }
' "$1"
