# The summary of an index, which says which words the index certainly lacks: its rate of false
# positives, how it changes, damage; and an index from before summaries existed.
mkdir d
for i in $(seq 300); do echo "number$i and its neighbour number$((i + 1)) of file $((i % 7))" >"d/$i.txt"; done
summary_of() {
    bitsift stats -v "$@" | grep -m 1 '^summary' | sed -E 's/^(summary +)[0-9.]+ [KMG]?i?B/\1SIZE/'
}
checked() {
    bitsift check | neutral -
}
settle
quiet bitsift index d
summary_of
checked
ls .bitsift | grep -E '^(seg|sum|cou)'
echo '# after files were added and removed'
rm d/1.txt d/2.txt
echo 'an entirely new word: zygote' >d/new.txt
quiet bitsift index
summary_of
checked
ls .bitsift | grep -E '^(seg|sum|cou)'
echo '# after a deletion that removes a whole segment'
quiet bitsift delete d/new.txt
summary_of
checked
echo '# another rate for the same segments'
quiet bitsift index --summary 0.0001
summary_of
bitsift stats --json | grep -oE '"summary":\{"rate":[^,]*,' 
checked
quiet bitsift compact
summary_of
checked
echo '# the rate is recorded; so is --summary 0, which means no summary'
echo again >d/again.txt
quiet bitsift index
summary_of
quiet bitsift index --summary 0
summary_of
checked
quiet bitsift compact
summary_of
ls .bitsift | grep -cE '^(sum|cou)' || true
each fails bitsift index --summary :: 1 many nan -0.1

echo '# if the counts are missing, queries are unaffected and the next run makes the summary anew'
quiet bitsift index --summary 0.01
for lost in 1 2; do
    [ $lost = 1 ] && rm .bitsift/counts-* || truncate -s 100 .bitsift/counts-*
    summary_of
    bitsift query --count again
    show bitsift check
    echo again >"d/again$lost.txt"
    quiet bitsift index
    checked
    ls .bitsift | grep -E '^(sum|cou)'
done

echo '# several segments'
mkdir many
cd many
mkdir s
for i in 1 2 3 4 5 6 7; do
    for j in $(seq $((i == 1 ? 2000 : i == 2 ? 200 : 3))); do echo "word${i}x${j} is of segment $i" >"s/$i.$j.txt"; done
    bitsift index -q s
done
bitsift stats | grep -o '[0-9]* segments'
for query in word7x3 word3x2 absent 'absent OR word7x1' 'segment absent' 'segment -absent' 'word5x* absent' 'word5x*' '"of segment"' abzent~1; do
    [ "$(bitsift query --ids "$query")" = "$(bitsift query --brute --ids "$query")" ] || echo "$query: not what --brute finds"
    bitsift query --count "$query" || true
done
listed bitsift grep -c 'word3x2 '
listed bitsift grep -c 'absent'
listed bitsift grep -l 'word[67]x1 .*segment'

echo '# an index from before summaries existed'
cd ..
[ -n "${RESEAL:-}" ] || skip 'RESEAL is not set; ctest sets it'
cp -rP "$(dirname "$LIB")/../golden/v4/tree" old
cd old
"$RESEAL" .bitsift words
summary_of
quiet bitsift check
bitsift query --count bits
echo 'one more file of bits' >more.txt
quiet bitsift index
summary_of
checked
bitsift query --count bits
