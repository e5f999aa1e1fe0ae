#!/usr/bin/env bash
# demo.sh [--check N] [--rows N] [RECORDS.jsonl]: demonstrates a table that is partitioned over
# three servers. Starts three private servers and one in front of them, loads the field "text" of
# the records (without RECORDS: the paragraphs of this project's files), counts, shows the ten best
# rows, kills one of the three servers, and shows what queries return then. --check N runs N random
# queries and compares counts, ten best rows and scores with those of a single index over all rows,
# on the server in front. Writes only to build/postgresql and to a folder in TMPDIR that it removes
# at the end. Requires PostgreSQL with contrib. Uses PL/Proxy if it is installed.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
check=0 rows=1000000 records=
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=$2 && shift 2 ;;
    --rows) rows=$2 && shift 2 ;;
    -*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit 2 ;;
    *) records=$(realpath -- "$1") && shift ;;
    esac
done
. "$here/../../tests/bindings/postgresql/cluster.sh"
cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-demo.XXXXXX")"
trap cluster_end EXIT
parts=(north south west)

say() { printf '\n== %s\n' "$*"; }
# Prints a statement and its aligned result. An error is printed, too, and does not end the
# demonstration.
show() { # NAME STATEMENT
    printf '\n%s=# %s\n' "$1" "$2"
    "$cluster_bin/psql" -h "$cluster_folder" -p "$(cluster_port "$1")" -U postgres -X -q -c "$2" postgres 2>&1 || true
}

say "Three servers, each with a part of the table, and one in front"
for name in "${parts[@]}" front; do
    cluster_make "$name" "shared_buffers = 128MB" "maintenance_work_mem = 64MB" "max_wal_senders = 0" "wal_level = minimal"
    sql "$name" -c 'CREATE EXTENSION bitsift'
done
for name in "${parts[@]}"; do
    sql "$name" -c 'CREATE TABLE docs (id bigint PRIMARY KEY, body text)'
done
# On the server in front, the parts are partitions. With async_capable all three search at the same
# time. With `extensions`, @@@ is executed on the parts, which return only counts and hits.
{
    echo 'CREATE EXTENSION postgres_fdw; CREATE EXTENSION dblink;'
    echo 'CREATE TABLE docs (id bigint, body text) PARTITION BY HASH (id);'
    i=0
    for name in "${parts[@]}"; do
        cat <<SQL
CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$cluster_folder', port '$(cluster_port "$name")', dbname 'postgres',
    extensions 'bitsift', async_capable 'true', use_remote_estimate 'true', batch_size '1000', fetch_size '1000');
