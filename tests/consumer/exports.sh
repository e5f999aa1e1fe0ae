#!/usr/bin/env bash
# exports.sh SOURCE_DIR LIBRARY: what the shared library exports is what the public headers declare, no more and no less; and it
# asks for no library that it does not need.
set -euo pipefail
headers=("$1"/core/bitsift.h "$1"/core/bitsift/*.h) library=$2

declared=$(cat "${headers[@]}" | tr '\n' ' ' | grep -oE 'BS_API [^;]*;' | grep -oE '\bbs_[a-z0-9_]+\(' | tr -d '(' | sort)
exported=$(nm -D --defined-only -P -- "$library" | awk '$2 != "A" {print $1}' | grep -v '^__odr_asan' | sed 's/@.*//' | sort)
versionless=$(nm -D --defined-only -P -- "$library" | awk '$2 != "A" && $1 !~ /@@BITSIFT_[0-9]/ {print $1}' | grep -v '^__odr_asan' || true)
[ -z "$versionless" ] || { echo "without a version: $versionless"; exit 1; }
if [ "$declared" != "$exported" ]; then
    echo "declared in the public headers (<) and exported (>) differ:"
    diff <(echo "$declared") <(echo "$exported")
    exit 1
fi
# Every function of the headers is declared to be exported.
bare=$(grep -nE '^[a-z].*\bbs_[a-z0-9_]+\(' "${headers[@]}" | grep -v BS_API || true)
[ -z "$bare" ] || { echo "without BS_API: $bare"; exit 1; }
