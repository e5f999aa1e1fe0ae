# Flags that scripts and editors pass, hyperlinks, and the style of paths.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
mkdir -p src/deep
printf 'foo\nbar foo\n' >src/deep/a.txt
printf 'foo\nbar\n' >'src/b c.txt'
printf 'foo\000\n' >src/bin
for options in '--path-separator +' '--path-separator \\x2b' '--path-separator=' '--path-separator x -l' '--path-separator x -c' \
    '--path-separator x --json' '--path-separator x -C1' '--path-separator x --heading' '--path-separator x --files-without-match' \
    '--path-separator ab' '--path-separator x --binary' '--path-separator x -0' '--path-separator x --color always' \
    '--engine default' '--engine pcre2' '--engine auto' '--engine=other' '-P --engine default' '--engine pcre2 --no-pcre2' \
    --auto-hybrid-regex '--auto-hybrid-regex --no-auto-hybrid-regex' '--regex-size-limit 10M' '--regex-size-limit 10m' \
    '--regex-size-limit M' '--regex-size-limit=1.5K' '--dfa-size-limit 1G' '--dfa-size-limit 1' '--dfa-size-limit ten' \
    '--sort-files' '--no-sort-files --sort path' '--ignore-file=' --no-one-file-system; do
    # shellcheck disable=SC2086 # several options
    same $options foo
done
for options in '' '--path-separator x' '--color always' '--color always --colors path:fg:blue --colors path:style:bold' '--color never' \
    '--color always -0' '--color ansi --path-separator x' '--color always --colors path:none' '-p'; do
    # shellcheck disable=SC2086
    TERM=xterm same --files $options
done
for bytes in '\377' '\200a'; do
    # shellcheck disable=SC2059
    printf "foo $bytes\n" >src/bytes
    # --engine pcre2 is -P.
    bitsift grep -P -o 'foo.*' . | cmp - <(bitsift grep --engine pcre2 -o 'foo.*' .)
    same -P --engine default -o 'foo.*'
    same --auto-hybrid-regex -o 'foo.*'
done
rm src/bytes
echo '# versions'
bitsift grep --pcre2-version | sed -E 's/[0-9]+\.[0-9]+/N/; s/JIT is (not )?available/JIT is here or not/'
bitsift grep -V | sed -E '3,$s/ .*/ .../; s/ [0-9.]+$/ N/'
bitsift grep --version foo nowhere | head -n 1 | sed -E 's/[0-9.]+$/N/'
echo '# entries that the rules leave out'
printf '*.log\n' >.ignore
touch a.log src/.secret
show bitsift grep --debug -j1 -l foo
show bitsift grep --trace -j1 -c foo src/deep
same --color always --hyperlink-format file foo src/deep
same --color always --hyperlink-format default -l foo
same --color always --hyperlink-format vscode -n --column foo src/deep
same --color always --hyperlink-format vscode -n -B1 bar src/deep
same --color always --hyperlink-format kitty --heading -n foo src/deep
same --color always --hyperlink-format file --heading foo src/deep
same --color always --hyperlink-format grep+ -c foo
same --color always --hyperlink-format textmate --files
same --color always --hyperlink-format 'x:{{{path}}}{wslprefix}#{line}{{line}}' -0 -b foo src/deep
same --color always --hyperlink-format file foo src/deep/a.txt
same --color always --hyperlink-format file --binary foo src/bin -H
same --color always --hyperlink-format none foo src/deep
same --color always --hyperlink-format '' foo src/deep
WSL_DISTRO_NAME='De{b}' same --color always --hyperlink-format 'file://{wslprefix}{path}' -l foo src
INPUT=src/deep/a.txt same --color always --hyperlink-format file -H foo -
same --hyperlink-format file foo src/deep
report_same 61
# rg prints no link here.
bitsift grep --color always --hyperlink-format file foo 'src/b c.txt' -H --path-separator + |
    sed -e "s|$PWD|PWD|g" -e "s|//$(uname -n)|//HOST|" -e 's/\x1b/^/g'
echo '# invalid formats'
for format in vscod 'file://{line}' 'file:{path}{column}' '{path}' ':{path}' 'file:{path' 'file:}{path}' 'file:{}{path}' 'file:{nothing}{path}' 'fi le:{path}'; do
    fails bitsift grep --hyperlink-format "$format" foo
done
