#!/usr/bin/env bash
# other_rules.sh: tests an index that was made by other tokenizer rules: those of another ICU, or of
# an earlier revision of bitsift. It must give the answers of a sequential scan, warn once per
# session, accept new rows, never be merged, and be renewed only by REINDEX. An index of a later
# revision must be refused. LATER: the extension as a later bitsift builds it; without it only ICU
# differs.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
cluster_test
library=$cluster_root$("$PG_CONFIG" --pkglibdir)/bitsift.so
cp -- "$library" "$cluster_folder/present.so"
# Restores the library, because other tests may use the same installation.
trap 'put "$cluster_folder/present.so"; cluster_end' EXIT

# Installs LIBRARY as a new file, because servers have the old file mapped.
put() { # LIBRARY
    cp -- "$1" "$library.new"
    mv -f -- "$library.new" "$library"
}
restart() { # [LD_LIBRARY_PATH]
    cluster_stop one
    LD_LIBRARY_PATH=${1:-} cluster_start one
}
notices() { PGOPTIONS='-c client_min_messages=notice' "$cluster_bin/psql" -h "$cluster_folder" -p "$(cluster_port one)" -U postgres -X -q -A -t "$@" postgres 2>&1; }

questions=(
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body @@@ 'cat'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body @@@ '👩'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body @@@ 'row -👩'"
    "SELECT count(*), sum(id) FROM t WHERE body @@@ '\"number seven\" OR eigh*'"
    "SELECT count(*), sum(id) FROM t WHERE body @@@ '-cat'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body @@@ '👩' AND body LIKE '%1%'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body LIKE '%needle%'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body ILIKE '%NEEDLE%'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body ~ 'ne+dle [0-9]'"
    "SELECT array_agg(id ORDER BY id) FROM t WHERE body ~* 'NE+DLE [0-9]'"
    "SELECT array_agg(id ORDER BY id) FROM p WHERE a @@@ '👩'"
    "SELECT array_agg(id ORDER BY id) FROM p WHERE b @@@ '👩 OR two'"
    "SELECT array_agg(id ORDER BY id) FROM p WHERE a @@@ 'one' AND NOT b @@@ '👩'"
)
ranked=(
    "SELECT array_agg((id, s)) FROM (SELECT id, round((body <@> 'seven OR cat')::numeric, 6) AS s FROM t ORDER BY body <@> 'seven OR cat', id LIMIT 12) r"
    "SELECT array_agg((id, s)) FROM (SELECT id, round((body <@> '👩 OR cat')::numeric, 6) AS s FROM t WHERE body @@@ '👩 OR cat'
        ORDER BY body <@> '👩 OR cat', id LIMIT 12) r"
)
ask() { # SETTING... -- QUESTION...: prints one answer per line
    local statements=()
    while [ "$1" != -- ]; do statements+=(-c "SET $1"); shift; done
    shift
    for question; do statements+=(-c "$question"); done
    sql one -q "${statements[@]}" 2>/dev/null
}
# Compares the answers of an index scan and of a sequential scan.
check() { # WHAT
    ask 'enable_seqscan = off' -- "${questions[@]}" "${ranked[@]}" >"$cluster_folder/by_index"
    ask 'enable_indexscan = off' 'enable_bitmapscan = off' -- "${questions[@]}" "${ranked[@]}" >"$cluster_folder/by_scan"
    cmp -s "$cluster_folder/by_scan" "$cluster_folder/by_index" ||
        fail "$1: answers of a scan and of the index: $(diff "$cluster_folder/by_scan" "$cluster_folder/by_index" | cut -c 1-200 | head -n 20)"
    sql one -q -c "SELECT bitsift_check('ti')" >/dev/null
}
# Prints the number of rows that the index returned as candidates and that a recheck rejected.
looked_at() { # CONDITION
    sql one -q -c 'SET enable_seqscan = off' -c "EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT id FROM t WHERE $1" 2>/dev/null |
        awk '/Removed by Index Recheck/ { n += $NF } END { print n + 0 }'
}
files() { sql one -c "SELECT files FROM bitsift_info('ti')"; }
warnings() { # prints the number of warnings of a session with several statements and indexes
    sql one -q -c 'SET enable_seqscan = off' -c "SELECT id FROM t WHERE body @@@ 'cat'" -c "SELECT id FROM t WHERE body @@@ 'row'" -c "INSERT INTO t VALUES (-9, 'none')" \
        -c "DELETE FROM t WHERE id = -9" -c "SELECT id FROM p WHERE a @@@ 'one'" -c "SELECT id FROM t ORDER BY body <@> 'cat' LIMIT 2" 2>&1 | grep -c WARNING || true
}
# Makes table t, whose index is condensed and has pending rows, and table p, of two columns, whose
# index is not condensed.
fill() {
    sql one -q -c 'DROP TABLE IF EXISTS t, p' -c 'CREATE TABLE t (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off)' \
        -c "INSERT INTO t SELECT i, 'row ' || i || CASE i % 7 WHEN 0 THEN ' number seven' WHEN 1 THEN ' eighty 👩 cat' WHEN 2 THEN ' 👩' ELSE ' nine' END ||
            CASE WHEN i % 150 = 3 THEN ' needle ' || i ELSE '' END FROM generate_series(1, 600) i" \
        -c 'CREATE INDEX ti ON t USING bitsift (body) WITH (grams = on, pending_limit = 64)' \
        -c "INSERT INTO t SELECT i, 'later row ' || i || ' 👩 number seven' FROM generate_series(601, 620) i" -c 'VACUUM t' \
        -c "INSERT INTO t SELECT i, 'row ' || i || ' that waits with a cat' FROM generate_series(621, 630) i" \
        -c 'CREATE TABLE p (id int PRIMARY KEY, a text, b text) WITH (autovacuum_enabled = off)' \
        -c "INSERT INTO p SELECT i, CASE i % 3 WHEN 0 THEN '👩' ELSE 'one ' || i END, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '👩 two' ELSE 'three' END
            FROM generate_series(1, 200) i" \
        -c 'CREATE INDEX pi ON p USING bitsift (a, b) WITH (condensed = off)'
}
# Checks indexes that were made by other rules than those of the running server.
check_other() {
    local n said
    check "at first"
    same "$statistics" "$(sql one -c "SELECT bitsift_stats('ti', 'cat OR seven')" 2>/dev/null)" "statistics"
    same 1 "$(warnings)" "warnings of a session"
    said=$(sql one -q -c 'SET enable_seqscan = off' -c "SELECT id FROM t WHERE body @@@ 'needle'" 2>&1 | grep -A 1 WARNING || true)
    [[ $said == *'index "ti" was made by another version of the tokenizer'*REINDEX* ]] || fail "the warning: $said"
    [ "$(looked_at "body @@@ 'needle'")" -gt 500 ] || fail "words are not scanned for"
    [ "$(looked_at "body LIKE '%needle 153%'")" -lt 50 ] || fail "LIKE does not filter"
    [ "$(looked_at "body ~ 'needle 15[3]'")" -lt 50 ] || fail "regular expressions do not filter"
    # New, changed and deleted rows, first pending, then in a part of the index.
    sql one -q -c "INSERT INTO t VALUES (1001, 'a new cat 👩 number seven'), (1002, 'needle 9')" -c "UPDATE t SET body = 'the row changed: 👩 needle 7' WHERE id IN (5, 601)" \
        -c 'DELETE FROM t WHERE id IN (8, 9, 621)' -c "INSERT INTO p VALUES (1001, '👩', 'two')" 2>/dev/null
    check "changed"
    sql one -q -c 'VACUUM t, p' 2>/dev/null
    check "after VACUUM"
    same "$(sql one -c 'SELECT count(*) FROM t')" "$(sql one -c "SELECT bitsift_check('ti')")" "rows in the index"
    # Neither VACUUM nor bitsift_merge merges parts of the index.
    n=$(files)
    for i in $(seq 30); do
        printf "INSERT INTO t VALUES (%d, 'cat 👩 %d');\nVACUUM t;\n" $((2000 + i)) "$i"
    done | sql one -q 2>/dev/null
    [ "$(files)" -ge $((n + 30)) ] || fail "$(files) files after $n and 30 more"
    n=$(files)
    said=$(notices -c "SELECT bitsift_merge('ti')")
    [[ $said == *'nothing is merged'*REINDEX* ]] || fail "bitsift_merge says: $said"
    same "$n" "$(files)" "files after bitsift_merge"
    check "after many parts"
    # New rows are still accepted, in any number.
    for i in $(seq 35); do
        printf "INSERT INTO t VALUES (%d, 'dog 👩 %d');\nVACUUM t;\n" $((3000 + i)) "$i"
    done | sql one -q
    same 1 "$(warnings)" "warnings of a session in the end"
    check "after more parts than the metapage has room for"
    # The cache is made again from the pages.
    find "$cluster_folder/one/pg_stat_tmp/bitsift/1" -type f -delete
    check "without a cache"
}
renew() {
    sql one -q -c 'REINDEX TABLE t' -c 'REINDEX TABLE p'
    same 0 "$(warnings)" "warnings of a session after REINDEX"
    check "after REINDEX"
    [ "$(looked_at "body @@@ 'needle'")" -lt 50 ] || fail "words are scanned for after REINDEX"
    sql one -q -c "INSERT INTO t VALUES (4000, 'cat')" -c 'VACUUM t' -c "SELECT bitsift_merge('ti')" >/dev/null
    [ "$(files)" -lt 5 ] || fail "$(files) files after REINDEX and a merge"
    check "merged"
}

