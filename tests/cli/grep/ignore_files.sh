# Which ignore files apply, and how: --ignore-file, ignoring letter case, outside repositories. Also
# that an index itself is never searched.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
mkdir -p sub/Deep .git repo/.git/info
for file in a.txt B.TXT b.txt sub/a.txt sub/Deep/c.md repo/x.log repo/y.c sub/.hidden; do
    echo foo >"$file"
done
printf 'b.txt\n*.MD\n' >.gitignore
printf 'A.TXT\n!sub/a.txt\n' >.ignore
printf '*.LOG\n' >repo/.git/info/exclude
printf '/sub/*\n' >from_here
printf '*.txt\n!/a.txt\n' >first
printf '!b.txt\na.TXT\n' >second
check() {
    for options in '' '--ignore-file first' '--ignore-file first --ignore-file second' '--ignore-file second --ignore-file first' \
        '--ignore-file from_here' '--ignore-file=first --no-ignore' '--ignore-file first --no-ignore-files' \
        '--no-ignore-files --ignore-files --ignore-file first' '--no-ignore-files --ignore-file first' \
        '--ignore-file-case-insensitive' '--ignore-file second --ignore-file-case-insensitive' \
        '--ignore-file-case-insensitive --no-ignore-file-case-insensitive' '--ignore-file nowhere' '--ignore-file first -g *.TXT' \
        '--ignore-file first --ignore-file-case-insensitive --iglob *.TXT' '-u --ignore-file first' '--one-file-system' \
        '--one-file-system --no-one-file-system' --no-require-git '--no-require-git --require-git' '--hidden --ignore-file first' \
        '-t txt --ignore-file first' '-T txt --ignore-file second'; do
        # shellcheck disable=SC2086 # several options
        same --files $options
        # shellcheck disable=SC2086
        same -l foo $options
        # shellcheck disable=SC2086
        same -c foo $options sub repo "$PWD" ./sub
    done
    (cd sub && same --files --ignore-file ../first .. && same --files --ignore-file ../from_here ..)
}
check
rm -r .git
check
mkdir .git
export BITSIFT_INDEX=$SCRATCH/index
bitsift index -q .
check
unset BITSIFT_INDEX
report_same 200
echo '# the message about one that cannot be read changes no exit status'
show bitsift grep -l foo --ignore-file nowhere sub
if unshare -rm true 2>/dev/null; then
    # shellcheck disable=SC2016 # for that shell
    unshare -rm sh -c 'mount -t tmpfs none sub/Deep && echo foo >sub/Deep/other && for o in --one-file-system --follow; do
        bitsift grep -l foo $o sub >"$0/ours"; rg --sort path -l foo $o sub >"$0/rg"; cmp "$0/ours" "$0/rg"; done' "$SCRATCH" || echo 'other file systems'
fi
echo '# an index is never searched'
mkdir -p inner/.bitsift linked
echo foo >inner/.bitsift/file
echo foo >inner/file
ln -s ../inner/.bitsift linked/.bitsift
bitsift index -q --hidden --no-ignore --index "$SCRATCH/all" inner
show bitsift query --index "$SCRATCH/all" --ids foo
bitsift index -q inner --index inner/.bitsift
for options in '-uuu -a' -uuu '-L --hidden' '--hidden --no-stat' '-uuu --brute'; do
    # shellcheck disable=SC2086
    show bitsift grep -l $options foo inner linked
done
echo '# but what is named is'
show bitsift grep -l foo inner/.bitsift/file
show bitsift grep -l foo inner/.bitsift
