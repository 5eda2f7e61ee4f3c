#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: kernels.sh STAGE
# Boots other kernels under qemu and runs what STAGE/prefix holds in them: Linux 6.1 (Landlock ABI 2), 6.12 (ABI 6), Landlock
# switched off, user namespaces refused; as root and as another user.  tests/e2e/kernels-guest.sh is what runs inside.
# Prints a line for each check and, at last, "TOTAL passed failed skipped".
set -uo pipefail
stage=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=${WEIR_KERNEL_CACHE:-$stage/kernels}
work=$(mktemp -d "$stage/kernels-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

skip_all() {
  echo "skipped: $*"
  echo "TOTAL 0 0 1"
  exit 0
}

[ "$(uname -m)" = x86_64 ] || skip_all "the guest kernels are for x86_64, this is $(uname -m)"
for tool in qemu-system-x86_64 busybox cpio apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done

# ---- kernels, by apt with lists and state of its own -------------------------------------------------

apt_private() {
  local tool=$1
  shift
  "$tool" -o "Dir::Etc::SourceList=$cache/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State=$cache/apt/state" \
    -o "Dir::Cache=$cache/apt/cache" -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Debug::NoLocking=1 "$@"
}

fetch_kernels() {
  local mirror name
  mirror=$(sed -n 's/^URIs: *\(.*\/debian\)\/* *$/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  [ -n "$mirror" ] || mirror=$(sed -n 's/^deb [^h]*\(http[^ ]*\/debian\)\/* .*/\1/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
  mkdir -p "$cache/apt/state/lists/partial" "$cache/apt/cache/archives/partial"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "${mirror:-http://deb.debian.org/debian}" bookworm \
    "${mirror:-http://deb.debian.org/debian}" bookworm-backports >"$cache/apt/sources.list"
  apt_private apt-get update -qq >"$cache/apt/log" 2>&1 || return 1
  for suite in bookworm bookworm-backports; do
    [ -e "$cache/$suite.vmlinuz" ] && continue
    name=$(apt_private apt-cache -t "$suite" depends linux-image-cloud-amd64 2>/dev/null \
      | sed -n 's/.*Depends: \(linux-image-[0-9].*-cloud-amd64\).*/\1/p' | tail -n 1)
    [ -n "$name" ] || return 1
    (cd "$cache" && rm -rf extracted && apt_private apt-get download "$name" >>apt/log 2>&1 \
      && dpkg-deb -x "$name"_*.deb extracted && cp extracted/boot/vmlinuz-* "$suite.vmlinuz" && rm -rf extracted "$name"_*.deb) || return 1
  done
}

mkdir -p "$cache"
if [ ! -e "$cache/bookworm.vmlinuz" ] || [ ! -e "$cache/bookworm-backports.vmlinuz" ]; then
  fetch_kernels || { tail -n 5 "$cache/apt/log" 2>/dev/null; skip_all "the kernels could not be fetched (offline?)"; }
fi

# ---- the guest's files ------------------------------------------------------------------------------------

copy_with_libraries() { # program, at the same path in the guest
  local file=$1 library
  mkdir -p "$root$(dirname "$file")"
  cp -L "$file" "$root$file"
  for library in $(ldd "$file" 2>/dev/null | grep -o '/[^ )]*'); do
    [ -e "$root$library" ] && continue
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}

root=$work/root
mkdir -p "$root"/{bin,sbin,usr/bin,etc,proc,sys,dev,tmp,run,var/lib,home} "$root$stage"
chmod 1777 "$root/tmp"
cp /bin/busybox "$root/bin/busybox"
for applet in $(busybox --list); do
  [ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
done
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
cp -r "$stage/prefix" "$root$stage/prefix"
export LD_LIBRARY_PATH=$stage/prefix/lib
copy_with_libraries "$stage/prefix/bin/weir"
for plugin in "$stage"/prefix/lib/weir/plugins-1/*.so; do
  copy_with_libraries "$plugin"
done
copy_with_libraries "$(command -v bwrap)"
copy_with_libraries "$(command -v setpriv)"
unset LD_LIBRARY_PATH
mkdir -p "$root/lib64"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp "$here/kernels-guest.sh" "$root/guest.sh"
cat >"$root/init" <<'INIT'
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t securityfs securityfs /sys/kernel/security
mount -t tmpfs tmpfs /tmp
chmod 1777 /tmp
export PATH=/bin:/sbin:/usr/bin
read -r line </proc/cmdline
for word in $line; do
  case $word in
    weir.stage=*) stage=${word#*=} ;;
    weir.case=*) case=${word#*=} ;;
  esac
done
sh /guest.sh "$case" "$stage" 2>&1
echo "@@END"
poweroff -f
INIT
chmod +x "$root/init"
# The root of an initramfs cannot be pivoted or bound over as a mount can, so the guest moves to a tmpfs first.
(cd "$root" && find . -mindepth 1 | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initramfs.gz"

# cx16=off: qemu's emulation of cmpxchg16b makes 6.12 crash now and then.
boot() { # kernel, case, more of the command line
  local attempt
  for attempt in 1 2 3; do
    timeout -k 10 900 qemu-system-x86_64 -accel tcg -cpu max,la57=off,cx16=off -smp 1 -m 768 -nographic -no-reboot -nic none \
      -kernel "$1" -initrd "$work/initramfs.gz" \
      -append "console=ttyS0 quiet panic=-1 tsc=unstable mitigations=off weir.stage=$stage weir.case=$2 ${3:-}" \
      </dev/null 2>/dev/null | tr -d '\r' | sed 's/\x1bc//g; s/\x1b\[[0-9;?]*[a-zA-Z]//g' >"$work/console"
    grep -q '^@@END' "$work/console" && return 0
    echo "  the guest did not come to its end (attempt $attempt)"
  done
  return 1
}

run_case() { # label, kernel, case, command line
  echo "-- $1"
  if ! boot "$cache/$2.vmlinuz" "$3" "${4:-}"; then
    tail -n 15 "$work/console"
    failed=$((failed + 1))
    return
  fi
  grep -E '^(ok|not ok|#)' "$work/console"
  passed=$((passed + $(grep -c '^ok' "$work/console")))
  failed=$((failed + $(grep -c '^not ok' "$work/console")))
  grep -q '^ok' "$work/console" || { tail -n 15 "$work/console"; failed=$((failed + 1)); }
}

run_case "Linux 6.1, Landlock ABI 2" bookworm abi2
run_case "Linux 6.12, Landlock ABI 6" bookworm-backports abi6
run_case "Linux 6.1, Landlock off" bookworm off "lsm=lockdown,yama"
run_case "Linux 6.12, no user namespaces" bookworm-backports nouserns
echo "TOTAL $passed $failed $skipped"
