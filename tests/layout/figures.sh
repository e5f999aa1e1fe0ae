#!/usr/bin/env bash
# figures.sh SOURCE_DIR: what bitsift-bloom(7) shows was measured. Each of its examples is, line by line, the block of bench/record/bloom.md or
# catalog.md that begins with the same line, and each number of its text that has a point or is a share stands in one of them. With
# UPDATE=1 the examples become what the records have now.
set -euo pipefail
cd -- "$1"
page=docs/man/bitsift-bloom.md
records=(bench/record/bloom.md bench/record/catalog.md)
made=$(mktemp)
trap 'rm -f -- "$made"' EXIT

# A block is known by its first line up to two blanks, behind which figures may stand.
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
function put_block(i) {
    for (i = 1; i <= n[name]; i++) print "    " block[name, i]
    name = ""
}
/^    / {
    line = substr($0, 5)
    if (name == "") {
        name = name_of(line)
        if (!(name in n)) { print "no record has a block that begins with \"" name "\"" >"/dev/stderr"; exit 1 }
        put_block()
    }
    name = "-"
    next
}
{ name = ""; print }' page="$page" "${records[@]}" "$page" >"$made"

if [ -n "${UPDATE:-}" ]; then
    cat -- "$made" >"$page"
elif ! diff -u --label "$page" --label 'as the records have it' "$page" "$made"; then
    exit 1
fi
failed=0
while read -r number; do
    grep -qF -- "$number" "${records[@]}" || { echo "$page: no record has $number"; failed=1; }
done < <(grep -v '^    ' "$page" | grep -oE '[0-9]+\.[0-9]+(e-[0-9]+)?( %)?|[0-9]+ %' | grep -vx '6\.1')
exit $failed
