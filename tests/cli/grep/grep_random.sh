# bitsift grep, bitsift grep --brute and rg agree, for random patterns, options and texts. Options
# are anywhere in the command line, and may be undone by others. There is no index, a fresh one
# (also with --no-stat) or a stale one. The seed is fixed; ROUNDS and SEED select other cases:
# ROUNDS=5000 SEED=7 tests/cli/run.sh PROGRAM tests/cli/grep/grep_random.sh
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
RANDOM=${SEED:-4711}
n_cases=${ROUNDS:-60}

# shellcheck disable=SC2034 # used by name
words=(foo bar Foo ab aab 'x y' é ſt K_1 42 'a.b' '' 'foo bar' $'\t' '((' 'k' 'SS' $'\xff' $'ok\r')
make_odd_texts() {
    make_texts t
    ((RANDOM % 3)) || printf 'foo\0bar\nfoo\n' >>t/6.txt
}
# shellcheck disable=SC2034
atoms=(a b foo bar . '\w' '\d' '\s' '\S' '[ab]' '[^a]' '[a-f]' '(?:ab)' '(o)' '\b' é k S '\.' ' ' '(?i:FOO)' '[\s_]' '\W' '(?:x{1,2})' '\pL' '\x61'
    '[0-9]' '(?:\d\.)' '_' '(?:[A-Z]{2})' 'o b' '(?:foo|ab|42)' '[0-9a-f_]' '(?i)s')
# shellcheck disable=SC2034
quantifiers=('' '' '' '' '+' '*' '?' '{2}' '{0,1}' '+?' '*?')
# shellcheck disable=SC2034
options=('' '' -i -S -v -n -c -l -o -b --column --vimgrep --json -m1 -m2 -A1 -B1 -C2 '--color=always' --count-matches -H -I -a -U '-r <$0>' --trim
    --passthru -P '-P -o' --files-without-match -M12 --crlf '-C1 -n' -w -x -s -N -q --heading -p -0 --no-unicode -uuu --binary '-E utf-8' '-j 3' -L -t=txt
    --no-mmap --mmap '--max-columns-preview -M=9' '--field-match-separator=\t' '--context-separator=\x00 -A=2' '-g=*[1-4].txt' '--iglob *.TXT' -g!3.*
    --max-filesize=60 '--colors match:fg:blue --color ansi' '--include-zero -c' '--multiline-dotall -U' --no-context-separator
    --stats '--stats -q' '--json -q' '--json -r X' --stop-on-nonmatch '--stop-on-nonmatch -C1' '-C1 -A2' '-B0 -C2' '--passthru -m1' '-m2 -A2'
    '--color=always --colors highlight:bg:blue' '--colors match:style:italic --color=always -U' '--trim -M8' '--trim -M6 --max-columns-preview' '-U -o'
    '-U -r X$0' '-U --vimgrep' '-U -m2' '-U -m1 -A2' '-U -m1 --passthru' '-o -r $0$0' '-P -m1 -A2' '--null-data' '-p -N' '-N -p'
    '--hyperlink-format file://{path}#{line} --color=always' '-E latin1' '-c -l' '-l --count-matches' '-vm2' --no-heading '-d 2' '--crlf -r Y')
# shellcheck disable=SC2034
negations=('' '' '' '' --no-text --no-binary --no-column --no-crlf --no-fixed-strings --no-follow --no-heading --no-hidden --ignore --ignore-vcs
    --ignore-dot --no-json --no-line-buffered --no-max-columns-preview --messages --no-mmap --no-multiline --no-multiline-dotall
    --no-pcre2 --no-stats --no-trim --unicode --no-invert-match --no-byte-offset --no-include-zero --no-json --no-encoding --pcre2-unicode -s --no-filename --no-glob-case-insensitive -N --no-config)
