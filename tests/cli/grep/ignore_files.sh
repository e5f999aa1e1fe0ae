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

# Rules whose meaning changed in ripgrep 14 or 15.
mkdir -p "$SCRATCH/new/sub/deep/x." "$SCRATCH/new/sub/.hid" "$SCRATCH/new/out"
(
    cd "$SCRATCH/new"
    files=(a b sub/a sub/deep/x sub/deep/y 'sub/deep/[abc' sub/deep/c. sub/deep/x./in sub/.hid/z sub/b.txt sub/c.txt out/a out/b)
    for file in "${files[@]}"; do
        echo foo >"$file"
    done
    ln -s sub/deep link
    ln -s sub/deep eep # the target's name ends in the link's name
    # rule RULE [OPTION...]: writes RULE to the .gitignore of the outermost folder, and compares the
    # files that are listed for each of `paths` and from a subfolder.
    rule() {
        printf '%b\n' "$1" >.gitignore
        shift
        local path
        for path in "${paths[@]}"; do
            # shellcheck disable=SC2086 # several paths
            same --files "$@" $path
        done
        cd sub/deep
        same --files "$@"
        same -l foo "$@" ..
        cd ../..
    }
    paths=('' sub/ ./sub/deep "$PWD/sub/deep" link eep .//sub/deep ../new/sub 'sub out' 'sub/deep sub' 'sub/deep a sub')
    for repository in .git .jj; do
        mkdir $repository
        for text in /sub/deep/x sub/deep/x deep/x /deep 'x.' '*.' '[abc' 'foo\\/\ndeep\\/' '*.{a,{txt,c}}' 'a}' '{a' '\0357\0273\0277a' 'a\n\0357\0273\0277b' \
            '/sub\n!.hid' '*\n!/sub\n!sub/a' '.*\n!.hid/'; do
            rule "$text"
        done
        rmdir $repository
        paths=(sub/deep)
    done
    rule 'a'
    mkdir .git
    paths=('' sub "$PWD/sub/deep" eep .//sub)
    echo b >.rgignore
    echo c.txt >sub/.ignore
    for options in --no-ignore-dot --no-ignore '--no-ignore --ignore-vcs' '--no-ignore --ignore-dot' '-u --ignore-vcs --ignore-dot' '--no-ignore-vcs --ignore' \
        '--no-ignore-dot --ignore' '-u --ignore' '--ignore -u' '-uu --no-hidden' '--no-ignore-parent' '--no-ignore --ignore-parent --ignore-vcs' --no-require-git \
        '--ignore-vcs --no-ignore' '-uuu --no-binary' -uuuu; do
        # shellcheck disable=SC2086 # several options
        rule a $options
    done
    echo /sub/a >"$SCRATCH/rules"
    rule '' --ignore-file "$SCRATCH/rules"
    for glob in 'x./' '!x./' '/sub/a' '/eep/x' 'eep/*' '*.{txt,{a,b}}' '!*.' '[abc' 'a}'; do
        rule '' -g "$glob"
        rule '' --iglob "$glob"
    done
    for types in '-t txt' '-T txt' '-t txt -T txt' '-T txt -t txt' '--type-add q:a --type-clear q -t q' '--type-clear txt --type-add txt:b -t txt' '-t q --type-add q:x' \
        '--type-add q:*:a' '--type-add q:include:txt,q' '--type-add q:a --type-add r:include:q --type-add q:b -t r' '-t all --type-add q:x' '-t none' '--type-add q:* -t q'; do
        # shellcheck disable=SC2086 # several options
        rule '' $types
    done
    [ "$n_same" -ge 500 ] || echo "only $n_same compared"
    [ "$n_other" -eq 0 ]
) || n_other=$((n_other + 1))
report_same 200
echo '# GIT_CONFIG_GLOBAL, read instead of ~/.gitconfig, and GIT_CONFIG_SYSTEM, read after it; rg reads neither'
mkdir "$SCRATCH/settings"
(
    cd "$SCRATCH/settings"
    mkdir .git
    for name in home global system; do
        printf '[core]\nexcludesFile = %s/%s\n' "$SCRATCH" "$name" >"$SCRATCH/$name.conf"
        echo "$name" >"$SCRATCH/$name"
        echo foo >$name
    done
    cp "$SCRATCH/home.conf" "$HOME/.gitconfig"
    listed bitsift grep -l foo
    listed env GIT_CONFIG_GLOBAL="$SCRATCH/global.conf" bitsift grep -l foo
    listed env GIT_CONFIG_GLOBAL= bitsift grep -l foo
    listed env GIT_CONFIG_SYSTEM="$SCRATCH/system.conf" bitsift grep -l foo
    listed env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM="$SCRATCH/system.conf" \
        bitsift grep -l foo
    listed env GIT_CONFIG_GLOBAL="$SCRATCH/global.conf" bitsift grep -l foo --no-ignore-global
    rm "$HOME/.gitconfig"
)
echo '# a missing --ignore-file is reported, but does not change the exit status'
listed bitsift grep -l foo --ignore-file nowhere sub
if unshare -rm true 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded by that shell
    unshare -rm sh -c 'mount -t tmpfs none sub/Deep && echo foo >sub/Deep/other && for o in --one-file-system --follow; do
        bitsift grep -l foo $o sub >"$0/ours"; rg --sort path -l foo $o sub >"$0/rg"; cmp "$0/ours" "$0/rg"; done' "$SCRATCH" || echo 'other file systems'
fi
echo '# an index is never searched'
mkdir -p inner/.bitsift linked
echo foo >inner/.bitsift/file
echo foo >inner/file
ln -s ../inner/.bitsift linked/.bitsift
bitsift index -q --hidden --no-ignore --index "$SCRATCH/all" inner
finds --index "$SCRATCH/all" foo
bitsift index -q inner --index inner/.bitsift
for options in '-uuu -a' -uuu '-L --hidden' '--hidden --no-stat' '-uuu --brute'; do
    # shellcheck disable=SC2086
    listed bitsift grep -l $options foo inner linked
done
echo '# but a named folder or file in an index is searched'
listed bitsift grep -l foo inner/.bitsift/file
listed bitsift grep -l foo inner/.bitsift
