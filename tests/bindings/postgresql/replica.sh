#!/usr/bin/env bash
# replica.sh TEST_RANDOM [STEPS [SEED]]: a server writes, vacuums and merges while a replica answers
# queries all the time. Afterwards the replica is queried in its final state, promoted, written to,
# and queried again. SEED: 1 by default.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
program=$(realpath -- "$1") steps=${2:-300} seed=${3:-1}
echo "seed $seed"
cluster_test
cluster_make one "shared_buffers = 32MB" "max_wal_senders = 4" "wal_keep_size = 2GB"
sql one -c 'CREATE EXTENSION bitsift'
cluster_replica two one
# Tries seeds until the table is permanent: an unlogged table is not in the WAL, so the replica
# would lack it.
while "$program" "$(connection one)" --seed "$seed" --steps 3 --queries 0 --tables 1 >/dev/null &&
    [ "$(sql one -c "SELECT relpersistence FROM pg_class WHERE relname = 't'")" != p ]; do
    seed=$((seed + 1))
done
cluster_follow two one
# The replica has no data of an unlogged table; the error is PostgreSQL's.
sql one -c "CREATE UNLOGGED TABLE u(body text)" -c "INSERT INTO u VALUES ('word')" -c "CREATE INDEX ON u USING bitsift (body)"
cluster_follow two one
said=$(sql two -c "SELECT count(*) FROM u WHERE body @@@ 'word'" 2>&1) && exit 1
[[ $said == *"cannot access temporary or unlogged relations during recovery"* ]] || fail "$said"
sql one -c "DROP TABLE u"
"$program" "$(connection one)" --seed "$seed" --steps "$steps" --queries 0 --writers 1 --tables 1 --resume >"$cluster_folder/wrote" 2>&1 &
writer=$!
# On the replica, too, the table may be locked for a moment. Queries that run meanwhile must still
# be right.
n=0
while kill -0 "$writer" 2>/dev/null; do
    status=0
    "$program" "$(connection two)" --check 30 --seed $((seed + n)) >"$cluster_folder/said" || status=$?
    [ "$status" -eq 0 ] || { cat "$cluster_folder/said" && exit 1; }
    n=$((n + 1))
done
wait "$writer" || { cat "$cluster_folder/wrote" && exit 1; }
cluster_follow two one
"$program" "$(connection two)" --check 100 --seed "$seed" || exit 1
sql two -c 'SELECT pg_promote()' >/dev/null
until [ "$(sql two -c 'SELECT pg_is_in_recovery()')" = f ]; do sleep 0.1; done
"$program" "$(connection two)" --seed $((seed + 1)) --steps 100 --queries 2 --tables 1 --resume
echo "asked $n times while it followed: no difference"
