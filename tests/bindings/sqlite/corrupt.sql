-- Invalid data in the shadow tables may cause errors, never a crash; 'rebuild' repairs the index.
-- The last number of an error is SQLite's code.
CREATE VIRTUAL TABLE t USING bitsift(text);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO t SELECT 'fizz ' || i FROM n;
.shell cp db good
SELECT 'a wrong checksum';
.shell $SQLITE db "UPDATE t_files SET sum = 1 WHERE name = 'manifest'"
.shell $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell $SQLITE db ".load $EXTENSION" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell $SQLITE db ".load $EXTENSION" "INSERT INTO t(t) VALUES ('rebuild')" "INSERT INTO t(t) VALUES ('integrity-check')" "SELECT count(*) FROM t('fizz')" 2>&1 || :
SELECT 'no segment, no manifest, nothing';
.shell $SQLITE db "DELETE FROM t_files WHERE name LIKE 'seg-%'"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "DELETE FROM t_files WHERE name = 'manifest'"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell cp good db; $SQLITE db "DELETE FROM t_files"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell cp good db; $SQLITE db "DROP TABLE t_files"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t" "DROP TABLE t" 2>&1 || :
SELECT 'names, numbers and bytes of wrong types';
.shell cp good db; $SQLITE db "INSERT INTO t_files VALUES ('../../etc/passwd', 0, 0, 'x')"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "UPDATE t_files SET name = name || zeroblob(10)"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "UPDATE t_files SET data = NULL"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "UPDATE t_files SET part = 7 WHERE name = 'manifest'"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell cp good db; $SQLITE db "UPDATE t_config SET v = 'x'"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "DELETE FROM t_config"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" 2>&1 || :
.shell cp good db; $SQLITE db "INSERT INTO t_pending VALUES (5, 0), (77777, 1), (6, 'x')"; $SQLITE db ".load $EXTENSION" "SELECT count(*) FROM t('fizz')" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
SELECT 'rows that are not in the index';
.shell cp good db; $SQLITE db "DELETE FROM t_content WHERE id = 7"; $SQLITE db ".load $EXTENSION" "SELECT text FROM t('7')" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell cp good db; $SQLITE db "UPDATE t_content SET c0 = 'three other words' WHERE id = 7"; $SQLITE db ".load $EXTENSION" "INSERT INTO t(t) VALUES ('integrity-check')" 2>&1 || :
.shell cp good db; $SQLITE db "DROP TABLE t_content"; $SQLITE db ".load $EXTENSION" "SELECT text FROM t('7')" 2>&1 || :
