#!/usr/bin/env bash
# postgresql.sh RECORDS.jsonl [OPTION...]: compares indexes of PostgreSQL over the same rows: GIN
# over to_tsvector('simple'), RUM over the same, GIN with pg_trgm, bitsift with words, and bitsift
# with words and grams. Each is built alone next to the primary key. Measures building, size, WAL,
# counts, the ten best, inserts and updates. Prints tables in Markdown; all values are also written
# to OUT.
#
#     --corpus NAME       rows: the first and the second 250 characters of the field "text" of each
#                         record; paragraphs: the whole field (rows)
#     --rows N            maximum number of rows (1,000,000)
#     --memory SIZE       maintenance_work_mem (64MB)
#     --engines LIST      of gin rum trgm words both (all)
#     --queries N         of each kind (100); times are those of the second of two passes, in the
#                         server, planning included
#     --oracle N          queries of each kind compared with a sequential scan (10); all of the
#                         kinds like, ilike and regex
#     --writes N          rows inserted in transactions of one row, and updated; five times as many
#                         in transactions of 1,000 rows (20000); not for RUM
#     --out FILE          values: corpus, memory, engine, what, value, tab-separated
#                         (postgresql.tsv)
#
# Times are CPU seconds of the server's process, so that they do not depend on other load; all data
# is in memory. Only building also reports wall-clock time.
#
# TMPDIR needs 10 GB for a million rows. The servers are private
# (tests/bindings/postgresql/cluster.sh): no fsync, no parallel workers, no autovacuum,
# shared_buffers 4 GB, full_page_writes on.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../tests/bindings/postgresql/cluster.sh"
usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit "$1"
}
corpus=rows rows=1000000 memory=64MB engines="gin rum trgm words both" queries=100 oracle=10 writes=20000 out=postgresql.tsv records=
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage 0 ;;
    --corpus | --rows | --memory | --engines | --queries | --oracle | --writes | --out)
        [ $# -gt 1 ] || usage 2 >&2
        declare "${1#--}=$2"
        shift 2
        ;;
    -*) usage 2 >&2 ;;
    *) records=$1 && shift ;;
    esac
done
[ -r "$records" ] || usage 2 >&2
records=$(realpath -- "$records") out=$(realpath -- "$out")

cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-bench.XXXXXX")"
trap cluster_end EXIT
cluster_make one "shared_buffers = 4GB" "maintenance_work_mem = $memory" "work_mem = 256MB" "max_parallel_workers_per_gather = 0" \
    "max_parallel_maintenance_workers = 0" "autovacuum = off" "max_wal_size = 40GB" "checkpoint_timeout = 1h" "jit = off" "wal_level = replica" \
    "default_statistics_target = 100" "random_page_cost = 1.1"
[[ " $engines " != *" words "* && " $engines " != *" both "* ]] || sql one -c 'CREATE EXTENSION bitsift'
sql one -c 'CREATE EXTENSION pg_trgm' -c 'CREATE EXTENSION pg_prewarm'
if [[ " $engines " == *" rum "* ]] && ! sql one -c 'CREATE EXTENSION rum' 2>/dev/null; then
    echo "RUM is not installed (Debian: postgresql-15-rum); going on without" >&2
    engines=${engines/rum/}
fi
put() { # ENGINE WHAT VALUE
    printf '%s\t%s\t%s\t%s\t%s\n' "$corpus" "$memory" "$1" "$2" "$3" | tee -a "$out" >&2
}

# Rows, and spare rows of the same kind for inserts.

