# --sort and --sortr: the entries of each folder by path or by a time, as rg 13 has it, with an index and without.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
# Apart, so that no two are created at the same time: then the order is whichever.
for folder in a a/deep b empty; do
    mkdir "$folder"
    sleep 0.02
done
minute=0
for file in b/2 a/deep/x c.txt a/9 a/deep/y b/1 a.txt z; do
    sleep 0.02
    echo 'foo bar' >"$file"
    minute=$((minute + 7))
    touch -m -d "2020-01-01 00:$minute:00.$minute" "$file"
    # To come, so that no search changes it.
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
            # Without an order, rg's is that of its threads.
            [ "$key" != none ] || continue
            [ "$key" != created ] || [ "$(stat -c %W z)" != 0 ] || continue
            same "$option" "$key" -l foo
            same "$option=$key" --files
            same "$option" "$key" -l foo b z a
            same "$option" "$key" -c foo . a/
            same "$option" "$key" -l foo a/9 "$PWD" c.txt
            same "$option" "$key" -L -l foo
            same "$option" "$key" -l foo - b
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
echo 'foo' >b/0
echo 'other' >a/9
echo 'bar' >new
bitsift index -q
for key in modified path; do
    for options in '' --no-stat --brute; do
        # shellcheck disable=SC2086 # none or one
        bitsift grep --sortr "$key" $options -c foo | cksum
    done
done | uniq -c | awk '{ print $1 " answers alike" }'
check
report_same 150
