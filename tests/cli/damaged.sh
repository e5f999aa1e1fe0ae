# A damaged index: an error that names the file, exit status 2; --rebuild with the sources mends it.
. "$LIB"
documents 3000 >c.jsonl
mkdir d
echo 'hundred files' >d/a.txt
quiet bitsift index d c.jsonl
show bitsift query --count hundred
cp -r .bitsift "$SCRATCH/good"

# Flips single bytes all over a file; every time the answer is the right one or an error, never anything else.
try_everywhere() {
    local file=$1 step at size wrong=0 errors=0 fine=0 status out
    size=$(stat -c %s -- ".bitsift/$file")
    step=$((size / 60 + 1))
    for ((at = 0; at < size; at += step)); do
        flip_byte ".bitsift/$file" "$at"
        status=0
        out=$(bitsift query --count hundred OR w17 2>"$SCRATCH/stderr") || status=$?
        if [ "$status" -eq 0 ] && [ "$out" = "$expected" ]; then
            fine=$((fine + 1))
        elif [ "$status" -eq 2 ] && [ -z "$out" ] && grep -q "^bitsift: .bitsift/$file: " "$SCRATCH/stderr"; then
            errors=$((errors + 1))
        else
            wrong=$((wrong + 1))
            echo "$file, byte $at of $size: exit status $status, $out"
            cat "$SCRATCH/stderr"
        fi
        flip_byte ".bitsift/$file" "$at"
    done
    [ "$errors" -gt 0 ] || echo "$file: no flipped byte was noticed"
    echo "$file: $wrong wrong"
}
expected=$(bitsift query --count hundred OR w17)
for path in .bitsift/manifest .bitsift/seg-*; do
    try_everywhere "$(basename -- "$path")"
done

# The last byte of the name and of the reason may differ; the file named must not.
says() {
    local status=0
    "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || status=$?
    cat "$SCRATCH/stdout"
    sed -E 's/(corrupt).*/\1.../' "$SCRATCH/stderr"
    echo "exit status $status"
}
echo '# cut short'
for file in manifest seg-000001; do
    truncate -s 100 ".bitsift/$file"
    says bitsift query --count hundred
    truncate -s 0 ".bitsift/$file"
    says bitsift query --count hundred
    cp "$SCRATCH/good/$file" .bitsift/
done
echo '# longer'
echo 'more' >>.bitsift/seg-000001
says bitsift query --count hundred
cp "$SCRATCH/good/seg-000001" .bitsift/
echo '# missing'
rm .bitsift/seg-000001
says bitsift query --count hundred
says bitsift index -q
cp "$SCRATCH/good/seg-000001" .bitsift/
echo '# mended'
flip_byte .bitsift/seg-000001 4
says bitsift index -q
says bitsift index -q --rebuild
says bitsift query --count hundred
quiet bitsift index --rebuild d c.jsonl
show bitsift query --count hundred
ls -A .bitsift | sed 's/[0-9][0-9]*/N/'
echo '# no index at all'
rm .bitsift/manifest
show bitsift query --count --index .bitsift hundred
quiet bitsift index d c.jsonl
show bitsift query --count hundred
