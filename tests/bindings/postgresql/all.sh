#!/usr/bin/env bash
# all.sh TEST_RANDOM [EXTENSION [PART...]]: runs the tests of the extension, or only the named
# parts: scripts (exact output), large (large rows, deleted texts), cache, rules (indexes of other
# tokenizer rules, hostile names), random (changes and queries), crash (with a replica), demo.
# ROUNDS multiplies the random steps and SEED is their seed; both are 1 by default. EXTENSION: the
# folder with the built extension; without it, "make install" builds it. LATER: see other_rules.sh.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
program=$(realpath -- "$1")
[ $# -lt 2 ] || EXTENSION=$(realpath -- "$2")
parts=("${@:3}")
[ ${#parts[@]} -gt 0 ] || parts=(scripts large cache rules random crash demo)
export EXTENSION=${EXTENSION:-}
. "$here/cluster.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-postgresql.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
chmod 755 "$folder"
cluster_install "$folder/root"
export CLUSTER_ROOT=$folder/root

step() {
    printf '%s ...\n' "$*"
    "$@" || { echo "failed: $*" >&2 && exit 1; }
}
rounds=${ROUNDS:-1} seed=${SEED:-1}
echo "rounds $rounds, seed $seed"
for part in "${parts[@]}"; do
    case $part in
    scripts | cache) step "$here/$part.sh" ;;
    large)
        step "$here/gone.sh"
        step "$here/large_rows.sh"
        ;;
    rules)
        step "$here/other_rules.sh"
        step "$here/hostile.sh" $((rounds * 5)) "$seed"
        ;;
    random)
        step "$here/random.sh" "$program" --steps $((rounds * 150)) --queries 4 --tables 7 --seed "$seed"
        EMPTY=1 step "$here/random.sh" "$program" --steps $((rounds * 100)) --queries 3 --tables 2 --writers 2 --seed "$seed"
        ;;
    crash)
        step "$here/crash.sh" "$program" $((rounds * 2)) "$seed"
        step "$here/replica.sh" "$program" $((rounds * 60)) "$seed"
        ;;
    demo)
        echo "demo.sh --check 50 ..."
        "$here/../../../bindings/postgresql/demo.sh" --check 50 --rows 5000 >"$folder/demo" 2>&1 || { cat "$folder/demo" && exit 1; }
        for said in ' 0 differences' 'ERROR:  could not connect to server "west"' 'WARNING:  without west, which did not answer'; do
            grep -q "$said" "$folder/demo"
        done
        ;;
    *) echo "no such part: $part" >&2 && exit 1 ;;
    esac
done
