#!/usr/bin/env bash
# exports.sh SOURCE_DIR LIBRARY BLOOM_LIBRARY: tests that each shared library exports exactly the
# functions that its public headers declare, with a symbol version. libbitsift-bloom also exports
# bs_status_name.
set -euo pipefail
core=$1/core library=$2 bloom=$3

declared() { # HEADER...
    cat "$@" | tr '\n' ' ' | grep -oE 'BS_API [^;]*;' | grep -oE '\bbs_[a-z0-9_]+\(' | tr -d '('
}
compare() { # LIBRARY; the declared names are on standard input
    local exported versionless
    exported=$(nm -D --defined-only -P -- "$1" | awk '$2 != "A" {print $1}' | grep -v '^__odr_asan' | sed 's/@.*//' | sort)
    versionless=$(nm -D --defined-only -P -- "$1" | awk '$2 != "A" && $1 !~ /@@BITSIFT_(BLOOM_)?[0-9]/ {print $1}' | grep -v '^__odr_asan' || true)
    [ -z "$versionless" ] || { echo "$1: without a version: $versionless"; exit 1; }
    diff <(sort) <(echo "$exported") || { echo "declared in the public headers (<) and exported by $1 (>) differ"; exit 1; }
}

headers=("$core/bitsift.h")
for header in "$core"/bitsift/*.h; do
    [ "${header##*/}" = bloom.h ] || headers+=("$header")
done
declared "${headers[@]}" | compare "$library"
{ declared "$core/bitsift/bloom.h"; echo bs_status_name; } | compare "$bloom"
# Every function of the headers must be marked BS_API.
bare=$(grep -nE '^[a-z].*\bbs_[a-z0-9_]+\(' "$core/bitsift.h" "$core"/bitsift/*.h | grep -v BS_API || true)
[ -z "$bare" ] || { echo "without BS_API: $bare"; exit 1; }
