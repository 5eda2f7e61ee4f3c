# The command: its options, words, streams and exit statuses.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  SANDBOX=landlock
  common_setup
  # the tier that works everywhere will do here
  conf
  sed -i 's/"require"/"auto"/' "$CONF"
}

teardown() {
  common_teardown
}

# on_terminal KEYS COMMAND...: runs it on a terminal of its own; see terminal.py.
on_terminal() {
  need python3
  python3 "$BATS_TEST_DIRNAME/terminal.py" "$@"
}

@test "help begins with an example, on standard output" {
  for words in --help help "run --help" "help run" "plan -h" "doctor --help" "explain --help" "config --help" "plugin --help" \
    "version --help"; do
    # shellcheck disable=SC2086
    run --separate-stderr "$WEIR" $words
    expect 0
    [ -z "$stderr" ]
    [[ "${lines[0]}" == "  weir "* ]] || fail "no example first: ${lines[0]}"
    contains "$output" "Usage: weir"
  done
}

@test "help names every option that the man page names" {
  for command in run plan doctor explain config plugin version; do
    page=$WEIR_SRCDIR/docs/man/weir-$command.1.scd
    [ -e "$page" ] || fail "no $page"
    "$WEIR" $command --help >help
    for option in $(sed -n 's/^ .*\(--[a-z-]*\).*/\1/p' help | sort -u); do
      grep -qe "$option" "$page" "$WEIR_SRCDIR/docs/man/weir.1.scd" || fail "$option is not in $page"
    done
  done
}

@test "version" {
  run --separate-stderr "$WEIR" --version
  expect 0
  [[ "$output" =~ ^weir\ [0-9]+\.[0-9]+ ]]
  run "$WEIR" version --json
  [ "$(json .schema_version)" = 1 ]
  [ -n "$(json .version)" ]
}

@test "wrong usage is 125, on standard error, with a suggestion and where help is" {
  while IFS='|' read -r words say; do
    # shellcheck disable=SC2086
    run --separate-stderr "$WEIR" $words
    expect 125
    [ -z "$output" ]
    contains "$stderr" "weir: "
    contains "$stderr" "$say"
    contains "$stderr" "--help"
  done <<'END'
|no command given
rnu|did you mean 'run'
make check|weir run -- make
run|no command given
run --|no command given
run --mdoe x -- true|did you mean '--mode'
run --mode|needs a value
run --json=yes true|takes no value
run -m read_only true|did you mean 'read-only'
run -m nothing-like-it true|read-only, workspace-write
run --network lopback true|did you mean 'loopback'
run --timeout -5s true|not a time above zero
run --timeout 5x true|not a time above zero
run --timeout 0 true|not a time above zero
run --timeout 99999999999999999999s true|not a time above zero
run --limit processes true|NAME=VALUE
run --limit =3 true|NAME=VALUE
run --env =x true|NAME[=VALUE]
run --set nonsense true|KEY=VALUE
run -Z true|unknown option '-Z'
run --color sometimes true|auto
run --keep middle true|tail or head
run -t --json true|cannot be together
run -t true|not a terminal
plan|no command given
explain|--path
explain /etc/passwd|--path /etc/passwd
plugin|list
plugin lst|did you mean 'list'
plugin info|takes one name
plugin list more|takes no arguments
config|check
config chekc|did you mean 'check'
doctor now|takes no arguments
version 2|takes no arguments
help rnu|did you mean 'run'
END
  run "$WEIR" run --rw '' true
  expect 125
  contains "$output" "empty"
}

@test "options end at the command, or at --" {
  run weir run echo --json -m x
  expect 0
  [ "$output" = "--json -m x" ]
  run weir run -- echo -- -q
  [ "$output" = "-- -q" ]
  run weir run -qm read-only -- echo x
  [ "$output" = x ]
  run weir run --mode=read-only --timeout=60 -eA=1 -- sh -c 'echo $A'
  [ "$output" = 1 ]
}

@test "global options go before or after the command" {
  run "$WEIR" --config "$T/none" run -- true
  expect 125
  run "$WEIR" run --config "$T/none" -- true
  expect 125
  contains "$output" "$T/none"
}

@test "color: only on a terminal, NO_COLOR and TERM=dumb are heard, always means it" {
  run weir run --mode x true
  lacks "$output" $'\033'
  run weir --color always run --mode x true
  contains "$output" $'\033[1;31m'
  TERM=xterm run on_terminal "" "$WEIR" run --mode x true
  contains "$output" $'\033[1;31m'
  NO_COLOR=1 TERM=xterm run on_terminal "" "$WEIR" run --mode x true
  lacks "$output" $'\033['
  TERM=dumb run on_terminal "" "$WEIR" run --mode x true
  lacks "$output" $'\033['
  TERM=xterm run on_terminal "" "$WEIR" --color never run --mode x true
  lacks "$output" $'\033['
}

