#!/usr/bin/env bash
# quality.sh SOURCE_DIR BUILD_DIR: tests that bench/quality.sh measures like trec_eval, for all its
# input formats.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scifact/qrels"

# Query q1 ranks d2, which is shorter, before d1, which has the larger gain, so its nDCG is (1 + 2 /
# log2(3)) / (2 + 1 / log2(3)). Query d4 has no relevant hit. The metadata of d3 is not searched,
# and query d4 does not find the document d4, because that is its own text.
cat > "$work/scifact/corpus.jsonl" <<'END'
{"_id": "d1", "title": "W\u00edng", "text": "flow", "metadata": {"url": "x"}}
{"_id": "d2", "title": "", "text": "flow", "metadata": {}}
{"_id": "d3", "title": "Heat", "text": "", "metadata": {"url": "flow"}}
{"_id": "d4", "title": "Heat", "text": "wíng", "metadata": {}}
END
printf '%s\n' '{"_id": "q1", "text": "Flow? \"(AND)\"", "metadata": {}}' '{"_id": "d4", "text": "w\u00edng"}' \
    > "$work/scifact/queries.jsonl"
printf '%s\t%s\t%s\n' query-id corpus-id score q1 d1 2 q1 d2 1 q1 d3 0 d4 d3 1 > "$work/scifact/qrels/test.tsv"
sed 's/"_id"/"id"/; s/, "metadata.*/}/' "$work/scifact/corpus.jsonl" > "$work/docs.jsonl"
printf '<top>\n<num> Number: q1\n<title> flow\n\n<desc> Description:\nheat\n</top>\n<top>\n<num> Number: d4\n<title> wíng\n</top>\n' > "$work/topics"
printf 'q1\tflow\nd4\twíng\n' > "$work/queries.tsv"
printf '%s 0 %s %s\n' q1 d1 2 q1 d2 1 d4 d3 1 > "$work/qrels.txt"

failed=0
# expect NAME ROW: ROW must be in the last output of quality.sh.
expect() {
    grep -qxF -- "$2" "$work/table" || {
        printf '%s: no such row: %s\n' "$1" "$2"
        cat "$work/table"
        failed=1
    }
}
measure() {
    bash "$source/bench/quality.sh" --build "$build" "$@" > "$work/table" 2> "$work/errors" || { cat "$work/errors"; exit 1; }
}
measure "$work/scifact"
expect BEIR '| bitsift, --stem english | 0.4299 | 0.5000 | 0.5000 |'
expect BEIR '| bitsift, --stem english, --stop english | 0.4299 | 0.5000 | 0.5000 |'
expect BEIR '| Anserini BM25, published | 0.6789 | - | 0.9253 |'
for queries in topics queries.tsv; do
    measure "$work/docs.jsonl" "$work/$queries" "$work/qrels.txt"
    expect "$queries" '| bitsift | 0.4299 | 0.5000 | 0.5000 |'
done
exit $failed
