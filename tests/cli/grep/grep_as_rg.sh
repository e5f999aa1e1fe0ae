# Cases in which bitsift grep and rg could differ although each option alone is the same:
# combinations of options, values that begin with a dash, separators of any bytes, invalid ignore
# rules, standard input or output closed by the shell.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree

# Options that exclude each other, and the forms of values.
same --files -e foo
same --files -f patterns
same --files -f nowhere src
same --files foo src
same --files --type-list
same --type-list foo
# If several options select what is printed, the last one counts.
modes=(-c -l --count-matches --files-without-match --json --no-json --files -q -o -v '--json -q' '--stats -q')
for one in "${modes[@]}"; do
    for other in "${modes[@]}"; do
        # shellcheck disable=SC2086 # several options
        same $one $other foo src
    done
done
same --context-separator -x foo src -C1
same --context-separator=-x foo src -C1
same --field-match-separator -- foo src
same -e -- src
same -e -foo src
same -r -x foo src
same -g -x foo src
same -A -1 foo src
same -t -c foo src
same --hidden=false --files
same -n=5 foo src
same --hid foo src
same --rep=x foo src
same --pre foo
POSIXLY_CORRECT=1 same foo src -n --hidden
# A comment at the end of a pattern must not hide the text that -w and -x add. rg joins the patterns
# before it parses them, so its own engine rejects the first three patterns, but rg -P does not.
for pattern in '(?x) f o o # c' 'zzz|(?x) fo+ # c ) d' '(?x) foo # a'$'\n''| b\w+ # b' '(?x: foo # a'$'\n'')' '(?x)(?-x)foo#' '(?x)foo\#'; do
    for option in -w -x -wP -xP -wU -w\ --crlf; do
        if [[ $pattern == *'# '? || $pattern == *' d' ]] && [[ $option != *P ]]; then
            # shellcheck disable=SC2086
            bitsift grep -c $option -e "$pattern" -e bar src/foo.h || true
            continue
        fi
        # shellcheck disable=SC2086 # two options
        same -n $option -e "$pattern" src
        # shellcheck disable=SC2086
        same -n $option -e "$pattern" -e bar src docs/many.txt
    done
done
# A second byte order mark of the same encoding is skipped, a third one is not.
for marks in '\xff\xfe' '\xfe\xff' '\xef\xbb\xbf'; do
    for text in "$marks$marks"'foo\n' "$marks$marks"'f\0o\0o\0\n\0' "$marks$marks$marks"'\0f\0o\0o\0\n' "$marks$marks"; do
        printf '%b' "$text" >"$SCRATCH/marks"
        for option in -ob '-oE utf-8' '-oE utf-16le'; do
            # shellcheck disable=SC2086 # an option and its value
            same -a $option '^foo|^..' "$SCRATCH/marks"
        done
    done
    INPUT=$SCRATCH/marks same -aob . -
done
# Patterns from standard input, which can be read only once.
INPUT=docs/noend.txt same -f - src
INPUT=docs/noend.txt same -f - -f - src
INPUT=docs/noend.txt same -f - src -
# If several patterns match at one place, the first of them counts.
printf 'foo_b\n' >"$SCRATCH/patterns"
same -o -e foo -f "$SCRATCH/patterns" src
same -o -f "$SCRATCH/patterns" -e foo src
# Without patterns nothing matches, or with -v everything.
for options in '' -v -c -vc -l -vl -q -vq --json '-v --json' --files-without-match '-v --passthru -n'; do
    # shellcheck disable=SC2086
    same $options -f /dev/null src
    # shellcheck disable=SC2086
    same $options -m0 '(' src
done
# -A and -B override their half of -C.
for options in '-C1 -A2' '-A2 -C1' '-B0 -C2' '-C2 -A0' '-C1 -A2 -B3' '-C1 --passthru -A2' '--passthru -C1' '-A1 --passthru'; do
    # shellcheck disable=SC2086
    same -n $options foo src docs/many.txt docs/blank.txt
done
# -m counts lines, or with -U matches; context follows the last one.
for options in '' -A2 -P '-P -A2' --passthru '-P --passthru' -v '-v -A1' -c -o '-o -U' '-r X' --json -l '-B1 -n' '--stop-on-nonmatch -A1' '--stop-on-nonmatch -P'; do
    for pattern in foo '[a-z]+' ; do
        for n in 1 2 3; do
            # shellcheck disable=SC2086
            same -m$n $options "$pattern" src docs/many.txt docs/crlf.txt
            # shellcheck disable=SC2086
            [[ $options == *-v* || $options == *--stop* ]] || same -U -m$n $options "$pattern\n?" src docs/many.txt docs/crlf.txt
        done
    done
done
# --stop-on-nonmatch and -U undo each other: the last one counts.
for options in '' -n -A2 -C1 --passthru '-P -v' --json -c '--stats -C1' -U; do
    # shellcheck disable=SC2086
    same --stop-on-nonmatch $options -e foo -e line src docs
    # shellcheck disable=SC2086
    same -U --stop-on-nonmatch -m4 $options -e foo -e line src docs
