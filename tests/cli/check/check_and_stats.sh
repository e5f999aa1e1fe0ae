# `bitsift check` and `bitsift stats`: their output for a sound index and a damaged one, and how
# they locate an index.
documents 3000 >c.jsonl
mkdir d d/below
echo 'hundred files' >d/a.txt
printf '{"id":"x","text":"from a pipe"}\n{"id":"x","text":"and again"}\n' | quiet bitsift index d c.jsonl -
checked() {
    local status=0
    "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || status=$?
    announce "$@" | with_status "$status"
    sed -E 's/, [0-9.]+ [KMG]iB verified in [0-9.]+ s$/, SIZE verified in T s/' "$SCRATCH/stdout"
    sed -E 's/^/! /; s/(corrupt: ).*(; (rebuild|the next))/\1REASON\2/' "$SCRATCH/stderr"
}
checked bitsift check
cd d/below
checked bitsift check
cd ../..
checked env BITSIFT_INDEX=.bitsift bitsift check
checked bitsift check --index nowhere
checked bitsift check nowhere
show bitsift stats --index nowhere
show bitsift stats .bitsift

echo '# stats'
summary() {
    bitsift stats "$@" | sed -E '/^size|^documents/ s/[0-9.]+ [KM]iB/SIZE/g;'
}
summary
echo 'one more file' >d/new.txt
echo 'hundred and one files' >d/a.txt
summary | grep '^fresh'
rm d/new.txt
echo 'hundred files' >d/a.txt
bitsift stats -v | sed 1,5d >"$SCRATCH/text"
head -n 7 "$SCRATCH/text" | sed -E 's/ICU [0-9.]+, Unicode [0-9.]+/ICU I, Unicode U/'
awk 'length($0) > 80 { print "too wide: " $0 }' "$SCRATCH/text"
grep -c '^seg-' "$SCRATCH/text"
grep -oE '^ *(document|group|block|exact) columns|^ *(lexicon|rows|lengths|document ids|stored text|words index|all)' "$SCRATCH/text"
bitsift stats --json >"$SCRATCH/json"
wc -l <"$SCRATCH/json"
grep -oE '"(documents|deleted|format|commit|density|words|kind|label|postings)":("[a-z.-]*"|[a-z0-9.]+)' "$SCRATCH/json" | head -n 14
total=$(sed -E 's/.*"total_bytes":([0-9]+).*/\1/' "$SCRATCH/json")
sum=0
for path in .bitsift/manifest .bitsift/seg-* .bitsift/del-* .bitsift/summary-* .bitsift/counts-* .bitsift/folders; do
    [ -e "$path" ] || continue # `folders` is missing if the folders are as recent as the run
    sum=$((sum + $(stat -c %s -- "$path")))
done
[ "$total" -eq "$sum" ] || echo "total_bytes is $total, the files have $sum bytes"

bitsift stats --svg "$SCRATCH/index.svg"
head -n 1 "$SCRATCH/index.svg" | grep -o '^<svg'
grep -c '<title>shard' "$SCRATCH/index.svg"
show bitsift stats --svg nowhere/index.svg

echo '# damage'
for path in .bitsift/manifest .bitsift/seg-* .bitsift/del-* .bitsift/summary-* .bitsift/counts-*; do
    at=$(($(stat -c %s -- "$path") / 3))
    flip_byte "$path" "$at"
    checked bitsift check
    flip_byte "$path" "$at"
done
rm .bitsift/seg-*
checked bitsift check
show bitsift stats
