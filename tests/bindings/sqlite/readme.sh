#!/usr/bin/env bash
# readme.sh SQLITE3 EXTENSION README: tests that the SQL of the README runs as printed. PRELOAD: see
# run.sh.
set -euo pipefail
sqlite=$(realpath -- "$(command -v "$1")") readme=$(realpath -- "$3")
cd -- "$(dirname -- "$2")"
found=$(awk '/^```sql$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$readme" |
    ${PRELOAD:+env LD_PRELOAD=$PRELOAD} "$sqlite" -batch :memory: 2>&1)
[ "$found" = Lunch ] || { echo "$found" && exit 1; }
