#!/usr/bin/env bash
# bench.sh EXTENSION RECORDS.jsonl [N]: compares virtual tables of FTS5 (detail=full) and bitsift
# with N (300,000) short texts, the first 250 characters of the field "text" of each record.
# Measures the build in one transaction, the bytes in addition to the content, and the times of
# counts, of all rowids and of the ten best rows. Each query has two to four words of one text.
# Times are CPU seconds of one process; the build is also measured in elapsed time. The counts of
# the two can differ only where their tokenizers do; the number of such queries is printed. Requires
# 1 GB in TMPDIR and the shell sqlite3 with FTS5, dbstat and JSON.
set -euo pipefail
extension=$(realpath -- "$1") records=$(realpath -- "$2") n=${3:-300000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-sqlite.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"

# Similar to our tokenizer: diacritics are kept, and "_" is a character of words.
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

# Queries: 100 each of two, three and four words. The words of a query consist of letters, come from
# one text and are spread over it; the texts are spread over the table.
sqlite3 db "SELECT replace(replace(text, char(10), ' '), char(13), ' ') FROM texts WHERE rowid % ($n / 2000) = 7" |
    awk '{ n = 0; delete seen; delete words
           $0 = tolower($0)
           for (i = 1; i <= NF; i++) if (!($i in seen) && $i ~ /^[a-z][a-z]+$/ && $i !~ /^(and|or|not|near)$/) { seen[$i]; words[++n] = $i }
           want = 2 + NR % 3; if (n < want || ++made[want] > 100) next
           line = ""; for (i = 0; i < want; i++) line = line (i ? " " : "") words[1 + int(i * n / want)]
           print line }' >queries
sqlite3 db "CREATE TABLE queries(query)" ".import queries queries"

times() { # SQL...: prints "Run Time: real R user U sys S" of the last statement, in seconds
    sqlite3 db 2>&1 <<SQL | tail -n 1
.load $extension
${@:1:$#-1};
.timer on
${*: -1};
SQL
}
build() { # TABLE DECLARATION: prints elapsed seconds (bitsift uses a second thread) and CPU seconds
    times "CREATE VIRTUAL TABLE $1 USING $2" "INSERT INTO $1(rowid, text) SELECT rowid, text FROM texts" |
        awk '{ printf "%.3f %.3f", $4, $6 + $8 }'
}
bytes() { # TABLE
    sqlite3 db "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '$1\\_%' ESCAPE '\\' AND name <> '$1_content'"
}
ask() { # TABLE EXPRESSION: prints microseconds per query, the mean of five runs after a warm-up
    local sql="SELECT sum($2) FROM queries, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5)"
    times "SELECT sum($2) FROM queries" "$sql" | awk -v n="$n_queries" '{ printf "%.1f", ($6 + $8) / n / 5 * 1e6 }'
}
row() { # WHAT UNIT FTS5 BITSIFT MUST GOAL: prints a row of the table. The ratio is FTS5 / BITSIFT,
    # or BITSIFT / FTS5 if MUST, the required ratio, begins with "<".
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
