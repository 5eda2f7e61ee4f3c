# Git in the workspace: ordinary work goes on, and nothing that git would run later can be planted; with namespaces, where it
# is refused, and without, where it is put right when the command has ended.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  [ -n "${WEIR:-}" ] || skip "WEIR does not name the command to test"
  need git
  common_setup
  mkdir "$T/etc"
  export CONF=$T/etc/weir.conf
  export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  git config --global user.name a
  git config --global user.email a@b
  git config --global init.defaultBranch main
  git config --global protocol.file.allow always
}

teardown() {
  [ -z "${T:-}" ] || common_teardown
}

with() { # landlock, landlock-off or bwrap
  export SANDBOX=$1
  need_sandbox
  conf
}

repository() { # directory
  git init -q "$1"
  git -C "$1" commit -q --allow-empty -m first
}

# The workspace as a repository with a submodule.
with_submodule() {
  repository "$T/lib"
  repository "$W"
  git submodule -q add "$T/lib" lib
  git commit -qm lib
}

# What the host's git would have run has left a mark.
nothing_ran() {
  [ ! -e "$T/ran" ] || fail "git on the host ran what the command planted"
}

host_uses_git() { # directory
  git -C "$1" status >/dev/null
  git -C "$1" commit -q --allow-empty -m host
  git -C "$1" checkout -q -B host-branch
  nothing_ran
}

# shellcheck disable=SC2016 # the command's shell expands it
work='set -e
  u=$(mktemp -u XXXXXXXX); echo $u >file; git add file; git commit -qm one; echo y >>file; git commit -qam two; git commit -q --amend -m two2
  git checkout -qb topic; echo $u >other; git add other; git commit -qm three
  git switch -q -; echo w >>file; git stash -q; git stash pop; git commit -qam four
  git merge -q -m merged topic; git branch more; git tag v1; git checkout -q topic; git rebase -q more; git log --oneline | wc -l'

works() { # directory
  run weir run -C "$1" -- sh -c "$work"
  expect 0
  lacks "$output" "weir: "
  git -C "$1" fsck --strict >/dev/null
  [ -z "$(git -C "$1" status --porcelain)" ]
}

work_in_repository() {
  repository "$W"
  works "$W"
  run weir run -- git gc -q
  expect 0
}

work_in_worktree() {
  repository "$T/main"
  rmdir "$W"
  git -C "$T/main" worktree add -q "$W"
  cd "$W" || return 1
  works "$W"
  # the main repository's own branch and configuration are out of reach
  run weir run -- sh -c "echo x >'$T/main/.git/HEAD'"
  [ "$status" != 0 ]
  run weir run -- sh -c "echo x >'$T/main/.git/hooks/pre-commit'"
  [ "$status" != 0 ]
  run weir run -- git config core.fsmonitor x
  [ "$status" != 0 ]
}

work_in_submodule() {
  with_submodule
  run weir run -- sh -c "cd lib && $work && cd .. && git add lib && git commit -qm lib && git status --porcelain"
  expect 0
  git -C lib fsck --strict >/dev/null
  # the submodule as the workspace: its directory lies in the superproject's
  git -C lib checkout -q main
  git -C lib branch -q -D topic more
  git -C lib tag -d v1
  works "$W/lib"
}

fetch_and_clone() {
  repository "$W"
  repository "$T/upstream"
  git remote add origin "$T/upstream"
  run weir run -- git fetch -q origin
  expect 0
  run weir run -- git rev-parse -q --verify origin/main
  expect 0
  # shellcheck disable=SC2016 # the command's shell expands it
  run weir run -- sh -c 'git clone -q . "${TMPDIR:-/tmp}/copy" && git -C "${TMPDIR:-/tmp}/copy" log -1 --format=%s'
  expect 0
  [ "$output" = first ]
}

