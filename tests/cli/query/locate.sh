# Which index is used: --index, else BITSIFT_INDEX, else the nearest .bitsift upward; `index` makes
# one here if none is found.
mkdir -p top/sub/deeper other
echo 'cat in top' >top/sub/a.txt
echo 'cat in other' >other/b.txt
show bitsift query cat
(cd top && quiet bitsift index .)
(cd other && quiet bitsift index --index "$SCRATCH/ix" .)
cd top/sub/deeper
finds cat
show bitsift query cat
show bitsift query --json cat | neutral -
finds --index "$SCRATCH/ix" cat
export BITSIFT_INDEX="$SCRATCH/ix"
finds cat
finds --index ../../.bitsift cat
export BITSIFT_INDEX="$SCRATCH/none"
finds cat
export BITSIFT_INDEX=
finds cat
export BITSIFT_INDEX="$SCRATCH/iy"
quiet bitsift index ..
finds cat
ls -A . ..
unset BITSIFT_INDEX
echo '# the index is never a document of itself; the nearest index is used'
cd ../..
quiet bitsift index --hidden --rebuild .
finds cat OR bitsift
(cd sub && show bitsift index a.txt && show bitsift index -q)
(cd sub && quiet bitsift index --index .bitsift a.txt && cd deeper && finds cat)
rm -r sub/.bitsift
echo '# new sources are named by their places, or, with --index, as they are spelled'
mkdir "$SCRATCH/far" sub/new
echo 'cat from afar' >"$SCRATCH/far/f.txt"
echo 'cat in new' >sub/new/n.txt
cd sub/new
quiet bitsift index --forget ../.. n.txt "$SCRATCH/far"
bitsift query --ids cat | neutral -
rm -r ../../.bitsift
quiet bitsift index --index ../../.bitsift ./n.txt ../../sub/
finds cat
cd ../..
echo '# globs and ignore rules have the same meaning in every folder'
mkdir .git
printf '/sub/new\n' >.gitignore
rm -r .bitsift
quiet bitsift index -g '/sub/*.txt' .
finds cat
echo 'cat, too' >sub/b.txt
(cd sub/deeper && show bitsift index)
finds cat
rm -r .git .gitignore sub/new sub/b.txt
quiet bitsift index --rebuild --words --grams --hidden .
echo '# a folder that is moved with its index'
cd ..
mv top moved
cd moved/sub/deeper
show bitsift query --index ../../.bitsift cat
echo 'file' >file
show bitsift index --index file .
echo '# missing parent folders of a new index are made, and removed if the run fails'
mkdir "$SCRATCH/made"
cd "$SCRATCH/made"
echo 'cat' >c.txt
quiet bitsift index --index a/b/c c.txt
finds --index a/b/c cat
BITSIFT_INDEX=d/e//f/ bitsift index -q c.txt
finds --index d/e/f cat
show bitsift index --index g/h/i none.txt
show bitsift index --index c.txt/i c.txt
find . -type d | LC_ALL=C sort
stat -c %a a/b/c
