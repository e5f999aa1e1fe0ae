#!/usr/bin/env bash
# search.sh PROGRAM BITSIFT SOURCE: README's program must find the best documents in an index of the
# working directory, and call the library in at most 12 lines.
set -euo pipefail
program=$(realpath -- "$1") bitsift=$(realpath -- "$2") source=$(realpath -- "$3")
[ "$(sed '1,/^{/d; /return 0;/,$d' "$source" | wc -l)" -le 12 ]
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd -- "$place"
printf 'the cold harbour\n' >one.txt
printf 'a harbour in winter, which is cold and dark and long\n' >two.txt
printf 'a warm harbour\n' >three.txt
HOME=$place "$bitsift" index -q .
diff <(printf 'one.txt\ntwo.txt\n') <("$program" | sed -E 's/^[0-9.]+  //')
