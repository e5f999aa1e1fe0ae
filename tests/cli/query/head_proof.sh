# A phrase in the head of a large file (its first 16 KiB) proves that the file matches. If the head
# cuts the phrase off, the rest of the file must be read.
fill() { # BYTES: prints that many bytes, in lines of x
    head -c "$1" /dev/zero | tr '\0' x | fold -w 63 | head -c "$1"
}
mkdir d
tails=(' sat ' 'egory' $'\u0301' "'s" '.fish' '_x' '. ' $'\u00ad' '1' $'\ue000')
for before in 0 1 2 3 4 6 8 10 12; do
    for i in "${!tails[@]}"; do
        { fill $((16384 - 11 - before)) && printf ' the old cat%s' "${tails[i]}" && fill 20000; } >"d/cut-$before-$i.txt"
        { fill $((16384 - 4 + before)) && printf ' the old cat%s' "${tails[i]}" && fill 20000; } >"d/on-$before-$i.txt"
    done
done
{ echo 'see the old cat' && fill 100000; } >d/first.txt
{ fill 100000 && echo ' and the old cat'; } >d/last.txt
{ echo 'the old cat' && fill 100000 && echo ' dog'; } >d/dog.txt
{ printf '\xff\xfe' && { echo 'the old cat' && fill 60000; } | iconv -t UTF-16LE; } >d/utf16.txt
bitsift index d 2>&1 | tail -n 0
same() {
    local count
    count=$(bitsift query --count "$1") || true
    printf '%s: %s, %s\n' "$1" "$count" "$(bitsift query --brute --count "$1" || true)"
}
each same :: '"the old cat"' '"the old"' '"old cat"' '"cat sat"' '"the old cat" -dog' '"the old cat" OR dog' \
    '"the old cat" dog' '"the old" ca*'
diff <(bitsift query --ids '"the old cat"') <(bitsift query --brute --ids '"the old cat"') && echo same
echo '# only the beginning of the file is read'
read_bytes() {
    bitsift query --in "$1" --count --no-stat --explain "$2" 2>&1 | sed -nE 's/^verify: (.*\)), .*/\1/p'
}
read_bytes d/first.txt '"see the old cat"'
read_bytes d/last.txt '"and the old cat"'
echo '# changed files are read in their current form'
{ echo 'see the new cat' && fill 100000; } >d/first.txt
same '"see the old cat"'
same '"see the new cat"'
