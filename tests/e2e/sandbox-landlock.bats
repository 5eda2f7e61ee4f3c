# What a command may and may not do, under one sandbox; the name of this file says which.  The others are links to it.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  SANDBOX=${BATS_TEST_FILENAME##*/sandbox-}
  SANDBOX=${SANDBOX%.bats}
  common_setup
  need_sandbox
}

teardown() {
  common_teardown
}

# What Landlock alone cannot govern is a gap that the result names; it is not tested as if it were held.
without_namespaces() {
  [ "$SANDBOX" = landlock-off ]
}

names_gap() { # word
  run --separate-stderr weir run --json -- true
  expect 0
  [ "$(json .enforcement)" = partial ]
  json '.gaps[]' | grep -qi "$1" || fail "no gap names '$1': $(json '.gaps')"
}

@test "exit status and streams pass through" {
  run --separate-stderr weir run -- sh -c 'cat; echo err >&2; exit 41' <<<"from stdin"
  expect 41
  [ "$output" = "from stdin" ]
  [ "$stderr" = err ]
}

@test "the end by a signal is told as 128+n" {
  run weir run -- sh -c 'kill -USR1 $$'
  expect 138
  run weir run -q -- sh -c 'kill -KILL $$'
  expect 137
}

@test "the working directory is the workspace, or --cwd in it" {
  mkdir sub
  run weir run -- pwd
  expect 0
  [ "$output" = "$W" ]
  run weir run --cwd sub -- pwd
  expect 0
  [ "$output" = "$W/sub" ]
  cd /
  run weir run -C "$W" -- pwd
  [ "$output" = "$W" ]
}

@test "bytes pass untouched, many of them" {
  head -c 20000000 /dev/urandom >data
  weir run -- cat data >copy
  cmp data copy
  weir run -- cat <data >copy
  cmp data copy
}

@test "a write inside the workspace is kept" {
  run weir run -- sh -c 'mkdir -p a/b && echo kept >a/b/c && ln -s c a/b/d && mv a/b a/e && cat a/e/d'
  expect 0
  [ "$output" = kept ]
  [ "$(cat a/e/c)" = kept ]
}

@test "a write outside is denied, and explained" {
  run --separate-stderr weir run -- sh -c "echo lost >'$T/outside/file'"
  [ "$status" != 0 ] && [ "$status" -lt 125 ]
  [ ! -e "$T/outside/file" ]
  [[ "$stderr" == *"DENIED "@(write|create)" $T/outside/file (workspace-write, "* ]] || fail "$stderr"
  contains "$stderr" ", inferred)"
  contains "$stderr" "To allow: "
  # -q keeps the command's own words alone
  run --separate-stderr weir run -q -- sh -c "echo lost >'$T/outside/file'"
  lacks "$stderr" DENIED
}

