# bitsift grep and rg: which files are searched, in which order, and what is printed for binary
# files and encodings.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree
for options in '' --hidden -. --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-require-git -u -uu -uuu -L '-L --hidden' \
    '-g *.c' '-g !*.txt' '-g docs/** -g !*.bin' '--iglob *.TXT' '--iglob !*.TXT -g *.txt' '--glob-case-insensitive -g *.TXT' \
    '-t c' '-tc -tpy' '-T c' '-t c -g plain.txt' '-t all' '-T all' '-tpy -Tpy' '--hidden -t c' '-t js' '--no-ignore -t js' \
    '--type-add foo:*.h --type foo' '--type-add foo:include:c,py -t foo' '--max-depth 1' '--max-depth 2' '--max-filesize 100' \
    '--max-filesize 1K' --binary -a '--no-ignore --hidden -l' '--sort path -n' '-j 1' '-j 5' '-0 -l' '-0' '-H' \
    '-P' '-P -a' '--json' '--json --binary' '-c --binary' '-l --binary' '-v -c' '-v --binary -c' '-q' '-m1 -l' '--null -c' \
    '--files-without-match' '--files-without-match --binary' '-C1 --binary' '-C2' '-A3 -n' '-b -o' '-E utf-8' '-E none' '-E latin1' '-E utf-16le'; do
    # shellcheck disable=SC2086 # several options
    same $options foo
    # shellcheck disable=SC2086
    same $options foo .
done
same foo src docs
same foo docs src
same foo docs/ src/main.c
same foo ./docs ./src/../src
same foo "$PWD/docs"
same foo -g '*.c' "$PWD"
same foo src/a.log node/n.js .secret
same foo src/link.txt src/linked
same foo docs/noend.txt
same foo -H docs/noend.txt
same foo -- 'odd names/-dash'
same foo 'odd names'
same foo 'odd names' -0
same foo 'odd names' --json
for file in docs/*; do
    for options in -n '-c' '-P -n' '-n -a' '-n -b -o' '--no-mmap -n' '--mmap -n' '--json' '-l' '-m1 -n' '-v -n -m3' '-C1 -n' '-U -n' '-U -P -n' '--json -U'; do
        # shellcheck disable=SC2086
        same $options foo "$file"
    done
done
printf '\377 \nfoo\nfoo\n' >docs/first.txt
same foo nowhere
same foo nowhere docs/noend.txt
same -q foo nowhere docs/noend.txt
same -q foo docs/noend.txt nowhere
same --no-messages foo nowhere docs/noend.txt
same foo src/broken
same -L foo src
same '(' docs
same -e
same -t nosuch foo
same -g '[' foo
same -f nowhere foo
same -A x foo docs
same -m 0 foo docs
same --color never foo docs/noend.txt
same --color maybe foo docs/noend.txt
printf 'foo\nbar\n' >"$SCRATCH/patterns"
same -f "$SCRATCH/patterns" docs
same -f "$SCRATCH/patterns" -e baz src
same -w -f "$SCRATCH/patterns" docs -n
: >"$SCRATCH/patterns"
same -f "$SCRATCH/patterns" docs
same -v -f "$SCRATCH/patterns" docs
printf 'foo\r\nbar\r\n' >"$SCRATCH/patterns"
same -f "$SCRATCH/patterns" docs
INPUT=docs/many.txt
same foo
same -n foo -
same -H foo -
same -c foo -
same -l foo
same --json foo
same foo - docs/noend.txt
same foo docs
INPUT=docs/nul.bin
same foo
same -a foo
same foo -
INPUT=docs/utf16le.txt
same foo
unset INPUT
same --type-list
same --files
same --files docs -g '*.txt'
same --files --hidden -0
same --null-data -C1 foo docs
same --null-data --heading foo docs
same -P -E auto -n foo docs/utf8.txt docs/late_nul.bin docs/crlf.txt
same --mmap -v -n foo
same --max-depth 0 foo
same --max-depth 0 foo docs src/main.c
same --no-ignore-parent --files src
same --json -m1 -P foo docs/first.txt
same -m1 -P -E latin1 '' docs/first.txt docs/nul3.bin
same --count-matches '^foo|' docs
same --count-matches '[[:^digit:]]{0}' docs/utf8.txt
same -o -b '(x|$)?' docs/utf8.txt docs/latin1.txt
printf 'many.txt\n' >docs/.rgignore
printf 'l.c\nloop\n' >src/deep/.ignore
ln -s nowhere src/deep/l.c
ln -s .. src/deep/loop
for options in '' --no-ignore-dot -u -L '-L --no-ignore-dot' '-L -q'; do
    # shellcheck disable=SC2086 # several options
    same $options -c foo
done
cd docs
same foo
same foo ..
same foo ../src -g '*.c'
same -g '/many.txt' foo
report_same 400
