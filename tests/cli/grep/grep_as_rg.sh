# Cases in which bitsift grep and rg could differ although each option alone is the same:
# combinations of options, values that begin with a dash, separators of any bytes, invalid ignore
# rules, standard files closed by the shell.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree

# Options that exclude each other, and the forms of values.
same --files -e foo
same --files -f patterns
same --files --type-list
same --json --files
same --json --no-json -c foo src
same --type-list foo
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
# A comment at the end of a pattern must not hide the text that -w adds, but does hide that of -x
# and -P.
for pattern in '(?x) f o o # c' 'zzz|(?x) fo+ # c ) d' '(?x) foo # a'$'\n''| b\w+ # b' '(?x: foo # a'$'\n'')' '(?x)(?-x)foo#' '(?x)foo\#'; do
    for option in -w -x -wP -xP -wU -w\ --crlf; do
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
# Separators of any bytes.
same --field-match-separator '\x00' foo src
same --field-match-separator '\0' foo src
same --field-context-separator 'a\x00\tb' -C1 foo src
same --context-separator '\x00\xff' -C1 foo src
same --context-separator '\x4' -C1 foo src docs
same --max-filesize 0 foo .
same --max-filesize 30 foo src docs
# Bad colours matter only in coloured output; a bad glob or type is an error even if it excludes
# nothing.
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
# Invalid ignore rules: below the searched folder they are only reported, above it they are also an
# error.
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
report_same 50
show bitsift grep -c foo src/deep
show bitsift grep -c --no-ignore-messages int src
show bitsift grep -c --sortr path int src
# Like rg, with /dev/null instead of the closed files.
for program in rg 'bitsift grep'; do
    $program -c foo src >&- && echo "$program: exit status 0"
    $program foo docs/many.txt <&- | sort | head -n 1
done
bitsift query foo >&- || echo "query: exit status $?"
# Searching an index without documents with --no-stat is no error: nothing can be missing.
mkdir "$SCRATCH/none"
cd "$SCRATCH/none"
bitsift index -q .
echo foo >later
show bitsift grep --no-stat foo
