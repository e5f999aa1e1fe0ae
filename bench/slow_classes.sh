#!/usr/bin/env bash
# slow_classes.sh BITSIFT [RECORDS]: the classes of queries in which SQLite FTS5 is faster than bitsift: words in a field, NEAR, prefixes,
# substrings of Chinese; and wildcards and fuzzy words, which FTS5 lacks. Both have the same made-up records (1,000,000, and a tenth of
# them in Chinese) and answer the same queries, each class in one process; the numbers of hits are compared. Prints a table of means in
# milliseconds a query, without the start of the process, best of three runs.
set -euo pipefail
bitsift=$(realpath -- "$1") n=${2:-1000000}
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd -- "$place"
export HOME=$place

# Words by a rank that is log-uniform, so that a few are everywhere; levels in the shares 90, 9 and 1 %.
awk -v n="$n" 'BEGIN {
    srand(1)
    split("info warn error", level)
    for (i = 1; i <= n; i++) {
        text = ""
        for (j = 0; j < 12; j++) text = text " w" int(exp(rand() * log(50000))) "x"
        r = rand()
        printf "{\"id\":\"%d\",\"level\":\"%s\",\"text\":\"%s\"}\n", i, level[r < .9 ? 1 : r < .99 ? 2 : 3], substr(text, 2)
    }
}' >records.jsonl
python3 - "$n" >chinese.jsonl <<'PY'
import math, random, sys
random.seed(1)
for i in range(int(sys.argv[1]) // 10):
    text = "".join(chr(0x4e00 + int(math.exp(random.random() * math.log(3000)))) for _ in range(40))
    print('{"id":"%d","text":"%s"}' % (i, text))
PY
for name in records chinese; do "$bitsift" index -q --index "$name" --words "$name.jsonl"; done
sqlite3 db >/dev/null <<'SQL'
CREATE VIRTUAL TABLE records USING fts5(level, text, content='', columnsize=0);
CREATE VIRTUAL TABLE chinese USING fts5(text, tokenize='trigram', content='', columnsize=0);
CREATE TABLE raw(line TEXT);
.mode ascii
.separator "\037" "\n"
.import records.jsonl raw
INSERT INTO records(rowid, level, text) SELECT rowid, line ->> 'level', line ->> 'text' FROM raw;
DELETE FROM raw;
.import chinese.jsonl raw
INSERT INTO chinese(rowid, text) SELECT rowid, line ->> 'text' FROM raw;
DROP TABLE raw;
SQL

milliseconds() { # COMMAND...: of the best of three runs
    local best='' start took
    for _ in 1 2 3; do
        start=${EPOCHREALTIME/./}
        "$@" >out
        took=$((${EPOCHREALTIME/./} - start))
        [ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
    done
    echo "$best"
}

# row CLASS TABLE OURS THEIRS: files of as many queries; THEIRS may be missing.
row() {
    local class=$1 table=$2 n_queries ours theirs=- empty
    n_queries=$(wc -l <ours)
    empty=$(milliseconds "$bitsift" query --index "$table" --no-stat -j 1 --count zzzz || true)
    ours=$(milliseconds "$bitsift" query --index "$table" --no-stat -j 1 --count --batch ours)
    awk '{ print $NF }' out >our-counts
    ours=$(awk -v t="$((ours - empty))" -v n="$n_queries" 'BEGIN { printf "%.2f", t / n / 1000 }')
    if [ -s theirs ]; then
        sed "s/'/''/g; s/.*/SELECT count(*) FROM $table WHERE $table MATCH '&';/" theirs >selects
        empty=$(milliseconds sqlite3 db "SELECT count(*) FROM $table WHERE $table MATCH 'zzzz'")
        theirs=$(milliseconds sqlite3 db '.read selects')
        cmp -s out our-counts || class="$class (other counts)"
        theirs=$(awk -v t="$((theirs - empty))" -v n="$n_queries" 'BEGIN { printf "%.2f", t / n / 1000 }')
    fi
    echo "| $class | $ours | $theirs |"
}

echo "| $n records; count, ms | bitsift | FTS5 |"
echo '|---|--:|--:|'
printf 'level:%s\n' error warn info >ours
cp ours theirs
row 'a word in a field of three values' records
for i in $(seq 10 10 100); do echo "\"w${i}x w$((i + 7))x\"~5"; done >ours
sed -E 's/"(.*) (.*)"~5/NEAR("\1" "\2", 5)/' ours >theirs
row 'NEAR of two common words' records
for i in $(seq 11 30); do echo "w$i*"; done >ours
cp ours theirs
row 'a prefix of a thousand words' records
for i in $(seq 11 20); do echo "*${i}5x"; done >ours
: >theirs
row 'a wildcard at the beginning' records
for i in $(seq 11 20); do echo "w${i}345x~1"; done >ours
row 'a fuzzy word' records
python3 -c '
import json
for line in list(open("chinese.jsonl"))[:2000:100]: print(json.loads(line)["text"][5:8])' >ours
sed 's/.*/"&"/' ours >theirs
row 'a substring of three Chinese characters' chinese