@test "landlock with namespaces: work in a repository" { with landlock; work_in_repository; }
@test "landlock with namespaces: work in a linked worktree" { with landlock; work_in_worktree; }
@test "landlock with namespaces: work in a submodule" { with landlock; work_in_submodule; }
@test "landlock with namespaces: fetch and clone" { with landlock; fetch_and_clone; }
@test "landlock without namespaces: work in a repository" { with landlock-off; work_in_repository; }
@test "landlock without namespaces: work in a linked worktree" { with landlock-off; work_in_worktree; }
@test "landlock without namespaces: work in a submodule" { with landlock-off; work_in_submodule; }
@test "landlock without namespaces: fetch and clone" { with landlock-off; fetch_and_clone; }
@test "bwrap: work in a repository" { with bwrap; work_in_repository; }
@test "bwrap: work in a linked worktree" { with bwrap; work_in_worktree; }

# shellcheck disable=SC2016 # the command's shell expands it
# Everything that makes git run something, by a command that does not stop at the first refusal.
attack='
  evil="touch '\''$RAN'\''"
  plant() { for h in pre-commit post-checkout post-commit; do printf "#!/bin/sh\n%s\n" "$evil" >"$1/$h" && chmod +x "$1/$h"; done; }
  setting() { printf "[core]\n\tfsmonitor = \"%s;false\"\n\thooksPath = %s\n" "$evil" "$PWD/hooks" >>"$1"; }
  mkdir -p hooks fake/objects fake/refs; plant hooks; setting fake/config; mkdir fake/hooks; plant fake/hooks
  g=$(git rev-parse --git-dir); c=$(git rev-parse --git-common-dir)
  plant "$c/hooks"; setting "$c/config"; git config core.fsmonitor "$evil"
  cp "$c/config" new; setting new; mv new "$c/config"; cp fake/config "$c/config.lock"; mv "$c/config.lock" "$c/config"
  setting "$g/config.worktree"; echo "$PWD/fake" >"$g/commondir"; mv "$c/hooks" "$c/hooks2"; rm -rf "$c/hooks"; ln -s "$PWD/hooks" "$c/hooks"
  mkdir -p "$c/info"; echo "* filter=x" >"$c/info/attributes"; rm -f "$c/config"; setting "$c/config"
  for m in "$c"/modules/*; do [ -d "$m" ] && { plant "$m/hooks"; setting "$m/config"; echo "$PWD/fake" >"$m/commondir"; }; done
  [ ! -d lib ] || { echo "gitdir: $PWD/fake" >lib/.git; mv lib lib2; mkdir lib; echo "gitdir: $PWD/fake" >lib/.git; }
  mkdir -p "$c/modules/planted/objects" "$c/modules/planted/refs" "$c/modules/planted/hooks"
  echo "ref: refs/heads/x" >"$c/modules/planted/HEAD"; setting "$c/modules/planted/config"; plant "$c/modules/planted/hooks"
  [ -d .git ] || { echo "gitdir: $PWD/fake" >.git; rm -f .git; echo "gitdir: $PWD/fake" >.git; }
  true'

attacked() { # directory
  run weir run -C "$1" --env "RAN=$T/ran" -- sh -c "$attack"
  expect 0
  rm -rf "$T/ran"
}

plant_in_repository() {
  with_submodule
  cp .git/config "$T/config"
  cp .git/modules/lib/config "$T/lib-config"
  attacked "$W"
  cmp .git/config "$T/config"
  cmp .git/modules/lib/config "$T/lib-config"
  [ ! -e .git/commondir ]
  [ ! -e .git/config.worktree ]
  [ ! -e .git/modules/lib/commondir ]
  [ ! -e .git/modules/planted/config ]
  [ -z "$(find .git/hooks/ .git/modules/*/hooks/ -type f ! -name '*.sample' ! -name '*.weir-quarantine-*')" ]
  host_uses_git "$W"
  [ -e lib/.git ] || git submodule -q update
  host_uses_git "$W/lib"
}

@test "landlock with namespaces: nothing can be planted in a repository" { with landlock; plant_in_repository; }
@test "landlock without namespaces: what is planted in a repository is put right" {
  with landlock-off
  plant_in_repository
  contains "$output" "weir-quarantine-"
}
@test "bwrap: nothing can be planted in a repository" { with bwrap; plant_in_repository; }

