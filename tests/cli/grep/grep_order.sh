# A missing PATH is reported in its turn, after the output of the paths before it, if output and
# messages go to the same file. Also a file named "-", which is not standard input.
mkdir d
echo 'cat' >d/a.txt
echo 'cat' >d/b.txt
settle
both() {
    "$@" 2>&1
}
searches() {
    for option in -n -l -c --candidates; do
        show both bitsift grep "$option" cat d/a.txt missing d/b.txt
        show both bitsift grep "$option" cat d missing/x d/b.txt
    done
    show both bitsift grep --files d/a.txt missing d/b.txt
}
echo '# the same without and with an index'
once searches searches
bitsift index -q d
once searches searches
echo '# a file named -'
echo 'dog' >-
show bitsift index -q ./-
finds dog
show bitsift query --json dog
echo 'dog cow' >-
show bitsift index -q
finds cow
(cd d && finds --count cow --index ../.bitsift)
show bitsift index -q - <<<'{"id":"r","text":"dog"}'
finds dog
