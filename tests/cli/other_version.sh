# An index of a format that this program does not know.
. "$LIB"
echo 'cat' >a.txt
quiet bitsift index .
# The version is the 32-bit number behind the 8 bytes of the file's mark.
for file in manifest seg-000001; do
    cp ".bitsift/$file" "$SCRATCH/good"
    flip_byte ".bitsift/$file" 8
    show bitsift query cat
    show bitsift index
    cp "$SCRATCH/good" ".bitsift/$file"
done
show bitsift query --ids cat
flip_byte .bitsift/manifest 8
show bitsift index -q --rebuild .
show bitsift query --ids cat
