#!/usr/bin/env bash
# store.sh: runs store.sql in a new server. Its output, including errors, must equal store.sql.exact
# (see tests/wording.py). Then updates the extension by a script like those of sql/upgrade.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-postgresql.XXXXXX")
trap 'cluster_end; rm -rf -- "$folder"' EXIT
cluster_begin "$folder"
cluster_make one
{ sql one -v ON_ERROR_STOP=0 -q <"$here/store.sql" 2>&1 || true; } | sed -E 's/^psql:[^ ]* //' >"$folder/out"
"$here/../../wording.py" compare "$here/store.sql.exact" "$folder/out"

# The extension's folder is a copy that may contain links to the installation. A new file is local.
script=$cluster_root$("$PG_CONFIG" --sharedir)/extension/bitsift--0.1--test.sql
[ ! -e "$script" ]
trap 'rm -f -- "$script"; cluster_end; rm -rf -- "$folder"' EXIT
printf 'CREATE FUNCTION bitsift_of_a_test() RETURNS int LANGUAGE SQL AS $$ SELECT 7 $$;\n' >"$script"
[ "$(sql one -c "ALTER EXTENSION bitsift UPDATE TO 'test'" -c 'SELECT bitsift_of_a_test()' | tail -n 1)" = 7 ]
[ "$(sql one -c "SELECT bitsift_check('vi') = (SELECT count(*) FROM v)")" = t ]
cluster_stop one
