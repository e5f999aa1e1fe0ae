# --sort and --sortr: one order over the files of all folders and PATHs, as in rg, with and without
# an index.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
# Waits until new files get a later time, because the order of files of the same time is undefined.
tick() {
    : >"$SCRATCH/before"
    until : >"$SCRATCH/now" && [ "$SCRATCH/now" -nt "$SCRATCH/before" ]; do :; done
}
for folder in a a/deep b empty; do
    mkdir "$folder"
    tick
done
minute=0
for file in b/2 a/deep/x c.txt a/9 a/deep/y b/1 a.txt z; do
    tick
    echo 'foo bar' >"$file"
    minute=$((minute + 7))
    touch -m -d "2020-01-01 00:$minute:00.$minute" "$file"
    # The access time is in the future, because a file system mounted with relatime does not update
    # such a time when the file is read.
    touch -a -d "2040-02-01 00:$((60 - minute)):00" "$file"
done
touch -m -d '1965-01-01' b/1
touch -m -d '2020-01-02' a/deep
touch -m -d '2020-01-01 00:10' a
touch -m -d '2019-01-01' b
touch -a -d '2040-02-01 00:20' b
touch -a -d '2040-02-01 00:30' a
touch -a -d '2040-01-01' a/deep
ln -s a/deep/y link
check() {
    for option in --sort --sortr; do
        for key in path modified accessed created none; do
            # Without a sort order, the order of rg depends on its threads.
            [ "$key" != none ] || continue
            # The binary of rg that test.sh fetches cannot sort by creation time.
            [ "$key" != created ] || ! rg --sort created --files 2>&1 | grep -q 'not available' || continue
            same "$option" "$key" -l foo
            same "$option=$key" --files
            same "$option" "$key" -l foo b z a
            same "$option" "$key" -c foo . a/
            same "$option" "$key" -l foo a/9 "$PWD" c.txt
            # The symlink has the time of its target; rg's order of equal times is undefined.
            [ "$key" != path ] || same "$option" "$key" -L -l foo
            same "$option" "$key" -l foo - b
            same "$option" "$key" -l foo a/../b ./a "$PWD/b" missing a
        done
    done
    same --sortr path --sort modified -l foo
    same --sort modified --sortr path -l foo
    same --sort modified --sort-files -l foo
    same --sort-files --sortr modified -l foo
    same --sortr modified -j1 --json foo
    same --sortr modified -n -C1 foo
    same --sort size foo
    same --sort=
}
check
export BITSIFT_INDEX=$SCRATCH/index
settle
bitsift index -q .
check
for file in b/0 a/9 new; do
    tick
    echo "$file bar" >"$file"
done
bitsift index -q
for key in modified path; do
    for options in '' --no-stat --brute; do
        # shellcheck disable=SC2086 # none or one
        bitsift grep --sortr "$key" $options -c foo | cksum
    done
done | uniq -c | awk '{ print $1 " answers alike" }'
check
report_same 150
echo '# by creation time'
listed bitsift grep --sort created -l foo b a
listed bitsift grep --sortr created -l foo b a
echo '# equal times: in the order of the command line'
touch -d 2020-01-01 b/1 a/9 z
listed bitsift grep --sort modified --files z b/1 a/9
listed bitsift grep --sortr modified --files z b/1 a/9
