#!/usr/bin/env bash
# hostile.sh [ROUNDS [SEED]]: runs hostile.sql (hostile names and texts) in a new server, with the
# seeds SEED, SEED + 1 and so on.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-postgresql.XXXXXX")
trap 'cluster_end; rm -rf -- "$folder"' EXIT
cluster_begin "$folder"
cluster_make one "autovacuum = off"
first=${2:-1}
for ((seed = first; seed < first + ${1:-8}; seed++)); do
    wrong=$(sql one -v seed="$seed" <"$here/hostile.sql" 2>&1) || wrong+=" (failed)"
    [ -z "$wrong" ] || { echo "seed $seed: $wrong" && exit 1; }
done
cluster_stop one
