#!/usr/bin/env bash
# slow_classes.sh BITSIFT [RECORDS [REPOSITORY]]: measures classes of queries in which SQLite FTS5
# or Lucene may be faster than bitsift: words in a field, NEAR, prefixes, substrings of Chinese;
# and wildcards and fuzzy words, which FTS5 lacks. All engines index the same generated records
# (1,000,000, and a tenth as many in Chinese) and answer the same queries, each class in one
# process; the numbers of hits are compared. Prints a table of mean milliseconds per query, the best
# of three runs, without the time to start the process; then a table of single queries whose files
# are not in the page cache; and, with a git REPOSITORY, the index sizes for its commit messages.
set -euo pipefail
bitsift=$(realpath -- "$1") n=${2:-1000000} repository=${3:+$(realpath -- "$3")}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd -- "$place"
export HOME=$place

# The rank of a word is log-uniform, so that a few words are in nearly all records. The shares of
# the levels are 90, 9 and 1 %.
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

lucene=
if command -v javac >/dev/null && jars=$(echo /usr/share/java/lucene-{core,analyzers-common}-8.*.jar) && [ -e "${jars%% *}" ]; then
    lucene=${jars// /:}:$place
    javac -cp "$lucene" -d "$place" "$here/LuceneClasses.java"
    java -cp "$lucene" LuceneClasses build records.jsonl lucene
else
    echo "slow_classes.sh: Lucene is left out: no liblucene8-java or no JDK" >&2
fi

microseconds() { # COMMAND...: prints microseconds, the best of three runs
    local best='' start took
    for _ in 1 2 3; do
        start=${EPOCHREALTIME/./}
        "$@" >out
        took=$((${EPOCHREALTIME/./} - start))
        [ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
    done
    echo "$best"
}

per_query() { # MICROSECONDS QUERIES: milliseconds per query
    awk -v t="$1" -v n="$2" 'BEGIN { printf "%.2f", t / n / 1000 }'
}

# Prints a row of the table. The queries of the class are in the files `ours` (bitsift), `theirs`
# (FTS5) and `javas` (Lucene), one per line; `theirs` and `javas` may be empty.
row() { # CLASS TABLE
    local class=$1 table=$2 n_queries ours theirs=- javas=- empty
    n_queries=$(wc -l <ours)
    empty=$(microseconds "$bitsift" query --index "$table" --no-stat -j 1 --count zzzz || true)
    ours=$(microseconds "$bitsift" query --index "$table" --no-stat -j 1 --count --batch ours)
    awk '{ print $NF }' out >our-counts
    ours=$(per_query $((ours - empty)) "$n_queries")
    if [ -s theirs ]; then
        sed "s/'/''/g; s/.*/SELECT count(*) FROM $table WHERE $table MATCH '&';/" theirs >selects
        empty=$(microseconds sqlite3 db "SELECT count(*) FROM $table WHERE $table MATCH 'zzzz'")
        theirs=$(microseconds sqlite3 db '.read selects')
        cmp -s out our-counts || class="$class (FTS5: other counts)"
        theirs=$(per_query $((theirs - empty)) "$n_queries")
    fi
    if [ -n "$lucene" ] && [ -s javas ]; then
        java -cp "$lucene" LuceneClasses count lucene <javas >out
        javas=$(per_query $(($(tail -n 1 out) / 1000)) 1)
        head -n -1 out | cmp -s - our-counts || class="$class (Lucene: other counts)"
    fi
    echo "| $class | $ours | $theirs | $javas |"
}

echo "| $n records; count, ms | bitsift | FTS5 | Lucene |"
echo '|---|--:|--:|--:|'
printf 'level:%s\n' error warn info >ours
cp ours theirs
sed 's/\(.*\):/field\t\1\t/' ours >javas
row 'a word in a field of three values' records
for i in $(seq 10 10 100); do echo "\"w${i}x w$((i + 7))x\"~5"; done >ours
sed -E 's/"(.*) (.*)"~5/NEAR("\1" "\2", 5)/' ours >theirs
sed -E 's/"(.*) (.*)"~5/near\t\1\t\2/' ours >javas
row 'NEAR of two common words' records
for i in $(seq 11 30); do echo "w$i*"; done >ours
cp ours theirs
sed 's/\*//; s/^/prefix\t/' ours >javas
row 'a prefix of a thousand words' records
for i in $(seq 11 20); do echo "*${i}5x"; done >ours
: >theirs
sed 's/^/wildcard\t/' ours >javas
row 'a wildcard at the beginning' records
for i in $(seq 11 20); do echo "w${i}345x~1"; done >ours
sed 's/~1//; s/^/fuzzy\t/' ours >javas
row 'a fuzzy word' records
python3 -c '
import json
for line in list(open("chinese.jsonl"))[:2000:100]: print(json.loads(line)["text"][5:8])' >ours
sed 's/.*/"&"/' ours >theirs
: >javas
row 'a substring of three Chinese characters' chinese

drop() { # PATH...: evicts the files from the page cache
    sync
    python3 - "$@" <<'PY'
import os, sys
for path in sys.argv[1:]:
    for file in [path] if os.path.isfile(path) else [os.path.join(path, name) for name in os.listdir(path)]:
        fd = os.open(file, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
PY
}

# Prints the median milliseconds of ten runs of a command; before each run, the files of PATHS are
# dropped from the page cache. If the command is java, it measures and prints its times itself.
cold() { # PATHS COMMAND...
    local paths=$1 start
    shift
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        # shellcheck disable=SC2086 # several paths
        drop $paths
        start=${EPOCHREALTIME/./}
        "$@" >out <java-query
        if [ "$1" = java ]; then awk '{ print $1 / 1e6 }' out; else echo "$((${EPOCHREALTIME/./} - start))" | awk '{ print $1 / 1e3 }'; fi
    done | sort -n | awk 'NR == 5 { printf "%.1f", $1 }'
}

echo
echo "| $n records; one query on a cold disk, ms | bitsift | FTS5 | Lucene |"
echo '|---|--:|--:|--:|'
cold_row() { # CLASS OURS THEIRS JAVAS
    local ours theirs javas=-
    printf '%b\n' "$4" >java-query
    ours=$(cold 'records records.jsonl' "$bitsift" query --index records --count "$2")
    theirs=$(cold db sqlite3 db "SELECT count(*) FROM records WHERE records MATCH '$3'")
    [ -z "$lucene" ] || javas=$(cold lucene java -cp "$lucene" LuceneClasses once lucene)
    echo "| $1 | $ours | $theirs | $javas |"
}
cold_row 'two common words' 'w10x w17x' 'w10x w17x' 'and\tw10x\tw17x'
cold_row 'two rare words' 'w40010x w31017x' 'w40010x w31017x' 'and\tw40010x\tw31017x'

[ -n "$repository" ] || exit 0
echo
git -C "$repository" log --no-merges --format=%B%x00 | python3 -c '
import json, sys
for i, text in enumerate(sys.stdin.buffer.read().decode("utf-8", "replace").split("\0")):
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    if words: print("{\"id\":\"%d\",\"text\":\"%s\"}" % (i, " ".join(words)))' >messages.jsonl
"$bitsift" index -q --index messages --words messages.jsonl
mebibytes() { # PATH
    du -sb "$1" | awk '{ printf "%.1f", $1 / 1048576 }'
}
echo "| $(wc -l <messages.jsonl) commit messages, $(mebibytes messages.jsonl) MiB | MiB |"
echo '|---|--:|'
echo "| bitsift | $(mebibytes messages) |"
[ -n "$lucene" ] || exit 0
java -cp "$lucene" LuceneClasses build messages.jsonl with-positions
java -cp "$lucene" LuceneClasses build messages.jsonl documents-only documents
echo "| Lucene with positions | $(mebibytes with-positions) |"
echo "| Lucene, documents only | $(mebibytes documents-only) |"
