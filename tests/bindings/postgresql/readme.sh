#!/usr/bin/env bash
# readme.sh: tests that every SQL statement of the README works, in order, in an empty database.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-readme.XXXXXX")"
trap cluster_end EXIT
cluster_make one
awk '/^```/ { inside = !inside && $0 == "```sql"; next } inside' "$cluster_source/README.md" >"$cluster_folder/statements"
[ "$(grep -c ';$' "$cluster_folder/statements")" -ge 20 ]
sql one -f "$cluster_folder/statements"