CREATE USER MAPPING FOR CURRENT_USER SERVER $name OPTIONS (user 'postgres', password_required 'false');
CREATE FOREIGN TABLE docs_$name PARTITION OF docs FOR VALUES WITH (MODULUS ${#parts[@]}, REMAINDER $i) SERVER $name OPTIONS (table_name 'docs');
SQL
        i=$((i + 1))
    done
    cat <<'SQL'
-- Runs the statement on all parts at the same time. A part that does not answer is an error or, if
-- partial, named in a warning.
CREATE FUNCTION docs_ask(statement text, partial boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE part text; row text; asked text[] := '{}'; missing text[] := '{}';
BEGIN
    FOR part IN SELECT s.srvname FROM pg_inherits JOIN pg_foreign_table ON ftrelid = inhrelid JOIN pg_foreign_server s ON s.oid = ftserver
            WHERE inhparent = 'docs'::regclass ORDER BY 1 LOOP
        BEGIN
            IF NOT part = ANY (coalesce(dblink_get_connections(), '{}')) THEN
                PERFORM dblink_connect(part, part);
            END IF;
            PERFORM dblink_send_query(part, statement);
            asked := asked || part;
        EXCEPTION WHEN OTHERS THEN
            IF NOT partial THEN RAISE EXCEPTION 'part %: %', part, SQLERRM; END IF;
            missing := missing || part;
        END;
    END LOOP;
    FOREACH part IN ARRAY asked LOOP
        BEGIN
            FOR row IN SELECT answer FROM dblink_get_result(part) AS r(answer text) LOOP
                RETURN NEXT row;
            END LOOP;
            PERFORM * FROM dblink_get_result(part) AS r(answer text); -- the end of the answer
        EXCEPTION WHEN OTHERS THEN
            PERFORM dblink_disconnect(part);
            IF NOT partial THEN RAISE EXCEPTION 'part %: %', part, SQLERRM; END IF;
            missing := missing || part;
        END;
    END LOOP;
    IF missing <> '{}' THEN
        RAISE WARNING 'without %, which did not answer', array_to_string(missing, ', ');
    END IF;
END $$;

-- The k best rows of all parts. First the word statistics of the parts are summed, so that scores
-- are those of a single index.
CREATE FUNCTION docs_top(query text, k integer DEFAULT 10, partial boolean DEFAULT false, OUT id bigint, OUT score float8)
    RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE statistics bitsift_stats;
BEGIN
    SELECT sum(s::bitsift_stats) INTO statistics FROM docs_ask(format('SELECT docs_stats(%L)', query), partial) s;
    RETURN QUERY SELECT (h[1])::bigint, (h[2])::float8
        FROM docs_ask(format('SELECT ARRAY[id::text, score::text] FROM docs_best(%L, %s, %L)', query, k, statistics), partial) a, LATERAL (SELECT a::text[] AS h) r
        ORDER BY 2 DESC, 1 LIMIT k;
END $$;
CREATE FUNCTION docs_count(query text, partial boolean DEFAULT false) RETURNS numeric LANGUAGE sql AS
    $$ SELECT sum(c::bigint) FROM docs_ask(format('SELECT count(*) FROM docs WHERE body @@@ %L', query), partial) c $$;
SQL
} | sql front

say "Rows, which go to their parts by their ids"
if [ -z "$records" ]; then
    # The paragraphs of this project's C, Markdown, shell and .txt files.
    (cd "$here/../.." && find . \( -name '*.[ch]' -o -name '*.md' -o -name '*.sh' -o -name '*.txt' \) -path './[a-z]*' ! -path './build/*' ! -path '*/cache/*' -print0 |
        LC_ALL=C sort -z | xargs -0 awk 'BEGIN { RS = ""; ORS = "" } { gsub(/[^ -~\n]/, "?"); gsub(/[\\]/, "\\\\\\\\"); gsub(/\n/, "\\n"); print $0 "\n" }') >"$cluster_folder/rows"
    sql front -c 'CREATE UNLOGGED TABLE lines (id bigserial, line text)' -c "\\copy lines(line) from '$cluster_folder/rows'"
    text=line
else
    sql front -c 'CREATE UNLOGGED TABLE lines (id bigserial, line text)' \
        -c "\\copy lines(line) from program 'head -n $rows -- ''$records''' with (format csv, delimiter e'\\x02', quote e'\\x01')"
    text="line::json->>'text'"
fi
sql front -c "INSERT INTO docs SELECT id, $text FROM lines ORDER BY id LIMIT $rows"
for name in "${parts[@]}"; do
    sql "$name" -c 'CREATE INDEX docs_body ON docs USING bitsift (body)' -c 'VACUUM ANALYZE docs'
    # Functions that the server in front calls.
    sql "$name" <<'SQL'
CREATE FUNCTION docs_stats(query text) RETURNS bitsift_stats LANGUAGE sql STABLE AS
    $$ SELECT bitsift_stats('docs_body'::regclass, query::bitsift_query) $$;
CREATE FUNCTION docs_best(query text, k integer, statistics bitsift_stats, OUT id bigint, OUT score float8) RETURNS SETOF record
    LANGUAGE sql STABLE AS $$
    SELECT d.id, t.score FROM bitsift_top('docs_body'::regclass, bitsift_with_stats(query::bitsift_query, statistics), k) t
        JOIN docs d ON d.ctid = t.ctid $$;
SQL
    printf '%s: %s rows, index %s\n' "$name" "$(sql "$name" -c 'SELECT count(*) FROM docs')" "$(sql "$name" -c "SELECT pg_size_pretty(pg_relation_size('docs_body'))")"
done
sql front -c "ANALYZE docs" -c "CREATE TABLE whole AS SELECT id, $text AS body FROM lines ORDER BY id LIMIT $rows" -c 'DROP TABLE lines' \
    -c 'CREATE INDEX whole_body ON whole USING bitsift (body)' -c 'VACUUM ANALYZE whole'

say "Counts add up, and @@@ is answered where the rows are"
show front "EXPLAIN (VERBOSE, COSTS off) SELECT count(*) FROM docs WHERE body @@@ 'index -file'"
show front "SELECT (SELECT count(*) FROM docs WHERE body @@@ 'index -file') AS three, (SELECT count(*) FROM whole WHERE body @@@ 'index -file') AS one"
say "The ten best of three are those of one"
show front "SELECT * FROM docs_top('index of words', 10)"
show front "SELECT id, -(body <@> 'index of words') AS score FROM whole WHERE body @@@ 'index of words' ORDER BY body <@> 'index of words', id LIMIT 10"

# Runs random queries, whose words are close together in some row, on the three parts and on the
# single index, and fails if the results differ.
check_queries() {
    sql front <<SQL
SELECT setseed(0.3);
CREATE TABLE query AS SELECT row_number() OVER () AS n, CASE (random() * 5)::int
        WHEN 0 THEN w[1] WHEN 1 THEN w[1] || ' ' || w[2] WHEN 2 THEN w[1] || ' OR ' || w[2] || ' OR ' || w[3] WHEN 3 THEN '"' || w[1] || ' ' || w[2] || '"'
        WHEN 4 THEN left(w[1], 4) || '* ' || w[2] ELSE w[1] || ' -' || w[3] END AS query
    FROM (SELECT ARRAY(SELECT m[1] FROM regexp_matches(body, '\\m([A-Za-z]{4,})\\M', 'g') m) AS words, id FROM whole ORDER BY random() LIMIT $((check * 3))) s,
        LATERAL (SELECT words[1 + (random() * (cardinality(words) - 4))::int :] AS w) p
    WHERE cardinality(words) >= 5 AND cardinality(w) >= 3 LIMIT $check;
CREATE TABLE difference(query text, what text);
DO \$\$
DECLARE q text; three record; one record; a float8[]; b float8[]; x bigint[]; y bigint[]; least float8;
BEGIN
    FOR q IN SELECT query FROM query ORDER BY n LOOP
        EXECUTE format('SELECT count(*) FROM docs WHERE body @@@ %L', q) INTO three;
        EXECUTE format('SELECT count(*) FROM whole WHERE body @@@ %L', q) INTO one;
        IF three.count <> one.count OR one.count <> docs_count(q) THEN
            INSERT INTO difference VALUES (q, format('%s rows, %s in one, %s otherwise', three.count, one.count, docs_count(q)));
        END IF;
        -- Scores must be identical, and so must the rows, except among rows with the lowest score.
        SELECT array_agg(score ORDER BY score DESC, id), array_agg(id ORDER BY score DESC, id) INTO a, x FROM docs_top(q, 10);
        EXECUTE format('SELECT array_agg(score ORDER BY score DESC, id), array_agg(id ORDER BY score DESC, id) FROM
            (SELECT id, -(body <@> %1\$L) AS score FROM whole WHERE body @@@ %1\$L ORDER BY body <@> %1\$L LIMIT 10) b', q) INTO b, y;
        least := b[cardinality(b)];
        IF a IS DISTINCT FROM b OR ARRAY(SELECT x[i] FROM generate_subscripts(x, 1) i WHERE a[i] > least) IS DISTINCT FROM ARRAY(SELECT y[i] FROM generate_subscripts(y, 1) i WHERE b[i] > least) THEN
            INSERT INTO difference VALUES (q, format('%s %s, of one %s %s', x, a, y, b));
        END IF;
    END LOOP;
END \$\$;
SQL
    local n
    n=$(sql front -c 'SELECT count(*) FROM difference')
    sql front -c 'SELECT query, what FROM difference LIMIT 10'
    echo "$(sql front -c 'SELECT count(*) FROM query') queries, by three parts and by one index: $n differences"
    [ "$n" -eq 0 ]
}
if [ "$check" -gt 0 ]; then
    say "Random queries"
    check_queries
fi

if [ -e "$cluster_root$("$PG_CONFIG" --sharedir)/extension/plproxy.control" ]; then
    say "The same by PL/Proxy, which has functions of the parts called from SQL"
    {
        echo 'CREATE EXTENSION plproxy; CREATE SERVER all_docs FOREIGN DATA WRAPPER plproxy OPTIONS ('
        i=0
        for name in "${parts[@]}"; do
            echo "    p$i 'dbname=postgres host=$cluster_folder port=$(cluster_port "$name")',"
            i=$((i + 1))
        done
        cat <<'SQL'
    modular_mapping '1');
CREATE USER MAPPING FOR CURRENT_USER SERVER all_docs OPTIONS (user 'postgres');
CREATE SCHEMA proxy;
CREATE FUNCTION proxy.docs_stats(query text) RETURNS SETOF bitsift_stats LANGUAGE plproxy AS
    $$ CLUSTER 'all_docs'; RUN ON ALL; TARGET public.docs_stats; $$;
CREATE FUNCTION proxy.docs_best(query text, k integer, statistics bitsift_stats, OUT id bigint, OUT score float8) RETURNS SETOF record LANGUAGE plproxy AS
    $$ CLUSTER 'all_docs'; RUN ON ALL; TARGET public.docs_best; $$;
CREATE FUNCTION proxy.docs_top(query text, k integer, OUT id bigint, OUT score float8) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT id, score FROM proxy.docs_best(query, k, (SELECT sum(s) FROM proxy.docs_stats(query) s)) ORDER BY score DESC, id LIMIT k $$;
SQL
    } | sql front
    show front "SELECT * FROM proxy.docs_top('index of words', 3)"
fi

say "One server is killed"
cluster_kill west
show front "SELECT count(*) FROM docs WHERE body @@@ 'index -file'"
show front "SELECT * FROM docs_top('index of words', 3)"
say "With partial => true: the rest, and which part is missing"
show front "SELECT docs_count('index -file', partial => true)"
show front "SELECT * FROM docs_top('index of words', 3, partial => true)"
say "It comes back, with all it had"
cluster_start west
show front "SELECT docs_count('index -file')"
