-- Ranking: what an index says in order is what the scores of all rows say; parameters, cursors, partitions, another server.
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

-- Rows with their distances, in the order of a scan, and in that of a sort. Rows that are as near may come in any order.
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
\echo == as a sort has it
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

\echo == parameters, generic plans, cursors, joins, an index that goes
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

\echo == queries go to another server as text, and mean the same there
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
