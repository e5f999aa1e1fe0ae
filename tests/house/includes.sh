#!/usr/bin/env bash
# includes.sh SOURCE_DIR: includes go one way, from room to room as ARCHITECTURE.md has them. A room may include its own
# headers, those of the rooms that stand behind it here, and core/bitsift.h and core/bitsift/*.h, the public ones. Search and grep do not meet;
# the matrix knows no index and no files of users. The program, query/cli, goes through the library's door: the public headers
# and nothing behind them. The one exception is stats (cmd_stats and present_*), which shows how an index is made: nobody's
# interface.
set -euo pipefail
cd -- "$1"

failed=0
check() { # ROOM ALLOWED...
    local room=$1 allowed file line header
    allowed=$(IFS='|'; echo "$*")
    while IFS=: read -r file line header; do
        case $file in
            query/cli/cmd_stats.c | query/present/present_stats.[ch] | query/present/present_svg.c) continue ;;
            # Tests of the bindings also have what all tests have.
            bindings/*/tests/*) [[ $header != *\"tests/* ]] || continue ;;
        esac
        header=${header#*\"}
        header=${header%%\"*}
        if ! [[ $header =~ ^(($allowed)/[a-z0-9_]+|core/bitsift|core/bitsift/[a-z_]+)\.h$ ]]; then
            echo "$file:$line: $room must not include \"$header\""
            failed=1
        fi
    done < <(find "$room" -type f \( -name '*.[ch]' -o -name '*.cpp' \) -print |
        LC_ALL=C sort | xargs grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"')
}
below=()
# The rooms of core and corpus from the ground up: each sees those before it.
for room in core/base core/system core/collections core/bloom core/simd core/text core/file core/lexicon core/matrix core/store core/check \
    corpus/walk corpus/read corpus/changes; do
    check "$room" "${below[@]}"
    below+=("$room")
done
check indexer/batch "${below[@]}"
check indexer/choose "${below[@]}" indexer/batch
check indexer/segment "${below[@]}" indexer/batch indexer/choose
check indexer/run "${below[@]}" indexer/batch indexer/choose indexer/segment
# The stages of a query, in their order, and what brings them together.
stages=(query/load query/language query/plan query/scan query/rank query/verify query/answer query/search)
for room in "${stages[@]}"; do
    check "$room" "${below[@]}" "${stages[@]}"
done
check query/regex "${below[@]}"
check query/grep "${below[@]}" query/regex query/grep/read query/grep/match query/grep/print
# Both of them by the public headers, of searches how a query is read, of grep what a pattern must hold.
check query/catalog "${below[@]}" "${stages[@]}" query/regex
check query/candidates "${below[@]}" "${stages[@]}" query/regex
check query/manual query/cli
check query/present query/cli
check query/cli query/manual query/present
check bindings/sqlite
# PostgreSQL's way of building knows no such paths: of ours only the public headers.
while IFS=: read -r file line header; do
    [[ $header =~ \"core/bitsift(/[a-z_]+)?\.h\" ]] || { echo "$file:$line: bindings/postgresql must not include $header"; failed=1; }
done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(\.\./|core|corpus|indexer|query)/' bindings/postgresql/*.[ch])

# What is installed knows nothing but itself.
while IFS=: read -r file line header; do
    [[ $header =~ \"(\.\./bitsift|bitsift/[a-z_]+|[a-z_]+)\.h\" ]] || { echo "$file:$line: not among the public headers"; failed=1; }
done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' core/bitsift.h core/bitsift/*.h)

# No file lies in a room of rooms.
while read -r file; do
    echo "$file: belongs into one of the rooms of ${file%%/*}"
    failed=1
done < <(find core corpus indexer query -maxdepth 1 -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) \
    ! -path 'core/bitsift.*')
exit $failed
