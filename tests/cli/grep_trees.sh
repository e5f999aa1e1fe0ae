# For scripts that compare grep with rg: a tree of difficult files, and the comparison.

# Makes a tree of files with several line ends, without a final line end, with blank lines, NUL
# bytes early and late, several encodings, long lines and odd names.
make_tree() {
    mkdir -p .git src/deep/er src/.hid node docs empty 'odd names'
    printf '*.log\n/node\n!keep.log\n' >.gitignore
    printf 'draft*\n' >.ignore
    printf 'int main(void)\n{\n\treturn foo_bar(42);\n}\n' >src/main.c
    printf '#include <foo.h>\n\nstruct Foo { int bar; };\n/* FOO foo Foo fOo */\n' >src/foo.h
    printf 'foo\nbar\nfoo bar\nbaz\n\n\nfoo\nqux foo-bar foobar foo\nlast foo' >src/deep/plain.txt
    printf 'def foo(self):\n    return self.bar  # TODO: foo\n' >src/deep/er/a.py
    printf 'hidden foo\n' >src/.hid/x.c
    printf 'secret foo\n' >.secret
    printf 'log foo\n' >src/a.log
    printf 'kept foo\n' >src/keep.log
    printf 'draft foo\n' >draft1
    printf 'node foo\n' >node/n.js
    printf 'foo caf\303\251 na\303\257ve \316\243\316\257\317\203\317\205\317\206\316\277\317\202 foo\nSTRASSE stra\303\237e \305\277oft \342\204\252elvin foo\n\360\237\230\200foo\360\237\230\200\n' >docs/utf8.txt
    printf 'caf\351 foo\nplain foo\n\377\376 bad foo \200\n' >docs/latin1.txt
    printf '\377\376f\000o\000o\000 \000b\000a\000r\000\n\000x\000\n\000' >docs/utf16le.txt
    printf '\376\377\000f\000o\000o\000 \000b\000a\000r\000\n\000x\000\n' >docs/utf16be.txt
    printf '\357\273\277foo bom\nbar\n' >docs/bom.txt
    printf 'foo one\r\nbar two\r\n\r\nfoo three\r\n' >docs/crlf.txt
    printf 'foo\nbar\000baz\nfoo again\n' >docs/nul.bin
    printf 'f\nfoo\000\nbar\n' >docs/nul2.bin
    printf '\000foo\n' >docs/nul3.bin
    : >docs/empty.txt
    printf '\n' >docs/newline.txt
    printf 'foo' >docs/noend.txt
    printf '\n\n\nfoo\n\n\n' >docs/blank.txt
    awk 'BEGIN { for (i = 1; i <= 40; i++) print (i % 7 == 0 ? "foo " : "") "line " i (i % 5 == 0 ? " bar" : "") }' >docs/many.txt
    awk 'BEGIN { for (i = 0; i < 3; i++) { printf "foo "; for (j = 0; j < 300; j++) printf "word%d ", j; print "bar foo" } }' >docs/long.txt
    awk 'BEGIN { for (i = 1; i <= 4000; i++) print "number " i (i % 500 == 3 ? " foo" : "") (i % 900 == 0 ? " bar foo" : "") }' >docs/big.txt
    { cat docs/big.txt; printf 'foo\000tail foo\n'; cat docs/big.txt; } >docs/late_nul.bin
    { cat docs/big.txt docs/big.txt; printf 'x\000y'; } >docs/later_nul.bin
    printf 'foo\n' >'odd names/with space'
    printf 'foo\n' >$'odd names/new\nline'
    printf 'foo\n' >$'odd names/bad\377utf'
    printf 'foo\n' >'odd names/-dash'
    printf 'foo bar\n   \tfoo indented\n\tbar\n' >docs/indent.txt
    printf 'a.b foo[1] $x ^y (z) {w} a+b a*b a?b back\\slash\n' >docs/meta.txt
    ln -s ../docs/indent.txt src/link.txt
    ln -s ../docs src/linked
    ln -s nowhere src/broken
}

