#!/usr/bin/env bash
# cache.sh: tests that the cache of an index survives restarts, crashes and promotions, that missing
# or damaged files in it are made again from the pages, byte for byte, and that unused files are
# removed. Each query runs in a new session, which opens the index anew.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
cluster_test
cluster_make one "maintenance_work_mem = 1MB"
cache=$cluster_folder/one/pg_stat_tmp/bitsift

files() { # prints the finished files of the cache, one per line
    find "$cache/1" -type f ! -name '*.tmp*' | LC_ALL=C sort
}
segment() { # prints the largest file of the cache
    find "$cache/1" -type f -printf '%s %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2
}
# Identifies the files: an unchanged file has the same inode and time.
fingerprints() { files | xargs stat -c '%i %Y %n'; }
sums() { files | xargs sha256sum; }
empty() { files | xargs -r rm --; }
flip() { # FILE OFFSET: flips a bit
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf %b "\\x$(printf %x $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
answers() { # [NAME]: prints the answers of the cluster NAME to some queries
    sql "${1:-one}" -c "SET enable_seqscan = off" -c "SELECT count(*), sum(id) FROM t WHERE body @@@ 'number seven'" \
        -c "SELECT count(*), sum(id) FROM t WHERE body @@@ 'eight* OR nine' AND body LIKE '%number 7%'" \
        -c "SELECT count(*), sum(id) FROM t WHERE body ~ 'row [0-9]+9 '" \
        -c "SELECT id, body <@> 'row nine eight' FROM t ORDER BY body <@> 'row nine eight', id LIMIT 5"
}

sql one -c 'CREATE EXTENSION bitsift' -c 'CREATE TABLE t (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off)' \
    -c "INSERT INTO t SELECT i, 'row ' || i || ' number ' || i % 1000 || CASE i % 7 WHEN 0 THEN ' seven ' WHEN 1 THEN ' eighty ' ELSE ' nine ' END ||
        (SELECT string_agg('w' || (i::bigint * i + k * 7919) * (i + k) % 5003, ' ') FROM generate_series(1, 15) k) FROM generate_series(1, 15000) i" \
    -c 'CREATE INDEX ti ON t USING bitsift (body) WITH (grams = on)' \
    -c "INSERT INTO t SELECT i, 'row ' || i || ' later number seven' FROM generate_series(15001, 17000) i" -c 'DELETE FROM t WHERE id % 100 = 3' \
    -c 'VACUUM t' -c "INSERT INTO t VALUES (0, 'row that waits, number seven')"
wanted=$(answers)
before=$(sums) found=$(fingerprints) rows=$(sql one -c "SELECT bitsift_check('ti')")
[ "$(files | wc -l)" = "$(sql one -c "SELECT files FROM bitsift_info('ti')")" ] || fail "the cache has other files than the index: $(files)"

# The pages take less space than the compressed cache files would.
stored=$(sql one -c "SELECT stored_bytes FROM bitsift_info('ti')") packed=$(files | xargs cat | gzip -6 | wc -c)
[ $((stored * 10)) -lt $((packed * 9)) ] || fail "$stored bytes in the pages are no condensed segments: $packed by gzip"

for how in stop kill; do
    "cluster_$how" one
    cluster_start one
    same "$wanted" "$(answers)" "answers after $how"
    same "$found" "$(fingerprints)" "files after $how"
    same "$rows" "$(sql one -c "SELECT bitsift_check('ti')")" "rows after $how"
done

# Files made from the pages are equal byte for byte.
empty
same "$wanted" "$(answers)" "answers from the pages"
same "$before" "$(sums)" "files from the pages"
empty
same "$rows" "$(sql one -c "SELECT bitsift_check('ti')")" "rows from the pages"
same "$before" "$(sums)" "files that were checked"
truncate -s -1 "$(segment)"
same "$wanted" "$(answers)" "answers after a file was cut"
same "$before" "$(sums)" "files after one was cut"

# A cancelled query leaves no temporary files.
for ms in 1 2 5 10 20; do
    empty
    said=$(sql one -c "SET statement_timeout = $ms" -c "SELECT count(*) FROM t WHERE body @@@ 'seven'" 2>&1) || [[ $said == *'statement timeout'* ]] || fail "$said"
    [ -z "$(find "$cache" -name '*.tmp*')" ] || fail "temporary files are left: $(find "$cache")"
done
# A query that is cancelled in a continuing transaction holds no lock and no file afterwards.
empty
sql one -c "SET enable_seqscan = off" -c "SET statement_timeout = 20" \
    -c "DO \$\$ BEGIN PERFORM count(*) FROM t WHERE body @@@ 'seven'; EXCEPTION WHEN query_canceled THEN
        IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'page') OR EXISTS (SELECT FROM pg_ls_dir('pg_stat_tmp/bitsift/1') f WHERE f LIKE '%.tmp%') THEN
            RAISE 'something is left'; END IF; END \$\$" -c "SET statement_timeout = 0" -c "SELECT count(*) FROM t WHERE body @@@ 'seven'" >/dev/null
same "$wanted" "$(answers)" "answers after queries were cancelled"
same "$before" "$(sums)" "files after queries were cancelled"
# Several sessions make the cache at the same time.
empty
for n in 1 2 3 4 5 6; do answers >"$cluster_folder/answers.$n" & done
wait
for n in 1 2 3 4 5 6; do same "$wanted" "$(cat "$cluster_folder/answers.$n")" "answers of several at once"; done
same "$before" "$(sums)" "files of several at once"

