-- Every answer by an index must equal that of a sequential scan. Prints the questions whose answers
-- differ between a sequential scan, a bitmap scan and an index scan.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS bitsift;
-- Few rows are candidates here; 'all' makes the prefilter read all of them.
SET bitsift.prefilter = 'all';
SET jit = off;
CREATE TABLE words (id int PRIMARY KEY, body text);
INSERT INTO words SELECT i,
	CASE WHEN i % 30 = 0 THEN NULL WHEN i % 31 = 0 THEN '' ELSE
	concat_ws(' ', (ARRAY['running','Run','RUNNER','ran','shoes','Shoe'])[1 + i % 6], (ARRAY['İstanbul','istanbul','ISTANBUL','ıssız','Straße','STRASSE','straße'])[1 + i % 7],
		(ARRAY['foo_bar','fooBar','foo%bar','foo\bar','foo.bar','FOO'])[1 + i / 7 % 6], (ARRAY['漢字テスト','ไทย','привет','ПРИВЕТ','Σίσυφος','ΣΊΣΥΦΟΣ'])[1 + i / 5 % 6],
		CASE WHEN i % 11 = 0 THEN E'new\nline' END, 'n' || i, CASE WHEN i % 3 = 0 THEN 'quick brown fox' END, CASE WHEN i % 4 = 0 THEN 'brown quick' END,
		CASE WHEN i % 13 = 0 THEN 'café résumé' END, repeat('x', i % 5), i % 17) END
	FROM generate_series(1, 400) i;
INSERT INTO words VALUES (401, U&'an i\0307stanbul, run'), (402, U&'an I\0307STANBUL, run');
CREATE TABLE questions (n serial, condition text);

