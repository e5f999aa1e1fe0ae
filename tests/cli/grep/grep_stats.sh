# grep --stats and the summary of --json count what rg counts; rg has no --stats=json.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree
modes=('' -c -l --count-matches --files-without-match -q -o -v -C2 --heading '--color always -n' --vimgrep -U '-r X' -m2 '-m1 -A2' --passthru
    '--color always --hyperlink-format kitty' -0 -I '-M10' --include-zero '-v -c' '-o -b' --stop-on-nonmatch '-P -v' --trim)
for mode in "${modes[@]}"; do
    for rest in '' -a --binary '-E utf-16' --mmap --no-mmap '-uu -L' '-j 1' '-P -m3 -A1'; do
        # shellcheck disable=SC2086 # several options
        [[ $mode == *-v* && $rest == *-m* ]] || same --stats $mode $rest foo src docs
    done
    # shellcheck disable=SC2086
    same --stats $mode foo docs/late_nul.bin
    # shellcheck disable=SC2086
    same --stats $mode foo docs/nul.bin docs/utf16le.txt nowhere
    # shellcheck disable=SC2086
    INPUT=docs/many.txt same --stats $mode foo
    # shellcheck disable=SC2086
    same --json --stats $mode foo src docs/many.txt
    # shellcheck disable=SC2086
    same $mode --json -q foo src docs
    # shellcheck disable=SC2086
    same --stats $mode nothing-at-all src
done
same --stats --files src
same --stats -m0 foo src
same --stats --no-stats foo src
same --stats -f /dev/null src
same --stats --no-messages foo nowhere
# With an index, too, all files count as searched.
settle
bitsift index -q --grams .
for options in '' --json -c -q; do
    # shellcheck disable=SC2086
    same --stats $options foo
    # shellcheck disable=SC2086
    same --stats $options 'foo_bar'
done
report_same 300
show bitsift grep --stats=x foo src
bitsift grep --stats=json -c foo_bar src 2>"$SCRATCH/stats"
sed 's/"[a-z0-9]*_us":[0-9.]*/T/g; s/T,T,T/TIMES/' "$SCRATCH/stats"
bitsift grep --stats=json --no-stats -c foo_bar src
bitsift grep --stats --stats=json -q foo_bar src 2>&1 | grep -c verified
# All pieces of a large file count as read.
mkdir large
head -c 300000 /dev/zero | tr '\0' '\n' >large/a.txt
bitsift grep --stats=json -q foo large 2>&1 | grep -o '"bytes_verified":[0-9]*'
