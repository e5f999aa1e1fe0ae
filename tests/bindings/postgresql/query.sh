#!/usr/bin/env bash
# query.sh: runs answers.sql and ranking.sql, each in a new database. Their output, including
# errors, must equal the transcripts (*.exact); see tests/wording.py.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-postgresql.XXXXXX")
trap 'cluster_end; rm -rf -- "$folder"' EXIT
cluster_begin "$folder"
cluster_make one
failed=0
for script in answers ranking; do
    sql one -q -c "CREATE DATABASE $script ENCODING 'UTF8' TEMPLATE template0"
    { sql one -d "$script" -v ON_ERROR_STOP=0 -v socket="$folder" -v port="$(cluster_port one)" -q <"$here/$script.sql" 2>&1 || true; } |
        sed -E 's/^psql:[^ ]* //' >"$folder/$script"
    "$here/../../wording.py" compare "$here/$script.sql.exact" "$folder/$script" || failed=1
done
cluster_stop one
exit "$failed"
