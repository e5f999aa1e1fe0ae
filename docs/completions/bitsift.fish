# Completion of bitsift for fish. Made by `bitsift --generate fish`; do not edit.

function __bitsift_in --description 'Whether the command is the one named; without a name: none yet'
    set -l words (commandline -opc)
    if test (count $argv) -eq 0
        test (count $words) -eq 1
    else
        test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
    end
end

complete -c bitsift -f
complete -c bitsift -n __bitsift_in -l help -s h -d 'show the commands'
complete -c bitsift -n __bitsift_in -l version -d 'show the version'
@options@
