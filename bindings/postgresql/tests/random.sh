#!/usr/bin/env bash
# random.sh TEST_RANDOM [ARGUMENT...]: random changes and questions (test_random.c) in a cluster of their own. KEEP=1 leaves it after a difference.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
program=$(realpath -- "$1")
shift
cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-random.XXXXXX")"
trap cluster_end EXIT
cluster_make one "shared_buffers = 64MB" "maintenance_work_mem = 16MB"
sql one -c 'CREATE EXTENSION bitsift'
"$program" "$(connection one)" "$@" || {
    status=$?
    grep -E 'PANIC|TRAP|signal|FATAL' "$cluster_folder/one.log" | head >&2 || true
    [ -z "${KEEP:-}" ] || echo "the cluster: $(connection one)" >&2
    exit "$status"
}
