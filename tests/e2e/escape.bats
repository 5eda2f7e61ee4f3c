# What a command tries to get out of its sandbox: the attacks of tests/escape, judged by their victims.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  ATTACK=${WEIR_ATTACK:-${WEIR_BUILDDIR:-}/unit/weir-attack}
  [ -x "$ATTACK" ] || ATTACK=${WEIR_BUILDDIR:-}/tests/escape/weir-attack
  [ -x "$ATTACK" ] || skip "the program of the attacks was not built"
  need python3
  unshare -Um true 2>/dev/null || skip "user namespaces are refused here"
}

# attacked KIND: the table is shown when something got through that no gap names.
attacked() {
  run python3 "$BATS_TEST_DIRNAME/../escape/driver.py" "$ATTACK" "$1"
  [ "$status" = 0 ] || fail "$(printf '%s\n' "$output" | grep -E 'ESCAPED|Error|line' | head -40)"
  contains "$output" denied
}

@test "attacks: content" {
  attacked content
}

@test "attacks: names" {
  attacked names
}

@test "attacks: metadata" {
  attacked metadata
}

@test "attacks: reading" {
  attacked reading
}

@test "attacks: mounts" {
  attacked mounts
}

@test "attacks: devices" {
  attacked devices
}

@test "attacks: processes" {
  attacked processes
}

@test "attacks: sockets" {
  attacked sockets
}

@test "attacks: ipc" {
  attacked ipc
}

@test "attacks: kernel" {
  attacked kernel
}

@test "attacks: descriptors" {
  attacked descriptors
}

@test "attacks: setid" {
  attacked setid
}

@test "attacks: network" {
  attacked network
}

@test "attacks: git" {
  need git
  attacked git
}
