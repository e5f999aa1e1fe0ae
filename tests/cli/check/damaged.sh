# A damaged index causes an error that names the file, with exit status 2; --rebuild with the
# sources repairs it.
documents 3000 >c.jsonl
mkdir d
echo 'hundred files' >d/a.txt
quiet bitsift index d c.jsonl
finds --count hundred
cp -r .bitsift "$SCRATCH/good"

# Flips single bytes all over a file: each answer must be correct or an error.
try_everywhere() {
    local file=$1 step at size wrong=0 errors=0 status out
    size=$(stat -c %s -- ".bitsift/$file")
    step=$((size / 60 + 1))
    for ((at = 0; at < size; at += step)); do
        flip_byte ".bitsift/$file" "$at"
        status=0
        out=$(bitsift query --count hundred OR w17 2>"$SCRATCH/stderr") || status=$?
        if [ "$status" -eq 0 ] && [ "$out" = "$expected" ]; then
            :
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
    try_everywhere "${path#.bitsift/}"
done

# The transcript keeps the file's name, but not the reason, which depends on the file format.
says() {
    local status=0
    "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || status=$?
    announce "$@" | with_status "$status"
    cat "$SCRATCH/stdout"
    sed -E 's/^(.*): corrupt: .*; (rebuild it with|the next `)/! \1: corrupt: REASON; \2/' "$SCRATCH/stderr"
}
restore() {
    rm -r .bitsift
    cp -r "$SCRATCH/good" .bitsift
}
echo '# truncated files'
for file in manifest seg-000001; do
    truncate -s 100 ".bitsift/$file"
    says bitsift query --count hundred
    truncate -s 0 ".bitsift/$file"
    says bitsift query --count hundred
    restore
done
echo '# a file that is too long'
echo 'more' >>.bitsift/seg-000001
says bitsift query --count hundred
restore
echo '# a missing file'
rm .bitsift/seg-000001
says bitsift query --count hundred
says bitsift index
show bitsift index -q --rebuild
finds --count hundred
restore
echo '# a damaged segment: the manifest still has the sources'
flip_byte .bitsift/seg-000001 4
says bitsift index
show bitsift index -q --rebuild
finds --count hundred
find .bitsift -type f ! -name folders | sed 's/[0-9][0-9]*/N/' | sort
restore
flip_byte .bitsift/seg-000001 4
mkdir e
echo 'hundred' >e/b.txt
show bitsift index -q --rebuild d c.jsonl e
finds --count hundred
restore
flip_byte .bitsift/seg-000001 4
show bitsift index -q --rebuild d e
show bitsift index -q --rebuild d/a.txt c.jsonl
mv c.jsonl away
show bitsift index -q --rebuild
show bitsift index -q --rebuild d --forget c.jsonl
finds --count hundred
mv away c.jsonl
restore
echo '# a damaged manifest: the sources are unknown'
flip_byte .bitsift/manifest 4
show bitsift index -q --rebuild
show bitsift index -q --rebuild d
finds hundred
echo '# a rebuild that would lose texts from standard input is refused'
restore
echo '{"id":"s","text":"hundred"}' | show bitsift index -q -
flip_byte .bitsift/seg-000001 4
show bitsift index -q --rebuild
show bitsift index -q --rebuild d
echo '{"id":"t","text":"hundred"}' | show bitsift index -q --rebuild - d c.jsonl
finds --count hundred