@test "what exists outside cannot be changed, removed or renamed" {
  echo old >"$T/outside/file"
  mkdir "$T/outside/dir"
  run weir run -- sh -c "
    echo new >>'$T/outside/file'; echo new >'$T/outside/file'; rm -f '$T/outside/file'; rmdir '$T/outside/dir'
    mv '$T/outside/file' '$T/outside/other'; mv '$T/outside/file' stolen; ln '$T/outside/file' linked
    mkdir '$T/outside/made'; ln -s x '$T/outside/link'; mkfifo '$T/outside/fifo'; truncate -s 0 '$T/outside/file'"
  [ "$(cat "$T/outside/file")" = old ]
  [ -d "$T/outside/dir" ]
  [ "$(ls "$T/outside")" = "dir
file" ]
  [ ! -e linked ]
}

@test "a link in the workspace is no way out" {
  ln -s "$T/outside" link
  run weir run -- sh -c 'echo lost >link/file; ln -s ../outside/file2 l2; echo lost >l2'
  [ -z "$(ls "$T/outside")" ]
}

@test "mode, times and attributes of what lies outside stay" {
  without_namespaces && { names_gap metadata; return; }
  echo old >"$T/outside/file"
  chmod 640 "$T/outside/file"
  touch -d 2001-01-01 "$T/outside/file"
  run weir run -- sh -c "chmod 777 '$T/outside/file'; touch -d 2020-01-01 '$T/outside/file'; chgrp 4 '$T/outside/file'
    setfattr -n user.x -v y '$T/outside/file'"
  [ "$(stat -c '%a %Y %u' "$T/outside/file")" = "640 $(date -d 2001-01-01 +%s) $(id -u)" ]
}

@test "read-only: no write, not even in the workspace" {
  echo old >file
  run --separate-stderr weir run -m read-only -- sh -c 'cat file; echo new >file'
  [ "$status" != 0 ]
  [ "$output" = old ]
  [ "$(cat file)" = old ]
  [[ "$stderr" == *"DENIED "@(write|create)" $W/file (read-only, "* ]] || fail "$stderr"
  contains "$stderr" "read-only"
  run weir run -m read-only -- sh -c 'echo to-nowhere >/dev/null'
  expect 0
}

@test "--rw adds a root, --ro takes one out of the workspace" {
  mkdir fixed
  echo old >fixed/file
  if without_namespaces; then
    run weir run --ro fixed -- touch ran
    expect 125
    contains "$output" "protected"
    [ ! -e ran ]
    return
  fi
  run weir run --rw "$T/outside" --ro fixed -- sh -c "echo new >'$T/outside/file'; echo new >fixed/file; echo new >fixed/other
    mv fixed gone; rm -rf fixed; echo ok >beside"
  [ "$(cat "$T/outside/file")" = new ]
  [ "$(cat beside)" = ok ]
  [ "$(cat fixed/file)" = old ]
  [ ! -e fixed/other ]
}

@test "--deny-read hides a file and a directory" {
  mkdir "$T/outside/keys"
  echo secret >"$T/outside/keys/key"
  echo secret >"$T/outside/token"
  echo plain >"$T/outside/plain"
  if without_namespaces; then
    run weir run --deny-read "$T/outside/token" -- touch ran
    expect 125
    contains "$output" "hidden"
    [ ! -e ran ]
    return
  fi
  run weir run --deny-read "$T/outside/keys" --deny-read "$T/outside/token" -- \
    sh -c "cat '$T/outside/plain' '$T/outside/keys/key' '$T/outside/token'; ls '$T/outside/keys'"
  contains "$output" plain
  lacks "$output" secret
}

@test "the usual key stores are hidden by default" {
  without_namespaces && { names_gap deny_read; return; }
  mkdir -m 700 "$HOME/.ssh"
  echo secret >"$HOME/.ssh/id_ed25519"
  run weir run -- cat "$HOME/.ssh/id_ed25519"
  [ "$status" != 0 ]
  lacks "$output" secret
}

@test "/tmp is private to the call" {
  without_namespaces && { names_gap tmp; return; }
  marker=$(mktemp /tmp/weir-test.XXXXXX)
  run weir run -- sh -c "ls '$marker'; echo mine >/tmp/weir-test-own && cat /tmp/weir-test-own"
  rm -f "$marker"
  expect 0
  [ "${lines[-1]}" = mine ]
  contains "$output" "No such file"
  [ ! -e /tmp/weir-test-own ]
  run weir run -- cat /tmp/weir-test-own
  [ "$status" != 0 ]
}

@test "temporary files work, whatever the name of their directory" {
  run weir run -- sh -c 'f=$(mktemp) && echo x >"$f" && cat "$f" && cat <<END
here
END'
  expect 0
  [ "$output" = "x
here" ]
}

@test "network none: no connection, not to this machine either" {
  need python3
  python3 -c 'import socket,sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
while True: s.accept()[0].sendall(b"reached\n")' >port 3>&- &
  server=$!
  until_true test -s port
  port=$(cat port)
  client="import socket; print(socket.create_connection(('127.0.0.1', $port)).recv(9))"
  run weir run --network inherit -- python3 -c "$client"
  inherit=$status
  run weir run --network none -- python3 -c "$client"
  kill "$server"
  wait "$server" || :
  [ "$inherit" = 0 ]
  [ "$status" != 0 ]
  lacks "$output" "b'reached"
}

@test "network loopback: itself only" {
  need python3
  run weir run --network loopback -- python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname()); print("self")
try:
  u = socket.create_connection(("192.0.2.1", 9), 5); print("out")
except OSError as e:
  print("no", type(e).__name__)'
  if without_namespaces && [ "$status" = 125 ]; then
    contains "$output" loopback # it says that it cannot, and nothing ran
    return
  fi
  expect 0
  contains "$output" self
  lacks "$output" out
}

@test "the environment holds nothing that was not named" {
  export ACME_TOKEN=hush ACME_PLAIN=plain
  run weir run -- env
  expect 0
  lacks "$output" ACME_
  contains "$output" "PATH="
  contains "$output" "HOME=$HOME"
  run weir run -e ACME_PLAIN --env OTHER=value -- sh -c 'echo "$ACME_PLAIN $OTHER $ACME_TOKEN."'
  [ "$output" = "plain value ." ]
}

@test "no descriptor but the three streams is inherited" {
  echo hush >"$T/outside/open"
  exec 7<"$T/outside/open" 8>"$T/outside/open2"
  run weir run -- sh -c 'for fd in /proc/self/fd/*; do readlink "$fd" >/dev/null && echo "${fd##*/}"; done; cat <&7; echo x >&8'
  exec 7<&- 8>&-
  [ ! -s "$T/outside/open2" ]
  lacks "$output" hush
  for line in "${lines[@]}"; do
    case $line in
      [012]) ;;
      [0-9]*) fail "descriptor $line is open" "$output" ;;
    esac
  done
}

