# Bad input and bad surroundings: a clear error, and nothing runs.  (Other kernels are kernels.sh's.)
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  SANDBOX=landlock
  common_setup
  sed -i 's/"require"/"auto"/' "$CONF"
}

teardown() {
  common_teardown
}

# refused TEXT ARGUMENT...: weir run fails with 125, or 126 where the policy refuses, says TEXT, and the command did not run.
refused() {
  local text=$1
  shift
  run --separate-stderr weir "$@" touch "$T/outside/ran" "$W/ran"
  [ "$status" = 126 ] || expect 125
  [ -z "$output" ]
  contains "$stderr" "$text"
  [ ! -e "$T/outside/ran" ]
  [ ! -e "$W/ran" ]
}

@test "mode: unknown, on the command line and in the file" {
  refused "raed-only" run -m raed-only --
  sed -i 's/"workspace-write"/"raed-only"/' "$CONF"
  refused "$CONF:3" run --
}

@test "workspace: missing, a file, a loop of links, unreadable" {
  refused "$T/nowhere" run -C "$T/nowhere" --
  : >"$T/file"
  refused "$T/file" run -C "$T/file" --
  ln -s loop "$T/loop"
  refused "$T/loop" run -C "$T/loop" --
}

@test "workspace: /, a home directory, above the configuration or the state" {
  refused "/" run -C / --
  refused "$HOME" run -C "$HOME" --
  refused "$T" run -C "$T" --
  refused "" run -C "$(dirname "$HOME")" --
}

@test "roots: missing, a loop, /, a home directory, above what decides about confinement" {
  ln -s loop "$T/loop"
  refused "$T/loop" run --rw "$T/loop" --
  refused "$T/nowhere" run --rw "$T/nowhere" --
  refused "'/'" run --rw / --
  refused "$HOME" run --rw "$HOME" --
  refused "$T" run --rw "$T" --
  conf "roots = [ \"$T\" ];"
  sed -i 's/"require"/"auto"/' "$CONF"
  refused "$CONF:5" run --
}

@test "the command: empty, missing, without a right to execute, a directory" {
  run weir run --
  expect 125
  run weir run -- ''
  [ "$status" -ge 125 ]
  run weir run -- "$T/no-such"
  expect 127
  : >"$T/plain"
  run weir run -- "$T/plain"
  expect 126
  run weir run -- "$T"
  expect 126
}

