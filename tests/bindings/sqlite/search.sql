-- bitsift_search searches an index that the program has made.
.shell mkdir notes
.output notes/a.txt
SELECT 'the quick fox' || char(10) || 'and the dog';
.output notes/b.txt
SELECT 'quick quick dog';
.output notes/c.jsonl
SELECT json_object('id', 'r1', 'title', 'a record', 'text', 'of a quick fox');
.output
.shell cd notes; "$BITSIFT" index . 2>/dev/null
SELECT id, path, round(score, 3), line, snippet FROM bitsift_search('notes/.bitsift', 'quick');
SELECT id FROM bitsift_search('notes/.bitsift', 'quick') LIMIT 1;
SELECT id FROM bitsift_search('notes/.bitsift', 'quick') LIMIT 1 OFFSET 1;
SELECT id FROM bitsift_search('notes/.bitsift', 'quick') ORDER BY score DESC LIMIT 2;
SELECT id FROM bitsift_search('notes/.bitsift', 'quick') ORDER BY id DESC LIMIT 2;
SELECT id FROM bitsift_search('notes/.bitsift', 'quick') WHERE line = 1 LIMIT 1;
SELECT count(*) FROM bitsift_search('notes/.bitsift', 'fox');
SELECT count(*) FROM bitsift_search('notes/.bitsift', 'nonesuch');
CREATE TABLE words(word); INSERT INTO words VALUES ('fox'), ('dog'), ('cat');
SELECT word, (SELECT count(*) FROM bitsift_search('notes/.bitsift', word)) FROM words;
SELECT word, id FROM words JOIN bitsift_search('notes/.bitsift', word) ORDER BY 1, 2;
SELECT * FROM bitsift_search('nonesuch', 'fox');
SELECT * FROM bitsift_search('notes/.bitsift');
SELECT * FROM bitsift_search('notes/.bitsift', NULL);
SELECT * FROM bitsift_search('notes/.bitsift', '+++');
CREATE VIEW found AS SELECT * FROM bitsift_search('notes/.bitsift', 'fox');
SELECT * FROM found;
CREATE VIRTUAL TABLE t USING bitsift_search('x', 'y');
