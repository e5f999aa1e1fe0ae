# bitsift grep and rg: many options, alone and together, over a tree of difficult files.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree
patterns=(foo 'foo|bar' 'fo+\b' '^foo' 'x*' '(?i)FOO' '\w+\s+\w+' '[^a]oo' 'caf.' '^$' '(f)(o+)' 'o b|r f')
for pattern in "${patterns[@]}"; do
    for options in '' '-i -x' '-v -n' '-c -P' '--count-matches' '-l' '--files-without-match' '-o -b -H' '-q' \
        '-m2 -A1 -n' '-B1 -I' '-C1 --column' '--vimgrep' '--json' '--json -P' '--color=always -n -i -C1' '-a -o -P' '--trim -n -M20' \
        '-r <$0> -n' '-P -o -n -r X' '--passthru -n'; do
        # shellcheck disable=SC2086 # several options
        same $options -e "$pattern" src docs
    done
done
same -w foo src docs
same -w 'foo|ba' src docs
same -w -i FOO -o -n src
same -S Foo .
same -S foo .
same -S '\Sfoo' src
same -s -S foo src
same -F 'a.b' -F docs
same -F -x foo src docs
same -F -w '[1]' docs
same -F -i -e 'A*B' -e '\' docs
report_same 240
# rg crashes in this case: with -m1, the last match ends in a line that is not printed.
printf 'a\nfoo\nfoo\n' >two.txt
bitsift grep --json -U -m1 'o\n?f?' two.txt | grep -o '"submatches".*'
