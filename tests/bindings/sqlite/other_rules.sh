#!/usr/bin/env bash
# other_rules.sh SQLITE3 EXTENSION LATER: tests a table that was made by other tokenizer rules:
# those of another ICU, or of an earlier revision of bitsift. It must give exact answers, be
# reported by sqlite3_log once per connection and by bitsift_info, accept new rows, never be merged,
# and be renewed only by 'rebuild'. A table of a later revision must be refused until 'rebuild'.
# LATER: the extension as a later bitsift builds it. PRELOAD: see run.sh.
set -euo pipefail
sqlite=$(realpath -- "$(command -v "$1")") present=$(realpath -- "$2") later=$(realpath -- "$3")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
dir=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-sqlite.XXXXXX")
trap 'rm -rf -- "$dir"' EXIT
cd -- "$dir"
export HOME=$dir XDG_CONFIG_HOME=$dir/config XDG_STATE_HOME=$dir/state
extension=$present icu='' step=''

fail() {
    echo "other_rules.sh: $step: $*" >&2
    exit 1
}
same() { # WANTED FOUND WHAT
    [ "$1" = "$2" ] || fail "$3: '$2' instead of '$1'"
}
# Runs statements from standard input in one connection. Without intercept_tls_get_addr=0,
# LeakSanitizer crashes if thread-local variables of a library begin 16 bytes into a page.
sql() {
    { printf '.load %s\n.log stdout\n' "$extension" && cat; } |
        env ${PRELOAD:+LD_PRELOAD="$PRELOAD" ASAN_OPTIONS=intercept_tls_get_addr=0} ${icu:+LD_LIBRARY_PATH="$icu"} "$sqlite" -batch db 2>&1
}
ask() { sql <<<"$1" | grep -v '^(28) bitsift: ' || true; }

fill() {
    rm -f db
    sql <<'SQL'
CREATE VIRTUAL TABLE t USING bitsift(a, b);
CREATE TABLE c(id INTEGER PRIMARY KEY, a, b);
CREATE VIRTUAL TABLE e USING bitsift(a, b, content = 'c', content_rowid = 'id');
WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 300) INSERT INTO c
    SELECT i, 'row ' || i || CASE i % 7 WHEN 0 THEN ' number seven' WHEN 1 THEN ' eighty 👩 cat' WHEN 2 THEN ' 👩' ELSE ' nine' END,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '👩 two' ELSE 'three' END FROM i;
INSERT INTO e(e) VALUES ('rebuild');
INSERT INTO t(rowid, a, b) SELECT * FROM c;
INSERT INTO t(rowid, a, b) VALUES (400, 'a later row', 'cat');
SQL
    scores=$(ask "$ranked")
}
ranked="SELECT rowid, round(rank, 5) FROM t('seven OR nine') WHERE rowid % 5 <> 1 ORDER BY rank, rowid LIMIT 30;"
# Each query must find the rows that its condition selects, and integrity-check must succeed.
check() { # WHAT
    local said
    said=$(ask "$(for table in t e; do
        while IFS='|' read -r query condition; do
            printf "SELECT '%s %s: ' || (SELECT group_concat(rowid) FROM (SELECT rowid FROM %s('%s') ORDER BY rowid)) || ' instead of ' || wanted FROM
                (SELECT coalesce(group_concat(rowid), 'none') AS wanted FROM (SELECT rowid, coalesce(a, '') AS a, coalesce(b, '') AS b FROM %s ORDER BY rowid) WHERE %s)
                WHERE (SELECT coalesce(group_concat(rowid), 'none') FROM (SELECT rowid FROM %s('%s') ORDER BY rowid)) <> wanted;\n" \
                "$table" "$query" "$table" "$query" "$table" "$condition" "$table" "$query"
        done <<'QUERIES'
👩|instr(a || b, '👩')
cat|instr(a || b, 'cat')
row -👩|instr(a, 'row') AND NOT instr(a || b, '👩')
a:👩 b:two|instr(a, '👩') AND instr(b, 'two')
"number seven" OR eigh*|instr(a || b, 'number seven') OR instr(a, 'eigh')
-cat|NOT instr(a || b, 'cat')
QUERIES
        printf "INSERT INTO %s(%s) VALUES ('integrity-check');\n" "$table" "$table"
    done)")
    same "" "$said" "$1"
}
information() { ask "SELECT other_rules, segments FROM bitsift_info('t')"; }
n_warnings() { # number of warnings of a connection that queries two tables several times and writes
    sql <<<"SELECT count(*) FROM t('cat'); SELECT count(*) FROM e('cat'); BEGIN; INSERT INTO t VALUES ('a dog', ''); SELECT count(*) FROM t('dog');
        ROLLBACK; SELECT count(*) FROM t('👩');" | grep -c '^(28) bitsift: ' || true
}

