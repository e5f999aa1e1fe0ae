#!/usr/bin/env bash
# quality.sh [OPTION...] FOLDER | DOCUMENTS QUERIES QRELS: measures the quality of rankings:
# nDCG@10, MAP and Recall@100 of bitsift with and without stemming, stop words and feedback; of
# FTS5's bm25() and of the BM25 of Xapian and Lucene, if available. Prints also the figures
# published by Anserini.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'END'
usage: bench/quality.sh [OPTION...] FOLDER
       bench/quality.sh [OPTION...] DOCUMENTS QUERIES QRELS

  FOLDER     a collection as BEIR has them: corpus.jsonl, queries.jsonl and qrels/test.tsv
  DOCUMENTS  JSONL with an "id"; all its other strings are text. Or with an "_id"; its "title" and "text" are
  QUERIES    a line each: id, tab, text; or JSONL with "_id" and "text"; or topics of TREC, of which the titles count.
             Documents match that have any of the words
  QRELS      a line each: query, 0, document, grade; or query, document, grade below a line of names. Relevant from 1 on

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
name=
if [ $# = 1 ]; then
    name=$(basename -- "$(cd -- "$1" && pwd -P)")
    set -- "$1/corpus.jsonl" "$1/queries.jsonl" "$1/qrels/test.tsv"
elif [ $# != 3 ]; then
    usage >&2
    exit 2
fi
documents=$1 queries=$2 qrels=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A record of BEIR has its id in _id, and fields that are not text. A query of BEIR may itself be
# one of the documents (no_self).
fields=
no_self=0
id=()
if head -n 1 -- "$documents" | grep -q '"_id"'; then
    fields=title,text no_self=1 id=(--id _id --text "$fields")
fi

list_queries() {
    case $(head -n 1 -- "$queries") in
    '{'*) LC_ALL=C awk -v fields=text -f "$here/quality_texts.awk" "$queries" ;;
    *'<'*) LC_ALL=C awk -f "$here/quality_topics.awk" "$queries" ;;
    *) cat -- "$queries" ;;
    esac
}

# Removes query syntax from the queries: special characters and operators.
list_queries | awk -F '\t' '{
    gsub(/[][()":*~\\^?!&|\/<>=-]/, " ", $2)
    n = split($2, words, " ")
    printf "%s\t", $1
    for (i = 1; i <= n; i++) printf "%s ", words[i] ~ /^(AND|OR|NOT)$/ ? tolower(words[i]) : words[i]
    print ""
}' > "$work/queries"
LC_ALL=C awk -v fields="$fields" -f "$here/quality_texts.awk" "$documents" > "$work/documents"

# Prints a row of the table: the measures of the ranking in $work/run.
measure() {
    printf '| %s |' "$1"
    awk -v no_self="$no_self" -f "$here/quality_measures.awk" "$qrels" "$work/run" |
        awk '{ for (i = 1; i <= 3; i++) printf " %s |", $i; print "" }'
}

index() {
    rm -rf "$work/index"
    XDG_STATE_HOME=$work/state "$build/bitsift" index -q --words --no-ignore --index "$work/index" "${id[@]}" "$@" "$documents"
}

measure_bitsift() {
    local row=$1
    shift
    # A query without any word left is an error and ranks nothing.
    XDG_STATE_HOME=$work/state "$build/bitsift" query --index "$work/index" --any --format trec -n 1000 "$@" \
        --batch "$work/queries" > "$work/run" 2> "$work/errors" || true
    measure "$row"
}

measure_other() {
    if "$build/bench/bitsift-bench-quality" "$2" "$3" "$work/documents" "$work/queries" > "$work/run"; then
        measure "$1"
    fi
}

measure_lucene() {
    local jars
    jars=$(echo /usr/share/java/lucene-{core,analyzers-common}-*.jar | tr ' ' :)
    if java -cp "$jars" "$here/LuceneQuality.java" "$work/documents" "$work/queries" > "$work/run" 2> "$work/errors"; then
        measure 'Lucene BM25, English analysis'
    else
        echo "quality.sh: Lucene: $(head -n 1 "$work/errors")" >&2
    fi
}

echo '| engine | nDCG@10 | MAP | Recall@100 |'
echo '|---|--:|--:|--:|'
index --stem english
measure_bitsift 'bitsift, --stem english'
measure_bitsift 'bitsift, --stem english, --stop english' --stop english
measure_bitsift 'bitsift, --stem english, --feedback' --feedback
measure_bitsift 'bitsift, --stem english, --stop english, --feedback' --stop english --feedback
index
measure_bitsift bitsift
measure_lucene
measure_other 'FTS5 bm25(), porter' fts5 english
measure_other 'FTS5 bm25()' fts5 none
measure_other 'Xapian BM25, english' xapian english
measure_other 'Xapian BM25' xapian none
awk -F '\t' -v name="$name" '$1 == name && name { printf "| Anserini BM25, published | %s | %s | %s |\n", $2, $3, $4 }' \
    "$here/quality_published.tsv"
