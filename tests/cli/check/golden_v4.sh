# Indexes of format version 4 from an earlier release (tests/golden): they open, are sound, give the
# expected answers, and can be refreshed. Their words were made by earlier tokenizer rules;
# therefore queries read all documents. Once reseal.c makes them claim today's rules, queries use
# their columns. `bitsift index` renews them.
[ -n "${RESEAL:-}" ] || skip 'RESEAL is not set; ctest sets it'
golden=$(dirname "$LIB")/../golden/v4
# copy_golden PATH...: copies these parts of the golden indexes; generates the source of `matrix`.
copy_golden() {
    local part
    for part; do
        cp -rP "$golden/$part" .
        [ "$part" != matrix ] || awk -f "$golden/../matrix.awk" >matrix/r.jsonl
    done
}
copy_golden tree records stored matrix
for folder in tree records stored; do
    (
        cd "$folder"
        finds --no-stat 'bits OR bit OR quick'
        finds --no-stat --count '"the bits" OR "sift bits" OR "quick fox"'
        bitsift stats | grep '^health'
        "$RESEAL" .bitsift words
    )
done
"$RESEAL" matrix/.bitsift words

# ask ARGUMENT...: shows a query with --no-stat. Without --no-stat, the query checks the files,
# whose fingerprints are new, because they are copies. Then it must print the same. `ids` and
# `number` do this for the ids that the query finds, and for their number.
ask() {
    show bitsift query --no-stat "$@"
    bitsift query "$@" | diff - "$SCRATCH/.stdout"
}
ids() {
    finds --no-stat "$@"
    bitsift query --ids "$@" | diff - "$SCRATCH/.stdout"
}
number() {
    finds --no-stat --count "$@"
    bitsift query --count "$@" | diff - "$SCRATCH/.stdout"
}

checked() {
    bitsift check | neutral -
}

cd tree
checked
ids bits
number the
each ids :: '"bits that sift"' 'bits -bytes' 'cafe OR café OR 東京' 'москва straße' 'name:log'
ids --in notes title:bits
ask bits
show bitsift grep -n bits
show bitsift grep -nw -i 'the'
listed bitsift grep -c 'sift_bits\(4[0-9]\)'
listed bitsift grep -l 'second of the log'
listed bitsift grep -a -c 'binary file'
finds --brute bits
listed bitsift delete --dry-run --undo notes/deleted.md
quiet bitsift index
checked
finds bits

cd ../records
checked
each ids :: bit cafe title:sift 'again OR appended'
number bit
ask takes
quiet bitsift delete --undo c
finds bits
quiet bitsift compact
checked
finds bits

cd ../stored
checked
ids quick
ids '"quick fox"'
ask dog
echo '{"id":"s4","text":"a later dog"}' | quiet bitsift index -
finds dog

cd ../matrix
checked
for query in all w7 v33 v804 'w1 w2' 'w1 -w2 w3' 'v33 OR v804 OR v7' '"w7 v2443"' 'all v2063' 'w9 v999' 'w0 OR w1 OR w2 OR w3'; do
    number "$query"
done
ids v33
ids 'w3 w4 w5'
ask -n 4 w7
ask -n 3 --any w7 v33 w9
ask -n 2 v2063
# A search by columns and lists must find the documents that a search of all texts finds.
for number in $(seq 0 24); do
    [ "$(bitsift query --no-stat --ids "w$number" | cksum)" = "$(bitsift query --brute --ids "w$number" | cksum)" ]
done
for number in $(seq 3 97 2500); do
    [ "$(bitsift query --no-stat --ids "v$number" | cksum)" = "$(bitsift query --brute --ids "v$number" | cksum)" ]
done
quiet bitsift index --rebuild
finds --count w7

cd ..
for folder in tree records stored matrix; do
    rm -r "$folder"
    copy_golden "$folder"
    (
        cd "$folder"
        bitsift index 2>&1 >/dev/null | grep 'another version'
        bitsift stats | grep '^health'
        finds 'bits OR bit OR quick OR v33'
    )
done