plant_in_worktree() {
  repository "$T/main"
  rmdir "$W"
  git -C "$T/main" worktree add -q "$W"
  cd "$W" || return 1
  cp .git "$T/pointer"
  attacked "$W"
  cmp .git "$T/pointer"
  [ ! -e "$T/main/.git/worktrees/workspace/config.worktree" ]
  git -C "$T/main" config extensions.worktreeConfig true
  host_uses_git "$W"
  host_uses_git "$T/main"
}

@test "landlock with namespaces: nothing can be planted in a linked worktree" { with landlock; plant_in_worktree; }
@test "landlock without namespaces: what is planted in a linked worktree is put right" { with landlock-off; plant_in_worktree; }

hooks_path() {
  repository "$W"
  mkdir -p .husky/_ tools
  printf '#!/bin/sh\n' >.husky/_/pre-commit
  chmod +x .husky/_/pre-commit
  printf '[user]\n\tname = included\n' >tools/gitconfig
  git config core.hooksPath .husky/_
  git config include.path ../tools/gitconfig
  git add -A
  git commit -qm husky
  run weir run -- sh -c "
    printf '#!/bin/sh\ntouch $T/ran\n' >.husky/_/pre-commit; cp .husky/_/pre-commit .husky/_/post-commit
    chmod +x .husky/_/post-commit; printf '[core]\nfsmonitor = touch $T/ran\n' >tools/gitconfig
    mv .husky husky2; mkdir -p .husky/_; cp husky2/_/* .husky/_; mv tools tools2; mkdir tools; printf '[core]\nfsmonitor = touch $T/ran\n' >tools/gitconfig
    true"
  expect 0
  host_uses_git "$W"
  [ "$(git config user.name)" = included ]
}

@test "landlock with namespaces: hooksPath and include in the workspace" { with landlock; hooks_path; }
@test "landlock without namespaces: hooksPath and include in the workspace" { with landlock-off; hooks_path; }

@test "the git directory cannot be renamed or replaced" {
  with landlock
  repository "$W"
  run weir run -- mv .git .g2
  [ "$status" != 0 ]
  [ -d .git ] && [ ! -e .g2 ]
  run weir run -- rm -rf .git
  [ "$status" != 0 ]
  [ -f .git/config ] && [ -d .git/hooks ]
}

@test "a directory of hooks that was missing is missing afterwards" {
  with landlock
  repository "$W"
  rm -r .git/hooks
  run weir run -- sh -c 'echo x >.git/hooks/pre-commit'
  [ "$status" != 0 ]
  [ ! -e .git/hooks ]
  run weir run -- git commit -q --allow-empty -m x
  expect 0
  [ ! -e .git/hooks ]
}

@test "a pointer to somebody else's repository grants nothing" {
  with landlock
  repository "$T/main"
  git -C "$T/main" worktree add -q "$T/other"
  cp "$T/other/.git" .git
  run --separate-stderr weir run -- sh -c "echo x >'$T/main/.git/objects/x' || echo x >'$T/main/.git/worktrees/other/x'"
  [ "$status" != 0 ]
  # shellcheck disable=SC2154 # bats sets it
  contains "$stderr" "does not point back"
  [ ! -e "$T/main/.git/objects/x" ]
}

@test "what the host changes during a run stays" {
  with landlock
  repository "$W"
  mkfifo "$T/outside/go"
  weir run -- sh -c "echo up; cat '$T/outside/go'" >"$T/log" 2>&1 &
  until_true grep -q up "$T/log"
  git config user.name host
  printf '#!/bin/sh\n' >.git/hooks/pre-push
  echo >"$T/outside/go"
  wait $!
  [ "$(git config user.name)" = host ]
  [ -f .git/hooks/pre-push ]
  lacks "$(cat "$T/log")" quarantine
}

@test "read-only mode: git reads, and nothing is kept" {
  with landlock
  repository "$W"
  run weir run -m read-only -- git log --oneline
  expect 0
  run weir run -m read-only -- git commit -q --allow-empty -m x
  [ "$status" != 0 ]
}
