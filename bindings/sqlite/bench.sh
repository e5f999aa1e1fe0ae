#!/usr/bin/env bash
# bench.sh EXTENSION RECORDS.jsonl [N]: a table of N (300,000) short texts, 250 characters of the field "text" of each record,
# in a virtual table of FTS5 (detail=full) and in one of bitsift: building in one transaction, bytes beside the content, counts
# and the ten best of two to four words out of one text. CPU seconds of the same process, of the build by the clock, too; both
# must count alike but where their rules for words differ, of which the number is shown. TMPDIR needs 1 GB; needs the shell
# sqlite3 with FTS5, dbstat and JSON.
set -euo pipefail
extension=$(realpath -- "$1") records=$(realpath -- "$2") n=${3:-300000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-sqlite.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"

# Near to our words: no diacritics removed, and what ICU leaves in a word is a character of it.
fts5="fts5(text, tokenize = \"unicode61 remove_diacritics 0 tokenchars '_'\")"
bitsift="bitsift(text)"

head -n $((n * 4)) -- "$records" >lines
sqlite3 db >/dev/null <<SQL
PRAGMA journal_mode = wal;
CREATE TABLE lines(line);
.mode ascii
.separator "\001" "\n"
.import lines lines
CREATE TABLE texts AS SELECT substr(json_extract(line, '$.text'), 1, 250) AS text FROM lines WHERE length(json_extract(line, '$.text')) >= 60 LIMIT $n;
DROP TABLE lines;
VACUUM;
SQL
rm lines
n=$(sqlite3 db "SELECT count(*) FROM texts")

# Queries: words of letters alone, of texts spread over all; 100 each of two, three and four words.
sqlite3 db "SELECT replace(replace(text, char(10), ' '), char(13), ' ') FROM texts WHERE rowid % ($n / 2000) = 7" |
    awk '{ n = 0; delete seen; delete words
           $0 = tolower($0)
           for (i = 1; i <= NF; i++) if (!($i in seen) && $i ~ /^[a-z][a-z]+$/ && $i !~ /^(and|or|not|near)$/) { seen[$i]; words[++n] = $i }
           want = 2 + NR % 3; if (n < want || ++made[want] > 100) next
           line = ""; for (i = 0; i < want; i++) line = line (i ? " " : "") words[1 + int(i * n / want)]
           print line }' >queries
sqlite3 db "CREATE TABLE queries(query)" ".import queries queries"

times() { # SQL...: of the last one "Run Time: real R user U sys S", in seconds
    sqlite3 db 2>&1 <<SQL | tail -n 1
.load $extension
${@:1:$#-1};
.timer on
${*: -1};
SQL
}
build() { # TABLE DECLARATION: seconds by the clock (bitsift has a second thread) and of CPU
    times "CREATE VIRTUAL TABLE $1 USING $2" "INSERT INTO $1(rowid, text) SELECT rowid, text FROM texts" |
        awk '{ printf "%.3f %.3f", $4, $6 + $8 }'
}
bytes() { # TABLE
    sqlite3 db "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '$1\\_%' ESCAPE '\\' AND name <> '$1_content'"
}
ask() { # TABLE EXPRESSION: microseconds a query, of five runs, after one that warms up
    local sql="SELECT sum($2) FROM queries, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5)"
    times "SELECT sum($2) FROM queries" "$sql" | awk -v n="$n_queries" '{ printf "%.1f", ($6 + $8) / n / 5 * 1e6 }'
}
row() { # WHAT UNIT FTS5 BITSIFT MUST GOAL
    awk -v what="$1" -v unit="$2" -v f="$3" -v b="$4" -v must="$5" -v goal="$6" \
        'BEGIN { printf "| %s | %s | %s | %.2f | %s | %s |\n", what, f unit, b unit, must ~ /^</ ? b / f : f / b, must, goal }'
}
n_queries=$(wc -l <queries)
f_build=$(build f "$fts5") b_build=$(build b "$bitsift")
f_bytes=$(bytes f) b_bytes=$(bytes b)
sqlite3 db ".load $extension" "INSERT INTO f(f) VALUES ('optimize')" "INSERT INTO b(b) VALUES ('optimize')"
other=$(sqlite3 db ".load $extension" "SELECT sum((SELECT count(*) FROM b(query)) <> (SELECT count(*) FROM f(query))) FROM queries")
hits=$(sqlite3 db ".load $extension" "SELECT round(avg((SELECT count(*) FROM b(query)))) FROM queries")
ten() { echo "(SELECT sum(r) FROM (SELECT rowid AS r FROM $1(query) ORDER BY rank LIMIT 10))"; }
printf '%s texts, %s queries of two to four words, of %s hits in the mean; %s counts differ\n\n' "$n" "$n_queries" "${hits%.*}" "$other"
echo '| | FTS5 | bitsift | ratio | must | goal |'
echo '|---|---|---|---|---|---|'
row "build, one transaction, by the clock" " s" "${f_build% *}" "${b_build% *}" ">= 1" 2
row "... processor time" " s" "${f_build#* }" "${b_build#* }" "" ""
row "bytes beside the content" "" "$f_bytes" "$b_bytes" "<= 0.8" 0.6
row "... of FTS5 after optimize" "" "$(bytes f)" "$b_bytes" "<= 0.8" 0.6
row "count" " us" "$(ask f '(SELECT count(*) FROM f(query))')" "$(ask b '(SELECT count(*) FROM b(query))')" ">= 5" 20
row "rowids" " us" "$(ask f '(SELECT sum(rowid) FROM f(query))')" "$(ask b '(SELECT sum(rowid) FROM b(query))')" "" ""
row "ten best" " us" "$(ask f "$(ten f)")" "$(ask b "$(ten b)")" ">= 20" 100
