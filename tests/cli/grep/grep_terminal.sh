# bitsift grep and rg on a terminal: colours, line numbers, and hints, which only bitsift prints.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
can_use script || exit 77
make_tree
# on_terminal FILE COMMAND...: stores in FILE what the command writes to a terminal.
on_terminal() {
    local file=$1
    shift
    script -qec "$(printf '%q ' "$@")" /dev/null </dev/null >"$file" || true
}
# Without an index, a user gets a hint how to make one, but only once, and only if the output is a
# terminal.
SHELL=$BASH script -qec 'bitsift grep -c foo src/main.c >/dev/null' /dev/null </dev/null
for time in first second; do
    on_terminal "$SCRATCH/ours" bitsift grep -c foo src/main.c
    printf '%s time: ' $time
    tr -d '\r' <"$SCRATCH/ours"
done
# The source of this index is outside the folder of the index, and the user has not named it.
# Therefore grep searches without the index, and reports this.
mkdir -p far/src near
printf 'foo\n' >far/src/a.txt
settle
(cd near && XDG_STATE_HOME=$SCRATCH/stranger bitsift index -q ../far/src)
on_terminal "$SCRATCH/ours" env -C near bitsift grep -c foo ../far/src
tr -d '\r' <"$SCRATCH/ours"
rm -r far near
terminal_same() {
    on_terminal "$SCRATCH/rg" rg --no-config --sort path "$@"
    on_terminal "$SCRATCH/ours" bitsift grep "$@"
    plain_times "$SCRATCH/rg"
    plain_times "$SCRATCH/ours"
    if cmp -s "$SCRATCH/rg" "$SCRATCH/ours"; then
        n_same=$((n_same + 1))
    else
        n_other=$((n_other + 1))
        printf 'other than rg on a terminal: %s\n' "$*"
        diff -a "$SCRATCH/rg" "$SCRATCH/ours" | head -n 6 | cat -v
    fi
}
for term in xterm dumb; do
    export TERM=$term
    for options in '' -n -N -c -l -o -v --vimgrep --column -b -C1 -q '--color never' '--color always' '--colors match:none' -p '-p --color never' \
        '-p -N' '-N -p' '--heading' '--no-heading' '--no-heading -N' '-U' '--passthru' '-r X' '-H -o' '-M10' -I -0 --json \
        '--stats -q' '--colors highlight:bg:yellow' '--colors path:style:italic' '--hyperlink-format kitty' '--vimgrep --heading'; do
        # shellcheck disable=SC2086 # several options
        terminal_same $options foo src docs/many.txt docs/nul.bin docs/noend.txt
        # shellcheck disable=SC2086
        terminal_same $options foo docs/noend.txt
    done
done
export TERM=xterm
NO_COLOR=1 terminal_same foo docs
# Paths with line feeds are left out: on a terminal, bitsift escapes these (see terminal.sh).
terminal_same -g '!odd*' foo
terminal_same nothing-at-all
report_same 80