# pieces: a SELECT of the texts to be rows, as columns n (their order) and body. For the corpus
# rows, these are the parts of records that have the full length.
pieces="SELECT n, line::json->>'text' AS body FROM lines"
[ "$corpus" != rows ] || pieces="SELECT n * 2 + p AS n, substr(body, 1 + 250 * p, 250) AS body FROM ($pieces) w, generate_series(0, 1) p WHERE length(body) >= 250 * (p + 1)"
sql one <<SQL
CREATE UNLOGGED TABLE lines(n bigserial, line text);
\\copy lines(line) from '$records' with (format csv, delimiter e'\\x02', quote e'\\x01')
CREATE TABLE t(id int PRIMARY KEY, body text);
CREATE UNLOGGED TABLE spare(id int PRIMARY KEY, body text);
-- Takes rows from all records, in their order, because the first records are all of one folder.
CREATE UNLOGGED TABLE picked AS $pieces;
INSERT INTO t SELECT row_number() OVER (ORDER BY n), body FROM (SELECT n, body FROM picked ORDER BY hashint8(n) LIMIT $rows) p;
INSERT INTO spare SELECT row_number() OVER (ORDER BY hashint8(n + 1)), left(body, 2000) FROM (SELECT n, body FROM picked ORDER BY hashint8(n + 1) LIMIT 200000) p;
DROP TABLE lines, picked;
VACUUM ANALYZE t;
VACUUM ANALYZE spare;
SQL
n_rows=$(sql one -c 'SELECT count(*) FROM t')
n_spare=$(sql one -c 'SELECT count(*) FROM spare')
put table rows "$n_rows"
put table bytes "$(sql one -c 'SELECT sum(octet_length(body)) FROM t')"

# Queries from existing texts, spread over all rows.

sql one <<SQL
SELECT setseed(0.17);
CREATE TABLE sample AS SELECT row_number() OVER (ORDER BY hashint4(id)) AS n, body,
    ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(lower(body), '(?:^|[ ])([a-z]{2,})(?=[ ]|\$)', 'g') m) AS words,
    ARRAY(SELECT m[1] FROM regexp_matches(lower(body), '(?:^|[ ])([a-z]{2,} [a-z]{2,}(?: [a-z]{2,})?)(?=[ ]|\$)', 'g') m) AS phrases,
    substr(body, 1 + (random() * greatest(length(body) - 20, 0))::int, 5 + (random() * 12)::int) AS part
    FROM (SELECT * FROM t ORDER BY hashint4(id + 7) LIMIT 40 * $queries) s;
CREATE TABLE question(kind text, n int, own text, tsq text, pattern text, PRIMARY KEY (kind, n));
CREATE FUNCTION pick(words text[], n int) RETURNS text[] LANGUAGE sql VOLATILE AS
    \$\$ SELECT array_agg(w) FROM (SELECT w FROM unnest(words) w WHERE w NOT IN ('and', 'or', 'not') ORDER BY md5(w || n) LIMIT n) p \$\$;
INSERT INTO question SELECT 'and', row_number() OVER (ORDER BY n), array_to_string(w, ' '), array_to_string(w, ' & '), NULL
    FROM (SELECT n, pick(words, 2 + (n % 3)::int) AS w FROM sample WHERE cardinality(words) >= 6 ORDER BY n LIMIT $queries) s;
INSERT INTO question SELECT 'or', row_number() OVER (ORDER BY n), array_to_string(w, ' OR '), array_to_string(w, ' | '), NULL
    FROM (SELECT n, pick(words, 2 + (n % 4)::int) AS w FROM sample WHERE cardinality(words) >= 7 ORDER BY n DESC LIMIT $queries) s;
INSERT INTO question SELECT 'phrase', row_number() OVER (ORDER BY n), '"' || p || '"', replace(p, ' ', ' <-> '), NULL
    FROM (SELECT n, phrases[1 + n % cardinality(phrases)] AS p FROM sample WHERE cardinality(phrases) >= 2 ORDER BY n LIMIT $queries) s;
CREATE TABLE part AS SELECT row_number() OVER (ORDER BY n) AS n, part FROM sample WHERE part ~ '^[A-Za-z0-9 .,(>-]{5,}\$' AND part ~ '[a-z]{4}' ORDER BY n LIMIT 3 * $queries;
INSERT INTO question SELECT 'like', n, NULL, NULL, '%' || part || '%' FROM part WHERE n <= $queries;
INSERT INTO question SELECT 'ilike', n - $queries, NULL, NULL, '%' || upper(part) || '%' FROM part WHERE n > $queries AND n <= 2 * $queries;
INSERT INTO question SELECT 'regex', row_number() OVER (ORDER BY n), NULL, NULL,
    CASE n % 5 WHEN 0 THEN '\\m' || w[1] || '\\M.*\\m' || w[2] WHEN 1 THEN '(' || w[1] || '|' || w[2] || ')s? [a-z]+' WHEN 2 THEN w[1] || '[a-z_]*\\(' WHEN 3 THEN w[1] || '\\s+' || w[2] ELSE left(w[1], 5) || '[0-9a-f]{2,}' END
    FROM (SELECT n, pick(ARRAY(SELECT u FROM unnest(words) u WHERE length(u) >= 5), 2) AS w FROM sample) s WHERE cardinality(w) = 2 AND n > $queries ORDER BY n LIMIT $queries;
