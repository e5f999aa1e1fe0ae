# An index in a format that this program does not support.
[ -n "${RESEAL:-}" ] || skip 'RESEAL is not set; ctest sets it'
echo 'cat' >a.txt
quiet bitsift index .
cp -r .bitsift "$SCRATCH/good"
"$RESEAL" .bitsift/manifest 1
bitsift query cat 2>&1 | sed 's/knows version [0-9]*/knows version N/'
show bitsift index -q --rebuild .
finds cat
rm -r .bitsift
cp -r "$SCRATCH/good" .bitsift
for file in manifest seg-000001; do
    "$RESEAL" ".bitsift/$file" 4000000
    bitsift query cat 2>&1 | sed 's/knows version [0-9]*/knows version N/'
    bitsift index 2>&1 | sed 's/knows version [0-9]*/knows version N/'
    rm -r .bitsift
    cp -r "$SCRATCH/good" .bitsift
done
finds cat
"$RESEAL" .bitsift/seg-000001 4000000
show bitsift index -q --rebuild
finds cat
"$RESEAL" .bitsift/manifest 4000000
show bitsift index -q --rebuild
show bitsift index -q --rebuild .
finds cat
