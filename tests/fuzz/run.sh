#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh BUILDDIR [SECONDS]: builds the fuzz targets with clang's libFuzzer beneath BUILDDIR/fuzz and runs each on its corpus.
# What a target finds is left in BUILDDIR/fuzz.
set -euo pipefail
build=$(cd "$1" && pwd) seconds=${2:-60}
src=$(cd "$(dirname "$0")/../.." && pwd)
out=$build/fuzz
mkdir -p "$out/objects"
flags=(-std=gnu11 -O1 -g -DHAVE_CONFIG_H "-I$build" "-I$src" "-I$src/include" "-I$src/sdk/include" -fno-omit-frame-pointer
  '-DWEIR_SYSCONFDIR="/etc"' '-DWEIR_PLUGIN_DIR="/nowhere"' '-DWEIR_LAUNCHER_DIR="/nowhere"')

compile() { # source: an object, anew when the source is newer
  local object
  object=$out/objects/$(basename "${1%.c}").o
  [ "$object" -nt "$1" ] || clang "${flags[@]}" -fsanitize=fuzzer-no-link,address,undefined -c -o "$object" "$1"
}
export -f compile
printf '%s\n' "$src"/core/*.c "$build"/core/init-bytes.c "$build"/core/filter-table.c >"$out/sources"
while read -r source; do
  compile "$source" &
  [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
done <"$out/sources"
wait

for target in "$src"/tests/fuzz/*-fuzz.c; do
  name=$(basename "$target" -fuzz.c)
  clang "${flags[@]}" -fsanitize=fuzzer,address,undefined -o "$out/$name" "$target" "$out"/objects/*.o -lltdl -lconfig -lpthread
  rm -rf "$out/corpus-$name"
  mkdir -p "$out/corpus-$name"
  [ ! -d "$src/tests/fuzz/corpus/$name" ] || cp "$src/tests/fuzz/corpus/$name"/* "$out/corpus-$name/"
  echo "fuzzing $name for $seconds s"
  if ! (cd "$out" && "./$name" "-max_total_time=$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
    "corpus-$name") >"$out/$name.log" 2>&1; then
    tail -n 60 "$out/$name.log"
    echo "$name: found something; the input is in $out" >&2
    exit 1
  fi
  grep 'stat::number_of_executed_units' "$out/$name.log"
done
