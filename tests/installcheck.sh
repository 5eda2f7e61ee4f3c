#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: installcheck.sh PREFIX LIBDIR SRCDIR: what is installed is enough for an embedder and for a plugin author.
set -euo pipefail
prefix=$1 libdir=$2 src=$3
work=$(mktemp -d "${prefix%/}/installcheck.XXXXXX")
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

echo "headers compile alone, as C99 and C++11"
for header in weir/weir.h weir/plugin.h; do
  printf '#include <%s>\nint used;\n' "$header" >"$work/alone.c"
  # shellcheck disable=SC2046
  cc -std=c99 -Wall -Wextra -Werror -pedantic $(pkg-config --cflags weir) -c -o "$work/alone.o" "$work/alone.c"
  # shellcheck disable=SC2046
  c++ -std=c++11 -Wall -Wextra -Werror -pedantic -x c++ $(pkg-config --cflags weir) -c -o "$work/alone.o" "$work/alone.c"
done

echo "libweir exports weir_* and nothing else"
if nm -D --defined-only "$libdir/libweir.so" | awk '{print $3}' | grep -vE '^(weir_|WEIR_1)'; then
  exit 1
fi

echo "each plugin exports its entry and nothing else"
for plugin in "$libdir"/weir/plugins-1/*.so; do
  name=$(basename "$plugin" .so)
  if nm -D --defined-only "$plugin" | awk '{print $3}' | grep -v "^${name}_LTX_weir_plugin_v1$"; then
    exit 1
  fi
done
if ls "$libdir"/weir/plugins-1/*.la 2>/dev/null; then
  exit 1
fi

echo "the template builds out of tree and loads"
cp -r "$src/sdk/template" "$work/template"
[ "$(wc -l <"$work/template/mine.c")" -lt 40 ]
make -C "$work/template" -s
mkdir "$work/plugins"
cp "$libdir"/weir/plugins-1/*.so "$work/template/mine.so" "$work/plugins/"
chmod -R go-w "$work"
printf 'plugin_dir = "%s";\nstate_dir = "%s";\n' "$work/plugins" "$work/state" >"$work/weir.conf"
"$prefix/bin/weir" --config "$work/weir.conf" plugin info mine

echo "the embedding example builds against the installed library and runs"
if [ -e "$src/examples/embed.c" ]; then
  # shellcheck disable=SC2046
  cc -std=gnu11 -Wall -Wextra -Werror -o "$work/embed" "$src/examples/embed.c" $(pkg-config --cflags --libs weir)
  mkdir "$work/workspace"
  "$work/embed" "$work/workspace"
fi
echo "man pages are installed"
ls "$prefix"/share/man/man1/weir.1 "$prefix"/share/man/man5/weir.conf.5 "$prefix"/share/man/man7/weir-plugin.7
