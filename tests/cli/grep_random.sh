# bitsift grep, rg and bitsift grep --brute: random patterns and options over random text. The seed is fixed; CASES and SEED
# in the environment try others: CASES=5000 SEED=7 tests/cli/run.sh PROGRAM tests/cli/grep_random.sh
set -eu
. "$LIB"
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
RANDOM=${SEED:-4711}
n_cases=${CASES:-300}

pick() {
    local -n list=$1
    picked=${list[RANDOM % ${#list[@]}]}
}
# shellcheck disable=SC2034 # used by name
words=(foo bar Foo ab aab 'x y' é ſt K_1 42 'a.b' '' 'foo bar' $'\t' '((' 'k' 'SS' $'\xff' $'ok\r')
make_texts() {
    local file line n
    for file in 1 2 3 4 5 6; do
        for ((line = RANDOM % 12; line >= 0; line--)); do
            for ((n = RANDOM % 6; n > 0; n--)); do
                pick words
                printf '%s' "$picked"
                ((RANDOM % 2)) || printf ' '
            done
            ((line == 0 && RANDOM % 3 == 0)) || printf '\n'
        done >"t/$file.txt"
    done
    ((RANDOM % 3)) || printf 'foo\0bar\nfoo\n' >>t/6.txt
}
# shellcheck disable=SC2034
atoms=(a b foo bar . '\w' '\d' '\s' '\S' '[ab]' '[^a]' '[a-f]' '(?:ab)' '(o)' '\b' é k S '\.' ' ' '(?i:FOO)' '[\s_]' '\W' '(?:x{1,2})' '\pL' '\x61'
    '[0-9]' '(?:\d\.)' '_' '(?:[A-Z]{2})' 'o b' '(?:foo|ab|42)' '[0-9a-f_]' '(?i)s')
# shellcheck disable=SC2034
quantifiers=('' '' '' '' '+' '*' '?' '{2}' '{0,1}' '+?' '*?')
# shellcheck disable=SC2034
options=('' '' -i -S -v -n -c -l -o -b --column --vimgrep --json -m1 -m2 -A1 -B1 -C2 '--color=always' --count-matches -H -I -a -U '-r <$0>' --trim
    --passthru -P '-P -o' --files-without-match -M12 --crlf '-C1 -n')
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
# --brute finds the same, by nothing but PCRE2 and lines.
brute_same() {
    bitsift grep "$@" >"$SCRATCH/ours" 2>&1 || true
    bitsift grep --brute "$@" >"$SCRATCH/brute" 2>&1 || true
    if [[ " $* " == *' --json '* ]]; then
        plain_times "$SCRATCH/ours"
        plain_times "$SCRATCH/brute"
    fi
    cmp -s "$SCRATCH/ours" "$SCRATCH/brute" || {
        n_other=$((n_other + 1))
        printf 'other than --brute:'
        printf ' %q' "$@"
        printf '\n'
    }
}
# piped_same BYTES OPTION...: rg with a file as its input, and bitsift grep with that in small pieces, find the same.
piped_same() {
    local bytes=$1
    shift
    cat t/[1-5].txt >"$SCRATCH/in"
    rg --no-config --no-heading "$@" - <"$SCRATCH/in" >"$SCRATCH/rg" 2>/dev/null || true
    dd if="$SCRATCH/in" obs="$bytes" status=none | bitsift grep "$@" - >"$SCRATCH/ours" 2>/dev/null || true
    if [[ " $* " == *' --json '* ]]; then
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
mkdir t
for ((i = 0; i < n_cases; i++)); do
    ((i % 10)) || make_texts
    make_pattern
    pick options
    chosen=$picked
    pick options
    # rg refuses some options that are given twice.
    [ "$chosen" = "$picked" ] || chosen+=" $picked"
    [[ $chosen == *--json* && $chosen =~ -c|--count|-l|--files ]] && chosen=--json
    # Of an empty match at \b, rg's own engine forgets what stands before the next one; rg -P does not.
    [[ $pattern != *'\b'* || $chosen == *-P* ]] || chosen+=' -P'
    # Behind an empty match rg -P goes on inside of a character of several bytes, where PCRE2 promises nothing.
    [[ $chosen != *-P* ]] || ! { printf 'foo 1.\n\n' | rg --no-config -o -P -e "$pattern" || echo; } | grep -qx '' || continue
    # shellcheck disable=SC2086 # several options
    same $chosen -e "$pattern" t
    # shellcheck disable=SC2086
    brute_same $chosen -e "$pattern" t
    # shellcheck disable=SC2086
    ((i % 3)) || piped_same $((1 + i % 17)) $chosen -e "$pattern"
done
report_same $((n_cases * 2 / 3))