# Damage in the cache: bitsift_check finds it anywhere. A query that finds it fails, and the next
# one uses a new file.
n_bytes=$(stat -c %s "$(segment)")
for part in 0 1 2 3 4 5 6 7 8; do
    flip "$(segment)" $((n_bytes * part / 9 + 70))
    said=$(sql one -c "SELECT bitsift_check('ti')" 2>&1) && fail "bitsift_check does not see what is damaged at $part / 9"
    [[ $said == *'in the cache has a wrong checksum'* ]] || fail "bitsift_check: $said"
    same "$rows" "$(sql one -c "SELECT bitsift_check('ti')")" "rows after damage at $part / 9"
    same "$before" "$(sums)" "files after damage at $part / 9"
    flip "$(segment)" $((n_bytes * part / 9 + 70))
    said=$(answers 2>&1) || said=$(answers)
    same "$wanted" "$said" "answers after damage at $part / 9"
    empty
    answers >"$cluster_folder/answers"
done

# A session that has the index open works again after such a failure.
flip "$(segment)" 70
said=$(sql one -v ON_ERROR_STOP=0 -c "SET enable_seqscan = off" -c "SELECT count(*) FROM t WHERE body @@@ 'seven'" -c "SELECT count(*) FROM t WHERE body @@@ 'seven'" 2>&1)
[[ $said == *"ERROR"*"made anew"*$'\n'4* ]] || fail "two questions of one session: $said"
same "$before" "$(sums)" "files after a session found damage"

# Unused files are removed: those of an older program, of earlier processes, of dropped relations.
as_postgres mkdir "$cache/000123456789abcd"
as_postgres touch "$cache/000123456789abcd/file" "$(segment).tmp0001020304050607-$$" "$cache/1/base+1+1.00112233445566778899aabbccddeeff"
sql one -c 'CREATE TABLE u AS SELECT * FROM t' -c 'CREATE INDEX ui ON u USING bitsift (body)'
[ "$(files | wc -l)" -gt "$(wc -l <<<"$before")" ] || fail "a new index has no files in the cache"
sql one -c 'DROP TABLE u' -c 'CHECKPOINT'
cluster_stop one
cluster_start one
same "$wanted" "$(answers)" "answers in the end"
same "$before" "$(sums)" "files in the end"
same "1 run" "$(cd "$cache" && echo * | tr " " "\n" | sed 's/-.*//' | xargs)" "folders"

# A replica starts without a cache, makes an identical one, and keeps it after its promotion.
cluster_replica two one
[ -z "$(find "$cluster_folder/two/pg_stat_tmp" -mindepth 1)" ] || fail "a base backup has the cache"
same "$wanted" "$(answers two)" "answers of a replica"
same "$(cd "$cache/1" && sha256sum -- *)" "$(cd "$cluster_folder/two/pg_stat_tmp/bitsift/1" && sha256sum -- *)" "files of a replica"
found=$(cd "$cluster_folder/two/pg_stat_tmp/bitsift/1" && stat -c '%i %Y %n' -- *)
sql two -c 'SELECT pg_promote()' >/dev/null
cluster_stop two
cluster_start two
same "$wanted" "$(answers two)" "answers of a replica that was promoted"
same "$found" "$(cd "$cluster_folder/two/pg_stat_tmp/bitsift/1" && stat -c '%i %Y %n' -- *)" "files of a replica that was promoted"
cluster_stop two

# Segments that are not condensed take more pages; the answers are the same.
sizes() { sql one -c "SELECT stored_bytes FROM bitsift_info('tp')"; }
sql one -c 'CREATE INDEX tp ON t USING bitsift (body) WITH (grams = on, condensed = off)' -c 'DROP INDEX ti'
plain=$(sizes)
same "$wanted" "$(answers)" "answers of an index that is not condensed"
empty
same "$wanted" "$(answers)" "answers from pages that are not condensed"
sql one -c 'ALTER INDEX tp SET (condensed = on)' -c "SELECT bitsift_merge('tp')" >/dev/null
same "$plain" "$(sizes)" "what is one part already, merged"
sql one -c "INSERT INTO t VALUES (-1, 'one more')" -c "SELECT bitsift_merge('tp')" >/dev/null
[ "$(sizes)" -lt "$plain" ] || fail "condensed, $(sizes) bytes instead of $plain"
sql one -c 'DELETE FROM t WHERE id = -1' -c 'VACUUM t'
same "$wanted" "$(answers)" "answers of an index that was condensed later"
sql one -c 'CREATE INDEX ti ON t USING bitsift (body) WITH (grams = on)' -c 'DROP INDEX tp'

# Damage in the pages: bitsift_check finds it; the cache remains and answers queries.
path=$cluster_folder/one/$(sql one -c "SELECT pg_relation_filepath('ti')")
cluster_stop one
flip "$path" $((8192 * 20 + 1000))
cluster_start one
said=$(sql one -c "SELECT bitsift_check('ti')" 2>&1) && fail "bitsift_check does not see damaged pages"
[[ $said == *REINDEX* ]] || fail "$said"
same "$wanted" "$(answers)" "answers of the cache of damaged pages"
empty
said=$(answers 2>&1) && fail "damaged pages are taken for good ones"
[[ $said == *REINDEX* ]] || fail "$said"
cluster_stop one
flip "$path" $((8192 * 20 + 1000))
cluster_start one
same "$wanted" "$(answers)" "answers of pages that are good again"

# Pages of an older version produce an error with advice.
cluster_stop one
printf '\001' | dd of="$path" bs=1 seek=28 conv=notrunc status=none
cluster_start one
said=$(answers 2>&1) && fail "version 1 is read"
[[ $said == *'index "ti" is of version 1, this is version 2'*REINDEX* ]] || fail "$said"
sql one -c 'REINDEX INDEX ti'
same "$wanted" "$(answers)" "answers after REINDEX"
echo "the cache: $(wc -l <<<"$before") files, $stored bytes in the pages, by gzip $packed"
