#!/usr/bin/env bash
# goals.sh SOURCE_DIR: tests that the benchmark's tables make sense if engines are missing: each row
# of goals names its subject itself, and the README's table has no row without a number.
set -euo pipefail
table=$(printf '%s\t' time AND bitsift 10 10 | sed 's/\t$//'; echo
    printf 'time\tAND\tfts5-full\t100\t90\nindex\tbitsift\t1\t5\t2\nindex\tfts5-full\t1\t9\t4\n')
rows=$(awk -f "$1/bench/goals.awk" -v corpus=packages <<< "$table")
grep -q "exact AND count, times faster than FTS5" <<< "$rows"
if grep -F '| ...' <<< "$rows"; then
    echo "these rows continue one that need not be there"
    exit 1
fi
compared=$(awk -f "$1/bench/compared.awk" <<< "$table")
grep -qF "| all of 2 to 4 words, exact count | **10** | | | 100 | | |" <<< "$compared"
if grep -E '^\|[^|]*\|[ |]*$' <<< "$(tail -n +3 <<< "$compared")"; then
    echo "these rows have no number"
    exit 1
fi
