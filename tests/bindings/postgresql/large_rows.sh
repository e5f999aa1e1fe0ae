#!/usr/bin/env bash
# large_rows.sh: tests that a row which INSERT accepts does not make a query, VACUUM, a merge,
# CREATE INDEX, REINDEX or a restore fail with the default maintenance_work_mem: one long word, many
# different words, grams of text without spaces, several columns. A word of more than 32 MB, or 5 MB
# of text without spaces, takes more memory than that setting. LARGEST: bytes of a row of many words
# (default 5 MB; the limit is 64 MiB, which takes a few GB of memory).
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
cluster_test
cluster_make one "autovacuum = off"
n=${LARGEST:-5000000}
sql one -c 'CREATE EXTENSION bitsift' -c "CREATE TABLE d(id int PRIMARY KEY, t text, u text)" \
    -c "CREATE INDEX di ON d USING bitsift(t, u) WITH (grams)" -c "INSERT INTO d VALUES (0, 'lantern', NULL)"
expect 64MB 'SHOW maintenance_work_mem'
insert() { # ID T [U]
    expect '' "INSERT INTO d SELECT $1, $2, ${3:-NULL}"
    expect 0 "SET enable_seqscan = off" "SELECT id FROM d WHERE t @@@ 'lantern'"
    expect '' "VACUUM d"
    expect 0 "SET enable_seqscan = off" "SELECT id FROM d WHERE t @@@ 'lantern'"
}
insert 1 "repeat('x', 35000000)"
insert 2 "(SELECT string_agg(to_hex(i), ' ') FROM generate_series(1, $n / 7) i)"
insert 3 "(SELECT string_agg(chr(19968 + i % 20000) || chr(19968 + i / 20000), '') FROM generate_series(1, $n / 6) i)"
insert 4 "repeat('word ', $n / 50)" "(SELECT string_agg('u' || i, ' ') FROM generate_series(1, $n / 60) i)"
expect 2 "SET enable_seqscan = off" "SELECT id FROM d WHERE t @@@ 'abcde'"
expect t "SELECT bitsift_merge('di') IS NOT NULL"
expect t "SELECT bitsift_check('di') = (SELECT count(*) FROM d)"
expect '' "REINDEX INDEX di"
expect 2 "SET enable_seqscan = off" "SELECT id FROM d WHERE t @@@ 'abcde'"
expect 4 "SET enable_seqscan = off" "SELECT id FROM d WHERE u @@@ 'u777'"
expect t "SELECT bitsift_check('di') = (SELECT count(*) FROM d)"
sql one -c 'CREATE DATABASE copy' -c 'DELETE FROM d WHERE id IN (1, 2)'
as_postgres "$cluster_bin/pg_dump" -h "$cluster_folder" -p "$(cluster_port one)" postgres >"$cluster_folder/dump"
sql one -q -d copy -f "$cluster_folder/dump" >/dev/null
same 4 "$(sql one -d copy -c 'SET enable_seqscan = off' -c "SELECT id FROM d WHERE u @@@ 'u777'")" "a restored row"

# The error message for a row that is too large uses PostgreSQL's terms and names no option of the
# command `bitsift`.
said=$(sql one -c "INSERT INTO d SELECT 9, repeat('x', 68000000)" 2>&1) || true
[[ $said == *'is too large for index'* && $said != *--* ]] || fail "$said"
