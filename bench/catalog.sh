#!/usr/bin/env bash
# catalog.sh BITSIFT TREE PLACE [N]: the files of a tree, in order, cut into N [500] folders of equal size below PLACE, each with an index, all
# in a catalog (what is in PLACE already is used again). Prints the bytes of the summaries; then, of 100 words that one index alone
# holds, how many indexes `query --catalog --count` opens, and how long the whole process takes, beside a process for each index; and
# the same for words that are everywhere.
set -euo pipefail
bitsift=$(realpath -- "$1")
tree=$(realpath -- "$2")
mkdir -p -- "$3"
place=$(realpath -- "$3")
n=${4:-500}
export XDG_STATE_HOME=$place/state XDG_CONFIG_HOME=$place/config
cd -- "$place"

if [ ! -e made ]; then
    find "$tree" -type f -printf '%s\t%P\n' | LC_ALL=C sort -t $'\t' -k 2 >files
    awk -F '\t' -v n="$n" '{ size[NR] = $1; path[NR] = $2; left += $1 }
        END { for (i = 1; i <= NR; i++) {
            if (here > 0 && here >= left / (n - at) && at < n - 1) { left -= here; here = 0; at++ }
            here += size[i]; printf "%04d\t%s\n", at, path[i] } }' files >cut
    for folder in $(cut -f 1 cut | uniq); do
        mkdir -p "f/$folder"
        awk -F '\t' -v folder="$folder" '$1 == folder { print $2 }' cut | tar -C "$tree" -cf - -T - | tar -C "f/$folder" -xf -
        (cd "f/$folder" && nice "$bitsift" index . 2>/dev/null)
    done
    touch made
fi
text=$(find f -type f ! -path '*/.bitsift/*' -printf '%s\n' | awk '{ s += $1 } END { printf "%d", s }')
rm -f catalog
"$bitsift" catalog --catalog catalog add f/*
"$bitsift" catalog --catalog catalog list --json | sed -E 's/.*"summary_bytes":([0-9]+).*/\1/' |
    awk -v text="$text" -v catalog="$(stat -c %s catalog)" '{ s += $1 } END {
        printf "%d indexes of %.1f MB of text: summaries %.2f MB, %.2f %% of it; the catalog %.2f MB\n", NR, text / 1e6, s / 1e6,
               100 * s / text, catalog / 1e6 }'

# Words that stand in the files of one folder alone; every so many-eth of them.
if [ ! -e words ]; then
    for folder in f/*; do
        grep -rhoaE --exclude-dir=.bitsift '\b[a-zA-Z_]{10,30}\b' "$folder" | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u
    done | LC_ALL=C sort | uniq -u >single
    awk -v all="$(wc -l <single)" 'NR % int(all / 100) == 0 && n++ < 100' single >words
fi

# PROGRAM...: with each word; mean and 95th percentile of the time of the process.
timed() {
    local word start
    while read -r word; do
        start=$(date +%s%N)
        "$@" "$word" >>answers 2>>stats || true
        echo $(($(date +%s%N) - start))
    done | LC_ALL=C sort -n | awk '{ s += $1; t[NR] = $1 } END { printf "mean %.1f ms, median %.1f ms, 95 of 100 within %.1f ms\n", s / NR / 1e6,
        t[int((NR + 1) / 2)] / 1e6, t[int(NR * .95)] / 1e6 }'
}
opened() {
    sed -E 's/.*"indexes":([0-9]+),"asked":([0-9]+),"probed":([0-9]+).*/\1 \2 \3/' stats |
        awk '{ lack += $1 - 1; more += $2 + $3 - 1 } END { printf "%.2f %% of the indexes that lack the word are opened\n", 100 * more / lack }'
}
each() {
    local folder
    for folder in f/*; do "$bitsift" query --count --index "$folder/.bitsift" "$1"; done | awk '{ s += $1 } END { print s }'
}
one() { "$bitsift" query --catalog=catalog --count --stats "$1"; }
best() { "$bitsift" query --catalog=catalog --stats "$1"; }

: >answers
: >stats
timed one <words >/dev/null # warm
: >answers
: >stats
echo "a word that one index holds, --count: $(timed one <words); $(opened)"
cp answers of_catalog
head -3 words >few
: >answers
echo "  asking each index by itself: $(timed each <few)"
cmp -s answers <(head -3 of_catalog) || echo "  BUT OTHER ANSWERS"
: >stats
echo "  the ten best: $(timed best <words); $(opened)"
printf '%s\n' mutex kmalloc interrupt 'mutex deadlock' 'dma buffer' >common
echo "words of many indexes, --count: $(timed one <common)"
echo "  the ten best: $(timed best <common)"
