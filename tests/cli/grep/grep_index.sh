# bitsift grep with the grams of an index must print the same bytes as rg, whatever changed since
# the index was made; with --no-stat, as long as nothing changed. Patterns are random: literals from
# the texts, and regular expressions. The seed is fixed; ROUNDS and SEED select other cases.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
RANDOM=${SEED:-815}
n_cases=${ROUNDS:-20}

# make_more PREFIX: makes 120 files. Each of their words is rare, so that grams rule some files out.
make_more() {
    local i
    mkdir -p more/a more/b
    for ((i = 0; i < 120; i++)); do
        awk -v seed="$1$i" 'BEGIN {
            srand(seed)
            for (line = 0; line < 12; line++) {
                for (word = 0; word < 6; word++) printf "w%d_%c ", rand() * 900, 97 + rand() * 26
                print (rand() < 0.05 ? "Foo_Bar(x)" : "")
            }
        }' >"more/$([ $((i % 2)) -eq 0 ] && echo a || echo b)/$1$i.txt"
    done
}

# Sets `literal` to a few adjacent characters of a random file.
pick_literal() {
    local file line at number=$RANDOM # read here, because a subshell has its own RANDOM
    file=$(find more docs src -type f -size +1 | sort | awk -v n="$number" '{ all[NR] = $0 } END { print all[n % NR + 1] }')
    line=$(tr -d '\000\n' <"$file" | head -c 4000 | LC_ALL=C tr -c '[:print:]' '.')
    at=$((RANDOM % (${#line} - 2)))
    literal=${line:at:3 + RANDOM % 14}
}

options=('' '' '' -i -S -w -n -c -l -o -v -x --count-matches -H '-C1' '-g !b' '-t c' '-T txt' --hidden --no-ignore -L -a -U -P --json --files-without-match -q '-m1'
    '--max-depth 2' '--iglob *.TXT' -uu '--passthru' '-E utf-16' '-v -c' '-v -l' '-c --include-zero' '-g *.txt' '-g .*' '--max-filesize 300'
    '--json -t txt' '--files-without-match -g *.txt' '-v -c --max-depth 2')
trusted() {
    same_with --no-stat "$@"
}
try_patterns() { # HOW N: calls HOW, `same` or `trusted`, with N random options and patterns
    local i
    for ((i = 0; i < $2; i++)); do
        pick_literal
        option=${options[RANDOM % ${#options[@]}]}
        # shellcheck disable=SC2086 # options of several words
        set -- "$1" "$2" $option
        "$1" "${@:3}" -F -e "$literal"
        "$1" "${@:3}" 'w1[0-9]+_'"$((RANDOM % 9))"'?[a-f] ' more
        "$1" "${@:3}" -e 'Foo_Bar|w7\d_x' -e "(?:$((RANDOM % 900))_[a-m])"
        "$1" "${@:3}" -i 'fOO_bAR\(' more/a docs
    done
}

make_tree
make_more x
# With -t, hidden files of that type are searched, too.
printf 'w12 hidden\n' >more/a/.hid.txt
settle
bitsift index -q --words --grams .
try_patterns same "$n_cases"
try_patterns trusted $((n_cases / 3))
# A search that finds no files to search reports this.
for option in '-g *.none' '-t txt' '-T txt' '-T txt -T c -T py -T js' '-t js' '--max-depth 0' '--max-filesize 1'; do
    # shellcheck disable=SC2086 # options of several words
    same $option w12
    # shellcheck disable=SC2086
    trusted $option w12
    # shellcheck disable=SC2086
    trusted $option no_such_word
done
(cd empty && same w12 && trusted w12)
# Globs with slashes and absolute PATHs.
for option in -gmore/a/x1* '-g!more/a' -g/more/b/; do
    trusted "$option" w12 "$PWD"
    trusted "$option" w12 "$PWD/more"
done
(cd more/a && same w12 && trusted w12 && same 'w3\d\d_a' ../b . && trusted 'w3\d\d_a' ../b .)

# Files are edited (with equal size and date), added, removed, renamed, and replaced by a folder;
# ignore rules change.
awk '{ gsub(/Foo/, "FOO"); print }' docs/many.txt >"$SCRATCH/many" && cat "$SCRATCH/many" >docs/many.txt
printf 'w77_q new Foo_Bar(x)\n' >more/a/new.txt
touch -r more/a/x0.txt "$SCRATCH/stamp"
tr w v <more/a/x0.txt >"$SCRATCH/x0" && cat "$SCRATCH/x0" >more/a/x0.txt && touch -r "$SCRATCH/stamp" more/a/x0.txt
rm more/b/x1.txt more/b/x3.txt
mv more/b/x5.txt more/b/x5.moved
rm more/a/x2.txt && mkdir more/a/x2.txt && printf 'Foo_Bar(x) w1_a\n' >more/a/x2.txt/in.txt
printf 'x7.txt\n' >more/.ignore
mkdir -p more/c && mv more/a/x4.txt more/c/ && make_more y
try_patterns same "$n_cases"
bitsift index -q
try_patterns same $((n_cases / 3))
try_patterns trusted $((n_cases / 3))

# With an index of a part of the files, or of words only, the output must be the same. A damaged and
# a missing index are reported.
bitsift index -q --index "$SCRATCH/part" --grams more/a
same w12 && bitsift grep --index "$SCRATCH/part" -c w12 >"$SCRATCH/ours" && rg --no-config --sort path -c w12 >"$SCRATCH/rg" && cmp "$SCRATCH/ours" "$SCRATCH/rg"
bitsift index -q --index "$SCRATCH/words" --words .
bitsift grep --index "$SCRATCH/words" -c w12 >"$SCRATCH/ours" && cmp "$SCRATCH/ours" "$SCRATCH/rg"
printf 'broken' >"$SCRATCH/part/manifest"
bitsift grep --index "$SCRATCH/part" w12 2>&1 | sed "s#$SCRATCH#S#; s/: corrupt.*/: corrupt/"
BITSIFT_INDEX=$SCRATCH/none bitsift grep -c w12 2>&1 | sed "s#$SCRATCH#S#" | head -n 1
# With --no-unicode, \xNN is a byte, not a character, so the grams of a pattern must not contain it.
printf 'x\351abc\n' >more/a/bytes.txt
printf '\303\251\251bar \302\251bar\n' >more/a/twice.txt
bitsift index -q
for pattern in '\xe9abc' '\xE9ab' '[\xe9\xa9]bar' '\xc2\xa9bar' 'bar'; do
    same --no-unicode -e "$pattern" more
    same --no-unicode -l -i -e "$pattern" more
done
bitsift grep --candidates Foo_Bar >"$SCRATCH/candidates"
rg --no-config --sort path -l Foo_Bar | while read -r file; do
    grep -qxF -- "$file" "$SCRATCH/candidates" || echo "no candidate: $file"
done
echo "$n_other other"
