#!/usr/bin/env bash
# docs.sh PROGRAM DOCS_DIR: tests that the manual pages and the completions have every command and
# every option that --help lists, and that page readers and shells accept them without a warning.
# Readers and shells that are not installed are skipped.
set -euo pipefail
program=$1 docs=$2
PATH=$(dirname "$program"):$PATH

failed=0
complain() {
    echo "$1"
    failed=1
}
has() { # PROGRAM: whether it is installed
    command -v "$1" > /dev/null
}

commands=$("$program" --help | awk -v RS= 'NR == 2' | awk '{print $1}')
[ -n "$commands" ] || complain "--help lists no commands"
[ "$(cd "$docs/man1" && echo *)" = "$(printf 'bitsift-%s.1\n' $commands | sort | tr '\n' ' ')bitsift.1" ] ||
    complain "manual pages: $(cd "$docs/man1" && echo *), commands: $commands"
options_of() { # COMMAND
    "$program" "$1" --help | sed -n 's/^  \(-[a-zA-Z0-9],\|   \) \(--[a-z0-9-]*\).*/\2/p'
}

topics="bloom"
[ "$(cd "$docs/man7" && echo *)" = "$(printf 'bitsift-%s.7\n' $topics | sort | tr '\n' ' ' | sed 's/ $//')" ] ||
    complain "manual pages: $(cd "$docs/man7" && echo *), topics: $topics"

for wrong in "" nonsense "man nonsense" "bash query"; do
    # shellcheck disable=SC2086 # several words
    ! "$program" --generate $wrong > /dev/null 2>&1 || complain "--generate $wrong is accepted"
done

# ---- bash: completions

. "$docs/bitsift.bash"
compopt() { :; } # compopt fails outside of a completion
offers() { # WORD...: sets $offered to the completions of the last word
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _bitsift
    offered=" ${COMPREPLY[*]} "
}
expect() { # WANTED WORD...
    local wanted=$1
    shift
    offers "$@"
    [ "$offered" = " $wanted " ] || complain "bash: \`$*\` offers$offered, not $wanted"
}
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd -- "$place"
mkdir "a folder"
touch "a file"
for command in $commands; do
    expect "$command" bitsift "${command:0:3}"
done
expect "--kernel" bitsift query --ker
expect "$(bitsift query --kernel list | tr '\n' ' ' | sed 's/ $//')" bitsift query --kernel ""
expect plain bitsift query --kernel = plai
expect "a folder" bitsift query --index a
expect "a folder" bitsift query --index = ""
offers bitsift index a
[ "${#COMPREPLY[@]}" = 2 ] || complain "bash: index offers$offered for SOURCE"
expect "" bitsift query a
expect "" bitsift query -- --
expect "" bitsift index -j ""
expect "" bitsift nothing --

# ---- every option, in all completions and manual pages

for command in $commands; do
    options=$(options_of "$command")
    [ -n "$options" ] || complain "$command --help lists no options"
    offers bitsift "$command" --
    zsh=$(sed -n "/^    $command)/,/;;/p" "$docs/_bitsift")
    for option in $options; do
        [[ $offered == *" $option "* ]] || complain "bash: $command does not offer $option"
        [[ $zsh == *"$option"[\[=\}]* ]] || complain "zsh: $command has no $option"
        grep -q -- "__bitsift_in $command' -l ${option#--} " "$docs/bitsift.fish" ||
            complain "fish: $command has no $option"
        name=$(printf %s "${option#-}" | sed 's/-/\\\\-/g')
        grep -qE -- "^\\.It .*Fl $name( |\$)" "$docs/man1/bitsift-$command.1" ||
            complain "man: $command has no $option"
    done
done

# ---- programs that read manual pages

for page in "$docs"/man1/* "$docs"/man7/*; do
    complaints=
    ! has groff || complaints=$(groff -ww -mdoc -Tutf8 -P-c "$page" 2>&1 > /dev/null) && [ -z "${complaints:-}" ] ||
        complain "groff: $complaints"
    # The pages have no date, so that builds are reproducible.
    ! has mandoc || complaints=$(mandoc -Tlint -W warning "$page" | grep -v 'cannot parse date') || true
    [ -z "${complaints:-}" ] || complain "mandoc: $complaints"
    grep -q '^\.Sh DESCRIPTION$' "$page" || complain "$page has no description"
    ! grep '^\.\\" @' "$page" || complain "$page: this line should have been replaced"
done
# Tables and figures must appear unchanged in a terminal of 80 columns.
for topic in $topics; do
    text=$("$program" help "$topic")
    ! awk 'length($0) > 80' <<< "$text" | grep . || complain "help $topic is too wide"
    has groff || continue
    page=$(groff -mdoc -Tutf8 -P-c -rLL=78n "$docs/man7/bitsift-$topic.7" | sed 's/[−‐]/-/g; s/^ *//')
    while IFS= read -r line; do
        grep -qxF -- "${line#"${line%%[! ]*}"}" <<< "$page" || complain "man: the page of $topic has no line: $line"
    done < <(grep '^    ' <<< "$text")
done
if has zsh; then
    zsh -n "$docs/_bitsift" || complain "zsh cannot read _bitsift"
fi
if has fish; then
    fish --no-execute "$docs/bitsift.fish" || complain "fish cannot read bitsift.fish"
    for command in $commands; do
        offered=$(HOME=$place fish --no-config -c "source '$docs/bitsift.fish'; complete -C 'bitsift $command --'")
        for option in $(options_of "$command"); do
            grep -q -- "^$option\b" <<< "$offered" || complain "fish: $command does not offer $option"
        done
    done
fi
exit $failed