commit_often() {
    ask "$(for i in $(seq 30); do
        echo "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 200) INSERT INTO t SELECT 'a parrot 👩 $i ' || i, NULL FROM i;"
    done)"
}

# Checks a database whose tables were made by other rules.
check_other() {
    local said made
    check "at first"
    same "$scores" "$(ask "$ranked")" "scores"
    same 1 "$(n_warnings)" "lines in the log of a connection"
    said=$(sql <<<"SELECT count(*) FROM t('cat')")
    [[ $said == *"(28) bitsift: main.t was made by another version of the tokenizer"*"INSERT INTO t(t) VALUES('rebuild')"* ]] || fail "the log: $said"
    same '1|2' "$(information)" "bitsift_info"
    made=$(ask "SELECT icu FROM bitsift_info('t')")
    # New, changed and deleted rows are accepted; the recorded rules stay.
    sql <<'SQL' >/dev/null
INSERT INTO t(rowid, a, b) VALUES (500, 'a new cat 👩', 'number seven'), (501, 'a dog', NULL);
UPDATE t SET a = 'the row changed 👩 number seven' WHERE rowid IN (5, 400);
DELETE FROM t WHERE rowid IN (8, 9, 10);
INSERT INTO c VALUES (500, 'a new cat 👩', 'number seven');
INSERT INTO e(rowid, a, b) SELECT id, a, b FROM c WHERE id = 500;
SQL
    check "changed"
    # Commits are never merged, however many, not even by 'optimize'.
    commit_often
    said=$(information)
    [ "${said#1|}" -ge 30 ] || fail "30 commits make bitsift_info say $said"
    ask "INSERT INTO t(t) VALUES ('optimize')"
    same "$said" "$(information)" "bitsift_info after optimize"
    [[ $(ask "SELECT icu FROM bitsift_info('t')") == "${made%+}"* ]] || fail "another ICU is recorded after new rows"
    same 1 "$(n_warnings)" "lines in the log of a connection in the end"
    check "after many commits"
}
renew() {
    local said
    ask "INSERT INTO t(t) VALUES ('rebuild'); INSERT INTO e(e) VALUES ('rebuild')"
    same '0|1' "$(information)" "bitsift_info after rebuild"
    same 0 "$(n_warnings)" "lines in the log after rebuild"
    check "after rebuild"
    commit_often
    said=$(information)
    [ "${said#0|}" -lt 30 ] || fail "30 commits after rebuild make bitsift_info say $said"
    ask "INSERT INTO t(t) VALUES ('optimize')"
    same '0|1' "$(information)" "bitsift_info after optimize"
}

soname=$(LC_ALL=C grep -aom 1 'libicuuc\.so\.[0-9]*' "$present" | sed -n 1p)
library=$(PATH=$PATH:/sbin ldconfig -p | awk -v name="$soname" '$1 == name && !n++ { print $NF }')
if [ -z "${PRELOAD:-}" ] && "$here/../../rigs/other_icu.sh" "$library" "$dir/icu"; then
    step="another ICU" icu=$dir/icu
    fill
    same '1.2' "$(ask "SELECT icu FROM bitsift_info('t')")" "the other ICU"
    icu=''
    check_other
    renew
fi

step="a later revision"
fill
extension=$later
check_other
# Rows that were added by the later rules do not make the table one of the later rules.
extension=$present
check "back to the earlier revision"
same 1 "$(n_warnings)" "lines in the log of the earlier revision"
extension=$later
renew

step="a table of a later revision"
extension=$present
for statement in "SELECT count(*) FROM t('cat')" "SELECT rowid FROM t('cat') ORDER BY rank" "SELECT * FROM bitsift_info('t')" \
    "INSERT INTO t(t) VALUES ('optimize')" "INSERT INTO t(t) VALUES ('integrity-check')"; do
    said=$(ask "$statement")
    [[ $said == *'rules 200, this bitsift knows up to '*"use the version that made it, or INSERT INTO t(t) VALUES('rebuild')"* && $said != *'bitsift index'* ]] ||
        fail "$statement: $said"
done
renew