INSERT INTO question SELECT 'best', n, own, tsq, NULL FROM question WHERE kind = 'and';
-- Few queries, because GIN takes seconds for each.
INSERT INTO question SELECT 'bestor', n, own, tsq, NULL FROM question WHERE kind = 'or' AND n <= greatest(5, $queries / 10);

CREATE TABLE answer(engine text, kind text, n int, hits bigint, ms float8, pass int);
CREATE TABLE truth(family text, kind text, n int, hits bigint, PRIMARY KEY (family, kind, n));
-- The SQL of a question for an engine. family: whose definition of a word applies.
CREATE FUNCTION statement(engine text, q question) RETURNS text LANGUAGE sql AS \$\$ SELECT CASE
    WHEN q.kind IN ('like', 'ilike', 'regex') THEN format('SELECT count(*) FROM t WHERE body %s %L', CASE q.kind WHEN 'like' THEN '~~' WHEN 'ilike' THEN '~~*' ELSE '~' END, q.pattern)
    WHEN q.kind LIKE 'best%' THEN CASE engine
        WHEN 'gin' THEN format('SELECT count(*) FROM (SELECT id FROM t WHERE to_tsvector(''simple'', body) @@ %1\$L::tsquery ORDER BY ts_rank(to_tsvector(''simple'', body), %1\$L) DESC LIMIT 10) b', q.tsq)
        WHEN 'rum' THEN format('SELECT count(*) FROM (SELECT id FROM t WHERE to_tsvector(''simple'', body) @@ %1\$L::tsquery ORDER BY to_tsvector(''simple'', body) <=> %1\$L::tsquery LIMIT 10) b', q.tsq)
        ELSE format('SELECT count(*) FROM (SELECT id FROM t WHERE body @@@ %1\$L ORDER BY body <@> %1\$L LIMIT 10) b', q.own) END
    WHEN engine IN ('gin', 'rum') THEN format('SELECT count(*) FROM t WHERE to_tsvector(''simple'', body) @@ %L::tsquery', q.tsq)
    ELSE format('SELECT count(*) FROM t WHERE body @@@ %L', q.own) END \$\$;
-- CPU seconds of this process. The kernel updates them when the process leaves the processor, so
-- it sleeps briefly; this takes about 0.03 ms of CPU time.
CREATE FUNCTION processor() RETURNS float8 LANGUAGE plpgsql VOLATILE AS \$\$
BEGIN
    PERFORM pg_sleep(0.001);
    RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9;
END \$\$;
-- Inserts n spare rows, in transactions of a given number of rows. Returns rows per second.
CREATE PROCEDURE insert_rows(n int, per int, INOUT rate float8 DEFAULT 0) LANGUAGE plpgsql AS \$\$
DECLARE began float8 := processor();
BEGIN
    FOR i IN 1 .. n / per LOOP
        INSERT INTO t SELECT r, (SELECT body FROM spare WHERE id = 1 + r % $n_spare) FROM (SELECT nextval('next')::int AS r FROM generate_series(1, per)) s;
        COMMIT;
    END LOOP;
    rate := n / (processor() - began);
END \$\$;
CREATE PROCEDURE update_rows(n int, INOUT rate float8 DEFAULT 0) LANGUAGE plpgsql AS \$\$
DECLARE began float8 := processor();
BEGIN
    FOR i IN 1 .. n LOOP
        UPDATE t SET body = (SELECT body FROM spare WHERE id = 1 + (i * 7919::bigint) % $n_spare) WHERE id = 1 + (i * 104729::bigint) % $n_rows;
        COMMIT;
    END LOOP;
    rate := n / (processor() - began);