make_pattern() {
    local n
    pattern=
    for ((n = 1 + RANDOM % 4; n > 0; n--)); do
        pick atoms
        pattern+=$picked
        [ "$picked" = '\b' ] && continue
        pick quantifiers
        pattern+=$picked
    done
    ((RANDOM % 6)) || pattern="^$pattern"
    ((RANDOM % 6)) || pattern="$pattern\$"
    ((RANDOM % 6)) || pattern="$pattern|foo"
}
# arrange OPTION...: sets `words_of` to these options, the pattern (passed in one of rg's ways,
# sometimes with a second pattern) and the folder, in random order.
arrange() {
    local group at
    local -a groups=() operands=(t)
    for group in "$@"; do
        [ -z "$group" ] || groups+=("${group// /$'\x1f'}")
    done
    case $((RANDOM % 8)) in
    0) operands=("$pattern" t) ;;
    1) groups+=("-e$us$pattern") ;;
    2) groups+=("--regexp=$pattern") ;;
    3) [ -z "$pattern" ] && groups+=("-e$us") || groups+=("-e=$pattern") ;;
    4)
        groups+=("-e$us$pattern" "-f$us$SCRATCH/patterns")
        pick atoms
        [[ $chosen == *-unicode* ]] && picked=k
        printf '%s\n' "$picked" >"$SCRATCH/patterns"
        ;;
    5)
        printf '%s\r\nq0q' "$pattern" >"$SCRATCH/patterns"
        groups+=("--file=$SCRATCH/patterns")
        ;;
    *) groups+=("--regexp$us$pattern") ;;
    esac
    words_of=()
    for ((at = ${#groups[@]}; at > 0; at--)); do
        local i=$((RANDOM % at))
        group=${groups[i]}
        groups[i]=${groups[at - 1]}
        ((${#operands[@]} && RANDOM % 4 == 0)) && words_of+=("${operands[0]}") && operands=("${operands[@]:1}")
        while [[ $group == *$us* ]]; do
            words_of+=("${group%%"$us"*}")
            group=${group#*"$us"}
        done
        words_of+=("$group")
    done
    ((RANDOM % 4)) || [ ${#operands[@]} -eq 0 ] || words_of+=(--)
    words_of+=("${operands[@]}")
}
# Removes the index, makes a fresh one, or makes one and then changes the texts; `how` is 0, 1 or 2.
change_index() {
    how=$((RANDOM % 3))
    rm -rf .bitsift
    ((how)) || return 0
    if ((how == 2)); then
        bitsift index -q --grams t
        make_odd_texts
    else
        settle
        bitsift index -q --grams t
    fi
}
# piped_same BYTES OPTION...: rg, whose standard input is a file, and bitsift grep, which gets it
# from a pipe in pieces of BYTES, must print the same.
piped_same() {
    local bytes=$1
    shift
    cat t/[1-5].txt >"$SCRATCH/in"
    rg --no-config "$@" - <"$SCRATCH/in" >"$SCRATCH/rg" 2>/dev/null || true
    dd if="$SCRATCH/in" obs="$bytes" status=none | bitsift grep "$@" - >"$SCRATCH/ours" 2>/dev/null || true
    if [[ " $* " == *' --json '* || " $* " == *' --stats '* ]]; then
        plain_times "$SCRATCH/rg"
        plain_times "$SCRATCH/ours"
    fi
    cmp -s "$SCRATCH/rg" "$SCRATCH/ours" || {
        n_other=$((n_other + 1))
        printf 'other than rg, in pieces of %s bytes:' "$bytes"
        printf ' %q' "$@"
        printf '\n'
    }
}
us=$'\x1f'
mkdir t
for ((i = 0; i < n_cases; i++)); do
    if ((i % 10 == 0)); then
        make_odd_texts
        change_index
    fi
    make_pattern
    pick options
    first=$picked
    pick options
    second=$picked
    pick negations
    third=$picked
    [ "$first" != "$second" ] || second=
    chosen=" $first $second $third "
    # With -v, rg forgets the limit of -m where it searches line by line or across lines, and
    # --stop-on-nonmatch stops one match too late.
    [[ $chosen != *' -v'* || ! $chosen =~ ' -vm2 '|' -m' || ! $chosen =~ ' -'[UP]|--(passthru|null-data) ]] || continue
    [[ $chosen != *' -v'* || $chosen != *--stop-on* ]] || continue
    # With -v, rg may print context lines after the limit of -m as matches if a file ends without a
    # line end.
    [[ $chosen != *' -v'* || ! $chosen =~ ' -vm2 '|' -m' || ! $chosen =~ ' -'[AC] || ! $(tail -qc 1 t/*.txt | tr -d '\n') ]] || continue
    # bitsift-grep(1) lists these differences: rg prints a separator even before a file of which it
    # prints nothing; and whether ^ and $ match next to NUL bytes depends on how rg searches.
    [[ $chosen != *' -U'* || ! $chosen =~ ' '-[ABC] || ! $chosen =~ ' -o'|vimgrep ]] || continue
    [[ $chosen != *--null-data* || ! $pattern =~ ^\^|\$$|\$\|foo$ ]] || continue
    # After an empty match rg -P continues inside a multi-byte character, where PCRE2 promises
    # nothing.
    [[ $chosen != *' -P'* ]] || ! { printf 'foo 1.\n\n' | rg --no-config -o -P -e "$pattern" || echo; } | grep -qx '' || continue
    arrange "$first" "$second" "$third"
    same "${words_of[@]}"
    same_with --brute "${words_of[@]}" # line by line, by PCRE2 alone
    ((how != 1)) || same_with --no-stat "${words_of[@]}"
    # shellcheck disable=SC2086 # several options
    ((i % 3)) || piped_same $((1 + i % 17)) $chosen -e "$pattern"
done
report_same $((n_cases * 2 / 3))
