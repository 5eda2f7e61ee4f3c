#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# weir-landlock-run without --weir-* options: the command line of landlock-run, word by word.

load helpers

setup() {
  umask 022
  LAUNCHER=${WEIR_LAUNCHER:-${WEIR_PREFIX:+$WEIR_PREFIX/libexec/weir/weir-landlock-run}}
  [ -x "$LAUNCHER" ] || LAUNCHER=${WEIR_BUILDDIR:-.}/plugins/landlock/weir-landlock-run
  [ -x "$LAUNCHER" ] || skip "the launcher is not built (WEIR_LAUNCHER names it)"
  T=$(mktemp -d "${WEIR_TEST_DIR:-${TMPDIR:-/tmp}}/launcher.XXXXXX")
  chmod 755 "$T"
  mkdir "$T/in" "$T/out"
  echo old >"$T/out/file"
  cd "$T"
}

teardown() {
  cd /
  [ -z "${T:-}" ] || rm -rf "$T"
}

need_landlock() {
  "$LAUNCHER" --probe >/dev/null 2>&1 || skip "this kernel does not enforce Landlock"
}

# The launcher on a kernel that answers otherwise: strace makes the system call return what the first argument says.
on_kernel() { # INJECTION, arguments
  local injection=$1
  shift
  strace -f -qqq -o /dev/null -e "inject=$injection" "$LAUNCHER" "$@"
}

need_strace() {
  need strace
  strace -qqq -o /dev/null true 2>/dev/null || skip "tracing is refused here"
  need_landlock
}

# status STDERR: the last run ended so, printed exactly that on stderr, and nothing on stdout.
said() {
  expect "$1"
  [ "$stderr" = "$2" ] || fail "stderr is '$stderr', not '$2'"
  [ -z "$output" ] || fail "stdout is not empty: '$output'"
}

@test "no command" {
  local missing="landlock-run: usage error: missing '-- <argv>...' command"
  run --separate-stderr "$LAUNCHER"
  said 125 "$missing"
  run --separate-stderr "$LAUNCHER" --
  said 125 "$missing"
  run --separate-stderr "$LAUNCHER" --ro / --
  said 125 "$missing"
  run --separate-stderr "$LAUNCHER" --ro /
  said 125 "$missing"
}

@test "unknown arguments" {
  run --separate-stderr "$LAUNCHER" --read / -- true
  said 125 "landlock-run: usage error: unknown argument: --read"
  run --separate-stderr "$LAUNCHER" true
  said 125 "landlock-run: usage error: unknown argument: true"
  run --separate-stderr "$LAUNCHER" ""
  said 125 "landlock-run: usage error: unknown argument:" # run takes the blank away
  # A grant takes the next argument, whatever it is.
  run --separate-stderr "$LAUNCHER" --ro -- true
  said 125 "landlock-run: usage error: unknown argument: true"
}

@test "a grant without a path" {
  run --separate-stderr "$LAUNCHER" --ro
  said 125 "landlock-run: usage error: --ro requires a path"
  run --separate-stderr "$LAUNCHER" --ro / --rw
  said 125 "landlock-run: usage error: --rw requires a path"
}

@test "the probe takes nothing else" {
  local other="landlock-run: usage error: --probe takes no other arguments"
  run --separate-stderr "$LAUNCHER" --probe --ro /
  said 125 "$other"
  run --separate-stderr "$LAUNCHER" --ro / --probe
  said 125 "$other"
  run --separate-stderr "$LAUNCHER" --probe -- true
  said 125 "$other"
  # After -- it is the command's.
  need_landlock
  run --separate-stderr "$LAUNCHER" --ro / -- echo --probe
  expect 0
  [ "$output" = --probe ]
}

@test "arguments are judged before anything is opened or restricted" {
  run --separate-stderr "$LAUNCHER" --ro "$T/absent" --bad -- touch "$T/in/ran"
  said 125 "landlock-run: usage error: unknown argument: --bad"
  [ ! -e "$T/in/ran" ]
}

