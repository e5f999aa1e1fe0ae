# Files that became a symlink, or whose folder did, are not followed when they are read again:
# nothing from outside the sources is shown or counted. A file that became binary, a pipe or a
# folder is not a document either.
mkdir "$SCRATCH/outside"
for name in a b; do echo 'cat secret' >"$SCRATCH/outside/$name.txt"; done
make() {
    chmod -R u+rwX . && rm -rf ./* .bitsift
    mkdir -p d/sub/deep d/moved
    for name in d/a d/b d/sub/a d/sub/deep/b d/moved/a d/pipe d/binary; do echo 'cat' >"$name.txt"; done
    settle
    bitsift index -q d
    ln -sf "$SCRATCH/outside/a.txt" d/a.txt
    rm -r d/sub/deep d/pipe.txt
    ln -s "$SCRATCH/outside" d/sub/deep
    # The same file with the same fingerprint, but through a symlink.
    mv d/moved "$SCRATCH/kept"
    ln -s "$SCRATCH/kept" d/moved
    mkfifo d/pipe.txt
    printf 'cat\0' >d/binary.txt
}
ask() {
    each show bitsift query cat :: --count --ids --json
    finds --brute cat
    finds --count --brute cat
    finds --count secret
    finds --fresh cat
    show bitsift grep -j1 --no-stat cat d
    listed bitsift grep --no-stat --candidates cat d
    show bitsift grep cat d
}
make
echo '# the same with and without openat2'
once answers ask
rm -r "$SCRATCH/kept"
make
preload=
! can_preload || preload=$HOSTILE_IO
(
    export LD_PRELOAD="$preload ${LD_PRELOAD:-}" NO_OPENAT2=1
    once answers ask
)
echo '# a refresh treats links the same way'
show bitsift index
finds cat
echo '# links that the user named are followed: to a folder, a file, a collection'
rm -rf d .bitsift
mkdir real other
echo 'cat' >real/a.txt
echo 'cat' >other/b.txt
echo '{"id":"r","text":"cat"}' >other/r.jsonl
ln -s real folder
ln -s other/b.txt file.txt
ln -s other/r.jsonl linked.jsonl
settle
show bitsift index -q folder file.txt linked.jsonl
finds cat
finds --brute cat
show bitsift grep --no-stat cat folder file.txt
echo "# by any of its names it is one source"
show bitsift index real other/b.txt
finds cat
