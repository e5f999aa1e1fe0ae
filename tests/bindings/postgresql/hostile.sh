#!/usr/bin/env bash
# hostile.sh [ROUNDS [SEED]]: runs hostile.sql (hostile names and texts) in a new server, with the
# seeds SEED, SEED + 1 and so on.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/cluster.sh"
cluster_test
cluster_make one "autovacuum = off"
first=${2:-1}
for ((seed = first; seed < first + ${1:-8}; seed++)); do
    wrong=$(sql one -v seed="$seed" <"$here/hostile.sql" 2>&1) || wrong+=" (failed)"
    same "" "$wrong" "seed $seed"
done