@test "the probe on this kernel" {
  run --separate-stderr "$LAUNCHER" --probe
  if [ "$status" = 0 ]; then
    [ "$output" = "landlock: fully enforced" ] || [ "$output" = "landlock: partially enforced (older ABI)" ]
    [ -z "$stderr" ]
  else
    expect 125
    contains "$stderr" "landlock-run: landlock is not enforced by this kernel"
  fi
}

@test "the probe's stdout cannot be written" {
  need_landlock
  run --separate-stderr bash -c "'$LAUNCHER' --probe >/dev/full"
  expect 125
}

@test "status and streams are the command's" {
  need_landlock
  for code in 0 1 7 125 126 127 255; do
    run --separate-stderr "-$code" "$LAUNCHER" --ro / --rw /dev/null -- sh -c "echo out; echo err >&2; exit $code"
    [ "$output" = out ]
    lacks "$stderr" "ruleset"
    contains "$stderr" err
  done
  run --separate-stderr "$LAUNCHER" --ro / -- sh -c 'kill -TERM $$'
  expect 143
  run --separate-stderr env PATH="$T/in:$PATH" GREETING=hello "$LAUNCHER" --ro / -- sh -c 'echo $GREETING; cat' <<<input
  [ "$output" = "hello
input" ]
}

@test "the command is looked up in PATH" {
  need_landlock
  printf '#!/bin/sh\necho found "$@"\n' >"$T/in/weir-test-tool"
  chmod 755 "$T/in/weir-test-tool"
  run --separate-stderr env PATH="$T/in:/usr/bin:/bin" "$LAUNCHER" --ro / -- weir-test-tool a 'b c'
  expect 0
  [ "$output" = "found a b c" ]
}

@test "exec fails" {
  need_landlock
  run --separate-stderr "$LAUNCHER" --ro / -- "$T/absent"
  said 125 "landlock-run: exec failed: No such file or directory"
  run --separate-stderr "$LAUNCHER" --ro / -- "$T/out/file"
  said 125 "landlock-run: exec failed: Permission denied"
  # Without a right to execute it either.
  run --separate-stderr "$LAUNCHER" --ro "$T/in" -- /bin/sh -c true
  said 125 "landlock-run: exec failed: Permission denied"
}

@test "a grant that cannot be opened" {
  need_landlock
  run --separate-stderr "$LAUNCHER" --ro / --rw "$T/absent" -- touch "$T/in/ran"
  said 125 "landlock-run: cannot open rule path: $T/absent: No such file or directory"
  run --separate-stderr "$LAUNCHER" --ro "$T/out/file/x" -- touch "$T/in/ran"
  said 125 "landlock-run: cannot open rule path: $T/out/file/x: Not a directory"
  ln -s loop "$T/loop"
  run --separate-stderr "$LAUNCHER" --ro "$T/loop" -- touch "$T/in/ran"
  expect 125
  contains "$stderr" "landlock-run: cannot open rule path: $T/loop: "
  [ ! -e "$T/in/ran" ]
}

# Every way to write, inside the grant and outside.
denials() {
  run --separate-stderr "$@" "$LAUNCHER" --ro / --rw /dev/null --rw "$T/in" -- sh -c '
    cd "$0" || exit 9
    echo new >in/a && echo more >>in/a && mkdir in/d && mv in/a in/d/a && ln in/d/a in/b && rm in/b && : >in/d/a &&
      mkfifo in/p && ln -s x in/l && echo x >/dev/null || exit 8
    for try in "echo x >out/new" "echo x >>out/file" ": >out/file" "mkdir out/d" "rm -f out/file" "mv out/file in/" \
               "ln out/file in/hard" "ln in/d/a out/hard" "mkfifo out/p" "ln -s x out/l" "mv in/d/a out/" "truncate -s 0 out/file" \
               "sh -c \"echo x >out/nested\""; do
      if sh -c "$try" 2>/dev/null; then echo "went through: $try"; fi
    done
    cat out/file' "$T"
  expect 0
  [ "$output" = old ] || fail "$output"
  [ "$(ls "$T/out")" = file ]
  [ -f "$T/in/d/a" ]
}

@test "writes outside the grants are refused, in descendants too" {
  need_landlock
  denials env
}

@test "the same as another user" {
  need_landlock
  need_root "to become another user"
  chown 65533:65533 "$T/in" "$T/out" "$T/out/file"
  denials setpriv --reuid=65533 --regid=65533 --clear-groups
}

@test "read-only grants, files, repeated paths" {
  need_landlock
  run --separate-stderr "$LAUNCHER" --ro / -- sh -c "echo x >'$T/in/a'"
  [ "$status" != 0 ]
  [ ! -e "$T/in/a" ]
  # A file keeps the rights that files can have, and repeated paths add up.
  run --separate-stderr "$LAUNCHER" --ro / --ro "$T/out/file" --rw "$T/out/file" -- sh -c "echo x >'$T/out/file'; rm -f '$T/out/file'"
  [ "$(cat "$T/out/file")" = x ]
  # Only what is granted can be read.
  echo secret >"$T/in/secret"
  run --separate-stderr "$LAUNCHER" --ro /usr --ro /lib --ro /lib64 --ro /bin --ro /etc --ro "$T/out" -- \
    sh -c "cat '$T/out/file' && ! cat '$T/in/secret'"
  if [ "$status" != 125 ]; then # a host without one of these directories
    expect 0
    [ "$output" = x ]
  fi
}

@test "nobody can gain privileges" {
  need_landlock
  run --separate-stderr "$LAUNCHER" --ro / -- grep NoNewPrivs /proc/self/status
  expect 0
  [ "$output" = "NoNewPrivs:	1" ]
}

@test "inherited descriptors stay the command's" {
  need_landlock
  run --separate-stderr bash -c "exec 7>'$T/in/seven' && '$LAUNCHER' --ro / -- sh -c 'echo x >&7'"
  expect 0
  [ "$(cat "$T/in/seven")" = x ]
}

@test "older kernels: partial, and said so" {
  need_strace
  for abi in 1 2 3 4; do
    run --separate-stderr on_kernel "landlock_create_ruleset:retval=$abi:when=1" --probe
    expect 0
    [ "$output" = "landlock: partially enforced (older ABI)" ]
    run --separate-stderr on_kernel "landlock_create_ruleset:retval=$abi:when=1" --ro / --rw /dev/null --rw "$T/in" -- \
      sh -c "echo x >'$T/in/$abi' && ! { echo y >'$T/out/new'; } 2>/dev/null"
    said 0 "landlock-run: partial enforcement (older Landlock ABI)"
    [ -s "$T/in/$abi" ]
    [ ! -e "$T/out/new" ]
  done
  for abi in 5 6 7 99; do
    run --separate-stderr on_kernel "landlock_create_ruleset:retval=$abi:when=1" --ro / -- true
    # A kernel that knows less than it said refuses the ruleset.
    [ "$status" = 125 ] || said 0 ""
  done
}

@test "kernels without Landlock" {
  need_strace
  for errno in ENOSYS EOPNOTSUPP EPERM; do
    run --separate-stderr on_kernel "landlock_create_ruleset:error=$errno" --probe
    expect 125
    contains "$stderr" "landlock-run: landlock is not enforced by this kernel"
    run --separate-stderr on_kernel "landlock_create_ruleset:error=$errno" --ro / -- touch "$T/in/ran"
    expect 125
    contains "$stderr" "landlock-run: landlock is not enforced by this kernel"
    [ ! -e "$T/in/ran" ]
  done
}

@test "each step that fails ends it before the command" {
  need_strace
  for injection in landlock_create_ruleset:error=EINVAL:when=2 landlock_add_rule:error=EINVAL landlock_add_rule:error=EINVAL:when=2 \
                   prctl:error=EINVAL landlock_restrict_self:error=E2BIG; do
    run --separate-stderr on_kernel "$injection" --ro / --rw "$T/in" -- touch "$T/in/ran"
    expect 125
    contains "$stderr" "landlock-run: landlock ruleset error: "
    [ ! -e "$T/in/ran" ]
  done
}