@test "configuration: missing, a directory, a FIFO, syntax, duplicate key, wrong type, unknown key, bad unit, range" {
  refused "$T/none.conf" --config "$T/none.conf" run --
  refused "$T" --config "$T" run --
  mkfifo "$T/fifo.conf"
  refused "$T/fifo.conf" --config "$T/fifo.conf" run --
  while IFS='|' read -r text say; do
    printf '\n%b\n' "$text" >"$CONF"
    refused "$say" run --
    contains "$stderr" "$CONF:"
  done <<'END'
sandbox : { mode = "read-only"|weir.conf:
sandbox : { mode = "read-only"; mode = "read-only"; };|mode
sandbox : { mode = 3; };|mode
sandbox : { chain = "landlock"; };|chain
sandbox : { chain = [ ]; };|chain
sandbox : { chian = [ "landlock" ]; };|Did you mean
snadbox : { mode = "read-only"; };|Did you mean
sandbox : { probe_timeout = "-5s"; };|probe_timeout
sandbox : { probe_timeout = 5; };|probe_timeout
sandbox : { limits : { wall = "10 parsecs"; }; };|wall
sandbox : { limits : { output = "9999999T"; }; };|output
sandbox : { limits : { processes = -1; }; };|processes
plugins : { landlock : { namespace = "off"; }; };|Did you mean
plugins : { landlock : { namespaces = "maybe"; }; };|namespaces
END
}

@test "configuration: a file that another user could replace" {
  chmod 666 "$CONF"
  refused "$CONF" run --
  chmod 644 "$CONF"
  mkdir "$T/open"
  cp "$CONF" "$T/open/weir.conf"
  chmod 777 "$T/open"
  refused "$T/open" --config "$T/open/weir.conf" run --
  need_root "to give a file away"
  chmod 755 "$T/open"
  chown 12345 "$T/open/weir.conf"
  refused "$T/open/weir.conf" --config "$T/open/weir.conf" run --
}

@test "--set: unknown, malformed, out of range" {
  refused "command line" --set sandbox.moed=read-only run --
  refused "command line" --set sandbox.mode=no run --
  refused "command line" --set sandbox.limits.wall=-1s run --
}

@test "sandbox: unknown, and a chain in which nothing works" {
  refused "nosuch" run --sandbox nosuch --
  sed -i 's/chain = .*/chain = [ "nosuch" ];/' "$CONF"
  refused "nosuch" run --
  contains "$stderr" "hint: "
  sed -i 's/chain = .*/chain = [ "custom_runner" ];/' "$CONF"
  refused "custom_runner" run --
  contains "$stderr" "hint: "
}

@test "sandbox: a plugin that is no plugin, and one that another user could replace" {
  [ -n "${WEIR_TEST_PLUGIN_DIR:-}" ] || skip "WEIR_TEST_PLUGIN_DIR is not set"
  mkdir "$T/plugins"
  cp "$WEIR_TEST_PLUGIN_DIR"/*.so "$T/plugins/"
  echo nonsense >"$T/plugins/landlock.so"
  WEIR_TEST_PLUGIN_DIR=$T/plugins
  refused "landlock.so" run --
  rm -f "$T/plugins/landlock.so"
  refused "landlock" run --
  WEIR_TEST_PLUGIN_DIR=
}

@test "sandbox: a plugin that another user could replace is refused, whoever runs" {
  [ -n "${WEIR_TEST_PLUGIN_DIR:-}" ] || skip "WEIR_TEST_PLUGIN_DIR is not set"
  mkdir "$T/plugins"
  cp "$WEIR_TEST_PLUGIN_DIR"/*.so "$T/plugins/"
  WEIR_TEST_PLUGIN_DIR=$T/plugins
  run weir run -- true
  expect 0
  chmod 777 "$T/plugins/landlock.so"
  refused "landlock.so" run --
  chmod 755 "$T/plugins/landlock.so"
  chmod 777 "$T/plugins"
  refused "$T/plugins" run --
}

@test "plugins that break a rule: each has its message" {
  [ -d "${WEIR_TEST_MOCK_DIR:-/none}" ] || skip "WEIR_TEST_MOCK_DIR is not set"
  [ -n "$(ls "$WEIR_TEST_MOCK_DIR"/*.so 2>/dev/null)" ] || skip "no mock plugins were built"
  mkdir "$T/plugins"
  cp "$WEIR_TEST_PLUGIN_DIR"/*.so "$T/plugins/"
  cp "$WEIR_TEST_MOCK_DIR"/*.so "$T/plugins/"
  WEIR_TEST_PLUGIN_DIR=$T/plugins
  for file in "$WEIR_TEST_MOCK_DIR"/*.so; do
    name=$(basename "$file" .so)
    case $name in
      mock_good | mock_abi_*) continue ;; # these break none, and say what they do not do
    esac
    run --separate-stderr weir run --sandbox "$name" -- touch "$T/outside/ran" "$W/ran"
    [ "$status" != 0 ] || [ ! -e "$T/outside/ran" ] || fail "$name: ran unconfined"
    [ "$status" = 0 ] || contains "$stderr" "$name"
  done
}

# runner_refused TEXT: custom_runner's command is $T/runner.
runner_refused() {
  sed -i 's/chain = .*/chain = [ "custom_runner" ];/' "$CONF"
  sed -i "s|^plugins.*|plugins : { custom_runner : { command = [ \"$T/runner\" ]; failure_signatures = [ \"bwrap: \" ]; };|" "$CONF"
  refused "$1" run --
}

@test "runner: missing, a directory, not executable, open to others, without an interpreter" {
  runner_refused "$T/runner"
  mkdir "$T/runner"
  runner_refused "$T/runner"
  rmdir "$T/runner"
  write_runner "$T/runner"
  chmod 644 "$T/runner"
  runner_refused "$T/runner"
  chmod 757 "$T/runner"
  runner_refused "$T/runner"
  printf '#!/no/such/interpreter\n' >"$T/runner"
  chmod 755 "$T/runner"
  runner_refused "$T/runner"
  printf 'no interpreter line\n' >"$T/runner"
  runner_refused "$T/runner"
}

@test "runner: one that ignores the profile, hangs at its start, or says that it failed" {
  printf '#!/bin/sh\necho "bwrap: no way" >&2\nexit 1\n' >"$T/runner"
  chmod 755 "$T/runner"
  runner_refused "bwrap: no way"
}

@test "runner: options without signatures, and signatures that are blank" {
  sed -i 's/chain = .*/chain = [ "custom_runner" ];/' "$CONF"
  write_runner "$T/runner"
  sed -i "s|^plugins.*|plugins : { custom_runner : { command = [ \"$T/runner\" ]; };|" "$CONF"
  refused "failure_signatures" run --
  sed -i "s|^plugins.*|plugins : { custom_runner : { command = [ \"$T/runner\" ]; failure_signatures = [ \"  \" ]; };|" "$CONF"
  refused "failure_signatures" run --
}

@test "a bwrap that is first in PATH is not used" {
  [ -x /usr/bin/bwrap ] || skip "bwrap is not installed"
  mkdir "$T/bin"
  printf '#!/bin/sh\ntouch "%s"\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' "$T/outside/fooled" >"$T/bin/bwrap"
  chmod 755 "$T/bin/bwrap"
  PATH=$T/bin:$PATH run weir run --sandbox bwrap -- sh -c "echo x >'$T/outside/file'"
  [ ! -e "$T/outside/fooled" ]
  [ ! -e "$T/outside/file" ]
}

@test "user namespaces refused: namespaces = require says so, auto goes on and says what is missing" {
  need_root "to refuse user namespaces in a namespace of its own"
  unshare -U true 2>/dev/null || skip "user namespaces are refused here"
  # a user namespace of its own, in which no further one may be made
  no_namespaces() {
    unshare -Urm sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && echo 0 >/proc/sys/user/max_mnt_namespaces && exec "$@"' sh "$@"
  }
  no_namespaces true 2>/dev/null || skip "user.max_user_namespaces cannot be set here"
  sed -i 's/"auto"/"require"/' "$CONF"
  run no_namespaces "$WEIR" --config "$CONF" --state-dir "$T/state" ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} \
    run -- touch "$W/ran"
  expect 125
  contains "$output" namespaces
  [ ! -e "$W/ran" ]
  sed -i 's/"require"/"auto"/' "$CONF"
  run --separate-stderr no_namespaces "$WEIR" --config "$CONF" --state-dir "$T/state" \
    ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} run --json -- touch "$W/ran"
  expect 0
  [ "$(json .enforcement)" = partial ]
  [ -e "$W/ran" ]
}