@test "a limit on open files and on the size of a file" {
  run weir run --limit files=32 -- sh -c 'ulimit -n'
  expect 0
  [ "$output" = 32 ]
  run weir run --limit file_size=1M -- sh -c 'head -c 3000000 /dev/zero >big; stat -c %s big'
  [ "$(stat -c %s big)" -le 1048576 ]
}

@test "a limit on processes stands before a fork bomb" {
  run --separate-stderr weir run --json --limit processes=40 -- true
  expect 0
  if json '.gaps[]' | grep -q 'number of processes'; then
    [ "$(id -u)" = 0 ] || [ "$SANDBOX" = custom ] || fail "$(json .gaps)"
    skip "the kernel does not hold root to it, and the result says so"
  fi
  # A pid namespace, which is what holds root, allows 300 more.
  bound=60
  [ "$(id -u)" != 0 ] || bound=360
  run weir run --limit processes=40 -- bash -c '
    for i in $(seq 500); do sleep 300 & done 2>/dev/null; jobs -p | wc -l; kill $(jobs -p)'
  [ "$status" != 0 ] || [ "${lines[-1]}" -lt $bound ] || fail "$output"
}

@test "a limit on processor time ends the command, and is named" {
  run weir run --limit cpu=1s -- sh -c 'while :; do :; done'
  expect 137
  contains "$output" "limit 'cpu'"
}

@test "time-out: 124, and daemons of it are gone" {
  sleep=$(unique_sleep)
  run weir run --timeout 2s -- sh -c "setsid sleep $sleep & (setsid sh -c 'trap \"\" TERM HUP INT; sleep $sleep & wait' &) ; sleep $sleep"
  expect 124
  contains "$output" "time-out"
  gone "sleep $sleep"
}

@test "a command that ignores TERM is killed all the same" {
  sleep=$(unique_sleep)
  conf 'grace = "200ms";'
  run weir run --timeout 1s -- sh -c "trap '' TERM INT HUP; while :; do sleep $sleep; done"
  expect 124
  gone "sleep $sleep"
}

@test "a command that stops itself is ended by the time-out" {
  conf 'grace = "200ms";'
  run weir run --timeout 1s -- sh -c 'kill -STOP $$'
  expect 124
}

@test "what the command leaves behind is gone when weir returns" {
  sleep=$(unique_sleep)
  run weir run -- sh -c "setsid sleep $sleep >/dev/null 2>&1 </dev/null & echo left"
  expect 0
  gone "sleep $sleep"
}

