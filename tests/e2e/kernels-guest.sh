#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: kernels-guest.sh CASE STAGE: what tests/e2e/kernels.sh runs inside a guest, on busybox's tools.
case=$1
stage=$2
weir=$stage/prefix/bin/weir
export LD_LIBRARY_PATH=$stage/prefix/lib

if [ -z "$GUEST_INSIDE" ]; then
  # From the initramfs, whose root cannot be left, to a root that can.
  mkdir /newroot
  mount -t tmpfs tmpfs /newroot
  for dir in bin sbin usr etc lib lib64 var home guest.sh; do
    [ -e /$dir ] && cp -a /$dir /newroot/
  done
  mkdir -p /newroot/proc /newroot/sys /newroot/dev /newroot/tmp /newroot/run /newroot/root
  chmod 755 /newroot
  chmod 1777 /newroot/tmp
  for dir in proc sys dev tmp; do
    mount --move /$dir /newroot/$dir
  done
  [ "$case" = nouserns ] && echo 0 >/newroot/proc/sys/user/max_user_namespaces
  cd /newroot || exit 1
  mount --move . /
  GUEST_INSIDE=1 exec chroot . /bin/sh /guest.sh "$case" "$stage"
fi

n=0
check() { # name, condition as a command
  n=$((n + 1))
  name=$1
  shift
  if "$@"; then
    echo "ok $n - $case: $name"
  else
    echo "not ok $n - $case: $name"
    sed 's/^/# /' /work/said 2>/dev/null | head -n 12
  fi
}
# What a file holds, and what is said.
is() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }
said() { grep -qi -- "$1" /work/said; }
status_is() { [ "$status" = "$1" ]; }

as_user() {
  if [ "$uid" = 0 ]; then "$@"; else /usr/bin/setpriv "--reuid=$uid" "--regid=$uid" --clear-groups env HOME=/home/user "$@"; fi
}
run() { # sandbox, options..., -- command
  sandbox=$1
  shift
  (cd /work/ws && as_user "$weir" --config "/etc/weir-$uid.conf" run -m workspace-write --sandbox "$sandbox" "$@") \
    >/work/said 2>&1 </dev/null
  status=$?
}
prepare() {
  rm -rf /work
  mkdir -p /work/ws /work/out "/var/lib/state-$uid" /home/user
  echo before >/work/out/victim
  chmod 600 /work/out/victim
  chown -R "$uid:$uid" /work "/var/lib/state-$uid" /home/user
  printf 'plugin_dir = "%s";\nstate_dir = "%s";\n%s\n' "$stage/prefix/lib/weir/plugins-1" "/var/lib/state-$uid" "$1" >"/etc/weir-$uid.conf"
}

# A backend that works: writes inside land, writes outside do not, and what it claims is true.
works() { # label, sandbox
  run "$2" -- sh -c 'echo inside >file; cat file'
  check "$1: a write inside" is /work/ws/file inside
  check "$1: its status" status_is 0
  run "$2" -- sh -c 'echo changed >/work/out/victim'
  check "$1: a write outside is denied" is /work/out/victim before
  check "$1: and its status tells" [ "$status" != 0 ]
  run "$2" --json -- sh -c 'chmod 644 /work/out/victim'
  if [ "$(stat -c %a /work/out/victim)" = 600 ]; then
    check "$1: metadata outside is held" true
  else
    check "$1: metadata outside is not held, and that is said" said metadata
    chmod 600 /work/out/victim
  fi
  run "$2" -- sh -c 'exit 7'
  check "$1: an exit status passes through" status_is 7
  run "$2" -- sh -c 'kill -9 $$'
  check "$1: a signal passes through" status_is 137
}
# A backend that cannot work: nothing runs, and what to do is said.
refuses() { # label, sandbox, word of the reason
  rm -f /work/ws/ran
  run "$2" -- sh -c 'echo ran >ran'
  check "$1: refused" status_is 125
  check "$1: the command did not run" [ ! -e /work/ws/ran ]
  check "$1: the reason is said" said "$3"
}
doctor() { # word that it must say
  as_user "$weir" --config "/etc/weir-$uid.conf" doctor >/work/said 2>&1
  status=$?
  check "doctor says: $1" said "$1"
}

for uid in 0 65533; do
  who=$([ $uid = 0 ] && echo root || echo user)
  prepare ''
  case $case in
    abi2 | abi6)
      works "$who, landlock" landlock
      works "$who, bwrap" bwrap
      doctor landlock
      prepare 'plugins : { landlock : { namespaces = "off"; }; };'
      works "$who, landlock without namespaces" landlock
      ;;
    off)
      refuses "$who, landlock" landlock "landlock"
      works "$who, bwrap" bwrap
      doctor landlock
      ;;
    nouserns)
      works "$who, landlock falls to its second tier" landlock
      run landlock --json -- true
      check "$who: which is called partial" said '"enforcement": *"partial"'
      if [ "$uid" != 0 ]; then
        refuses "$who, bwrap" bwrap "bwrap"
      fi
      prepare 'plugins : { landlock : { namespaces = "require"; }; };'
      refuses "$who, landlock that requires namespaces" landlock "namespaces"
      doctor namespaces
      ;;
  esac
done
