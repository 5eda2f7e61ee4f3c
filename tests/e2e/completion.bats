# The completions, in real shells.
# SPDX-License-Identifier: Apache-2.0

load helpers

setup() {
  common_setup
  dir=$WEIR_SRCDIR/cli/completion
  PATH=$(dirname "$WEIR"):$PATH
}

teardown() {
  common_teardown
}

# in_bash WORD...: what bash offers after these words, by the rules of its programmable completion.
in_bash() {
  bash --norc --noprofile -c '
    . "$1"; shift
    complete -p weir >/dev/null || exit 9
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    _weir 2>/dev/null
    printf "%s\n" "${COMPREPLY[@]}"' bash "$dir/weir" "$@"
}

@test "bash" {
  run in_bash weir ru
  expect 0
  [ "$output" = run ]
  run in_bash weir run --mo
  [ "$output" = --mode ]
  run in_bash weir run --mode ''
  contains "$output" workspace-write
  run in_bash weir run --network = l
  [ "$output" = loopback ]
  run in_bash weir run -m read-only -- unam
  contains "$output" uname
  run in_bash weir -c file config s
  [ "$output" = show ]
  run in_bash weir explain --op met
  [ "$output" = metadata ]
}

@test "bash: every option of --help is offered" {
  for command in run plan explain doctor config plugin version; do
    run in_bash weir $command --
    for option in $("$WEIR" $command --help | sed -n 's/^ .*\(--[a-z][a-z-]*\).*/\1/p' | sort -u); do
      printf '%s\n' "${lines[@]}" | grep -qxe "$option" || fail "$command: no $option in" "$output"
    done
  done
}

@test "bash with bash-completion loads it by itself" {
  [ -r /usr/share/bash-completion/bash_completion ] || skip "bash-completion is not installed"
  mkdir -p data/bash-completion/completions
  cp "$dir/weir" data/bash-completion/completions/
  run env XDG_DATA_HOME="$W/data" bash --norc --noprofile -c '
    . /usr/share/bash-completion/bash_completion
    _completion_loader weir
    complete -p weir
    COMP_WORDS=(weir run -- ls --col) COMP_CWORD=4 COMP_LINE="weir run -- ls --col" COMP_POINT=20
    _weir; printf "%s\n" "${COMPREPLY[@]}"'
  contains "$output" "complete -F _weir weir"
  contains "$output" "--color"
}

@test "fish" {
  need fish
  # fish finds the command line's command in PATH
  offers() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$dir/weir.fish" "$1"
  }
  run offers "weir ru"
  expect 0
  [[ "$output" == run$'\t'* ]]
  run offers "weir run --mode "
  contains "$output" danger-full-access
  run offers "weir run -m read-only -- unam"
  contains "$output" uname
  run offers "weir config "
  contains "$output" check
  run offers "weir explain --op met"
  contains "$output" metadata
  for option in $("$WEIR" run --help | sed -n 's/^ .*\(--[a-z][a-z-]*\).*/\1/p' | sort -u); do
    offers "weir run $option" | grep -qe "^$option" || fail "no $option"
  done
}

@test "zsh" {
  need zsh
  run zsh -f -c 'autoload -Uz zpty 2>/dev/null; zmodload zsh/zpty'
  [ "$status" = 0 ] || skip "zsh has no zpty module"
  # offers LINE PATTERN: what zsh lists for the line matches
  cat >"$T/offers.zsh" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=READY; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=0; bindkey '^I' list-choices; echo SETUP\$((1 + 1))-\$_comps[weir]-\$((2 + 1))DONE"
zpty -r z out '*3DONE*' && [[ $out == *SETUP2-_weir-3DONE* ]] || { print -r -- "$out"; exit 1 }
zpty -w -n z "$2"$'\t'
zpty -r z out "$3" || exit 2
exit 0
END
  offers() {
    COLUMNS=200 timeout $HANG zsh -f "$T/offers.zsh" "$dir" "$1" "$2"
  }
  run offers 'weir ru' '*confined*'
  expect 0
  run offers 'weir run --mode ' '*danger-full-access*'
  expect 0
  run offers 'weir run --network none -- unam' '*uname*'
  expect 0
  run offers 'weir explain --op met' '*metadata*'
  expect 0
}
