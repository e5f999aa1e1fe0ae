# bitsift grep --and, --not, --scope: the selected lines and files, also with options that change
# what a line or a match is, or what is printed. Then random patterns and texts, compared with the
# results of rg for each pattern, which comm combines. ROUNDS and SEED select other cases.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg

mkdir -p t/sub
printf 'lock the door\nlock and unlock\nunlock the key\nLOCK THE KEY\n' >t/a.c
printf 'lock\n\nthe key\n' >t/b.c
printf 'the lock\nno key here\n' >t/sub/c.py
printf 'a door\n' >t/sub/d.py
printf 'lock the\0key\n' >t/e.bin

echo "# Lines"
show bitsift grep --not door --not unlock lock t
show bitsift grep -i -n lock --and the --and key t
show bitsift grep -e door -e key --and the t

echo "# With options that change the output"
listed bitsift grep -c lock --and the t
listed bitsift grep -c --include-zero lock --and the t/a.c t/b.c
listed bitsift grep --files-without-match lock --and the t
show bitsift grep -o '\w*lock' --and and t
show bitsift grep -n -C1 key --not LOCK t/a.c
show bitsift grep --passthru key --not LOCK t/a.c
show bitsift grep -m1 lock --not the t
show bitsift grep -q lock --and nothing t
bitsift grep --json lock --and and t | sed -E 's/"elapsed[^}]*\}/ELAPSED/g'

echo "# Across lines: the lines of a match count as one line"
printf 'begin\none\nend\nbegin\ntwo\nend\n' >m
show bitsift grep -U -n '(?s)begin.*?end' --and two m
show bitsift grep -U -n '(?s)begin.*?end' --not two m
show bitsift grep -U -n '(?s)begin.*?end' --and 'two\nend' m
show bitsift grep -U -v '(?s)begin.*?end' --and two m

echo "# Files"
show bitsift grep --scope file lock --and key t
show bitsift grep --scope file lock --and key --not '^no' t
listed bitsift grep --scope file -l . --and lock --not key t
show bitsift grep --scope file -v lock --and key --not door t
listed bitsift grep --scope file -c --include-zero door --not lock t
listed bitsift grep --scope file --files-without-match door --and lock t
show bitsift grep --scope file --and key lock t/e.bin
show bitsift grep --scope file --and key lock - <t/b.c
listed bitsift grep --scope file -U -l '(?s)lock.*key' --not here t

echo "# Errors"
show bitsift grep lock --and '(' t
show bitsift grep lock --scope page t
show bitsift grep --files --and lock t
show bitsift grep --type-list --not lock

echo "# An index: the grams of all patterns"
bitsift index --grams t >/dev/null 2>&1
settle
listed bitsift grep --explain --candidates lock --and 'the door' --not unlock t
show bitsift grep lock --and 'the door' t
listed bitsift grep --no-stat --scope file -l lock --and 'the key' t
rm -r .bitsift

echo "# At random"
RANDOM=${SEED:-815}
n_cases=${ROUNDS:-20}
# shellcheck disable=SC2034 # used by name
words=(foo bar Foo ab aab 'x y' é ſt K_1 42 a.b 'foo bar' k SS '')
# shellcheck disable=SC2034
patterns=(foo bar Foo 'a+b' 'fo+' é 'K|42' '\bab\b' '^foo' 'b$' . '\d' 'x y' 'foo.*bar' nothing '(?i)FOO' 'a.b')
# shellcheck disable=SC2034
options=('' '' -i -S -w -x -F '-F -i' -P '-w -i')
# lines_of: prints all lines of the tree as path:number. matched PATTERN: the lines that match.
# matched_files PATTERN: the paths of files with a match.
lines_of() {
    rg --sort path -n '' r | cut -d: -f1,2 | sort
}
matched() {
    # shellcheck disable=SC2086
    { rg $option -n -e "$1" r || true; } | cut -d: -f1,2 | sort
}
matched_files() {
    # shellcheck disable=SC2086
    { rg $option -l -e "$1" r || true; } | sort
}
compare() { # WHAT EXPECTED COMMAND...: ends the test if the command's output is not EXPECTED
    local what=$1 expected=$2 found
    shift 2
    found=$("$@") || [ $? -eq 1 ]
    if [ "$expected" != "$found" ]; then
        printf '%s differs: %s\n' "$what" "${*@Q}"
        diff <(printf '%s\n' "$expected") <(printf '%s\n' "$found") || true
        exit 1
    fi
}
mkdir r
for ((i = 0; i < n_cases; i++)); do
    make_texts r
    indexed=no
    if ((RANDOM % 2)); then
        bitsift index --grams r >/dev/null 2>&1
        indexed=yes
    fi
    for ((j = 0; j < 3; j++)); do
        pick options
        option=$picked
        pick patterns
        pattern=$picked
        pick patterns
        and=$picked
        pick patterns
        not=$picked
        lines=$(comm -12 <(matched "$pattern") <(matched "$and") | comm -23 - <(matched "$not"))
        files=$(comm -12 <(matched_files "$pattern") <(matched_files "$and") | comm -23 - <(matched_files "$not"))
        # shellcheck disable=SC2206
        asked=($option -e "$pattern" --and "$and" --not "$not")
        sorted() {
            "$@" | cut -d: -f1,2 | sort
        }
        compare "case $i, index $indexed" "$lines" sorted bitsift grep -n "${asked[@]}" r
        compare "case $i, -v" "$(lines_of | comm -23 - <(printf '%s\n' "$lines"))" sorted bitsift grep -v -n "${asked[@]}" r
        compare "case $i, -l" "$(printf '%s' "$lines" | cut -d: -f1 | uniq)" bitsift grep -l "${asked[@]}" r
        compare "case $i, files" "$files" bitsift grep --scope file -l "${asked[@]}" r
        # shellcheck disable=SC2086
        compare "case $i, lines of files" "$(printf '%s' "$files" | xargs -r rg --sort path $option -n -H -e "$pattern")" \
            bitsift grep -n --scope file "${asked[@]}" r
    done
    rm -rf .bitsift
done
# A file that is read in pieces, with conditions that hold in most of its lines, in some, or in few.
mkdir large
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "line %d %s%s\n", i, i % 7 ? "odd" : "even", i % 5000 ? "" : " rare" }' >large/file
for condition in odd rare '[0-9]{3}7 ' 'line \d+3'; do
    for pattern in line even '[0-9]{4}5'; do
        compare "large, --and $condition" "$(rg -N -e "$pattern" large/file | rg -c -e "$condition")" bitsift grep -c -e "$pattern" --and "$condition" large/file
        compare "large, --not $condition" "$(rg -N -e "$pattern" large/file | rg -v -c -e "$condition")" bitsift grep -c -e "$pattern" --not "$condition" large/file
    done
done
echo "all agree"
