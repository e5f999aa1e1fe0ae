-- Ranking: the order of an index scan is that of the scores of all rows; also with parameters,
-- cursors, partitions, and queries that go to another server.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS bitsift;
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes SELECT i, CASE WHEN i % 40 = 0 THEN NULL WHEN i % 41 = 0 THEN '' ELSE
	repeat('red ', i % 5) || repeat('blue ', i % 7 / 2) || repeat('green ', i % 11 / 5) || 'note ' || repeat('filler ', i % 13) || i END
	FROM generate_series(1, 500) i;
CREATE INDEX notes_body ON notes USING bitsift (body) WITH (stemmer = 'english');
ANALYZE notes;

-- Returns a hash of the distances of rows, in the order of an index scan or of a sort. Rows of
-- equal distance may be in any order.
CREATE FUNCTION ranked(query text, condition text, by_index boolean, source text, k int DEFAULT 100000) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	PERFORM set_config('enable_sort', (NOT by_index)::text, true), set_config('enable_seqscan', (NOT by_index)::text, true),
		set_config('enable_indexscan', by_index::text, true), set_config('enable_bitmapscan', 'off', true);
	EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(coalesce(d::text, ''-''), '' '' ORDER BY n))
		FROM (SELECT row_number() OVER () AS n, d FROM (SELECT body <@> %1$L AS d FROM %2$s WHERE %3$s ORDER BY body <@> %1$L LIMIT %4$s) a) b',
		query, source, condition, k) INTO answer;
	RETURN answer;
EXCEPTION WHEN others THEN
	RETURN 'error: ' || sqlerrm;