@test "control characters of others never reach the terminal" {
  run "$WEIR" --config $'/none\033]0;owned\a' run -- true
  expect 125
  lacks "$output" $'\033'
  contains "$output" '\x1b]0;owned\x07'
}

@test "on a terminal the command has a terminal, keys and size pass, and ours is put back" {
  # python3 checks step by step; what it prints is what went wrong
  run on_terminal --script "$WEIR" --config "$CONF" --state-dir "$T/state" \
    ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"}
  expect 0
}

@test "off a terminal the command has none; -T refuses one" {
  run weir run -- sh -c 'test -t 0 || test -t 1 || test -t 2 || echo none'
  [ "$output" = none ]
  run on_terminal "" "$WEIR" --config "$CONF" --state-dir "$T/state" ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} \
    run -T -- sh -c 'test -t 1 || echo none'
  contains "$output" none
  run on_terminal "" "$WEIR" --config "$CONF" --state-dir "$T/state" ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} \
    run -- sh -c 'test -t 0 && test -t 1 && test -t 2 && echo all'
  contains "$output" all
}

@test "--json: an error of weir and a code of the command are never confused" {
  for code in 0 1 124 125 126 127 137; do
    run --separate-stderr weir run --json -- sh -c "exit $code"
    expect $code
    [ "$(json .exit_code)" = $code ]
    [ "$(json .exit_status)" = $code ]
    [ "$(json .error)" = null ]
  done
  run --separate-stderr weir run --json -- no-such-program-anywhere
  expect 127
  [ "$(json .exit_code)" = null ]
  [ "$(json .error.name)" != null ]
  contains "$(json .error.message)" no-such-program-anywhere
  [ -z "$stderr" ]
  run --separate-stderr weir run --json --sandbox nosuch -- true
  expect 125
  [ "$(json .exit_code)" = null ]
  [ "$(json '.error.hints | type')" = array ]
  run --separate-stderr weir --config "$T/none" run --json -- true
  expect 125
  contains "$(json .error.message)" "$T/none"
  run --separate-stderr weir run --json -- sh -c 'kill -TERM $$'
  expect 143
  [ "$(json .exit_code)" = null ]
  [ "$(json .signal)" = 15 ]
  [ "$(json .outcome)" = signalled ]
}

@test "--json: bytes that are not UTF-8, order, totals, truncation and spill" {
  run --separate-stderr weir run --json -- printf '\377\000x'
  expect 0
  [ "$(json .stdout.text)" = null ]
  [ "$(json .stdout.base64)" = "/wB4" ]
  run --separate-stderr weir run --json -- sh -c 'echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three'
  [ "$(json '[.order[].size] | add')" = 14 ]
  [ "$(json '.order[0].stream')" = stdout ]
  run --separate-stderr weir --set sandbox.limits.output=4K run --json -- sh -c 'seq 10000'
  [ "$(json .stdout.truncated)" = true ]
  [ "$(json .stdout.total)" = 48894 ]
  [[ "$(json .stdout.text)" == *10000 ]]
  run --separate-stderr weir --set sandbox.limits.output=4K run --keep head --json -- sh -c 'seq 10000'
  [[ "$(json .stdout.text)" == 1$'\n'2* ]]
}

@test "--json: denials have a path, a rule, an origin, a remedy and a certainty" {
  run --separate-stderr weir run --json -- sh -c "echo x >'$T/outside/file'"
  [ "$(json '.denials | length')" -ge 1 ]
  [ "$(json '.denials[0].path')" = "$T/outside/file" ]
  [[ "$(json '.denials[0].operation')" == @(write|create) ]]
  [ "$(json '.denials[0].certainty')" = inferred ]
  [ "$(json '.denials[0].rule')" != null ]
  [ "$(json '.denials[0].origin')" != null ]
  [ -z "$stderr" ]
}

@test "danger-full-access needs no sandbox and no sandbox's plugin" {
  conf
  sed -i 's/chain = .*/chain = [ "nosuch" ];/' "$CONF"
  run weir run -m danger-full-access -- sh -c "echo free >'$T/outside/file'"
  expect 0
  [ "$(cat "$T/outside/file")" = free ]
  run --separate-stderr weir run -m danger-full-access --json -- true
  [ "$(json .enforcement)" = none ]
  [ "$(json .provider)" = null ]
}

