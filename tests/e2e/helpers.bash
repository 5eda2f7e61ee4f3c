# What the end-to-end tests share.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
#   WEIR                 the command (installed, or from the build directory)
#   WEIR_TEST_DIR        a scratch directory of ours beneath which every parent is trusted
#   WEIR_TEST_PLUGIN_DIR where the plugins lie, when it is not where the command looks by itself
#
# Each test gets T (its directory), W (an empty workspace in it) and CONF (a configuration that it may write).
# No test depends on time: waits end when something is seen, and have limits only against a hang.

bats_require_minimum_version 1.5.0

HANG=${WEIR_HANG:-120} # seconds

need() {
  local tool
  for tool; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
}

common_setup() {
  : "${WEIR:?WEIR names the command to test}"
  : "${WEIR_TEST_DIR:?WEIR_TEST_DIR names a trusted scratch directory}"
  umask 022
  T=$(mktemp -d "$WEIR_TEST_DIR/t.XXXXXX")
  chmod 755 "$T"
  W=$T/workspace
  CONF=$T/weir.conf
  mkdir -p "$W" "$T/home" "$T/outside"
  export HOME=$T/home XDG_CONFIG_HOME=$T/home/.config XDG_STATE_HOME=$T/home/.state
  unset NO_COLOR
  SANDBOX=${SANDBOX:-landlock}
  conf
  cd "$W" || return 1
}

common_teardown() {
  cd / || return 1
  [ -z "${T:-}" ] || { chmod -R u+rwx "$T" 2>/dev/null || :; rm -rf "$T"; }
}

# conf [LINES OF THE GROUP sandbox] [LINES OF THE GROUP plugins] [OTHER LINES]: writes CONF for $SANDBOX.
conf() {
  local chain plugins
  case $SANDBOX in
    landlock) chain=landlock plugins='landlock : { namespaces = "require"; };' ;;
    landlock-off) chain=landlock plugins='landlock : { namespaces = "off"; };' ;;
    bwrap) chain=bwrap plugins='' ;;
    custom)
      chain=custom_runner
      write_runner "$T/runner"
      plugins="custom_runner : { command = [ \"$T/runner\" ]; failure_signatures = [ \"bwrap: \", \"runner: \" ]; };"
      ;;
    *) return 1 ;;
  esac
  cat >"$CONF" <<END
${3:-}
sandbox : {
  mode = "workspace-write";
  chain = [ "$chain" ];
  ${1:-}
};
plugins : {
  $plugins
  ${2:-}
};
END
}

# An operator's runner: it is handed the profile as bwrap's arguments, and has bwrap carry it out.
write_runner() {
  cat >"$1" <<'END'
#!/bin/sh
exec /usr/bin/bwrap "$@"
END
  chmod 755 "$1"
}

# weir ARGUMENT...: the command with this test's configuration and state.
weir() {
  "$WEIR" --config "$CONF" --state-dir "$T/state" ${WEIR_TEST_PLUGIN_DIR:+--plugin-dir "$WEIR_TEST_PLUGIN_DIR"} "$@"
}

# Whether the sandbox of this test works here; skips when what it is made of is missing.
need_sandbox() {
  case $SANDBOX in
    bwrap | custom)
      [ -x /usr/bin/bwrap ] || skip "bwrap is not installed"
      /usr/bin/bwrap --ro-bind / / --unshare-user --unshare-pid true 2>/dev/null || skip "bwrap cannot make namespaces here"
      ;;
    landlock) unshare -Um true 2>/dev/null || skip "user namespaces are refused here" ;;
  esac
}

# json EXPRESSION: of $output.
json() {
  printf '%s' "$output" | jq -r "$1"
}

fail() {
  printf '%s\n' "$@" >&2
  return 1
}

# Says what happened when the status is not the expected one.
expect() {
  [ "$status" = "$1" ] || fail "exit status $status, not $1; output:" "$output" "${stderr:-}"
}

contains() { # haystack, needle
  case $1 in
    *"$2"*) ;;
    *) fail "no '$2' in:" "$1" ;;
  esac
}

lacks() { # haystack, needle
  case $1 in
    *"$2"*) fail "'$2' is in:" "$1" ;;
  esac
}

# Whether a process lives whose command line holds this text.
processes_with() {
  local file words
  for file in /proc/[0-9]*/cmdline; do
    { mapfile -d '' -t words <"$file"; } 2>/dev/null || continue
    case "${words[*]}" in
      *"$1"*) return 0 ;;
    esac
  done
  return 1
}

# A number of seconds to sleep that no other process of this machine sleeps for.
unique_sleep() {
  echo "$((RANDOM % 80000 + 10000)).$$$RANDOM"
}

# until_true COMMAND...: waits for it to succeed.
until_true() {
  local end=$((SECONDS + HANG))
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "waited in vain for: $*"
    sleep 0.05
  done
}

gone() {
  ! processes_with "$1"
}

# Whether the process waits in a stopped state, is a zombie, and so on.
process_state() { # pid
  sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null
}

need_root() {
  [ "$(id -u)" = 0 ] || skip "needs root: $1"
}

# as_uid UID COMMAND...: as a user without an account.
as_uid() {
  local uid=$1
  shift
  setpriv "--reuid=$uid" "--regid=$uid" --clear-groups "$@"
}

# The process of weir that the function weir started in the background: $! is a shell that waits for it.
weir_below() { # pid
  local child
  while [ -z "${child:-}" ]; do
    if [ "$(readlink "/proc/$1/exe")" = "$(readlink -f "$WEIR")" ]; then
      echo "$1"
      return
    fi
    read -r child _ <"/proc/$1/task/$1/children" || :
  done
  echo "$child"
}
