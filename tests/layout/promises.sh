#!/usr/bin/env bash
# promises.sh SOURCE_DIR BUILD_DIR: tests that every test which SECURITY.md names in a table of
# promises exists in this build.
set -euo pipefail
missing=$(comm -23 \
    <(awk -F'|' '/^\|/ { print $(NF - 1) }' "$1/SECURITY.md" | grep -oE '`[a-z_0-9]+`' | tr -d '`' | sort -u) \
    <(ctest --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort))
[ -z "$missing" ] || { echo "SECURITY.md names tests that there are not: $missing" && exit 1; }
