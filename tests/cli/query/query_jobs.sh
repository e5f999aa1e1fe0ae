# shellcheck shell=bash
#
# Several threads read texts if there are many texts: answers, their order, notices and statistics
# equal those of one thread, also if files have changed, are missing or cannot be read.
can_be_nobody || exit 77

# Files with a phrase, with its words apart, and with the phrase after the first pieces that are
# read.
mkdir -p tree/{a,b/c,d}
awk 'BEGIN {
    for (i = 0; i < 600; i++) {
        dir = i % 3 == 0 ? "a" : i % 3 == 1 ? "b/c" : "d"
        file = sprintf("tree/%s/%03d.txt", dir, i)
        print "the quick", (i % 2 ? "" : "very"), "brown fox number", i > file
        for (j = 0; i % 40 == 7 && j < 9000; j++)
            print "filler" j % 97 > file
        if (i % 5 == 0)
            print "lazy", (i % 7 ? "old" : "\303\244lter"), "dog" > file
        if (i % 40 == 7)
            print "behind the filler" > file
        close(file)
    }
}'
# Records, some of them in a folder, some added later.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "{\"id\":\"r%d\",\"text\":\"one %s two \\u00e4 number %d\"}\n", i, i % 3 ? "more" : "", i }' >rows.jsonl
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "{\"id\":\"t%d\",\"text\":\"one %s two number %d\"}\n", i, i % 4 ? "more" : "", i }' >tree/in.jsonl
chmod -R a+rX .
settle
bitsift index -q --words tree rows.jsonl

cat >"$SCRATCH/queries" <<'END'
"quick brown"
"brown fox number"
"quick very brown fox"
"old dog"
"lazy älter dog"
"filler75 behind"
"behind the filler" -dog
"quick brown" OR "lazy old" OR "one two"
"one two"
"two number"
"two ä number"
"number fox"~4 dog
quick fox
numb* "brown fo*"
END
chmod a+r "$SCRATCH/queries"
bitsift index -q
chmod -R a+rX .bitsift
quiet as_nobody bitsift trust '*'

# alike OPTION...: every mode must print the same with one thread and with four, except times.
times='s/"(total|parse|plan|scan|rank|verify)":\{[^}]*\},?//g'
alike() {
    local mode lines=
    for mode in --count --ids --json '--json --brute -n 3000' '--ids -v'; do
        # shellcheck disable=SC2086 # several options
        for jobs in 1 4; do
            as_nobody bitsift query -j $jobs $mode "$@" --stats --batch "$SCRATCH/queries" 2>&1 |
                sed -E "$times" >"$SCRATCH/by$jobs" || true
        done
        cmp "$SCRATCH/by1" "$SCRATCH/by4" && lines+=" $(wc -l <"$SCRATCH/by4")"
    done
    echo "lines alike in each mode${*:+ with $*}:$lines"
}
alike
alike --no-stat
alike -g '!a/**' --any
listed bitsift query -j 4 --count --batch "$SCRATCH/queries"

echo "some change, some go, some are closed, and a collection grows:"
for i in 000 021 120; do echo "the quick brown bear" >tree/a/$i.txt; done
rm tree/b/c/001.txt tree/b/c/100.txt tree/d/302.txt
mkdir tree/d/302.txt
ln -sf ../d/002.txt tree/b/c/301.txt
printf 'the quick brown\0' >tree/a/303.txt
chmod 000 tree/d/00[58].txt tree/d/5*.txt
echo '{"id":"r9","text":"one three number 9"}' >>rows.jsonl
alike
alike --no-stat
listed as_nobody bitsift query -j 4 --count '"brown fox number"'
show as_nobody bitsift query -j 4 --count -v '"quick brown"' | folded

echo "and one is another:"
sed -i 's/one two/one and two/' tree/in.jsonl
alike
each fails bitsift query fox -j :: 0 65
