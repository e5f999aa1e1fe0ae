#!/usr/bin/env bash
# figures.sh SOURCE_DIR: tests that the figures of bitsift-bloom(7) were measured. Each literal
# block of the page must equal the block of bench/record/bloom.md or catalog.md that begins with the
# same line. Each decimal fraction (but Linux 6.1) or percentage in its text must occur in one of
# these records. UPDATE=1 copies the blocks of the records into the page.
set -euo pipefail
cd -- "$1"
page=docs/man/bitsift-bloom.7
records=(bench/record/bloom.md bench/record/catalog.md)
made=$(mktemp)
trap 'rm -f -- "$made"' EXIT

# A block is identified by its first line up to two blanks; figures may follow them.
awk '
function name_of(line) { sub(/  .*/, "", line); return line }
FILENAME != page {
    if ($0 == "```") { is_inside = !is_inside; name = "" }
    else if (is_inside) {
        if (name == "") { name = name_of($0); n[name] = 0 }
        block[name, ++n[name]] = $0
    }
    next
}
function put_block(name, i) {
    if (!(name in n)) { print "no record has a block that begins with \"" name "\"" >"/dev/stderr"; exit 1 }
    for (i = 1; i <= n[name]; i++) print block[name, i]
}
$1 == ".Bd" { is_display = 1; print; getline; put_block(name_of($0)); next }
$1 == ".Ed" { is_display = 0 }
!is_display' page="$page" "${records[@]}" "$page" >"$made"

if [ -n "${UPDATE:-}" ]; then
    cat -- "$made" >"$page"
elif ! diff -u --label "$page" --label 'as the records have it' "$page" "$made"; then
    exit 1
fi
failed=0
while read -r number; do
    grep -qF -- "$number" "${records[@]}" || { echo "$page: no record has $number"; failed=1; }
done < <(sed '/^\.Bd/,/^\.Ed/d' "$page" | grep -oE '[0-9]+\.[0-9]+(e-[0-9]+)?( %)?|[0-9]+ %' | grep -vx '6\.1')
exit $failed
