-- A round of hostile.sh, seeded :seed: a table with a hostile name, hostile columns and hostile
-- texts. Each row has a unique word, by which the index must find the row after every change. Each
-- printed line is a fault.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET enable_seqscan = off;
CREATE EXTENSION IF NOT EXISTS bitsift;
SELECT setseed(:seed / 1e6) IS NULL AS none \gset

CREATE OR REPLACE FUNCTION pg_temp.below(n int) RETURNS int LANGUAGE SQL AS $$ SELECT floor(random() * n)::int $$;
CREATE OR REPLACE FUNCTION pg_temp.hostile() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	specials text[] := ARRAY['', '#', ':', '/', '..', '-', '--', E'\n', E'\r\n', E'\t', ' ', E'\x7f', E'\x01', E'\x1b[2J', 'a#1', '-:1', ':1', 'id', 'name', 'a.b',
		'a=b=3', 'a,b', U&'\FFFD', U&'\FEFF', U&'\FFFE', U&'\FFFF', U&'a\FFFEb', U&'\+10FFFF', U&'\05D0\05D1', U&'\202Eabc', U&'\2066x\2069', U&'\0085', U&'\2028', U&'\00A0', 'é', U&'e\0301', 'ff', 'FF', 'ß', 'İ',
		'0', '-0', '18446744073709551616', 'AND', 'OR NOT', '(a', 'a^2', 'a~1', '''', '"', E'\\', '*', '[', '{a,b}', '👩', '한', '漢字', '$1', '%w', 'NULL'];
	made text := '';
BEGIN
	CASE pg_temp.below(4)
	WHEN 0, 1 THEN RETURN specials[1 + pg_temp.below(array_length(specials, 1))];
	WHEN 2 THEN
		FOR i IN 1..pg_temp.below(12) LOOP
			made := made || chr(CASE pg_temp.below(3) WHEN 0 THEN 1 + pg_temp.below(127) WHEN 1 THEN 128 + pg_temp.below(4000) ELSE 65536 + pg_temp.below(65000) END);
		END LOOP;
		RETURN made;
	ELSE
		RETURN repeat(substr('ax é', 1 + pg_temp.below(4), 1), (ARRAY[62, 63, 64, 255, 256, 4096, 65536])[1 + pg_temp.below(7)]);
	END CASE;
END $$;
-- Returns a name for a table, column or index. It is shorter than PostgreSQL's limit of 63 bytes.
CREATE OR REPLACE FUNCTION pg_temp.name(tail text) RETURNS text LANGUAGE SQL AS
	$$ SELECT convert_from(substring(convert_to(left(pg_temp.hostile(), 12), 'UTF8') FOR 50), 'UTF8') || tail $$;
CREATE OR REPLACE FUNCTION pg_temp.around(word text) RETURNS text LANGUAGE SQL AS
	$$ SELECT pg_temp.hostile() || E'\n' || word || E'\n' || pg_temp.hostile() $$;
CREATE SEQUENCE IF NOT EXISTS hostile_words;
CREATE OR REPLACE FUNCTION pg_temp.word() RETURNS text LANGUAGE SQL AS
	$$ SELECT 'q' || translate(lpad(nextval('hostile_words')::text, 7, '0'), '0123456789', 'abcdefghij') $$;

SELECT pg_temp.name('_t') AS t, pg_temp.name('_i') AS i, pg_temp.name('_1') AS c1, pg_temp.name('_2') AS c2 \gset
CREATE TEMP TABLE expected (id int PRIMARY KEY, word text, field int);
SELECT format('CREATE TABLE %I (id int PRIMARY KEY, %I text, %I text) WITH (autovacuum_enabled = off)', :'t', :'c1', :'c2') \gexec
CREATE OR REPLACE FUNCTION pg_temp.put(t text, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE word text; place int;
BEGIN
	FOR n IN first..last LOOP
		word := pg_temp.word();
		place := pg_temp.below(2);
		EXECUTE format('INSERT INTO %I VALUES($1, $2, $3) ON CONFLICT (id) DO UPDATE SET (%s) = ($2, $3)', t,
			(SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = quote_ident(t)::regclass AND attnum > 1))
			USING n, CASE place WHEN 0 THEN pg_temp.around(word) ELSE pg_temp.hostile() END, CASE place WHEN 1 THEN pg_temp.around(word) ELSE NULL END;
		INSERT INTO expected VALUES(n, word, place) ON CONFLICT (id) DO UPDATE SET word = excluded.word, field = excluded.field;
	END LOOP;
END $$;
-- Returns the faults. has_dead: the index may still have deleted or changed rows, which VACUUM
-- removes.
CREATE OR REPLACE FUNCTION pg_temp.wrong(step text, has_dead bool, t text, i text, c text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE row record; found int[]; n bigint;
BEGIN
	FOR row IN SELECT * FROM expected LOOP
		EXECUTE format('SELECT array_agg(id) FROM %I WHERE %I @@@ $1::bitsift_query', t, c[1 + row.field]) USING row.word INTO found;
		IF found IS DISTINCT FROM ARRAY[row.id] THEN
			RETURN NEXT step || ': row ' || row.id || ' with ' || row.word || ' is found as ' || coalesce(found::text, 'nothing');
		END IF;
	END LOOP;
	n := bitsift_check(quote_ident(i)::regclass);
	IF n < (SELECT count(*) FROM expected) OR (NOT has_dead AND n > (SELECT count(*) FROM expected)) THEN
		RETURN NEXT step || ': ' || n || ' rows in the index';
	END IF;
END $$;
SELECT pg_temp.put(:'t', 1, 10) IS NULL AS none \gset
SELECT format('CREATE INDEX %I ON %I USING bitsift (%I, %I) WITH (pending_limit = 64)', :'i', :'t', :'c1', :'c2') \gexec
SELECT pg_temp.wrong('built', false, :'t', :'i', ARRAY[:'c1', :'c2']);
SELECT pg_temp.put(:'t', 8, 20) IS NULL AS none \gset
SELECT pg_temp.wrong('inserted', true, :'t', :'i', ARRAY[:'c1', :'c2']);
SELECT format('DELETE FROM %I WHERE id %% 3 = 0', :'t') \gexec
DELETE FROM expected WHERE id % 3 = 0;
SELECT format('VACUUM %I', :'t') \gexec
SELECT pg_temp.wrong('vacuum', false, :'t', :'i', ARRAY[:'c1', :'c2']);
SELECT pg_temp.put(:'t', 15, 30) IS NULL AS none \gset
SELECT format('VACUUM %I', :'t') \gexec
SELECT bitsift_merge(quote_ident(:'i')::regclass) IS NULL AS none \gset
SELECT pg_temp.wrong('merge', false, :'t', :'i', ARRAY[:'c1', :'c2']);
SELECT format('REINDEX INDEX %I', :'i') \gexec
SELECT pg_temp.wrong('reindex', false, :'t', :'i', ARRAY[:'c1', :'c2']);
SELECT format('DROP TABLE %I', :'t') \gexec
