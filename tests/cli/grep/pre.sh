# --pre: searches the output of a command for each file, like rg.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
mkdir -p sub
printf 'foo one\nbar\n' >a.txt
printf 'foo two\n' >sub/b.md
printf 'foo three\n' >'sub/odd $(name); x.txt'
printf 'foo\n' >sub/-dash.txt
gzip -c a.txt >a.txt.gz
awk 'BEGIN { for (i = 0; i < 100000; i++) print "line", i }' >big.txt
# program NAME: makes a script of its standard input, outside the searched folder.
program() {
    { echo '#!/bin/sh'; cat; } >"$SCRATCH/$1"
    chmod 755 "$SCRATCH/$1"
}
program upper <<'X'
tr a-z A-Z
X
program named <<'X'
printf 'foo <%s> %d\n' "$1" $#
X
program sort_of <<'X'
case $1 in *.gz) exec gzip -dc ;; *) exec cat ;; esac
X
program fails <<'X'
echo "foo $1"
echo "oh no:	$1" >&2
exit 7
X
program fails_at_once <<'X'
exit 3
X
program silent <<'X'
X
program loud <<'X'
i=0
while [ $i -lt 3000 ]; do echo "something about foo and bar that fills the pipe" >&2; i=$((i + 1)); done
cat
X
program dies <<'X'
kill -9 $$
X
PATH=$SCRATCH:$PATH
check() {
    for pre in upper named sort_of silent loud cat tac; do
        for options in '' -c -l '-n -i' '-v -c' '-U -c' '--json' '-m1' -P '-E utf-16le -a' --files-without-match '-g *.txt' '-j 3' \
            '--pre-glob *.txt' '--pre-glob !*.txt' '--pre-glob *.md --pre-glob *.gz' '--pre-glob sub/** --pre-glob !*.md' \
            '--pre-glob /a.txt' '--pre-glob sub/b.md'; do
            # shellcheck disable=SC2086 # several options
            same --pre "$pre" $options foo
        done
        same --pre "$pre" -c foo sub "$PWD/sub" ./a.txt
        same --pre "$pre" --pre-glob 'sub/*.md' -c foo "$PWD" ./sub ../work
        # The last file of the folder is too large.
        same --pre "$pre" --max-filesize 9 -c foo sub
        same --pre "$pre" --max-filesize 5 --files-without-match foo sub ./sub
    done
    for pre in fails fails_at_once dies nowhere "$SCRATCH/nowhere" "$SCRATCH" 'upper -x' 'upper; echo foo'; do
        same --pre "$pre" foo
        same --pre "$pre" foo a.txt
        same --pre "$pre" --pre-glob '*.none' foo
    done
    same --pre='' foo
    same --pre upper --no-pre foo
    same -z --pre sort_of -c foo
    same --pre upper -z -c foo
    same --pre-glob '*.txt' foo
    same --pre upper --pre-glob '[' foo
    INPUT=a.txt same --pre upper foo -
}
check
export BITSIFT_INDEX=$SCRATCH/index
bitsift index -q .
check
report_same 300
echo '# messages'
show bitsift grep -j1 --pre fails foo sub
show bitsift grep --pre fails_at_once foo a.txt
show bitsift grep --pre dies foo a.txt
show bitsift grep --pre nowhere foo a.txt
show bitsift grep --pre 'upper; echo foo' foo a.txt
echo '# output is read only as far as it is needed, and then a failure of the command is no error'
show bitsift grep --pre cat -m1 line big.txt
show bitsift grep --pre cat -q line big.txt
bitsift grep --pre cat line big.txt | head -n 1
echo '# a file name is not taken for an option'
program count <<'X'
printf 'foo %s\n' "$1"
X
cd sub
show bitsift grep --pre count foo -g '-*'
show bitsift grep --pre count foo -- -dash.txt
