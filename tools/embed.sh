#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A C file with the bytes of FILE: embed.sh ARRAY SIZE FILE
set -eu
printf '/* made by tools/embed.sh */\n#include "core/spawn.h"\n\nconst unsigned char %s[] = {\n' "$1"
od -An -v -tx1 "$3" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
printf '};\nconst size_t %s = sizeof %s;\n' "$2" "$1"
