-- FTS5 splits plain words as bitsift does, so counts must be equal. n_other: queries that differ.
CREATE VIRTUAL TABLE f USING fts5(title, body);
CREATE VIRTUAL TABLE b USING bitsift(title, body);
CREATE TABLE vocabulary(n INTEGER PRIMARY KEY, word);
INSERT INTO vocabulary(word) VALUES ('river'), ('mountain'), ('forest'), ('valley'), ('meadow'), ('island'), ('desert'), ('ocean'), ('glacier'),
  ('canyon'), ('harbour'), ('village'), ('bridge'), ('tower'), ('garden'), ('market'), ('station'), ('library'), ('castle'), ('temple');
-- Pseudo-random words; the first words are more frequent.
CREATE TABLE rows AS
WITH RECURSIVE n(i, x) AS (SELECT 1, 12345 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 30000)
SELECT i / 20 + 1 AS id, i % 20 AS place, (SELECT word FROM vocabulary WHERE n = 1 + (((x >> 8) % 20) * ((x >> 16) % 20)) / 20) AS word FROM n;
CREATE TABLE texts AS SELECT id, group_concat(CASE WHEN place < 4 THEN word END, ' ') AS title, group_concat(CASE WHEN place >= 4 THEN word END, ' ') AS body
FROM rows GROUP BY id ORDER BY id, place;
INSERT INTO f(rowid, title, body) SELECT id, title, body FROM texts;
INSERT INTO b(rowid, title, body) SELECT id, title, body FROM texts;
-- The later checks then include changed, pending and deleted rows.
UPDATE f SET body = 'temple castle' WHERE rowid % 50 = 0; UPDATE b SET body = 'temple castle' WHERE rowid % 50 = 0;
DELETE FROM f WHERE rowid % 37 = 0; DELETE FROM b WHERE rowid % 37 = 0;
INSERT INTO f(title, body) VALUES ('river', 'mountain'); INSERT INTO b(title, body) VALUES ('river', 'mountain');
SELECT count(*) = (SELECT count(*) FROM f) FROM b;
CREATE TABLE pairs AS SELECT x.word AS one, y.word AS two FROM vocabulary x, vocabulary y;
CREATE TABLE kinds(kind, left, middle, right, fts5_left, fts5_middle, fts5_right);
INSERT INTO kinds VALUES
  ('all', '', ' ', '', '', ' ', ''), ('any', '', ' OR ', '', '', ' OR ', ''), ('not', '', ' -', '', '', ' NOT ', ''), ('phrase', '"', ' ', '"', '"', ' ', '"'),
  ('column', 'title:', ' body:', '', 'title:', ' body:', ''), ('near', '"', ' ', '"~3', 'NEAR(', ' ', ', 3)'), ('beginning', '', ' ', '*', '', ' ', '*');
CREATE TABLE asked AS SELECT kind, left || one || middle || two || right AS query, fts5_left || one || fts5_middle || two || fts5_right AS fts5_query FROM kinds, pairs
WHERE NOT (kind = 'not' AND one = two) AND NOT (kind = 'near' AND one = two);
SELECT kind, count(*), sum((SELECT count(*) FROM b(query)) <> (SELECT count(*) FROM f(fts5_query))) AS n_other FROM asked GROUP BY kind ORDER BY kind;
-- The number of queries that find other rows than FTS5.
SELECT count(*) FROM asked WHERE (SELECT group_concat(rowid) FROM (SELECT rowid FROM b(query) ORDER BY rowid)) IS NOT
                                 (SELECT group_concat(rowid) FROM (SELECT rowid FROM f(fts5_query) ORDER BY rowid));
CREATE TABLE marked AS SELECT highlight(b, 1, '[', ']') AS ours, highlight(f, 1, '[', ']') AS theirs FROM b, f WHERE b.rowid = f.rowid AND b MATCH 'castle' AND f MATCH 'castle';
SELECT count(*), sum(ours = theirs) FROM marked;
INSERT INTO b(b) VALUES ('integrity-check');
