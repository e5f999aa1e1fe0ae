#!/usr/bin/env bash
# refreshes.sh BITSIFT [files|records] [N]: measures N refreshes with 10 new documents each (80
# words per document), in a temporary folder. Prints the mean times of the first and the last tenth
# of the refreshes, the maximum number of segments, and the bytes of index files that compaction
# wrote, next to the bytes of text.
set -euo pipefail
bitsift=$(realpath -- "$1")
kind=${2:-records}
n=${3:-1000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-refreshes.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"
mkdir d
: >c.jsonl
source=c.jsonl
[ "$kind" = files ] && source=d

words() { # SEED: 10 lines of 80 words, half of them frequent
    awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 10; i++) { line = "";
        for (w = 0; w < 80; w++) line = line "w" int(rand() * (w % 2 ? 200 : 20000)) " "; print line } }'
}

for ((i = 0; i < n; i++)); do
    k=0
    while IFS= read -r line; do
        if [ "$kind" = files ]; then
            printf '%s\n' "$line" >"d/$(printf '%06d' $((i * 10 + k))).txt"
        else
            printf '{"id":"%d","text":"%s"}\n' $((i * 10 + k)) "$line" >>c.jsonl
        fi
        k=$((k + 1))
    done < <(words "$i")
    start=$(date +%s%N)
    "$bitsift" index "$source" 2>summary
    printf '%d ' $(($(date +%s%N) - start))
    sed -nE 's/.*\(([0-9]+) segments?\)$/\1/p' summary | tr '\n' ' '
    sed -nE 's/^  compacted .*, ([0-9.]+) (B|KiB|MiB) written$/\1 \2/p' summary | tr '\n' ' '
    echo
done >log
text=$(find c.jsonl d -type f -exec cat {} + | wc -c)
awk -v n="$n" -v text="$text" -v kind="$kind" '
    { if (NR <= n / 10) first += $1; if (NR > n - n / 10) last += $1; if ($2 > most) most = $2
      unit = $4 == "MiB" ? 1048576 : $4 == "KiB" ? 1024 : 1; written += $3 * unit }
    END { printf "%d refreshes of 10 %s: mean %.1f ms (first tenth), %.1f ms (last tenth); at most %d segments; " \
          "compaction wrote %.1f MB for %.1f MB of text\n", n, kind, first / (n / 10) / 1e6, last / (n / 10) / 1e6, most,
          written / 1e6, text / 1e6 }' log
