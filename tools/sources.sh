#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the lists of source files that automake cannot glob: core/, cli/, tests/unit/ and the man pages.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C

list() { # variable, files
  name=$1
  shift
  printf '%s =' "$name"
  for file; do
    if [ -e "$file" ]; then printf ' \\\n\t%s' "$file"; fi
  done
  printf '\n'
}

write() { # file: replaces it only when it changes
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

{ echo "# made by tools/sources.sh"; list core_sources core/*.c core/*.h; } | write core/sources.mk
{ echo "# made by tools/sources.sh"; list cli_sources cli/*.c cli/*.h; } | write cli/sources.mk
{
  echo "# made by tools/sources.sh"
  printf 'unit_tests ='
  for file in tests/unit/*-test.c; do if [ -e "$file" ]; then printf ' \\\n\t%s' "${file%.c}"; fi; done
  printf '\n'
  list unit_support tests/unit/support*.c tests/unit/*.h
  for file in tests/unit/*-test.c; do
    [ -e "$file" ] || continue
    id=$(printf '%s' "${file%.c}" | tr -c 'A-Za-z0-9' _)
    printf '%s_SOURCES = %s $(unit_support)\n' "$id" "$file"
  done
} | write tests/unit/sources.mk

pages() { # section
  for file in docs/man/*."$1".scd plugins/*/*."$1".scd sdk/*."$1".scd; do
    if [ -e "$file" ]; then printf ' \\\n\t%s' "${file%.scd}"; fi
  done
}
{
  echo "# made by tools/sources.sh"
  for section in 1 5 7; do
    printf 'pages_%s =' "$section"
    pages "$section"
    printf '\n'
  done
} | write docs/sources.mk
