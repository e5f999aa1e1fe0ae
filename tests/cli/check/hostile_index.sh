# An index directory in which links or pipes replace files: no command reads or writes outside of
# the directory, and none blocks.
mkdir d
echo 'cat' >d/a.txt
settle
quiet bitsift index d
echo 'valuable' >"$SCRATCH/victim"
cp -r .bitsift "$SCRATCH/good"
again() {
    rm -rf .bitsift
    cp -r "$SCRATCH/good" .bitsift
}
# all: runs every command. Prints on one line those with exit status 2, then each message once.
all() {
    local command status refused=
    : >"$SCRATCH/err"
    for command in 'index -q' 'query --fresh cat' 'query --brute cat' 'grep --no-stat cat' 'grep cat' 'compact -q' \
        'delete -q d/a.txt' 'stats' 'check'; do
        status=0
        # shellcheck disable=SC2086 # several words
        bitsift $command >/dev/null 2>>"$SCRATCH/err" || status=$?
        [ "$status" -ne 2 ] || refused+=", $command"
        [ "$status" -eq 0 ] || [ "$status" -eq 2 ] || echo "$command: exit status $status"
    done
    [ -z "$refused" ] || echo "refused: ${refused#, }"
    neutral "$SCRATCH/err" | sed 's/seg-[0-9]*/seg-N/' | sort -u
    [ "$(cat "$SCRATCH/victim")" = valuable ] || echo 'THE VICTIM WAS WRITTEN TO'
}
seg=$(basename "$(ls .bitsift/seg-*)")
for name in lock manifest "$seg" folders; do
    echo "# ${name/seg-*/a segment} is a link to a file elsewhere"
    again
    ln -sf "$SCRATCH/victim" ".bitsift/$name"
    all
    echo "# ... a second name of a file elsewhere"
    again
    ln -f "$SCRATCH/victim" ".bitsift/$name"
    all
    echo "# ... a pipe"
    again
    rm -f ".bitsift/$name"
    mkfifo ".bitsift/$name"
    all
done
echo '# files and links at the names of new files: they are replaced, and the targets of links stay unchanged'
again
ln -sf "$SCRATCH/victim" .bitsift/manifest.new
ln -sf "$SCRATCH/victim" .bitsift/folders.new
echo 'cat again' >d/b.txt
show bitsift index -q
finds cat
rm d/b.txt
[ "$(cat "$SCRATCH/victim")" = valuable ] && ls .bitsift | sed 's/-[0-9]*/-N/'
echo '# a rebuild replaces links and pipes'
again
ln -sf "$SCRATCH/victim" ".bitsift/$seg"
quiet bitsift index -q --rebuild
finds cat
[ "$(cat "$SCRATCH/victim")" = valuable ]
echo '# the directory itself is a link: it is followed only if it is named'
mv .bitsift "$SCRATCH/elsewhere"
ln -s "$SCRATCH/elsewhere" .bitsift
finds cat
show bitsift index
listed bitsift grep -c cat
show bitsift compact
(cd d && finds cat && listed bitsift grep -c cat)
show bitsift check --index .bitsift | neutral -
BITSIFT_INDEX=.bitsift finds cat