@test "weir killed by SIGKILL leaves no process behind" {
  sleep=$(unique_sleep)
  weir run -- sh -c "setsid sleep $sleep & touch started; sleep $sleep" 3>&- &
  pid=$!
  until_true test -e started
  processes_with "sleep $sleep"
  # the command itself: the function above runs it in a shell of its own
  kill -KILL "$(weir_below "$pid")"
  wait "$pid" || :
  until_true gone "sleep $sleep"
}

@test "INT and TERM are the command's to obey; twice ends it" {
  [ "$SANDBOX" != custom ] || skip "a runner of the operator's own need not pass signals on"
  sleep=$(unique_sleep)
  weir run -- sh -c "trap 'echo got-int >said; exit 9' INT; touch started; sleep $sleep & wait" 3>&- &
  pid=$!
  until_true test -e started
  kill -INT "$(weir_below "$pid")"
  wait "$pid" && code=0 || code=$?
  [ "$code" = 9 ]
  [ "$(cat said)" = got-int ]
  rm -f started
  conf 'grace = "200ms";'
  weir run -- sh -c "trap 'touch first' INT; trap '' TERM; touch started; while :; do sleep $sleep & wait; done" 3>&- &
  pid=$!
  until_true test -e started
  kill -INT "$(weir_below "$pid")"
  until_true test -e first
  kill -INT "$(weir_below "$pid")"
  wait "$pid" && code=0 || code=$?
  [ "$code" = 130 ]
  gone "sleep $sleep"
}

@test "processes outside can be neither signalled nor traced" {
  sleep 300 3>&- &
  outside=$!
  run weir run -- sh -c "kill -KILL $outside; kill -0 $outside && echo seen"
  # as a user without namespaces this is Landlock's scope of signals (ABI 6)
  if kill -0 "$outside" 2>/dev/null; then
    kill "$outside"
  elif without_namespaces; then
    names_gap process
  else
    fail "the command killed a process outside"
  fi
}

@test "no mounts and no namespaces of its own" {
  [ "$SANDBOX" != custom ] || skip "Weir's filter of system calls is not a runner's"
  run weir run -- sh -c 'mount -t tmpfs none "$PWD" && echo mounted; unshare -Ur true && echo namespace
    unshare -m true && echo mounts; exit 0'
  expect 0
  lacks "$output" mounted
  lacks "$output" mounts
  [[ "$output" != *namespace ]] || fail "$output"
}

@test "set-id bits cannot be set on files that the host sees" {
  [ "$SANDBOX" != custom ] || skip "Weir's filter of system calls is not a runner's"
  cp "$(type -P true)" program
  run weir run -- sh -c 'chmod u+s program; chmod 6755 program; install -m 4755 program second; true'
  [ ! -u program ] && [ ! -g program ]
  [ ! -u second ]
}

@test "the kernel's settings cannot be written, as root neither" {
  run weir run -- sh -c 'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/sys/vm/drop_caches
    do (: >>"$f") 2>/dev/null && echo "open $f"; done; exit 0'
  expect 0
  lacks "$output" open
}

@test "ordinary work goes on as before" {
  cat >hello.c <<'END'
#include <stdio.h>
int main (void) { return puts ("compiled") < 0; }
END
  if command -v gcc >/dev/null; then
    run weir run -- sh -c 'gcc -o hello hello.c && ./hello'
    expect 0
    [ "$output" = compiled ]
  fi
  run weir run -- bash -c 'set -e; seq 3 | while read -r n; do echo "$n"; done; diff <(echo a) <(echo a); (exec 3>f; echo x >&3); cat f'
  expect 0
  [ "${lines[-1]}" = x ]
  if [ "$(id -u)" = 0 ]; then
    run weir run -- sh -c 'touch owned && chown 12:34 owned && chmod 600 owned && setpriv --reuid=12 --clear-groups cat owned'
    expect 0
    [ "$(stat -c %u:%g owned)" = 12:34 ]
  fi
}

@test "git: commits work, hooks and configuration stay" {
  need git
  git init -q . && git config user.email a@b.c && git config user.name n
  cp .git/config "$T/config"
  run weir run -- sh -c 'echo a >a && git add a && git commit -qm one && git log --format=%s
    echo "#!/bin/sh" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
    git config core.fsmonitor "touch /tmp/x"; mv .git/hooks .git/h2; exit 0'
  expect 0
  [ "${lines[0]}" = one ]
  [ "$(git log --format=%s)" = one ]
  [ ! -e .git/hooks/pre-commit ]
  cmp .git/config "$T/config"
}

