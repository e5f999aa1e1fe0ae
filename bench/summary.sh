#!/usr/bin/env bash
# summary.sh BITSIFT TREE PLACE [FOLDER...]: measures the cost of making the summary of a commit, by
# counters and from scratch, for the indexes of some FOLDERs of a tree; "." is the whole tree
# (existing results in PLACE are reused). A sample of each folder, every hundredth file or two files
# of a small folder, gets two more indexes. `before` has the unchanged files. `after` has copies in
# which one line in twenty is missing and one in twenty has new words.
# bitsift-bench-summary, which must be next to BITSIFT, adds the segments of these two to the
# folder's index and removes them again. Results: record/catalog.md.
set -euo pipefail
bitsift=$(realpath -- "$1")
tree=$(realpath -- "$2")
mkdir -p -- "$3"
place=$(realpath -- "$3")
shift 3
[ $# -gt 0 ] || set -- mm net arch .
export XDG_STATE_HOME=$place/state XDG_CONFIG_HOME=$place/config

make_indexes() { # FOLDER NAME
    rm -rf -- "${place:?}/$2"
    mkdir -p -- "$place/$2/before" "$place/$2/after"
    cd -- "$place/$2"
    (cd -- "$tree/$1" && find . -type f ! -path '*/.*' | LC_ALL=C sort) >files
    awk -v n="$(wc -l <files)" 'BEGIN { step = n < 200 ? int(n / 2) : 100 } NR % step == int(step / 2)' files >changed
    tar -C "$tree/$1" -cf - -T changed | tar -C before -xf -
    while read -r file; do
        mkdir -p -- "after/${file%/*}"
        awk -v name="$file" 'NR == 1 { n = gsub(/[^a-z]/, "", name) } NR % 20 == 7 { $0 = $0 " " name NR " new" NR } NR % 20 != 13' \
            "before/$file" >"after/$file"
    done <changed
    (cd -- "$tree/$1" && "$bitsift" index --index "$place/$2/base.index" . 2>>"$place/$2/log")
    (cd before && "$bitsift" index --index ../before.index . 2>>../log)
    (cd after && "$bitsift" index --index ../after.index . 2>>../log)
    touch made
}

printf '%9s %4s %12s  %-20s %9s %9s %6s %9s %9s\n' 'terms of' in '1 % of' 'CPU ms, to make it' by from '' 'kB by' from \
    'an index' segm. 'files, terms' 'when such a segment' counters scratch times counters scratch
for folder; do
    name=$(tr / - <<<"$folder")
    [ "$folder" != . ] || name=all
    [ -e "$place/$name/made" ] || (make_indexes "$folder" "$name")
    "${bitsift%/*}/bench/bitsift-bench-summary" "$place/$name/base.index" "$place/$name/before.index" "$place/$name/after.index"
done
