-- Valid and invalid arguments of CREATE VIRTUAL TABLE.
CREATE VIRTUAL TABLE t USING bitsift();
CREATE VIRTUAL TABLE t USING bitsift(a UNINDEXED);
CREATE VIRTUAL TABLE t USING bitsift(a, rank);
CREATE VIRTUAL TABLE t USING bitsift(a, t);
CREATE VIRTUAL TABLE t USING bitsift(a, a);
CREATE VIRTUAL TABLE t USING bitsift(a INDEXED);
CREATE VIRTUAL TABLE t USING bitsift(a, tokenize = 'porter');
CREATE VIRTUAL TABLE t USING bitsift(a, stem = 'klingon');
CREATE VIRTUAL TABLE t USING bitsift(a, weight = 'a=1000');
CREATE VIRTUAL TABLE t USING bitsift(a, weight = 'b=2', weight = 'a');
CREATE VIRTUAL TABLE t USING bitsift(a, b UNINDEXED, weight = 'a=2 b=3');
CREATE VIRTUAL TABLE t USING bitsift(title, weight = 'Title=3');
CREATE VIRTUAL TABLE t USING bitsift(a, weight = 'b=3');
CREATE VIRTUAL TABLE t USING bitsift(a, weight = '=3');
CREATE VIRTUAL TABLE t USING bitsift(a, fold_accents = yes);
CREATE VIRTUAL TABLE t USING bitsift(a, density = 7);
CREATE VIRTUAL TABLE t USING bitsift(a, content_rowid = 'id');
CREATE VIRTUAL TABLE t USING bitsift(a, content = '');
CREATE VIRTUAL TABLE t USING bitsift(a, stem = '');
CREATE VIRTUAL TABLE t USING bitsift(a, content = b, content = c);
CREATE VIRTUAL TABLE t USING bitsift(a, stem = );
SELECT count(*) FROM sqlite_schema;
CREATE VIRTUAL TABLE "odd ""name" USING bitsift("a column", [second], `third` unindexed, stem = 'english', fold_accents = 1,
  split_identifiers = 1, weight = 'second=3', density = 0.4);
INSERT INTO "odd ""name" VALUES ('running déjà vu', 'HTTPServer2', 'x'), ('HTTPServer2 running', 'runs', 'y');
SELECT rowid FROM "odd ""name"('run') ORDER BY rank;
SELECT rowid FROM "odd ""name"('deja');
SELECT rowid FROM "odd ""name"('server') ORDER BY rank;
SELECT rowid FROM "odd ""name" WHERE second MATCH 'server';
SELECT rowid FROM "odd ""name" WHERE "a column" MATCH 'server';
SELECT highlight("odd ""name", 0, '[', ']') FROM "odd ""name"('run server');
INSERT INTO "odd ""name"("odd ""name") VALUES ('integrity-check');
ALTER TABLE "odd ""name" RENAME TO plain;
SELECT rowid FROM plain('vu');
ATTACH 'other' AS "an ""other";
CREATE VIRTUAL TABLE "an ""other".plain USING bitsift(text);
INSERT INTO "an ""other".plain VALUES ('of another database'), ('vu');
SELECT rowid, text FROM "an ""other".plain('vu OR another') ORDER BY rowid;
SELECT rowid FROM main.plain('vu OR another') ORDER BY rowid;
CREATE VIRTUAL TABLE temp.plain USING bitsift(text);
INSERT INTO temp.plain VALUES ('of no database');
SELECT text FROM plain('database');
DETACH "an ""other";
SELECT 'a table of an earlier release, with a weight of no column or with itself as its content, can be opened';
.shell $SQLITE old ".load $EXTENSION" "CREATE TABLE b(a)" "CREATE VIRTUAL TABLE w USING bitsift(a, weight = 'a=3')" "INSERT INTO w VALUES ('alpha')" "CREATE VIRTUAL TABLE c USING bitsift(a, content = 'b')"
.shell $SQLITE old "PRAGMA writable_schema = 1" "UPDATE sqlite_schema SET sql = replace(replace(sql, 'a=3', 'b=3'), '''b''', 'c')"
.shell $SQLITE old ".load $EXTENSION" "INSERT INTO w VALUES ('alpha beta')" "SELECT a FROM w('alpha') ORDER BY rowid" "INSERT INTO w(w) VALUES ('rebuild')" "INSERT INTO w(w) VALUES ('integrity-check')" 2>&1
.shell $SQLITE old ".load $EXTENSION" "SELECT sql FROM sqlite_schema WHERE name IN ('c', 'w')" "SELECT a FROM c" 2>&1 || :
.shell $SQLITE old ".load $EXTENSION" "DROP TABLE c" "SELECT a FROM w('beta')" 2>&1