# in_view SETUP COMMAND...: after SETUP has changed the mounts of a namespace of its own.
in_view() {
  local setup=$1
  shift
  unshare -m sh -c "mount --make-rprivate / && $setup && exec \"\$@\"" sh "$@"
}

@test "/proc is not mounted, /tmp is missing, /dev is empty: confined or refused, never unconfined" {
  need_root "to change the mounts of a namespace of its own"
  unshare -m true 2>/dev/null || skip "mount namespaces are refused here"
  for setup in 'umount -l /proc' 'mount -t tmpfs none /tmp && umount -l /tmp' 'mount -t tmpfs none /dev'; do
    rm -f "$W/ran"
    run in_view "$setup" "$WEIR" --config "$CONF" --state-dir "$T/state" \
      ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} run -- \
      sh -c "echo x >'$W/ran'; echo x >'$T/outside/ran'"
    [ ! -e "$T/outside/ran" ]
    if [ ! -e "$W/ran" ]; then
      [ "$status" -ge 125 ] || fail "$setup: $status $output"
      contains "$output" "weir: "
    fi
  done
}

@test "standard streams that are closed: each, and all" {
  weir run -- sh -c 'cat; echo ran >ran' <&-
  [ "$(cat ran)" = ran ]
  rm ran
  run weir run -- sh -c 'echo ran >ran; echo into-nowhere' >&-
  [ "$(cat ran)" = ran ]
  rm ran
  weir run -- sh -c 'echo ran >ran; echo x >&2' 2>&-
  [ "$(cat ran)" = ran ]
  rm ran
  weir run -- sh -c 'echo ran >ran' <&- >&- 2>&-
  [ "$(cat ran)" = ran ]
  # nothing that weir opened took the place of a closed stream
  rm ran
  weir run -- sh -c 'echo oops; echo oops >&2; exit 3' <&- >&- 2>&- || code=$?
  [ "$code" = 3 ]
  rm -f ran
  code=0
  weir run --json -- touch ran >&- || code=$?
  [ "$code" = 125 ]
  [ ! -e ran ] || fail "ran although nobody could be told"
}

