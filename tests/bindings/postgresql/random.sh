#!/usr/bin/env bash
# random.sh TEST_RANDOM [ARGUMENT...]: runs random changes and queries (test_random.c) in a new
# cluster. KEEP=1 keeps the cluster after a difference. EMPTY=1 deletes files of the cache all the
# time, so that sessions make them again from the pages.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
program=$(realpath -- "$1")
shift
cluster_test
cluster_make one "shared_buffers = 64MB" "maintenance_work_mem = 16MB"
sql one -c 'CREATE EXTENSION bitsift'
if [ -n "${EMPTY:-}" ]; then
    # Files being written are kept. find fails on a file that vanishes meanwhile.
    while sleep 0.05; do find "$cluster_folder/one/pg_stat_tmp/bitsift/1" -type f ! -name '*.tmp*' -delete || true; done >/dev/null 2>&1 &
    trap 'kill $! || true; cluster_end' EXIT
fi
"$program" "$(connection one)" "$@" || {
    status=$?
    grep -E 'PANIC|TRAP|signal|FATAL' "$cluster_folder/one.log" | head >&2 || true
    [ -z "${KEEP:-}" ] || echo "the cluster: $(connection one)" >&2
    exit "$status"
}
