-- Transactions, savepoints, two connections, other journals, VACUUM and backups.
CREATE VIRTUAL TABLE t USING bitsift(text);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO t SELECT 'word' || i || ' ' || CASE i % 3 WHEN 0 THEN 'fizz' ELSE 'none' END || ' ' || CASE i % 5 WHEN 0 THEN 'buzz' ELSE '' END FROM n;
SELECT count(*) FROM t('fizz'); SELECT count(*) FROM t('fizz buzz');
SELECT 'few changes stay pending, many become a segment';
SELECT (SELECT count(*) FROM t_pending), (SELECT count(DISTINCT name) > 1 FROM t_files);
INSERT INTO t VALUES ('fizz one'), ('fizz two');
SELECT count(*) FROM t('fizz'); SELECT count(*) FROM t_pending;
SELECT 'optimize, rolled back';
BEGIN; INSERT INTO t VALUES ('fizz three'); SAVEPOINT a; INSERT INTO t(t) VALUES ('optimize'); INSERT INTO t VALUES ('fizz four');
SELECT count(*) FROM t('fizz'); ROLLBACK TO a; COMMIT; SELECT count(*) FROM t('fizz');
SELECT 'another connection';
.shell $SQLITE db ".load $EXTENSION" "INSERT INTO t VALUES ('fizz of another')" "SELECT count(*) FROM t('fizz')"
SELECT count(*) FROM t('fizz');
PRAGMA journal_mode = wal;
BEGIN; SELECT count(*) FROM t('fizz');
.shell $SQLITE db ".load $EXTENSION" "DELETE FROM t WHERE rowid <= 300" "SELECT count(*) FROM t('fizz')"
SELECT count(*) FROM t('fizz'); COMMIT; SELECT count(*) FROM t('fizz');
SELECT 'backup, VACUUM';
.backup copy
VACUUM; INSERT INTO t(t) VALUES ('integrity-check'); SELECT count(*) FROM t('fizz');
.shell $SQLITE copy ".load $EXTENSION" "INSERT INTO t(t) VALUES ('integrity-check')" "SELECT count(*) FROM t('fizz')"
VACUUM INTO 'third';
.shell $SQLITE third ".load $EXTENSION" "INSERT INTO t(t) VALUES ('integrity-check')" "SELECT count(*) FROM t('fizz')"
.shell $SQLITE third ".load $EXTENSION" "INSERT INTO t(t) VALUES ('optimize')" "SELECT count(*) FROM t('fizz')"
SELECT 'an older database is restored while a connection is open';
DELETE FROM t; SELECT count(*) FROM t('fizz');
.restore copy
SELECT count(*) FROM t('fizz');
SELECT 'the last rowid is that of the last row';
CREATE TABLE plain(id INTEGER PRIMARY KEY, text);
BEGIN; INSERT INTO t(rowid, text) VALUES (70001, 'x'); INSERT INTO plain VALUES (77, 'x'); COMMIT; SELECT last_insert_rowid();
BEGIN; INSERT INTO t(rowid, text) VALUES (70002, 'x'); INSERT INTO plain VALUES (78, 'x'); SAVEPOINT a; SELECT last_insert_rowid(); COMMIT;
INSERT INTO t SELECT 'x' FROM t; INSERT INTO t(rowid, text) VALUES (99999, 'x'); SELECT last_insert_rowid();
DELETE FROM t WHERE t MATCH 'x';
SELECT 'several tables';
CREATE VIRTUAL TABLE u USING bitsift(text);
BEGIN; INSERT INTO u VALUES ('fizz'); DELETE FROM t WHERE rowid = (SELECT max(rowid) FROM t('fizz'));
SELECT (SELECT count(*) FROM u('fizz')), (SELECT count(*) FROM t('fizz')); ROLLBACK;
SELECT (SELECT count(*) FROM u('fizz')), (SELECT count(*) FROM t('fizz'));
SELECT 'changes during an open scan';
CREATE TABLE seen(id); INSERT INTO seen SELECT rowid FROM t('fizz') ORDER BY rank;
CREATE TRIGGER pass AFTER INSERT ON seen BEGIN DELETE FROM t WHERE rowid = new.id; END;
INSERT INTO seen SELECT rowid FROM t('fizz') ORDER BY rank; SELECT count(*) FROM t('fizz');
SELECT count(*), count(DISTINCT id) FROM seen;
SELECT 'a rename, rolled back';
BEGIN; INSERT INTO t VALUES ('fizz'); SAVEPOINT a; ALTER TABLE t RENAME TO v; INSERT INTO v VALUES ('fizz'); SELECT count(*) FROM v('fizz');
ROLLBACK TO a; SELECT count(*) FROM t('fizz'); COMMIT; SELECT count(*) FROM t('fizz');
BEGIN; DROP TABLE t; CREATE VIRTUAL TABLE t USING bitsift(other); INSERT INTO t VALUES ('buzz'); ROLLBACK; SELECT count(*) FROM t('fizz');
INSERT INTO t(t) VALUES ('integrity-check');
