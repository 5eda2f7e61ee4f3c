# A real source tree, built and tested under each Linux sandbox: GNU hello from Debian.  Its source is fetched with a source list
# and a state directory of our own, never the system's.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup_file() {
  export HELLO='' HELLO_WHY=''
  for tool in apt-get dpkg-source gcc make; do
    command -v "$tool" >/dev/null || { HELLO_WHY="$tool is not installed"; return; }
  done
  local dir=$WEIR_TEST_DIR/third-party suite
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/src"
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
  # the mirror and its proxy as the system has them, its keys too; lists and caches of our own
  local mirror
  mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' /etc/apt/sources.list \
    /etc/apt/sources.list.d/* 2>/dev/null | grep -v security | head -n 1)
  echo "deb-src ${mirror:-http://deb.debian.org/debian} $suite main" >"$dir/sources.list"
  apt_options=(-o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$dir/lists"
    -o "Dir::Cache=$dir/cache" -o APT::Sandbox::User= -o Acquire::Retries=1 -o Acquire::http::Timeout=20
    -o Acquire::https::Timeout=20 -o Dir::State::status=/var/lib/dpkg/status)
  if ! timeout 300 apt-get "${apt_options[@]}" -o APT::Update::Error-Mode=any update >"$dir/log" 2>&1; then
    HELLO_WHY="offline: $(grep -m 1 -E '^(E|W):' "$dir/log")"
    return
  fi
  if ! (cd "$dir/src" && timeout 300 apt-get "${apt_options[@]}" source --download-only hello >>"$dir/log" 2>&1); then
    HELLO_WHY="the source of hello could not be fetched: $(grep -m 1 '^E:' "$dir/log")"
    return
  fi
  if ! (cd "$dir/src" && dpkg-source --no-check -x hello_*.dsc tree >>"$dir/log" 2>&1); then
    HELLO_WHY="the source of hello could not be unpacked: $(tail -n 1 "$dir/log")"
    return
  fi
  HELLO=$dir/src/tree
}

setup() {
  [ -n "$HELLO" ] || skip "$HELLO_WHY"
}

teardown() {
  common_teardown
}

build_hello() {
  SANDBOX=$1
  common_setup
  need_sandbox
  cp -a "$HELLO/." .
  run weir run -- ./configure
  expect 0
  run weir run -- make
  expect 0
  run weir run -- make check
  expect 0
  contains "$output" "# FAIL:  0"
  lacks "$output" DENIED
  run ./hello
  expect 0
}

@test "hello: configure, make, make check under landlock" {
  build_hello landlock
}

@test "hello: configure, make, make check under landlock without namespaces" {
  build_hello landlock-off
}

@test "hello: configure, make, make check under bwrap" {
  build_hello bwrap
}
