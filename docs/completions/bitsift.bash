# Completion of bitsift for bash. Made by `bitsift --generate bash`; do not edit.

_bitsift()
{
    local word=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]} options= operands=nothing argument= i
    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
    # `--option=` comes as two words, `--option=x` as three.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '@names@--help --version' -- "$word")
        return
    fi
    case $command in
@options@
    esac
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && options= argument=
    done
    if [[ -z $argument ]]; then
        if [[ $word == -* && -n $options ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            return
        fi
        argument=$operands
    fi
    case $argument in
    folder)
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        ;;
    file)
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    listed)
        mapfile -t COMPREPLY < <(compgen -W "$(bitsift "$command" "$before" list 2> /dev/null)" -- "$word")
        ;;
    esac
}

complete -F _bitsift bitsift