done
# The line ends of lines in which -r replaces text.
for options in '' --crlf --null-data -U '-U --crlf' '--color always --crlf' --trim '-o' '-M6'; do
    # shellcheck disable=SC2086
    same $options -r 'X$0' 'foo|three' docs/crlf.txt docs/noend.txt docs/indent.txt
    # shellcheck disable=SC2086
    [[ $options == *'-U --crlf'* ]] || same $options -r 'X$0' 'foo|three|$' docs/crlf.txt docs/noend.txt docs/indent.txt
done
# -M does not count the text that --trim removes; with colours it may count it, as in rg.
printf '    0123456789abc\n\t\tfoo foo foo\n' >"$SCRATCH/trim"
for options in '' -o --vimgrep -U '-U -o' '-U --vimgrep' '--color always' '--color always -o' '--color always -U -o' '-r <$0>' '-v -C1'; do
    for pattern in 456 foo '\s+' '.*a'; do
        for columns in 3 8 13 14 17; do
            # shellcheck disable=SC2086
            same --trim -M$columns $options "$pattern" "$SCRATCH/trim"
            # shellcheck disable=SC2086
            same --trim -M$columns --max-columns-preview $options "$pattern" "$SCRATCH/trim"
        done
    done
done
same -U --max-columns-preview -M8 -o '.*a\n?bc' "$SCRATCH/trim"
# Colours: highlight, italic, and invalid ones.
for colors in highlight:bg:yellow highlight:style:italic match:style:italic match:style:noitalic highlight:none match:none match:none:x match:fg \
    match:fg:red:x column:style:italic nonsense; do
    for options in '' -o -v -C1 -U '-U -o' --column --vimgrep '-U --vimgrep' '-M8 --max-columns-preview' '-r XYZ'; do
        # shellcheck disable=SC2086
        same --color always --colors highlight:fg:blue --colors "$colors" $options foo src docs/many.txt
    done
done
# The formats of hyperlinks, and the host name in them.
printf '#!/bin/sh\necho " a{b}c "\n' >"$SCRATCH/host"
printf '#!/bin/sh\necho wrong\nexit 1\n' >"$SCRATCH/failing"
chmod +x "$SCRATCH/host" "$SCRATCH/failing"
for format in default file grep+ kitty macvim none textmate vscode vscode-insiders vscodium cursor '' x '{path}' 'file://{path}:{column}' 'x:{path' \
    'x:}{path}' 'x:{{{path}}}{line}' 'x:{wslprefix}{path}'; do
    for options in '' --heading -l -c '--column -C1' --files --vimgrep; do
        # shellcheck disable=SC2086
        same --color always --hyperlink-format "$format" $options foo src
    done
done
for command in "$SCRATCH/host" "$SCRATCH/failing" nowhere ''; do
    same --color always --hyperlink-format default --hostname-bin "$command" foo src
done
WSL_DISTRO_NAME=some same --color always --hyperlink-format 'x:{wslprefix}{path}' foo src
# Separators may contain any bytes.
same --field-match-separator '\x00' foo src
same --field-match-separator '\0' foo src
same --field-context-separator 'a\x00\tb' -C1 foo src
same --context-separator '\x00\xff' -C1 foo src
same --context-separator '\x4' -C1 foo src docs
same --max-filesize 0 foo .
same --max-filesize 30 foo src docs
# Invalid colours matter only in coloured output; an invalid glob or type is an error even if it
# applies to no file.
same --colors nonsense --json foo src
INPUT=docs/many.txt same -g '[' foo -
INPUT=docs/many.txt same -t nosuch foo -
same -g '[' foo docs/many.txt
same -g '[' --type-list
same -g '[' -m0 foo src
same --iglob '{' foo docs/many.txt
same --colors nonsense --type-list
same --colors nonsense -q foo src
same -g $'\xff*' foo src
# Patterns that match bytes, because they begin with (?-u).
for options in '' -o -i --json -c -S; do
    # shellcheck disable=SC2086 # several options
    same $options '(?-u)caf\xE9|\xFF' docs
    # shellcheck disable=SC2086
    same $options -e '(?-u)[\x80-\xff]+' -e '(?-u)\w+\.b' docs
done
same -P '(?-u)foo' docs
same -F '(?-u)foo' docs
# Invalid ignore rules: in the searched folder they are only reported, above it they also make the
# exit status 2.
printf 'x\n[y\n{z\n' >src/.ignore
same foo src
same foo src/deep
same --no-ignore-messages foo src
same --no-ignore-messages foo src/deep
same --no-messages foo src
same --files src
printf '[x\ndeep\n' >rules
same --ignore-file rules -c foo src
same --ignore-file rules --no-ignore-files -c foo src
same --ignore-file nowhere -c foo src
(cd src && same --no-ignore foo && same foo)
report_same 1000
listed bitsift grep -c foo src/deep
listed bitsift grep -c --no-ignore-messages int src
listed bitsift grep -c --sortr path int src
# If standard output or input is closed, grep uses /dev/null instead, like rg.
for program in rg 'bitsift grep'; do
    $program -c foo src >&- && echo "$program: exit status 0"
    $program foo docs/many.txt <&- | sort | head -n 1
done
bitsift query foo >&- || echo "query: exit status $?"
# As in rg, a search of no files is an error. Here --no-stat trusts an index that has no documents.
mkdir "$SCRATCH/none"
cd "$SCRATCH/none"
bitsift index -q .
echo foo >later
show bitsift grep --no-stat foo