-- Answers a question by one kind of scan; the text of an error is an answer, too.
CREATE FUNCTION ask(condition text, way text, source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	PERFORM set_config('enable_seqscan', (way = 'rows')::text, true), set_config('enable_indexscan', (way = 'index')::text, true),
		set_config('enable_bitmapscan', (way = 'bitmap')::text, true);
	EXECUTE format('SELECT count(*) || '' '' || coalesce(md5(string_agg(id::text, '','' ORDER BY id)), '''') FROM %s WHERE %s', source, condition)
		INTO answer;
	RETURN answer;
EXCEPTION WHEN others THEN
	RETURN 'error: ' || sqlerrm;
END $$;

CREATE FUNCTION uses_index(condition text, source text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN SELECT * FROM %s WHERE %s', source, condition) LOOP
		IF line ~ 'Index Cond: .*(@@@|~)' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
EXCEPTION WHEN others THEN
	RETURN false;
END $$;

-- Asks a fifth of the questions at each call, in turn; the random test asks many more, also of
-- pending, changed and deleted rows and after VACUUM.
CREATE SEQUENCE turns;
CREATE FUNCTION differ(source text DEFAULT 'words') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE turn int := nextval('turns') % 5;
BEGIN
	RETURN QUERY SELECT concat_ws(' | ', a.condition, a.by_rows, a.by_bitmap, a.by_index) FROM (
		SELECT q.condition, ask(q.condition, 'rows', source) AS by_rows, ask(q.condition, 'bitmap', source) AS by_bitmap,
			ask(q.condition, 'index', source) AS by_index FROM questions q WHERE n % 5 = turn ORDER BY n) a
		WHERE a.by_rows IS DISTINCT FROM a.by_bitmap OR a.by_rows IS DISTINCT FROM a.by_index;
	PERFORM set_config('enable_seqscan', 'off', true);
	-- Detects a test that does not use an index.
	RETURN NEXT 'served by an index: ' || (SELECT count(*) > 5 FROM questions q WHERE n % 8 = 1 AND uses_index(q.condition, source));
END $$;

INSERT INTO questions (condition) SELECT format('body @@@ %L', q) FROM unnest(ARRAY[
	'run', 'running', 'run shoes', 'run OR shoes', 'run -shoes', '-run', '-run -shoes', 'NOT (run OR shoes)', '"quick brown"', '"brown quick"',
	'"quick fox"~3', '"fox quick"~1', 'sho*', 'r*n', 'r?n', 'runing~1', 'qick~2', 'foo_bar', 'foo.bar', 'foo', 'FOO', 'istanbul', 'İstanbul', 'strasse', 'straße',
	'漢字', '字テ', 'テスト', 'ไทย', 'привет', 'σίσυφος', 'cafe', 'café', 'résumé^3 run', 'n17', 'n1*', 'nothere', 'nothere OR run', '-nothere', '(run OR ran) (foo OR "quick brown")',
	'body:run', 'x:y', 'c1:run', '>10', '1..5', '"new line"', 'new AND line', '+++', '', '(', '"', 'a OR', 'NOT', '{any}run shoes', '{stemmer=english}runs',
	'{plain}runs', '{fold_accents}cafe', '{stemmer=klingon}x', '{strict}(a', '{stop=english}the run', '{any,stop=english}the run', '{}{x', '{foo}run']) q;
INSERT INTO questions (condition) SELECT format('body %s %L', o, p) FROM unnest(ARRAY['~~', '~~*', '!~~', '!~~*']) o, unnest(ARRAY[
	'%run%', 'run%', '%run', 'run', '', '%', '_', '%%', '%foo\_bar%', '%foo\%bar%', '%foo\\bar%', '%foo_bar%', '%istanbul%', '%İSTANBUL%', '%i̇stanbul%', '%ıssız%',
	'%ISSIZ%', '%straße%', '%STRASSE%', '%ПРИВЕТ%', '%привет%', '%σίσυφος%', '%ΣΊΣΥΦΟΣ%', '%σίσυφοσ%', '%漢字%', '%字テス%', '%new_line%', '%quick%fox%', '%fox%quick%', '%x', '%café r_sum_%',
	'%n1__ %', '%n17 %', '%\n17%', '%17', '%bar\', '%ไทย%']) p;
INSERT INTO questions (condition) SELECT format('body %s %L', o, p) FROM unnest(ARRAY['~', '~*', '!~', '!~*']) o, unnest(ARRAY[
	'run', '^run', 'run$', 'runn(ing|er)', 'r[aeu]n', 'r[^x]n', 'fo{2}', 'fo{2,3}[_.%]bar', 'fo+', 'fo*bar', 'fo??', '\mrun\M', '\yrun\y', '\Aran', '\d{3,}', 'n\d+', 'n[0-9]+ quick',
	'n[[:digit:]]+', '[[:<:]]run', '(quick|brown) (fox|quick)', '(?:qu)(ick)', '(q)(u)\1', '(.)\1\1', 'x{3}', '(?i)RUN', '(?c)RUN', '***=foo.bar', '***:foo.bar', '(?q)foo.bar', '(?x)r u n',
	'(?n)new.line', 'new.line', 'new\nline', 'new\sline', 'foo\.bar', 'foo\\bar', 'foo\u005fbar', 'foo\x5fbar', '\x66oo', 'caf\u00e9', 'café', 'CAFÉ', 'istanbul', 'İSTANBUL', '[i]stanbul',
	'ıssız', 'Issiz', 'стр', 'ПРИВ', 'σίσυφος', '漢字', '漢.テ', 'a|b|', '', '(', '[', 'a{2', 'x{2}{3}', '*a', '(?=quick)quick brown', 'quick(?! fox)', '(?<=quick )brown', '(?<!x)run', '{', 'a{', 'a{,3}',
	'[]x]run', '[^]x]run', '[a\]b]', '[a-c]afé', '(((run)))', '()run', '(?:)', 'r(?:u|a)n{1,2}', '\101', '\Z', '(run|)x', '+', '^*', 'q\wick', 'q[q-v]ick', 'Q[Q-V]ICK', '(?b)a\(b', '(?e)run', '(?s)run', 'br.wn q']) p;
INSERT INTO questions (condition) VALUES
	($$body @@@ 'run' AND body @@@ 'shoes'$$), ($$body @@@ 'quick' AND body LIKE '%fox%'$$), ($$body @@@ 'quick' AND body ~ 'n\d5' AND body ILIKE '%FOO%'$$),
	($$body @@@ 'run' OR body @@@ 'shoes'$$), ($$body @@@ 'run' OR body LIKE '%fox%'$$), ($$NOT body @@@ 'run'$$), ($$body @@@ NULL$$), ($$body LIKE NULL$$),
	($$body @@@ 'run' AND body @@@ NULL$$), ($$body @@@ ANY (ARRAY['run', 'shoes']::bitsift_query[])$$), ($$body @@@ ALL (ARRAY['run', 'n1*']::bitsift_query[])$$),
	($$body LIKE ANY (ARRAY['%fox%', '%shoe%'])$$), ($$body ~ ANY (ARRAY['fox', 'shoe', NULL])$$), ($$body @@@ bitsift_query('run shoes', "any" => true)$$),
	($$body @@@ bitsift_query('runs', stemmer => 'english')$$), ($$body @@@ (SELECT 'run'::bitsift_query)$$), ($$body @@@ (SELECT 'run'::text)::bitsift_query$$),
	($$body COLLATE "C" LIKE '%run%'$$), ($$body COLLATE "C" ILIKE '%RUN%'$$), ($$body COLLATE "C" ~* 'İSTANBUL'$$),
	($$id IN (SELECT w.id FROM words w, (VALUES ('run'::bitsift_query), ('fox'), ('-fox n1*'), (NULL)) v(q) WHERE w.body @@@ v.q)$$);

\echo == words and grams
CREATE INDEX words_body ON words USING bitsift (body) WITH (grams = true);
ANALYZE words;
SELECT * FROM differ();
\echo == an index with stems and folded accents, without grams
DROP INDEX words_body;
CREATE INDEX words_body ON words USING bitsift (body) WITH (stemmer = 'english', fold_accents = true);
SELECT * FROM differ();
\echo == an index on an expression, and a partial index
DROP INDEX words_body;
CREATE INDEX words_lower ON words USING bitsift (lower(body)) WITH (stemmer = 'english', split_identifiers = true, grams = true);
UPDATE questions SET condition = replace(condition, 'body ', 'lower(body) ');
ANALYZE words;
SELECT * FROM differ();
UPDATE questions SET condition = replace(condition, 'lower(body) ', 'body ');
DROP INDEX words_lower;
CREATE INDEX words_part ON words USING bitsift (body) WITH (grams = true) WHERE id % 2 = 0;
SELECT * FROM differ('(SELECT * FROM words WHERE id % 2 = 0) w');
DROP INDEX words_part;
\echo == two columns
ALTER TABLE words ADD title text;
UPDATE words SET title = CASE WHEN id % 3 = 0 THEN body WHEN id % 5 = 0 THEN 'run title foo_bar n17' END;
CREATE INDEX words_two ON words USING bitsift (title, body) WITH (grams = true);
SELECT * FROM differ();
UPDATE questions SET condition = replace(condition, 'body', 'title') WHERE n % 2 = 0;
INSERT INTO questions (condition) VALUES ($$title @@@ 'title' AND body @@@ 'run'$$), ($$title @@@ '-title' AND body @@@ '-run'$$), ($$title LIKE '%title%' AND body @@@ 'shoes'$$);
SELECT * FROM differ();
\echo == a varchar column with another collation
DROP INDEX words_two;
CREATE TABLE others (id int, body varchar(500) COLLATE "tr-x-icu");
INSERT INTO others SELECT id, body FROM words WHERE id < 3000;
CREATE INDEX others_body ON others USING bitsift (body) WITH (grams = true);
UPDATE questions SET condition = replace(condition, 'title', 'body');
SELECT * FROM differ('others');
\echo == a partial index whose bitmap becomes lossy returns only its own rows
CREATE TABLE wide (id int, body text) WITH (fillfactor = 10);
INSERT INTO wide SELECT i, 'word ' || repeat('x', 250) FROM generate_series(1, 5000) i;
CREATE INDEX wide_part ON wide USING bitsift (body) WHERE id % 2 = 0;
SET work_mem = '64kB';
SELECT way, ask($$body @@@ 'word' AND id % 2 = 0$$, way, 'wide') ~ '^2500 ' FROM unnest(ARRAY['rows', 'bitmap', 'index']) way;
SELECT way, ask($$body @@@ 'word' AND body @@@ '-nothere' AND id % 2 = 0$$, way, 'wide') ~ '^2500 ' FROM unnest(ARRAY['rows', 'bitmap', 'index']) way;
\echo == a pattern whose bitmap becomes lossy
CREATE TABLE many (id int, body text);
INSERT INTO many SELECT i, 'word ' || i FROM generate_series(1, 12000) i;
CREATE INDEX many_part ON many USING bitsift (body) WITH (grams = true) WHERE id % 12 > 0;
UPDATE many SET body = body || ' more' WHERE id % 100 = 1;
SELECT way, ask($$body LIKE '%word%' AND id % 12 > 0$$, way, 'many') ~ '^11000 ' FROM unnest(ARRAY['rows', 'bitmap', 'index']) way;
RESET work_mem;
SELECT way, ask($$body ~ 'word.*(more|7)' AND id % 12 > 0$$, way, 'many') = ask($$body ~ 'word.*(more|7)' AND id % 12 > 0$$, 'rows', 'many')
	FROM unnest(ARRAY['bitmap', 'index']) way;
\echo == deleted rows whose out-of-line texts are removed
CREATE TABLE gone (id int, body text);
ALTER TABLE gone ALTER body SET STORAGE external;
INSERT INTO gone SELECT i, repeat('word ', 600) || i FROM generate_series(1, 20) i;
CREATE INDEX gone_body ON gone USING bitsift (body) WITH (grams = true);
UPDATE gone SET body = body || ' more' WHERE id > 5;
SELECT 'VACUUM ' || reltoastrelid::regclass FROM pg_class WHERE oid = 'gone'::regclass \gexec
SELECT way, ask($$body LIKE '%word 1%'$$, way, 'gone') ~ '^11 ' FROM unnest(ARRAY['rows', 'bitmap', 'index']) way;
\echo == a serializable transaction conflicts with rows inserted meanwhile, also with out-of-line texts
CREATE EXTENSION dblink;
CREATE TABLE came (id int, body text);
CREATE TABLE noted (n int);
ALTER TABLE came ALTER body SET STORAGE external;
INSERT INTO came SELECT i, 'word ' || i FROM generate_series(1, 20) i;
CREATE INDEX came_body ON came USING bitsift (body) WITH (grams = true);
SELECT dblink_connect('later', format('host=%s port=%s user=postgres dbname=%s options=''-c default_transaction_isolation=serializable''',
	:'socket', :'port', current_database()));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
