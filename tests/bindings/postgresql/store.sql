-- Storage: the content of an index after inserts, VACUUM, merges and REINDEX, in tables of many
-- kinds. The number of rows that the index finds must be the number of rows in the table;
-- bitsift_check reads every page.
\set QUIET on
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET client_min_messages = warning;
SET enable_seqscan = off;
SET enable_indexscan = off;
CREATE EXTENSION IF NOT EXISTS bitsift;

CREATE TABLE v (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off);
INSERT INTO v SELECT i, 'hello world number ' || i || CASE WHEN i % 3 = 0 THEN ' fizz' ELSE '' END FROM generate_series(1, 5000) i;
CREATE INDEX vi ON v USING bitsift (body) WITH (grams = true, pending_limit = 64);
\echo -- built
SELECT count(*) FROM v WHERE body @@@ 'fizz';
SELECT count(*) FROM v WHERE body LIKE '%number 17%';
\echo -- VACUUM removes half of the rows
DELETE FROM v WHERE id % 2 = 0;
SELECT bitsift_check('vi');
VACUUM v;
SELECT bitsift_check('vi');
SELECT count(*) FROM v WHERE body @@@ 'fizz';
\echo -- pending rows: some, then enough to become files
UPDATE v SET body = body || ' zap' WHERE id < 100;
SELECT count(*) FROM v WHERE body @@@ 'zap';
SELECT files, pending_pages > 0 FROM bitsift_info('vi');
INSERT INTO v SELECT i, 'later text number ' || i FROM generate_series(10001, 14000) i;
SELECT count(*) FROM v WHERE body @@@ 'later';
SELECT files > 2 FROM bitsift_info('vi');
SELECT bitsift_merge('vi');
SELECT files, pending_pages FROM bitsift_info('vi');
SELECT count(*) FROM v WHERE body @@@ 'later OR zap';
\echo -- rolled-back rows are not found, and VACUUM removes them
BEGIN;
INSERT INTO v SELECT i, 'rolled back' FROM generate_series(20001, 24000) i;
ROLLBACK;
SELECT count(*) FROM v WHERE body @@@ 'rolled';
VACUUM v;
SELECT bitsift_check('vi') = (SELECT count(*) FROM v);
\echo -- freed pages are reused
SELECT pg_relation_size('vi') AS before \gset
DO $$ BEGIN FOR i IN 1..5 LOOP UPDATE v SET body = body || '.'; PERFORM bitsift_merge('vi'); END LOOP; END $$;
VACUUM v;
SELECT bitsift_merge('vi');
VACUUM v;
DO $$ BEGIN FOR i IN 1..5 LOOP UPDATE v SET body = body || ','; PERFORM bitsift_merge('vi'); END LOOP; END $$;
VACUUM v;
SELECT bitsift_check('vi') = (SELECT count(*) FROM v), pg_relation_size('vi') < 20 * :before;
\echo -- REINDEX, concurrently or not
CREATE INDEX CONCURRENTLY vj ON v USING bitsift (body) WITH (stemmer = english);
SELECT bitsift_check('vj') = (SELECT count(*) FROM v);
REINDEX INDEX CONCURRENTLY vj;
REINDEX INDEX vi;
SELECT bitsift_check('vi') = bitsift_check('vj');
SELECT indexrelid::regclass, indisvalid FROM pg_index WHERE indrelid = 'v'::regclass ORDER BY 1;
DROP INDEX vj;
\echo -- TRUNCATE, rolled back
BEGIN;
TRUNCATE v;
SELECT count(*) FROM v WHERE body @@@ 'later';
INSERT INTO v VALUES (1, 'later');
SELECT count(*) FROM v WHERE body @@@ 'later';
ROLLBACK;
SELECT count(*) FROM v WHERE body @@@ 'later';
VACUUM FULL v;
SELECT count(*) FROM v WHERE body @@@ 'later';
\echo -- a table that is created and truncated in one transaction keeps its file
BEGIN;
CREATE TABLE w (id int, body text);
INSERT INTO w SELECT i, 'before ' || i FROM generate_series(1, 1000) i;
CREATE INDEX wi ON w USING bitsift (body);
SELECT count(*) FROM w WHERE body @@@ 'before';
TRUNCATE w;
SELECT count(*) FROM w WHERE body @@@ 'before';
INSERT INTO w VALUES (1, 'after');
SELECT count(*) FROM w WHERE body @@@ 'before';
SELECT count(*) FROM w WHERE body @@@ 'after';
COMMIT;
CREATE TEMP TABLE passing (body text) ON COMMIT DELETE ROWS;
CREATE INDEX passing_i ON passing USING bitsift (body);
BEGIN;
INSERT INTO passing SELECT 'before ' || i FROM generate_series(1, 1000) i;
SELECT count(*) FROM passing WHERE body @@@ 'before';
COMMIT;
BEGIN;
INSERT INTO passing SELECT 'after ' || i FROM generate_series(1, 100) i;
SELECT count(*) FROM passing WHERE body @@@ 'before';
SELECT bitsift_stats('passing_i', 'before after');
COMMIT;
\echo -- a row of many pages, and rows that are too large for one page of the chain
INSERT INTO v SELECT -1, string_agg(md5(i::text), ' ') FROM generate_series(1, 100000) i;
SELECT id FROM v WHERE body @@@ md5('77777')::bitsift_query;
VACUUM v;
SELECT id FROM v WHERE body @@@ md5('77777')::bitsift_query;
INSERT INTO v VALUES (-2, repeat('a ', 40000000));
SELECT bitsift_check('vi') = (SELECT count(*) FROM v);
\echo -- temporary and unlogged tables
CREATE TEMP TABLE tt (body text);
CREATE INDEX tti ON tt USING bitsift (body);
INSERT INTO tt SELECT 'some text ' || i FROM generate_series(1, 10000) i;
SELECT count(*) FROM tt WHERE body @@@ 'some';
TRUNCATE tt;
SELECT count(*) FROM tt WHERE body @@@ 'some';
CREATE UNLOGGED TABLE u (body text);
CREATE INDEX ui ON u USING bitsift (body) WITH (stemmer = english);
INSERT INTO u SELECT 'some texts ' || i FROM generate_series(1, 10000) i;
SELECT count(*) FROM u WHERE body @@@ 'text';
ALTER TABLE u SET LOGGED;
SELECT count(*) FROM u WHERE body @@@ 'text';
\echo -- several columns, also with NULL
CREATE TABLE m (a text, b text);
CREATE INDEX mi ON m USING bitsift (a, b);
INSERT INTO m VALUES ('x y', NULL), (NULL, 'x y'), (NULL, NULL), ('x', 'y');
SELECT bitsift_check('mi');
SELECT count(*) FROM m WHERE a @@@ 'x';
VACUUM m;
SELECT bitsift_check('mi');
SELECT count(*) FROM m WHERE a @@@ 'x';
\echo -- NULL rows and dead rows do not prevent a merge; an index on an expression with a condition
CREATE TABLE n (id int PRIMARY KEY, body text) WITH (autovacuum_enabled = off);
CREATE INDEX ni ON n USING bitsift (body) WITH (pending_limit = 64);
INSERT INTO n SELECT i, CASE WHEN i % 10 <> 0 THEN 'word ' || i || repeat(' filler', 20) END FROM generate_series(1, 5000) i;
UPDATE n SET body = body || ' more' WHERE id % 7 = 0;
SELECT bitsift_merge('ni');
SELECT files FROM bitsift_info('ni');
SELECT count(*) FROM n WHERE body @@@ 'word';
VACUUM n;
SELECT bitsift_merge('ni');
SELECT files, bitsift_check('ni') FROM bitsift_info('ni');
CREATE TABLE e (a text, b text);
CREATE INDEX ei ON e USING bitsift ((a || ' ' || b)) WHERE a <> 'left7';
INSERT INTO e SELECT 'left' || i, 'right' || i FROM generate_series(1, 1000) i;
SELECT bitsift_check('ei');
VACUUM e;
INSERT INTO e SELECT 'left' || i, 'right' || i FROM generate_series(1, 1000) i;
VACUUM e;
SELECT bitsift_merge('ei');
SELECT count(*) FROM e WHERE (a || ' ' || b) @@@ '"left5 right5"' AND a <> 'left7';
\echo -- errors
CREATE INDEX ON v USING bitsift (id);
CREATE INDEX ON v USING bitsift (body) WITH (stemmer = klingon);
CREATE INDEX ON v USING bitsift (body) WITH (pending_limit = 1);
CREATE UNIQUE INDEX ON v USING bitsift (body);
SELECT bitsift_merge('v_pkey');
SELECT bitsift_check('v');
CREATE ROLE nobody_at_all;
SET ROLE nobody_at_all;
SELECT bitsift_merge('public.vi');
RESET ROLE;
DROP ROLE nobody_at_all;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'bitsift');
