# Which index: --index, else BITSIFT_INDEX, else the nearest .bitsift upward (query) or ./.bitsift (index).
set -eu
. "$LIB"
mkdir -p top/sub/deeper other
echo 'cat in top' >top/sub/a.txt
echo 'cat in other' >other/b.txt
show bitsift query cat
(cd top && quiet bitsift index .)
(cd other && quiet bitsift index --index "$SCRATCH/ix" .)
cd top/sub/deeper
show bitsift query --ids cat
show bitsift query cat
show bitsift query --json cat | neutral -
show bitsift query --ids --index "$SCRATCH/ix" cat | neutral -
export BITSIFT_INDEX="$SCRATCH/ix"
show bitsift query --ids cat | neutral -
show bitsift query --ids --index ../../.bitsift cat
export BITSIFT_INDEX="$SCRATCH/none"
show bitsift query --ids cat
export BITSIFT_INDEX=
show bitsift query --ids cat
export BITSIFT_INDEX="$SCRATCH/iy"
quiet bitsift index ..
show bitsift query --ids cat
ls -A . ..
unset BITSIFT_INDEX
echo '# the index is never a document of itself; an inner one is nearer'
cd ../..
quiet bitsift index --hidden --rebuild .
show bitsift query --ids cat OR bitsift
(cd sub && quiet bitsift index a.txt && cd deeper && show bitsift query --ids cat)
echo '# a folder that moves with its index'
cd ..
mv top moved
cd moved/sub/deeper
show bitsift query --index ../../.bitsift cat
show bitsift index --index "$SCRATCH/no/such" .
echo 'file' >file
show bitsift index --index file .
