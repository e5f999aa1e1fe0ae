#!/usr/bin/env bash
# catalog.sh BITSIFT TREE PLACE [N]: splits the files of a tree, in order, into N [500] folders of
# equal size below PLACE, each with an index, and makes a catalog of all (existing results in PLACE
# are reused). Prints the bytes of the summaries. Then, for 100 words that only one index has: the
# share of the other indexes that `query --catalog` opens, and the time of the whole process; for
# three words also the total time of one process per index. Then the times for words that are in
# many indexes. Finally, if bitsift-bench-members was built next to BITSIFT, its table: filters of
# the indexes' words, of several kinds. Results: record/catalog.md.
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
        printf "%-33s %8s\n", "of " NR " indexes", "MB"
        printf "%-33s %8.2f\n", "text", text / 1e6
        printf "%-33s %8.2f  %.2f %% of the text\n", "summaries: words and trigrams", s / 1e6, 100 * s / text
        printf "%-33s %8.2f\n", "the catalog", catalog / 1e6 }'

# words: a sample of the words that occur in only one folder.
if [ ! -e words ]; then
    for folder in f/*; do
        grep -rhoaE --exclude-dir=.bitsift '\b[a-zA-Z_]{10,30}\b' "$folder" | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u
    done | LC_ALL=C sort | uniq -u >single
    awk -v all="$(wc -l <single)" 'NR % int(all / 100) == 0 && n++ < 100' single >words
fi

# timed NAME PROGRAM...: prints a row of the table. Runs a process for each word on standard input.
timed() {
    local word start name=$1
    shift
    : >answers
    : >stats
    while read -r word; do
        start=$(date +%s%N)
        "$@" "$word" >>answers 2>>stats || true
        echo $(($(date +%s%N) - start))
    done | LC_ALL=C sort -n | awk -v name="$name" '{ s += $1; t[NR] = $1 } END {
        printf "%-33s %7.1f %7.1f %7.1f", name, s / NR / 1e6, t[int((NR + 1) / 2)] / 1e6, t[int(NR * .95 + .5)] / 1e6 }'
}
# Prints the share of the indexes without the word that were opened or asked nevertheless.
opened() {
    sed -E 's/.*"indexes":([0-9]+),"asked":([0-9]+),"probed":([0-9]+).*/\1 \2 \3/' stats |
        awk '{ lack += $1 - 1; more += $2 + $3 - 1 } END { printf "  %.2f %%\n", 100 * more / lack }'
}
# Counts the hits of a query by a process for each index.
each() {
    local folder
    for folder in f/*; do "$bitsift" query --count --index "$folder/.bitsift" "$1"; done | awk '{ s += $1 } END { print s }'
}
one() { "$bitsift" query --catalog=catalog --count --stats "$1"; }
best() { "$bitsift" query --catalog=catalog --stats "$1"; }

timed warm one <words >/dev/null
printf '\n%-33s %7s %7s %7s  %s\n' 'milliseconds of a whole process' mean median '95 %' opened
timed 'a word of one index, its count' one <words
opened
cp answers of_catalog
timed '  the ten best' best <words
opened
head -3 words >few
timed '  its count, asking each index' each <few
echo
cmp answers <(head -3 of_catalog)
printf '%s\n' mutex kmalloc interrupt 'mutex deadlock' 'dma buffer' >common
timed 'words of many indexes, the count' one <common
echo
timed '  the ten best' best <common
echo
members=${bitsift%/*}/bench/bitsift-bench-members
if [ -x "$members" ]; then
    echo
    "$members" f/*/.bitsift
fi