END $$;
CREATE FUNCTION misranked(source text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT concat_ws(' | ', q, c, k::text, ranked(q, c, false, source, k), ranked(q, c, true, source, k)) FROM
		unnest(ARRAY['red', 'red blue', 'red OR blue', 'red -blue', '-red', 'reds', 'note^0', 'note', '"red blue"', 'gre*', 'rde~2', 'nothere', 'red^3 OR green', '+', '{any}red green', '{plain}reds', '{any,stop=english}the red']) q,
		unnest(ARRAY['true', 'body @@@ ''red''', 'body @@@ ''red blue''', 'body @@@ ''reds'' AND id < 300', 'body LIKE ''%1%''', 'body IS NOT NULL']) c, unnest(ARRAY[10, 100000]) k
		WHERE ranked(q, c, false, source, k) IS DISTINCT FROM ranked(q, c, true, source, k)
$$;
\echo == the order equals that of a sort
SELECT * FROM misranked('notes');
INSERT INTO notes SELECT id + 1000, body || ' red' FROM notes WHERE id < 30;
DELETE FROM notes WHERE id BETWEEN 100 AND 150;
SELECT * FROM misranked('notes');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM notes WHERE body @@@ 'notes' LIMIT 1;
SELECT id, round((body <@> 'red green')::numeric, 4), bitsift_score(body, 'red green') = - (body <@> 'red green') FROM notes ORDER BY body <@> 'red green', id LIMIT 3;
SELECT count(*), count(DISTINCT ctid) FROM bitsift_top('notes_body', 'red', 7);
SELECT t.tableoid::text, round(t.score::numeric, 4), n.id FROM bitsift_top('notes_body', 'greens red', 2) t JOIN notes n ON n.ctid = t.ctid ORDER BY 2 DESC, 3;
SELECT bitsift_snippet(body, 'greens', '[', ']', 30) FROM notes WHERE body @@@ 'greens' ORDER BY id LIMIT 2;

\echo == parameters, generic plans, cursors, joins, a dropped index
SET plan_cache_mode = force_generic_plan;
PREPARE matches(bitsift_query) AS SELECT count(*) FROM notes WHERE body @@@ $1;
PREPARE best(bitsift_query, int) AS SELECT id FROM notes ORDER BY body <@> $1, id LIMIT $2;
PREPARE likes(text) AS SELECT count(*) FROM notes WHERE body LIKE $1;
EXECUTE matches('reds');
EXECUTE matches('greens blues');
EXECUTE matches(NULL);
EXECUTE matches('{plain}reds');
EXECUTE best('greens', 3);
EXECUTE likes('%red blue%');
DROP INDEX notes_body;
EXECUTE matches('reds');
EXECUTE best('greens', 3);
CREATE INDEX notes_body ON notes USING bitsift (body) WITH (grams = true);
EXECUTE matches('reds');
EXECUTE matches('red');
EXECUTE likes('%red blue%');
DEALLOCATE ALL;
RESET plan_cache_mode;
BEGIN;
DECLARE near CURSOR FOR SELECT id FROM notes ORDER BY body <@> 'red green';
DECLARE far SCROLL CURSOR FOR SELECT id FROM notes WHERE body @@@ 'red green' ORDER BY id;
FETCH 2 FROM far;
MOVE 100 IN near;
INSERT INTO notes VALUES (5000, 'red red green green');
SELECT id FROM notes ORDER BY body <@> 'red green' LIMIT 1;
FETCH BACKWARD 1 FROM far;
SAVEPOINT a;
SELECT count(*) FROM notes WHERE body @@@ '(';
ROLLBACK TO a;
MOVE ALL IN near;
COMMIT;
SELECT q, (SELECT count(*) FROM notes n WHERE n.body @@@ q) FROM unnest(ARRAY['red', 'blue', NULL, 'green -red']::bitsift_query[]) q;
SELECT q, (SELECT array_agg(id) FROM (SELECT id FROM notes n WHERE n.body @@@ q ORDER BY n.body <@> q LIMIT 1) a) FROM unnest(ARRAY['red green', '5000']::bitsift_query[]) q;

\echo == partitions rank as one table
CREATE TABLE whole (id int, body text);
INSERT INTO whole SELECT id, body FROM notes;
CREATE INDEX whole_body ON whole USING bitsift (body) WITH (stemmer = 'english');
CREATE TABLE parts (id int, body text) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE part_2 (body text, id int);
ALTER TABLE parts ATTACH PARTITION part_2 FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE INDEX parts_body ON parts USING bitsift (body) WITH (stemmer = 'english');
INSERT INTO parts SELECT id, body FROM notes;
ANALYZE parts, whole;
SELECT q, c FROM unnest(ARRAY['red', 'reds green', '{any}red green', '-red', 'gre*']) q, unnest(ARRAY['true', 'body @@@ ''blues''']) c
	WHERE ranked(q, c, true, 'whole', 50) IS DISTINCT FROM ranked(q, c, true, 'parts', 50) OR ranked(q, c, false, 'whole', 50) IS DISTINCT FROM ranked(q, c, false, 'parts', 50);
SELECT q, ranked(q, 'true', true, 'parts', 50) ~ '^50 ' AS by_index, ranked(q, 'true', false, 'parts', 50) ~ '^50 ' AS by_sort FROM unnest(ARRAY['red', 'gre*']) q;
SELECT bitsift_stats('parts_body', 'reds blue')::text = bitsift_stats('whole_body', 'reds blue')::text;
SELECT (sum(s)::text = bitsift_stats('whole_body', '{stemmer=english}reds')::text) FROM (SELECT bitsift_stats(i, '{stemmer=english}reds') AS s FROM unnest(ARRAY['part_0_body_idx', 'part_1_body_idx', 'part_2_body_idx']::regclass[]) i) a;
\echo == a query has the same meaning in a partition with an index of other options
CREATE TABLE mixed (id int, body text) PARTITION BY LIST (id);
CREATE TABLE mixed_1 PARTITION OF mixed FOR VALUES IN (1);
CREATE TABLE mixed_2 PARTITION OF mixed FOR VALUES IN (2);
INSERT INTO mixed VALUES (1, 'running 7'), (2, 'runs 7');
CREATE INDEX mixed_1_body ON mixed_1 USING bitsift (body) WITH (stemmer = 'english');
CREATE INDEX mixed_body ON mixed USING bitsift (body);
SELECT id FROM mixed WHERE body @@@ 'runs 7';
SELECT tableoid, score > 0 FROM bitsift_top('mixed_body', 'runs 7');

\echo == queries sent to another server as text have the same meaning there
CREATE EXTENSION postgres_fdw;
CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'socket', port :'port', dbname 'ranking', extensions 'bitsift');
CREATE USER MAPPING FOR CURRENT_USER SERVER other OPTIONS (user 'postgres');
CREATE FOREIGN TABLE far (id int, body text) SERVER other OPTIONS (table_name 'whole');
SELECT count(*), (SELECT count(*) FROM whole WHERE body @@@ 'reds') FROM far WHERE body @@@ 'reds';
EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM far WHERE body @@@ 'reds';
SELECT q FROM unnest(ARRAY['{a', '{}', '{any}', '{stop=english}', '{any}{x', '{stemmer=english,strict}a "b c"', '{any']) q, LATERAL (SELECT (q || 'word')::bitsift_query AS p) a WHERE p::text::bitsift_query::text IS DISTINCT FROM p::text;
SELECT bitsift_with_stats('{any}a "b\', '7 9 "a"=1 "b"=2 "q\"\\"=3');
SELECT '1'::bitsift_stats;
SELECT 'x' <@> 'y';
SELECT bitsift_score('dog house', bitsift_with_stats('cat', '3 40 "dog"=1'));
SELECT bitsift_stats('notes_pkey', 'x');

\echo == a column is recognized through views, subqueries and common table expressions
CREATE TABLE runs (id int, body text);
INSERT INTO runs VALUES (1, 'running'), (2, 'run'), (3, 'cat');
CREATE INDEX runs_body ON runs USING bitsift (body) WITH (stemmer = 'english');
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, body FROM runs WHERE id < 10;
CREATE VIEW joined AS SELECT body FROM (SELECT a.body FROM runs a JOIN runs b USING (body) LIMIT 10) a;
SELECT count(*) FROM barrier WHERE body @@@ 'runs';
SELECT count(*) FROM joined WHERE body @@@ 'runs';
WITH c AS MATERIALIZED (SELECT * FROM runs) SELECT count(*) FROM (SELECT * FROM c OFFSET 0) s WHERE body @@@ 'runs';
SELECT count(*) FROM (SELECT * FROM runs a JOIN runs b USING (body) OFFSET 0) s WHERE body @@@ 'runs';
SELECT (SELECT (SELECT r.body @@@ 'runs')) FROM runs r ORDER BY id;
SELECT count(*) FROM runs r, LATERAL (SELECT r.body @@@ 'runs' AS is_match OFFSET 0) a WHERE is_match;
SELECT count(*) FROM runs r LEFT JOIN (SELECT id, coalesce(body, 'x') AS body FROM runs) s ON s.id = r.id + 1 WHERE s.body @@@ 'run' OR s.id IS NULL;
SELECT count(*) FROM runs r LEFT JOIN (SELECT id, body FROM runs OFFSET 0) s ON s.id = r.id + 1 WHERE s.body @@@ 'runs' OR s.id IS NULL;
SELECT id, body <@> 'runs' = (SELECT r.body <@> 'runs' FROM runs r WHERE r.id = s.id), bitsift_snippet(body, 'runs') FROM (SELECT * FROM runs WHERE body @@@ 'runs' ORDER BY body <@> 'runs', id LIMIT 2) s;

\echo == a role that may not read all rows gets no word frequencies
CREATE ROLE reader_of_little;
SELECT 'runs_body'::regclass::oid AS index, system_identifier AS system FROM pg_control_system() \gset
SET ROLE reader_of_little;
SELECT bitsift_score('run', ('{bound,index=' || :index || '/' || :system || '}run')::bitsift_query);
SELECT bitsift_stats('runs_body', 'run');
SELECT bitsift_score('run', ('{bound,index=1259/' || :system || '}run')::bitsift_query);
RESET ROLE;
SELECT bitsift_score('run', ('{bound,index=' || :index || '/' || :system || '}run')::bitsift_query) > 0;
GRANT SELECT (body) ON runs TO reader_of_little;
SET ROLE reader_of_little;
SELECT bitsift_stats('runs_body', 'run');
RESET ROLE;
GRANT SELECT ON runs TO reader_of_little;
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON runs USING (id > 2);
ANALYZE runs;
SET ROLE reader_of_little;
SELECT bitsift_stats('runs_body', 'run');
RESET ROLE;
CREATE TABLE hidden (id int, body text);
INSERT INTO hidden SELECT i, CASE WHEN i % 2 = 0 THEN 'frequent' ELSE 'other' END FROM generate_series(1, 1000) i;
CREATE INDEX hidden_body ON hidden USING bitsift (body);
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON hidden USING (id < 2);
GRANT SELECT ON hidden TO reader_of_little;
CREATE FUNCTION planned(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE format('EXPLAIN (FORMAT JSON) SELECT * FROM hidden WHERE body @@@ %L', query) INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT planned('frequent') = planned('rare');
SET ROLE reader_of_little;
SELECT planned('frequent') = planned('rare');
RESET ROLE;
DROP OWNED BY reader_of_little;
DROP ROLE reader_of_little;

\echo == the best rows of a partial index are its own; a long text in one line is matched and cut quickly
CREATE INDEX hidden_part ON hidden USING bitsift (body) WHERE id <= 7;
SELECT count(*) FROM bitsift_top('hidden_part', 'frequent', 100);
SELECT length(bitsift_snippet(repeat('x ', 400000), 'x', '', '', 1000000));
SELECT count(*), sum((translate(replace(bitsift_snippet(repeat(c, 60) || ' needle ' || repeat(c, 60), 'needle', '', '', n), c, ''), ' …', '') IN ('needle', ''))::int) FROM unnest(ARRAY['🇩🇪', '👨‍👩‍👧‍👦', 'क्षि', '각', 'é', '漢']) c, generate_series(6, 90) n;
SELECT repeat('word ', 500000) @@@ 'word';

\echo == rows that another session changes meanwhile are checked again
CREATE EXTENSION dblink;
CREATE TABLE shared (id int PRIMARY KEY, body text);
INSERT INTO shared SELECT i, 'red blue ' || i FROM generate_series(1, 50) i;
CREATE INDEX shared_body ON shared USING bitsift (body) WITH (grams = true, stemmer = 'english');
SELECT dblink_connect('other', format('host=%s port=%s user=postgres dbname=%s', :'socket', :'port', current_database()));
-- The other session changes rows, waits until a session waits for its lock, and commits.
CREATE FUNCTION meanwhile(change text, question text, way text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	PERFORM set_config('enable_seqscan', (way = 'rows')::text, true), set_config('enable_indexscan', (way = 'index')::text, true),
		set_config('enable_bitmapscan', (way = 'bitmap')::text, true);
	PERFORM dblink_exec('other', 'DELETE FROM shared; INSERT INTO shared SELECT i, ''red blue '' || i FROM generate_series(1, 50) i');
	PERFORM dblink_send_query('other', format('DO %L', 'BEGIN ' || change || '; PERFORM pg_advisory_xact_lock(77); FOR i IN 1..1000 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); PERFORM pg_sleep(0.01); END LOOP; END'));
	FOR i IN 1..1000 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory');
		PERFORM pg_sleep(0.01);
	END LOOP;
	EXECUTE format('WITH a AS (%s) SELECT string_agg(a::text, '' '' ORDER BY a) FROM a', question) INTO answer;
	PERFORM * FROM dblink_get_result('other') AS r(status text);
	PERFORM * FROM dblink_get_result('other') AS r(status text);
	RETURN answer;
END $$;
SELECT format('SELECT %L, meanwhile(%L, %L, %L)', way, change, question, way) FROM (VALUES
	($$UPDATE shared SET body = 'green' WHERE id IN (5, 6)$$, $$UPDATE shared SET body = 'x' WHERE body @@@ 'reds 5' OR body @@@ '7' RETURNING id$$),
	($$UPDATE shared SET body = 'reds 5 new' WHERE id = 5$$, $$SELECT id, body FROM shared WHERE body @@@ 'reds 5' FOR UPDATE$$),
	($$UPDATE shared SET body = 'zzz' WHERE id = 5$$, $$DELETE FROM shared WHERE body LIKE '%blue 5%' RETURNING id$$),
	($$UPDATE shared SET body = 'blue 5 and more' WHERE id IN (5, 50)$$, $$SELECT id, body FROM shared WHERE body @@@ 'blue' AND body ~ 'blue 5' ORDER BY body <@> 'blue', id LIMIT 2 FOR UPDATE$$),
	($$UPDATE shared SET body = 'blue' WHERE id = 5$$, $$SELECT s.id FROM shared s, (VALUES ('blue 5'::bitsift_query), ('blue 6')) v(q) WHERE s.body @@@ v.q FOR UPDATE OF s$$)) v(change, question),
	unnest(ARRAY['rows', 'bitmap', 'index']) way \gexec

\echo == a statement ranks by its own statistics, also in a transaction with a fixed snapshot
CREATE TABLE still (id int, body text);
INSERT INTO still SELECT i, 'red blue ' || i FROM generate_series(1, 50) i;
CREATE INDEX still_body ON still USING bitsift (body);
SELECT dblink_exec('other', 'BEGIN; INSERT INTO still VALUES (100, ''red'')');
BEGIN;
SELECT count(DISTINCT body <@> 'red 7'), bool_and(body <@> 'red 7' = -bitsift_score(body, bitsift_with_stats('red 7', bitsift_stats('still_body', 'red 7')))) FROM still WHERE body @@@ 'red';
SELECT dblink_exec('other', 'INSERT INTO still SELECT 100 + i, ''blue 7'' FROM generate_series(1, 100) i');
SELECT count(DISTINCT body <@> 'red 7'), bool_and(body <@> 'red 7' = -bitsift_score(body, bitsift_with_stats('red 7', bitsift_stats('still_body', 'red 7')))) FROM still WHERE body @@@ 'red';
COMMIT;
SELECT dblink_exec('other', 'ROLLBACK');
