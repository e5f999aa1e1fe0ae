#!/usr/bin/env bash
# quality.sh [OPTION...] DOCUMENTS QUERIES QRELS: how good the ranking is: nDCG@10, MAP and Recall@100 of bitsift with and
# without stemming, of FTS5's bm25() and of Xapian's BM25 where their libraries are there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'END'
usage: bench/quality.sh [OPTION...] DOCUMENTS QUERIES QRELS

  DOCUMENTS  JSONL, with an "id"; all its other strings are text
  QUERIES    a line each: id, tab, text. Documents match that have any of its words
  QRELS      a line each: query, 0, document, grade (relevant from 1 on)

  --build DIR   where bitsift and bench/bitsift-bench-quality are [build/release]
  -h, --help    this text
END
}

build=$here/../build/release
options=$(getopt -n quality.sh -o h -l build:,help -- "$@") || exit 2
eval "set -- $options"
while [ "$1" != -- ]; do
    case $1 in
    --build) build=$2 && shift ;;
    *) usage && exit 0 ;;
    esac
    shift
done
shift
if [ $# != 3 ]; then
    usage >&2
    exit 2
fi
documents=$1 queries=$2 qrels=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is syntax in a query is text here: punctuation that means something, and operators.
cut -f2- "$queries" | sed -E 's/[][()":*~\\-]/ /g; s/\b(AND|OR|NOT)\b/\L\1/g' > "$work/texts"
cut -f1 "$queries" > "$work/ids"
paste "$work/ids" "$work/texts" > "$work/queries"

# Blocks of hits, each ended by an empty line -> "query document".
list_hits() {
    awk 'FNR == NR { id[FNR] = $1; next }
         /^$/ { block++; next }
         match($0, /"id":"([^"\\]|\\.)*"/) { print id[block + 1], substr($0, RSTART + 6, RLENGTH - 7) }' "$work/ids" -
}

measure() {
    printf '| %s |' "$1"
    awk -f "$here/quality_measures.awk" "$qrels" "$work/run" | awk '{ for (i = 1; i <= 3; i++) printf " %s |", $i; print "" }'
}

measure_bitsift() {
    local name=$1
    shift
    "$build/bitsift" index -q --words --no-ignore --index "$work/index" "$@" "$documents"
    # A query of which nothing is left is an error, and ranks nothing.
    "$build/bitsift" query --index "$work/index" --any --json -n 1000 --batch "$work/texts" 2> "$work/errors" |
        list_hits > "$work/run" || true
    measure "$name"
    rm -rf "$work/index"
}

# One line a document, for engines that read no JSON: id, tab, all other strings.
list_texts() {
    awk '{
        line = $0; text = ""; id = ""
        while (match(line, /"([^"\\]|\\.)*"[ \t]*:[ \t]*"([^"\\]|\\.)*"/)) {
            pair = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            match(pair, /^"([^"\\]|\\.)*"/); key = substr(pair, 2, RLENGTH - 2)
            value = substr(pair, RLENGTH + 1); sub(/^[ \t]*:[ \t]*"/, "", value); sub(/"$/, "", value)
            gsub(/\\[ntrfb]/, " ", value); gsub(/\\"/, "\"", value)
            if (key == "id") id = value; else text = text " " value
        }
        print id "\t" text
    }' "$documents"
}

measure_other() {
    if "$build/bench/bitsift-bench-quality" "$2" "$3" "$work/documents" "$work/queries" > "$work/run"; then
        measure "$1"
    fi
}

list_texts > "$work/documents"
echo '| engine | nDCG@10 | MAP | Recall@100 |'
echo '|---|--:|--:|--:|'
measure_bitsift 'bitsift, --stem english' --stem english
measure_bitsift bitsift
measure_other 'FTS5 bm25(), porter' fts5 english
measure_other 'FTS5 bm25()' fts5 none
measure_other 'Xapian BM25, english' xapian english
measure_other 'Xapian BM25' xapian none