END \$\$;
CREATE FUNCTION ask(e text, k text, p int) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE q question; s text; began float8; h bigint;
BEGIN
    FOR q IN SELECT * FROM question WHERE kind = k ORDER BY n LOOP
        s := statement(e, q);
        began := processor();
        EXECUTE s INTO h;
        INSERT INTO answer VALUES (e, k, q.n, h, (processor() - began) * 1000, p);
    END LOOP;
END \$\$;
CREATE FUNCTION scan(e text, f text, k text, most int) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE q question; h bigint;
BEGIN
    SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
    FOR q IN SELECT * FROM question WHERE kind = k AND n <= most AND (f, k, n) NOT IN (SELECT family, kind, truth.n FROM truth) ORDER BY n LOOP
        IF f = 'tsvector' THEN SELECT count(*) INTO h FROM vectors WHERE v @@ q.tsq::tsquery;
        ELSE EXECUTE statement(e, q) INTO h; END IF;
        INSERT INTO truth VALUES (f, k, q.n, h) ON CONFLICT DO NOTHING;
    END LOOP;
END \$\$;
-- The number of rows that the index returns and the recheck removes.
CREATE FUNCTION rechecked(e text, k text, most int) RETURNS float8 LANGUAGE plpgsql AS \$\$
DECLARE q question; j json; removed float8 := 0; line text;
BEGIN
    FOR q IN SELECT * FROM question WHERE kind = k AND n <= most LOOP
        FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING off) ' || statement(e, q) LOOP
            IF line LIKE '%Removed by Index Recheck%' THEN removed := removed + substring(line FROM '([0-9]+)\$')::float8; END IF;
        END LOOP;
    END LOOP;
    RETURN removed / most;
END \$\$;
SQL

