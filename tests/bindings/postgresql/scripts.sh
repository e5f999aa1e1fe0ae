#!/usr/bin/env bash
# scripts.sh: runs store.sql, answers.sql and ranking.sql, each in a new database. Their output,
# including errors, must equal the transcripts (*.exact); see tests/wording.py. Then runs every SQL
# statement of the README, in order, and an update by a script like those of sql/upgrade.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
cluster_test
cluster_make one
failed=0
for script in store answers ranking readme; do
    sql one -c "CREATE DATABASE $script ENCODING 'UTF8' TEMPLATE template0"
    [ "$script" != readme ] || break
    { sql one -d "$script" -v ON_ERROR_STOP=0 -v socket="$cluster_folder" -v port="$(cluster_port one)" -R " ; " <"$here/$script.sql" 2>&1 || true; } |
        sed -E 's/^psql:[^ ]* //' >"$cluster_folder/$script"
    "$here/../../wording.py" compare "$here/$script.sql.exact" "$cluster_folder/$script" || failed=1
done
[ "$failed" = 0 ] || exit 1

awk '/^```/ { inside = !inside && $0 == "```sql"; next } inside' "$cluster_source/README.md" >"$cluster_folder/statements"
[ "$(grep -c ';$' "$cluster_folder/statements")" -ge 20 ]
sql one -d readme -f "$cluster_folder/statements" >/dev/null

# The extension's folder is a copy that may contain links to the installation. A new file is local.
script=$cluster_root$("$PG_CONFIG" --sharedir)/extension/bitsift--0.1--test.sql
[ ! -e "$script" ]
trap 'rm -f -- "$script"; cluster_end' EXIT
printf 'CREATE FUNCTION bitsift_of_a_test() RETURNS int LANGUAGE SQL AS $$ SELECT 7 $$;\n' >"$script"
same 7 "$(sql one -d store -c "ALTER EXTENSION bitsift UPDATE TO 'test'" -c 'SELECT bitsift_of_a_test()')" "an updated extension"
same t "$(sql one -d store -c "SELECT bitsift_check('vi') = (SELECT count(*) FROM v)")" "rows after an update"
