#!/usr/bin/env bash
# all.sh TEST_RANDOM [EXTENSION]: all tests of the extension, a few minutes: scripts with exact output, the cache, large rows, texts that
# are gone, indexes of other rules of words, hostile names and texts, random changes and questions, crashes, a replica, the demonstration.
# SEED: of random numbers (1). EXTENSION: the folder where it is built; without one, "make install" builds it. LATER: see other_rules.sh.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
program=$(realpath -- "$1")
[ $# -lt 2 ] || EXTENSION=$(realpath -- "$2")
export EXTENSION=${EXTENSION:-}
. "$here/cluster.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-postgresql.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
chmod 755 "$folder"
cluster_install "$folder/root"
export CLUSTER_ROOT=$folder/root
# A program that the user postgres may run, and a folder where it may write.
cp -- "$program" "$folder/test_random"

step() {
    printf '%s ...\n' "$*"
    "$@" || { echo "failed: $*" >&2 && exit 1; }
}
step "$here/store.sh"
step "$here/cache.sh"
step "$here/gone.sh"
step "$here/other_rules.sh"
step "$here/large_rows.sh"
step "$here/query.sh"
step "$here/readme.sh" >/dev/null
step "$here/hostile.sh" 5 "${SEED:-1}"
step "$here/random.sh" "$folder/test_random" --steps 150 --queries 4 --tables 7 --seed "${SEED:-1}"
EMPTY=1 step "$here/random.sh" "$folder/test_random" --steps 100 --queries 3 --tables 2 --writers 2 --seed "${SEED:-1}"
step "$here/crash.sh" "$folder/test_random" 2 "${SEED:-1}"
step "$here/replica.sh" "$folder/test_random" 60 "${SEED:-1}"
printf 'demo.sh --check 50 ...\n'
"$here/../../../bindings/postgresql/demo.sh" --check 50 --rows 5000 >"$folder/demo" 2>&1 || { cat "$folder/demo" && exit 1; }
grep -q ' 0 differences' "$folder/demo"
grep -q 'ERROR:  could not connect to server "west"' "$folder/demo"
grep -q 'WARNING:  without west, which did not answer' "$folder/demo"