@test "two calls at once under two policies" {
  mkfifo a b
  weir run -m read-only -- sh -c "echo in >one; echo \$? >/dev/stdout" <a >out1 2>err1 3>&- &
  first=$!
  run weir run -- sh -c "echo in >two; cat two"
  expect 0
  : >a
  wait "$first"
  [ ! -e one ]
  [ "$(cat out1)" != 0 ]
}

@test "--json: what ran, where, and how well it was held" {
  run --separate-stderr weir run --json -- sh -c 'echo out; echo err >&2; exit 3'
  expect 3
  [ "$(json .schema_version)" = 1 ]
  [ "$(json .exit_code)" = 3 ]
  [ "$(json .error)" = null ]
  [ "$(json .outcome)" = exited ]
  [ "$(json .stdout.text)" = out ]
  [ "$(json .stderr.text)" = err ]
  [ "$(json .mode)" = workspace-write ]
  [ "$(json .tree_gone)" = true ]
  case $SANDBOX in
    landlock | bwrap)
      # full is said where nothing is missing, and only there
      [ "$(json .enforcement)" = "$(json 'if .gaps == [] then "full" else "partial" end')" ] || fail "$output"
      ;;
    custom)
      [ "$(json .enforcement)" = partial ]
      contains "$(json .enforcement_origin)" "asserted by $CONF:"
      ;;
    *) [ "$(json .enforcement)" = partial ] ;;
  esac
}

@test "require = full refuses what is partial, and runs what is not" {
  run --separate-stderr weir run --json -- true
  expect 0
  enforcement=$(json .enforcement)
  conf 'require = "full";'
  run weir run -- touch ran
  if [ "$enforcement" = full ]; then
    expect 0
    [ -e ran ]
  else
    expect 125
    contains "$output" "partial enforcement refused by $CONF:"
    [ ! -e ran ]
  fi
}

@test "not found is 127, not executable 126, and nothing ran" {
  run weir run -- no-such-program-anywhere
  expect 127
  contains "$output" "no-such-program-anywhere"
  echo text >data
  run weir run -- ./data
  expect 126
  contains "$output" "./data"
  mkdir dir
  run weir run -- ./dir
  expect 126
  printf '#!/no/such/interpreter\n' >script
  chmod +x script
  run weir run -- ./script
  # That a runner could not execute the command is known from its words alone.
  [ "$status" = 126 ] || [ "$status" = 127 ] || { [ "$SANDBOX" = custom ] && [ "$status" = 125 ]; }
  contains "$output" "script"
}

@test "an argument is an argument: no shell, no options of the sandbox" {
  run weir run -- printf '[%s]' '$HOME' '--bind' '/' '' 'a b'
  expect 0
  [ "$output" = '[$HOME][--bind][/][][a b]' ]
  run weir run -- /bin/echo --ro-bind / /
  [ "$output" = "--ro-bind / /" ]
}

@test "a variable that loads code acts on the command alone, never on a runner" {
  command -v cc >/dev/null || skip "no C compiler"
  cat >code.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__ ((constructor)) static void
loaded (void)
{
  int fd = open (getenv ("VICTIM"), O_CREAT | O_WRONLY, 0644);
  if (fd >= 0 && write (fd, "loaded", 6) != 6)
    abort ();
}
END
  cc -shared -fPIC -o code.so code.c
  run weir run --env "LD_PRELOAD=$W/code.so" --env "VICTIM=$T/outside/loaded" -- true
  [ ! -e "$T/outside/loaded" ] || fail "the runner loaded it"
  if [ "$SANDBOX" = custom ]; then
    expect 125
    contains "$output" "LD_PRELOAD"
    return
  fi
  run weir run --env "LD_PRELOAD=$W/code.so" --env "VICTIM=$W/loaded" -- true
  [ -e "$W/loaded" ] || fail "the command did not load it"
}