@test "plan: one line a step, and nothing runs" {
  run --separate-stderr weir plan -- touch ran
  expect 0
  [ ! -e ran ]
  contains "$output" "touch"
  contains "$output" "landlock"
  contains "$output" "$W"
  [ "${#lines[@]}" -gt 5 ]
  run --separate-stderr weir plan --json -- touch ran
  expect 0
  json . >/dev/null
  [ "$(json .schema_version)" = 1 ]
  [ ! -e ran ]
  ACME_TOKEN=hush run --separate-stderr weir plan -- true
  contains "$output" "ACME_TOKEN"
  lacks "$output" hush
}

@test "explain: verdict, rule, origin, remedy; 0 allowed, 1 denied" {
  run --separate-stderr weir explain --path "$W/file" --op write
  expect 0
  run --separate-stderr weir explain --path "$T/outside/file" --op write
  expect 1
  contains "$output" "$T/outside/file"
  run --separate-stderr weir explain --path "$T/outside/file" --op read
  expect 0
  run --separate-stderr weir explain -m read-only --path file --op create
  expect 1
  run --separate-stderr weir explain --rw "$T/outside" --path "$T/outside/file" --op write
  expect 0
  run --separate-stderr weir explain --deny-read "$T/outside" --path "$T/outside/file" --op read
  expect 1
  run --separate-stderr weir explain --json --path /etc/passwd --op write
  expect 1
  json . >/dev/null
  [ "$(json .schema_version)" = 1 ]
  run --separate-stderr weir explain --path file --op wirte
  expect 125
  contains "$stderr" "wirte"
  [ -z "$(ls -A "$T/outside")" ]
}

@test "doctor: checks with a fix, 0, 1 or 3" {
  run --separate-stderr weir doctor
  [ "$status" = 0 ] || [ "$status" = 1 ]
  contains "$output" landlock
  run --separate-stderr weir doctor --json
  [ "$status" = 0 ] || [ "$status" = 1 ]
  [ "$(json .schema_version)" = 1 ]
  [ "$(json '.checks | length')" -gt 3 ]
  [ "$(json '[.checks[].status] | map (IN ("ok", "warn", "fail", "skip")) | all')" = true ]
  sed -i 's/chain = .*/chain = [ "nosuch" ];/' "$CONF"
  run --separate-stderr weir doctor
  expect 3
}

@test "config: check and show, with origins" {
  run --separate-stderr weir config check
  expect 0
  run --separate-stderr weir --set sandbox.network=none config show --origin
  expect 0
  contains "$output" "$CONF:3"
  contains "$output" "command line"
  contains "$output" "built in"
  run --separate-stderr weir config show --json
  expect 0
  [ "$(json .schema_version)" = 1 ]
  json . >/dev/null
  echo 'sandbox : { mode = "raed-only"; };' >"$CONF"
  run --separate-stderr weir config check
  expect 1
  contains "$stderr" "$CONF:1"
}

@test "plugin: list and info" {
  run --separate-stderr weir plugin list
  expect 0
  for name in landlock bwrap custom_runner local; do
    printf '%s\n' "$output" | grep -q "^$name" || fail "no $name in: $output"
  done
  run --separate-stderr weir plugin info landlock
  expect 0
  contains "$output" namespaces
  run --separate-stderr weir plugin info custom_runner
  contains "$output" failure_signatures
  run --separate-stderr weir plugin list --json
  json . >/dev/null
  run --separate-stderr weir plugin info nosuch
  expect 125
}

@test "data that cannot be written is an error" {
  [ -e /dev/full ] || skip "no /dev/full"
  run sh -c '"$1" version >/dev/full' sh "$WEIR"
  expect 125
  contains "$output" "standard output"
  run sh -c '"$1" version >&-' sh "$WEIR"
  expect 125
}

@test "a closed pipe ends weir quietly" {
  conf
  sed -i 's/"require"/"auto"/' "$CONF"
  weir run -- sh -c 'while echo y; do :; done' 2>err | head -n 1 >out
  [ "$(cat out)" = y ]
  [ ! -s err ] || lacks "$(cat err)" "weir: write"
}

@test "memory: weir itself stays below 8 MiB" {
  if ldd "$WEIR" "$(dirname "$WEIR")"/../lib/libweir.so* 2>/dev/null | grep -q -e libasan -e libtsan; then
    skip "built with a sanitizer, whose shadow memory counts"
  fi
  mkfifo go
  weir run -- sh -c 'touch ready; cat go' 3>&- &
  pid=$!
  until_true test -e ready
  peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(weir_below "$pid")/status")
  : >go
  wait "$pid"
  [ "$peak" -lt 8192 ] || fail "$peak KiB"
}