\set VERBOSITY terse
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM pg_class WHERE relname = 'nothing';
SELECT dblink_exec('later', $$INSERT INTO came SELECT 100 + i, repeat('word ', 600) || 'later' FROM generate_series(1, 12) i
	WHERE NOT EXISTS (SELECT FROM noted)$$);
SELECT count(*) FROM came WHERE body LIKE '%later%';
INSERT INTO noted VALUES (1);
ROLLBACK;
\set VERBOSITY default
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT dblink_disconnect('later');
DROP TABLE others, many, gone, came, noted;
\echo == a join with a rescan for each pattern frees the memory of finished scans
CREATE TABLE patterns (pattern text);
INSERT INTO patterns SELECT '%alpha ' || i % 100 || '%' FROM generate_series(1, 3000) i;
CREATE TABLE joined (body text);
INSERT INTO joined SELECT 'word alpha ' || i FROM generate_series(1, 2000) i;
CREATE INDEX joined_body ON joined USING bitsift (body) WITH (grams = true);
ANALYZE joined;
SET enable_seqscan = off;
SET enable_indexscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
BEGIN;
DECLARE pairs CURSOR FOR SELECT 1 FROM patterns JOIN joined ON body LIKE pattern;
FETCH 10 FROM pairs \g /dev/null
SELECT sum(total_bytes) AS kept FROM pg_backend_memory_contexts WHERE name = 'ExecutorState' \gset
MOVE 40000 IN pairs \g /dev/null
SELECT sum(total_bytes) < :kept + 500000 FROM pg_backend_memory_contexts WHERE name = 'ExecutorState';
ROLLBACK;
RESET enable_seqscan;
RESET enable_indexscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
DROP TABLE patterns, joined;
\echo == out-of-line texts, and rows updated in place
CREATE TEMPORARY TABLE others (id int, n int, body text) WITH (fillfactor = 50);
ALTER TABLE others ALTER body SET STORAGE external;
INSERT INTO others SELECT id, 0, CASE WHEN id % 21 = 0 THEN repeat(body, 30) ELSE body END FROM words WHERE id < 400;
CREATE INDEX others_body ON others USING bitsift (body) WITH (grams = true);
UPDATE others SET n = 1 WHERE id % 3 = 0;
UPDATE others SET n = 2 WHERE id % 6 = 0;
SELECT * FROM differ('others');
DELETE FROM others WHERE id % 4 = 0;
ALTER TABLE others ALTER body SET STORAGE extended;
INSERT INTO others SELECT id + 1000, 0, CASE WHEN id % 21 = 0 THEN repeat(body, 30) ELSE body END FROM words WHERE id < 400;
SELECT * FROM differ('others');
VACUUM others;
UPDATE others SET n = 3 WHERE id % 5 = 0;
SELECT * FROM differ('others');
\echo == an index created after older versions of a row
CREATE TABLE versions (id int, body text) WITH (fillfactor = 50);
INSERT INTO versions SELECT i, 'quick brown fox' FROM generate_series(1, 100) i;
BEGIN;
UPDATE versions SET body = 'running shoes ' || id;
UPDATE versions SET body = 'running foo_bar ' || id;
CREATE INDEX versions_body ON versions USING bitsift (body) WITH (grams = true);
COMMIT;
SELECT * FROM differ('versions');
\echo == letters with special case mappings
CREATE TABLE letters (id int, body text);
INSERT INTO letters SELECT i, 'xyz' || chr(i) || 'uvw' FROM generate_series(1, 8600) i WHERE lower(chr(i) COLLATE "en-x-icu") <> chr(i) OR upper(chr(i) COLLATE "en-x-icu") <> chr(i);
TRUNCATE questions;
INSERT INTO questions (condition) SELECT format('body %s %L', o, replace(p, 'c', c)) FROM unnest(string_to_array('a,k,S,i,I,İ,ı,ß,ẞ,ſ,µ,Σ,ς,é,K,Å,ǆ,Ǆ,ͅ,я', ',')) c,
	(VALUES ('~~*', '%xyzcuvw%'), ('~*', 'xyzcuvw'), ('~*', 'xyz[c]uvw'), ('~*', 'xyz[^c]uvw'), ('~', 'xyz[c-я]uvw'), ('~*', 'yz\wc?uvw')) q(o, p);
CREATE INDEX letters_body ON letters USING bitsift (body) WITH (grams = true);
SELECT * FROM differ('letters');
ALTER TABLE letters ALTER body TYPE text COLLATE "en-x-icu";
SELECT * FROM differ('letters');
ALTER TABLE letters ALTER body TYPE text COLLATE "tr-x-icu";
SELECT * FROM differ('letters');
ALTER TABLE letters ALTER body TYPE text COLLATE "C";
SELECT * FROM differ('letters');
