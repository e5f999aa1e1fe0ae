#!/usr/bin/env bash
# random.sh TEST_RANDOM [ARGUMENT...]: random changes and questions (test_random.c) in a cluster of their own. KEEP=1 leaves it after a difference.
# EMPTY=1 takes files out of the cache all the time, so that sessions make them of the pages.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
program=$(realpath -- "$1")
shift
cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-random.XXXXXX")"
trap cluster_end EXIT
cluster_make one "shared_buffers = 64MB" "maintenance_work_mem = 16MB"
sql one -c 'CREATE EXTENSION bitsift'
if [ -n "${EMPTY:-}" ]; then
    # Not what is being made; what is gone meanwhile is fine.
    while sleep 0.05; do find "$cluster_folder/one/pg_stat_tmp/bitsift/1" -type f ! -name '*.tmp*' -delete || true; done >/dev/null 2>&1 &
    trap 'kill $! || true; cluster_end' EXIT
fi
"$program" "$(connection one)" "$@" || {
    status=$?
    grep -E 'PANIC|TRAP|signal|FATAL' "$cluster_folder/one.log" | head >&2 || true
    [ -z "${KEEP:-}" ] || echo "the cluster: $(connection one)" >&2
    exit "$status"
}
