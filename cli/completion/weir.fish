# fish completion for weir
# SPDX-License-Identifier: Apache-2.0

set -l commands run plan explain doctor config plugin version help

# The command of weir that the line names, once it is there.
function __weir_command
    set -l words (commandline -opc)
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case -c -s --config --set --plugin-dir --state-dir --color
                set skip 1
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end

function __weir_is
    set -l command (__weir_command)
    and contains -- $command $argv
end

function __weir_none
    not __weir_command >/dev/null
end

# The command line that follows the options of run and plan, and what may come next in it.
function __weir_rest
    set -l words (commandline -opc)
    set -l now (commandline -ct)
    set -l seen 0
    set -l skip 0
    set -l first 0
    for i in (seq 2 (count $words))
        if test $skip = 1
            set skip 0
            continue
        end
        switch $words[$i]
            case --
                if test $seen = 1
                    set first (math $i + 1)
                    break
                end
            case -c -s -m -C -e --config --set --plugin-dir --state-dir --color --mode --directory --cwd --sandbox --rw --ro \
                    --deny-read --network --limit --env --timeout --keep
                set skip 1
            case '-*'
            case '*'
                if test $seen = 1
                    set first $i
                    break
                end
                set seen 1
        end
    end
    if test $first = 0
        string match -q -- '-*' "$now"; and return
        complete -C "$now"
    else if test $first -gt (count $words)
        complete -C "$now"
    else
        complete -C (string join -- ' ' (string escape -- $words[$first..-1]) "$now")
    end
end

function __weir_plugins
    weir plugin list 2>/dev/null | string replace -r '\s.*' ''
end

complete -c weir -f
complete -c weir -n __weir_none -a run -d 'run a command, confined'
complete -c weir -n __weir_none -a plan -d 'say what would be executed, and run nothing'
complete -c weir -n __weir_none -a explain -d 'say whether an operation would be allowed, and why'
complete -c weir -n __weir_none -a doctor -d 'check what this machine can enforce'
complete -c weir -n __weir_none -a config -d 'check the configuration, or show it'
complete -c weir -n __weir_none -a plugin -d 'list the plugins, or show one'
complete -c weir -n __weir_none -a version -d 'print the version'
complete -c weir -n __weir_none -a help -d 'help on a command'

complete -c weir -s c -l config -r -F -d 'read this configuration file alone'
complete -c weir -s s -l set -x -d 'a value over the configuration'
complete -c weir -l plugin-dir -x -a '(__fish_complete_directories)' -d 'load plugins from here'
complete -c weir -l state-dir -x -a '(__fish_complete_directories)' -d 'keep state here'
complete -c weir -s q -l quiet -d 'no explanations and warnings'
complete -c weir -s v -l verbose -d 'say more on standard error'
complete -c weir -l color -x -a 'auto always never' -d 'when to color'
complete -c weir -s h -l help -d help
complete -c weir -l version -d 'the version'

set -l policy '__weir_is run plan explain'
complete -c weir -n $policy -s m -l mode -x -a 'read-only workspace-write danger-full-access' -d 'which file effects the command may have'
complete -c weir -n $policy -s C -l directory -x -a '(__fish_complete_directories)' -d 'the workspace'
complete -c weir -n $policy -l cwd -x -a '(__fish_complete_directories)' -d 'where the command starts'
complete -c weir -n $policy -l sandbox -x -a '(__weir_plugins)' -d 'this sandbox alone'
complete -c weir -n $policy -l rw -r -F -d 'one more writable root'
complete -c weir -n $policy -l ro -r -F -d 'read-only inside a writable root'
complete -c weir -n $policy -l deny-read -r -F -d 'hidden from the command'
complete -c weir -n $policy -l network -x -a 'none loopback inherit' -d 'what it may reach'
complete -c weir -n $policy -l limit -x -a 'processes= memory= cpu= files= file_size= wall=' -d 'a limit'
complete -c weir -n $policy -s e -l env -x -a '(set -nx)' -d 'pass a variable on, or set it'
complete -c weir -n $policy -l timeout -x -d 'end the command after this time'

complete -c weir -n '__weir_is run' -s t -l tty -d 'give the command a terminal'
complete -c weir -n '__weir_is run' -s T -l no-tty -d 'never give it one'
complete -c weir -n '__weir_is run' -l keep -x -a 'tail head' -d 'which end of the output to keep'
complete -c weir -n '__weir_is run plan explain doctor config plugin version' -l json -d 'print JSON'
complete -c weir -n '__weir_is explain' -l path -r -F -d 'the path to ask about'
complete -c weir -n '__weir_is explain' -l op -x -a 'read write create delete rename metadata execute' -d 'the operation'
complete -c weir -n '__weir_is config' -l origin -d 'where each value came from'
complete -c weir -n '__weir_is config' -a 'check show'
complete -c weir -n '__weir_is plugin' -a 'list info (__weir_plugins)'
complete -c weir -n '__weir_is help' -a "$commands"
complete -c weir -n '__weir_is run plan' -a '(__weir_rest)'
