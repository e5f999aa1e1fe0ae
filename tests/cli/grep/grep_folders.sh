# bitsift grep with the folder lists of an index: it must find the same files as rg, whatever
# changes in the folders.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
export HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/home/config
mkdir -p "$XDG_CONFIG_HOME/git" outer/tree
cd outer/tree

# Searches with several kinds of rules, from several folders.
all() {
    local option
    for option in '' --hidden --no-ignore '-uuu -g !.bitsift' '-g !b' '-t c' -L --no-ignore-parent; do
        # shellcheck disable=SC2086 # options of several words
        same $option foo
    done
    same foo more/a . src
    same foo "$PWD"
    (cd more/a && same foo && same foo ../b . && [ "$n_other" -eq 0 ]) || n_other=$((n_other + 1))
    (cd .. && BITSIFT_INDEX=$PWD/tree/.bitsift same foo && BITSIFT_INDEX=$PWD/tree/.bitsift same -u foo tree &&
        [ "$n_other" -eq 0 ]) || n_other=$((n_other + 1))
}
# after WHAT: compares all searches with rg's after the change that WHAT describes.
after() {
    local before=$n_other
    all
    [ "$n_other" -eq "$before" ] || echo "after this: $*"
}

make_tree
mkdir -p more/a/sub/deep more/b/sub more/c 'more/a b' more/a-b
for folder in more/a more/a/sub more/a/sub/deep more/b more/b/sub more/c 'more/a b' more/a-b; do
    for i in 1 2 3; do
        echo "foo $folder $i" >"$folder/$i.txt"
        echo "bar $folder $i" >"$folder/no$i.c"
    done
done
bitsift index -q --grams .
after 'making an index of a young tree'
settle
bitsift index -q
[ -s .bitsift/folders ] || echo 'no folders noted'
after nothing

echo foo >more/a/sub/new.txt && after 'a new file'
rm more/b/sub/2.txt && after 'a file removed'
mv more/b/1.txt more/b/renamed.txt && after 'a file renamed'
rm more/c/1.txt && ln -s ../a/1.txt more/c/1.txt && after 'a link in the place of a file'
rm more/c/2.txt && mkdir more/c/2.txt && echo foo >more/c/2.txt/in && after 'a folder in the place of a file'
rm -r more/a/sub/deep && echo foo >more/a/sub/deep && after 'a file in the place of a folder'
mv more/b/sub more/b/was && ln -s was more/b/sub && after 'a link in the place of a folder'
mv 'more/a b' more/x && mv more/a-b 'more/a b' && mv more/x more/a-b && after 'two folders changing places'
mkdir more/a/.hid && echo foo >more/a/.hid/h.txt && after 'a hidden folder'
mkfifo more/a/pipe && after 'a pipe'
mkdir -p more/d/e/f && echo foo >more/d/e/f/1.txt && after 'new folders'
rm -r more/c && after 'a folder removed'

bitsift index -q && bitsift index -q && after 'a refresh'
echo '1.txt' >more/a/.gitignore && after 'new rules'
echo '2.txt' >more/a/.gitignore && after 'other rules, the folder the same'
bitsift index -q && bitsift index -q && after 'a refresh with rules'
rm more/a/.gitignore && after 'rules gone'
echo 'renamed.txt' >>.ignore && after 'more rules at the top'
echo '3.txt' >../.ignore && after 'rules above'
rm ../.ignore
echo 'no1.c' >"$XDG_CONFIG_HOME/git/ignore" && after 'global rules'
rm -r .git && after 'no repository any more'
mkdir ../.git && echo '2.txt' >../.gitignore && after 'a repository above'
rm -r ../.git ../.gitignore && mkdir .git && after 'a repository again'

bitsift index -q && bitsift index -q
touch -r more/b "$SCRATCH/stamp" && echo foo >more/b/back.txt && touch -r "$SCRATCH/stamp" more/b && after 'a folder set back in time'
if [ "$(id -u)" -ne 0 ]; then
    chmod 000 more/b && after 'a folder that may not be read' && chmod 755 more/b
fi
printf 'broken' >.bitsift/folders && after 'damage'
bitsift check 2>/dev/null && echo 'damage is not seen'
rm .bitsift/folders && after 'a loss'
bitsift index -q && [ -s .bitsift/folders ] || echo 'not noted again'
after 'noting anew'

# An index with several sources, one inside another; and searches of a part of them.
bitsift index -q --index "$SCRATCH/two" --grams more/b src . && bitsift index -q --index "$SCRATCH/two"
export BITSIFT_INDEX=$SCRATCH/two
after 'several sources'
echo foo >more/b/was/late.txt && echo foo >src/late.c && after 'new files in several sources'
unset BITSIFT_INDEX
bitsift check >/dev/null
bitsift check --index "$SCRATCH/two" >/dev/null

# A file that is created after an index run, but in the same clock tick, is found.
unset LD_PRELOAD
mkdir "$SCRATCH/racy" && cd "$SCRATCH/racy"
for i in $(seq 8); do
    mkdir "d$i" && echo foo >"d$i/a"
    bitsift index -q --grams .
    echo foo >"d$i/b"
    same foo
done
report_same 300