@test "a spill directory that is read-only or full costs the spill, not the run" {
  need_root "to mount a file system of its own"
  unshare -m true 2>/dev/null || skip "mount namespaces are refused here"
  mkdir "$T/state"
  for options in ro size=64k; do
    run --separate-stderr in_view "mount -t tmpfs -o mode=700,$options none '$T/state'" "$WEIR" --config "$CONF" --state-dir "$T/state" \
      ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} --set sandbox.limits.output=4K --set sandbox.tmp=host \
      run --json -- seq 200000
    if [ "$status" = 0 ]; then
      [ "$(json .stdout.total)" = 1288895 ]
      [ "$(json .stdout.truncated)" = true ]
    else
      expect 125
      contains "$(json .error.message)$(json '.error.causes')" "$T/state"
    fi
  done
}

@test "1 GiB of output passes, in bounded memory" {
  need python3
  run python3 - "$WEIR" --config "$CONF" --state-dir "$T/state" ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} \
    --set sandbox.limits.spill=1M run -- head -c 1073741824 /dev/zero <<'END'
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
total = 0
while True:
    data = child.stdout.read1(1 << 20)
    if not data: break
    total += len(data)
_, status, usage = os.wait4(child.pid, 0)
print(total, os.waitstatus_to_exitcode(status), usage.ru_maxrss < 65536 or "asan" in os.environ.get("ASAN_OPTIONS", "") or usage.ru_maxrss)
END
  expect 0
  [ "$output" = "1073741824 0 True" ] || case $output in "1073741824 0 "*) [ -n "${ASAN_OPTIONS:-}" ] || fail "$output" ;; *) fail "$output" ;; esac
}

@test "output that never ends is ended by the time-out, and collected within its limit" {
  run --separate-stderr weir --set sandbox.limits.output=64K --set sandbox.limits.spill=1M run --json --timeout 1s -- yes
  expect 124
  [ "$(json .outcome)" = timed-out ]
  [ "$(json '.stdout.text | length')" -le 65536 ]
  [ "$(json .stdout.truncated)" = true ]
}

@test "who reads the output goes away: the command is told by its pipe" {
  weir run -q -- yes | head -n 1 >first
  [ "$(cat first)" = y ]
}

@test "double forks and new sessions do not outlive the call" {
  sleep=$(unique_sleep)
  run weir run -- sh -c "(setsid sh -c '(setsid sleep $sleep &) &' &); sleep 0.2; exit 5"
  expect 5
  gone "sleep $sleep"
}

@test "arguments: very long, very many, not UTF-8" {
  long=$(head -c 100000 /dev/zero | tr '\0' x)
  run weir run -- sh -c 'printf %s "$1" | wc -c' sh "$long"
  expect 0
  [ "$output" = 100000 ]
  # shellcheck disable=SC2046
  run weir run -- sh -c 'echo $#' sh $(seq 5000)
  [ "$output" = 5000 ]
  mkdir $'\377dir'
  run weir run -C $'\377dir' -- sh -c 'echo x >file'
  expect 0
  [ -e $'\377dir'/file ]
  run weir run --json --rw "$T/outside" -- sh -c "echo x >'$T/outside/'$'\\377'"
  json . >/dev/null
}