kinds_of() { # ENGINE
    case $1 in
    gin | rum) echo and or phrase best bestor ;;
    trgm) echo like ilike regex ;;
    words) echo and or phrase best bestor ;;
    both) echo and or phrase best bestor like ilike regex ;;
    esac
}
definition() { # ENGINE
    case $1 in
    gin) echo "gin (to_tsvector('simple', body))" ;;
    rum) echo "rum (to_tsvector('simple', body) rum_tsvector_ops)" ;;
    trgm) echo "gin (body gin_trgm_ops)" ;;
    words) echo "bitsift (body)" ;;
    both) echo "bitsift (body) WITH (grams = on)" ;;
    esac
}
family() { # ENGINE
    case $1 in gin | rum) echo tsvector ;; *) echo bitsift ;; esac
}
lsn() { sql one -c 'SELECT pg_current_wal_insert_lsn()'; }
wal_since() { sql one -c "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$1')"; }
processor_seconds() { # STATEMENT
    sql one -c 'SELECT processor()' -c "$1" -c 'SELECT processor()' | awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%.3f", b - a }'
}
times_of() { # ENGINE KIND SUFFIX
    sql one -F ' ' -c "SELECT avg(ms), percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), avg(hits) FROM answer WHERE engine = '$1' AND kind = '$2' AND pass = 2" | {
        read -r mean median hits
        put "$1" "$2$3 mean ms" "$mean"
        put "$1" "$2$3 median ms" "$median"
        [ -n "$3" ] || put "$1" "$2 hits" "$hits"
    }
}
ask_all() { # ENGINE SUFFIX KIND...
    local engine=$1 suffix=$2 kind
    shift 2
    sql one -c "DELETE FROM answer WHERE engine = '$engine'"
    for kind; do
        sql one -c "SELECT ask('$engine', '$kind', 1)" -c "SELECT ask('$engine', '$kind', 2)" >/dev/null
        times_of "$engine" "$kind" "$suffix"
    done
}
# Compares counts of the index with those of a sequential scan.
compare() { # ENGINE
    local engine=$1 kind n
    # Stores the vectors, so that scans need not compute them.
    [ "$(family "$engine")" != tsvector ] || sql one -c "CREATE UNLOGGED TABLE IF NOT EXISTS vectors AS SELECT to_tsvector('simple', body) AS v FROM t"
    for kind in $(kinds_of "$engine"); do
        n=$oracle
        case $kind in best*) continue ;; like | ilike | regex) n=$queries ;; esac
        sql one -c "SELECT scan('$engine', '$(family "$engine")', '$kind', $n)" >/dev/null
    done
    put "$engine" "counts compared with a scan" "$(sql one -c "SELECT count(*) FROM answer a JOIN truth USING (kind, n) WHERE engine = '$engine' AND pass = 2 AND family = '$(family "$engine")'")"
    put "$engine" "counts that differ from a scan's" "$(sql one -c "SELECT count(*) FROM answer a JOIN truth h USING (kind, n) WHERE engine = '$engine' AND pass = 2 AND family = '$(family "$engine")' AND a.hits <> h.hits")"
}
# Measures inserts of rows of the table `spare`, and updates. `restore` undoes both.
write_all() { # ENGINE
    local engine=$1 at kinds="and or"
    case $engine in trgm) kinds="like ilike regex" ;; both) kinds="and or like ilike regex" ;; esac
    sql one -c 'CREATE SEQUENCE IF NOT EXISTS next START 100000001' -c 'CHECKPOINT'
    put "$engine" "inserts a second, one a transaction" "$(sql one -c "CALL insert_rows($writes, 1)")"
    # shellcheck disable=SC2086 # several words
    ask_all "$engine" " pending" $kinds
    sql one -c 'CHECKPOINT'
    at=$(lsn)
    put "$engine" "inserts a second, 1,000 a transaction" "$(sql one -c "CALL insert_rows($((writes * 5)), 1000)")"
    put "$engine" "WAL bytes of $((writes * 5)) inserts" "$(wal_since "$at")"
    sql one -c 'VACUUM t' >/dev/null
    put "$engine" "WAL bytes of $((writes * 5)) inserts and VACUUM" "$(wal_since "$at")"
    sql one -c 'CHECKPOINT'
    put "$engine" "updates a second, one a transaction" "$(sql one -c "CALL update_rows($writes)")"
    put "$engine" "index bytes after the writes" "$(sql one -c "SELECT pg_relation_size('t_index')")"
    put "$engine" "VACUUM s" "$(processor_seconds 'VACUUM t')"
}
# Writes the table again from a copy, so that the next engine finds it without changed rows and
# holes.
sql one -c 'CREATE UNLOGGED TABLE original AS SELECT * FROM t'
restore() {
    sql one -c 'TRUNCATE t' -c 'INSERT INTO t SELECT * FROM original ORDER BY id' -c 'VACUUM ANALYZE t' >/dev/null
}

for engine in $engines; do
    sql one -c 'CHECKPOINT'
    at=$(lsn)
    began=$EPOCHREALTIME
    put "$engine" "build s" "$(processor_seconds "CREATE INDEX t_index ON t USING $(definition "$engine")")"
    put "$engine" "build s by the clock" "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')"
    put "$engine" "build WAL bytes" "$(wal_since "$at")"
    put "$engine" "index bytes" "$(sql one -c "SELECT pg_relation_size('t_index')")"
    sql one -c 'VACUUM ANALYZE t' -c "SELECT pg_prewarm('t'), pg_prewarm('t_index')" >/dev/null
    # shellcheck disable=SC2046 # several
    ask_all "$engine" "" $(kinds_of "$engine")
    for kind in like ilike regex; do
        [[ " $(kinds_of "$engine") " != *" $kind "* ]] || put "$engine" "$kind rows removed by recheck" "$(sql one -c "SELECT rechecked('$engine', '$kind', $queries)")"
    done
    compare "$engine"
    if [ "$writes" -gt 0 ] && [ "$engine" != rum ]; then
        write_all "$engine"
    fi
    sql one -c 'DROP INDEX t_index'
    [ "$writes" -eq 0 ] || restore
done

awk -F '\t' -v corpus="$corpus" -v memory="$memory" -f "$(dirname -- "${BASH_SOURCE[0]}")/postgresql.awk" "$out"
