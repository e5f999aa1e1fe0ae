#!/usr/bin/env bash
# crash.sh TEST_RANDOM [ROUNDS [SEED]]: in each round, while several processes write and indexes are
# built, merged and vacuumed, the server is killed with SIGKILL, or one of its backends, after which
# the server restarts itself. After recovery, queries must have the same answers with and without
# the index, and bitsift_check must succeed. A replica follows all the time and is sometimes killed,
# too; it must have the same rows and answers. A round's seed is SEED (default 1) plus its number.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
program=$(realpath -- "$1") rounds=${2:-20} seed=${3:-1} questions=${QUESTIONS:-40}
echo "$rounds rounds, seeds $((seed + 1)) to $((seed + rounds))"
cluster_test
# With few buffers, changed pages are often written to disk. A round is shorter than
# checkpoint_timeout, so a recovery replays its WAL.
cluster_make one "shared_buffers = 32MB" "maintenance_work_mem = 4MB" "wal_level = replica" "max_wal_senders = 4" "checkpoint_timeout = 30s" \
    "wal_keep_size = 2GB" "restart_after_crash = on" "hot_standby_feedback = on"
sql one -c 'CREATE EXTENSION bitsift' -c 'CREATE EXTENSION amcheck'
cluster_replica two one

# Waits until the server accepts connections, which it refuses during its recovery.
wait_for() { # NAME
    for _ in $(seq 1800); do
        sql "$1" -c 'SELECT 1' >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    fail "the server $1 does not come back: $(tail -n 5 "$cluster_folder/$1.log")"
}
work() { # builds, merges and vacuums repeatedly until the server is gone
    RANDOM=$((seed + round)) # otherwise a subshell has a random seed
    local statements=("SELECT bitsift_merge('t_index')" "VACUUM t" "REINDEX INDEX t_index" "REINDEX INDEX CONCURRENTLY t_index" "CHECKPOINT"
        "CREATE INDEX t_other ON t USING bitsift (body) WITH (grams = on); DROP INDEX t_other" "VACUUM t" "SELECT bitsift_merge('t_index')")
    while sql one -c 'SET lock_timeout = 300' -c "${statements[RANDOM % ${#statements[@]}]}" >/dev/null 2>&1 || kill -0 "$(cluster_pid one)" 2>/dev/null; do :; done
}
ask() { # NAME
    "$program" "$(connection "$1")" --check "$questions" --seed $((seed + round)) >"$cluster_folder/said" || fail "$1: $(cat "$cluster_folder/said")"
}
rows="SELECT count(*), md5(string_agg(t::text, '|' ORDER BY id)) FROM t"

resume=()
for ((round = 1; round <= rounds; round++)); do
    step="round $round, seed $((seed + round))"
    RANDOM=$((seed + round))
    # Every fifth round starts with a new table.
    [ $((round % 5)) -ne 1 ] || resume=()
    "$program" "$(connection one)" --seed $((seed + round)) --steps 1000000 --queries 0 --writers 2 --tables 1 "${resume[@]}" >"$cluster_folder/wrote" 2>&1 &
    writer=$!
    sleep 0.3
    work &
    worker=$!
    sleep "$((RANDOM % 2)).$((100 + RANDOM % 900))"
    how=$((RANDOM % 4))
    case $how in
    0) # a backend of a client
        victim=$(sql one -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY backend_start LIMIT 1 OFFSET $((RANDOM % 3))" || true)
        # Process ids are reused: only a child of the server is killed, or the writer if the backend
        # is gone and the writer is still a child of this script.
        if [ -z "$victim" ] || [ "$(ps -o ppid= -p "$victim" | tr -d ' ')" != "$(cluster_pid one)" ] || ! kill -9 "$victim" 2>/dev/null; then
            [ "$(ps -o ppid= -p "$writer" | tr -d ' ')" != "$$" ] || kill -9 "$writer" 2>/dev/null || true
        fi
        kill "$worker" 2>/dev/null || true
        ;;
    *) cluster_kill one ;;
    esac
    status=0
    wait "$writer" || status=$?
    wait "$worker" 2>/dev/null || true
    case $status in
    0 | 3 | 137) ;;
    *) fail "$(cat "$cluster_folder/wrote")" ;;
    esac
    if [ $((RANDOM % 8)) -eq 0 ]; then
        cluster_kill two
        [ "$how" -eq 0 ] || cluster_start one
        cluster_start two
    elif [ "$how" -ne 0 ]; then
        cluster_start one
    fi
    wait_for one
    ! grep -hE 'PANIC|TRAP|terminated by signal (11|6)' "$cluster_folder"/*.log || fail "the log says so"
    # The table or its index may not exist yet.
    if [ "$(sql one -c "SELECT count(*) FROM pg_class WHERE relname = 't_index'")" = 0 ]; then
        resume=()
        continue
    fi
    resume=(--resume)
    sql one -c "SELECT bitsift_check(indexrelid) FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am a ON a.oid = relam WHERE amname = 'bitsift' AND indisvalid" \
        >/dev/null || fail "bitsift_check"
    ask one
    cluster_follow two one
    if [ "$(sql one -c "SELECT relpersistence FROM pg_class WHERE relname = 't'")" = p ]; then
        [ "$(sql one -c "$rows")" = "$(sql two -c "$rows")" ] || fail "the replica has other rows"
        ask two
    fi
    # VACUUM moves the pending rows of the index into its files. Query again; the replica is queried
    # in the next round.
    sql one -c 'VACUUM t' >/dev/null || fail "VACUUM"
    ask one
done
echo "no difference"