step="a new cluster"
cluster_make one 'autovacuum = off'
sql one -c 'CREATE EXTENSION bitsift'
soname=$(LC_ALL=C grep -aom 1 'libicuuc\.so\.[0-9]*' "$library" | sed -n 1p)
icu=$(PATH=$PATH:/sbin ldconfig -p | awk -v name="$soname" '$1 == name && !n++ { print $NF }')
if "$here/../../rigs/other_icu.sh" "$icu" "$cluster_folder/icu"; then
    step="another ICU"
    restart "$cluster_folder/icu"
    fill
    statistics=$(sql one -c "SELECT bitsift_stats('ti', 'cat OR seven')")
    same "ERROR" "$(sql one -c "SELECT 'a' @@@ '👩'" 2>&1 | grep -o ERROR)" "a word of the other ICU"
    restart
    check_other
    renew
else
    echo "other_rules.sh: no other ICU can be made here"
fi

[ -n "${LATER:-}" ] || exit 0
step="a later revision"
fill
statistics=$(sql one -c "SELECT bitsift_stats('ti', 'cat OR seven')")
put "$LATER"
restart
check_other
# Rows that were added by the later rules do not make the index one of the later rules.
put "$cluster_folder/present.so"
restart
same 1 "$(warnings)" "warnings of a session of the earlier revision"
check "back to the earlier revision"
put "$LATER"
restart
renew

step="an index of a later revision"
put "$cluster_folder/present.so"
restart
for statement in "SELECT id FROM t WHERE body @@@ 'cat'" "SELECT id FROM t ORDER BY body <@> 'cat' LIMIT 1" "SELECT id FROM t WHERE body LIKE '%needle%'" \
    "SELECT bitsift_merge('ti')" "SELECT bitsift_check('ti')" "SELECT bitsift_stats('ti', 'cat')"; do
    said=$(sql one -c 'SET enable_seqscan = off' -c "$statement" 2>&1) && fail "$statement is answered: $said"
    [[ $said == *'ERROR:  index "ti": '*'its words were found by rules 200, this bitsift knows up to '*'the version that made it, or REINDEX'* && $said != *'bitsift index'* ]] ||
        fail "$statement: $said"
done
sql one -q -c "INSERT INTO t VALUES (5000, 'a cat for the later 👩')"
sql one -q -c 'REINDEX TABLE t' -c 'REINDEX TABLE p'
same 0 "$(warnings)" "warnings of a session after REINDEX"
check "after REINDEX"