# same ARGUMENT...: rg and bitsift must print the same bytes with the same exit status, and both or
# neither must write to standard error.
n_same=0
n_other=0
same() {
    local rg_status=0 our_status=0
    rg --no-config --sort path "$@" >"$SCRATCH/rg" 2>"$SCRATCH/rg.err" <"${INPUT:-/dev/null}" || rg_status=$?
    # rg can crash on empty matches with -P, and panics (exit status 101) on -U -m --json -r with
    # matches of several lines; such cases are not compared.
    [ "$rg_status" -lt 128 ] && [ "$rg_status" -ne 101 ] || return 0
    # Alternate between a pipe and an output file, with which grep compares each file that it reads.
    if (((n_same + n_other) % 2)); then
        bitsift grep "$@" >"$SCRATCH/ours" 2>"$SCRATCH/ours.err" <"${INPUT:-/dev/null}" || our_status=$?
    else
        bitsift grep "$@" 2>"$SCRATCH/ours.err" <"${INPUT:-/dev/null}" | cat >"$SCRATCH/ours"
        our_status=${PIPESTATUS[0]}
    fi
    if [[ " $* " == *' --json'[\ =]* || " $* " == *' --stats '* ]]; then
        plain_times "$SCRATCH/rg"
        plain_times "$SCRATCH/ours"
    fi
    local rg_says=no our_says=no
    [ ! -s "$SCRATCH/rg.err" ] || rg_says=yes
    [ ! -s "$SCRATCH/ours.err" ] || our_says=yes
    if cmp -s "$SCRATCH/rg" "$SCRATCH/ours" && [ "$rg_status" = "$our_status" ] && [ "$rg_says" = "$our_says" ]; then
        n_same=$((n_same + 1))
        return 0
    fi
    n_other=$((n_other + 1))
    printf 'other than rg:'
    printf ' %q' "$@"
    printf '\n  exit status %s, rg %s\n' "$our_status" "$rg_status"
    head -c 300 "$SCRATCH/ours.err" | sed 's/^/  ! /'
    head -c 300 "$SCRATCH/rg.err" | sed 's/^/  rg: /'
    diff -a "$SCRATCH/rg" "$SCRATCH/ours" | head -n 6 | cut -c 1-200 | cat -v || true
}

# same_with OPTION ARGUMENT...: bitsift must print the same bytes, with the same exit status, with
# and without the option.
same_with() {
    local option=$1
    shift
    { bitsift grep "$@" && echo some || echo "none: $?"; } >"$SCRATCH/without" 2>&1
    { bitsift grep "$option" "$@" && echo some || echo "none: $?"; } >"$SCRATCH/with" 2>&1
    if [[ " $* " == *' --json'[\ =]* || " $* " == *' --stats '* ]]; then
        plain_times "$SCRATCH/without"
        plain_times "$SCRATCH/with"
    fi
    cmp -s "$SCRATCH/without" "$SCRATCH/with" || {
        n_other=$((n_other + 1))
        printf 'other with %s:' "$option"
        printf ' %q' "$@"
        printf '\n'
    }
}

# pick LIST: sets `picked` to a random element of the list with this name.
pick() {
    local -n list=$1
    # shellcheck disable=SC2034 # read by the scripts
    picked=${list[RANDOM % ${#list[@]}]}
}

# make_texts FOLDER: writes six files of lines of random words from the list `words`; the last line
# may lack its line end.
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
        done >"$1/$file.txt"
    done
}

# Removes the times from --json and --stats.
plain_times() {
    sed -E -i -e 's/"elapsed(_total)?":\{[^}]*\}/"elapsed\1":T/g' -e 's/^[0-9]+\.[0-9]{6} seconds /T seconds /' -- "$1"
}

need_rg() {
    can_compare || exit 77
}

report_same() {
    printf '%d other than rg\n' "$n_other"
    [ "$n_same" -ge "$1" ] || printf 'only %d compared\n' "$n_same"
}
