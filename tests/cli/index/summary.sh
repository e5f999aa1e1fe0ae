# The closing summary: skipped files with reasons; -v names all of them, -q prints nothing.
mkdir -p tree/sub
echo 'hello' >tree/a.txt
printf 'he\0llo\n' >tree/binary.dat
ln -s a.txt tree/good
ln -s nowhere tree/broken
mkfifo tree/sub/pipe
echo 'hello' >tree/.hidden
printf '%s\n' '{"id":"1","text":"hello"}' 'no json' '[1,2]' '{"id":"2"}' '{"id":true,"text":"hello"}' \
    '{"id":"1","text":"hello again"}' '' '{"id":"3","text":"never closed' >mail.jsonl
settle
show bitsift index tree mail.jsonl
echo '# an unchanged collection is not read again; of one that was appended to, only the new part is read'
show bitsift index -v
show bitsift index -q
show bitsift index -q -v
printf '{"id":"4","text":"half of' >>mail.jsonl
show bitsift index
echo ' a record"}' >>mail.jsonl
show bitsift index
echo '# hidden files, binary files, and files excluded by globs'
show bitsift index --rebuild --hidden -a tree mail.jsonl
finds hello
show bitsift index --rebuild -g '!*.txt' -g '!good' tree mail.jsonl
finds hello
echo '# more than twenty skipped lines of a kind are only counted'
for _ in $(seq 30); do echo 'bad'; done >bad.jsonl
echo '{"text":"hello"}' >>bad.jsonl
show bitsift index --index "$SCRATCH/ix" bad.jsonl | folded
echo '# a file of one byte more than the default of --max-document'
mkdir large
truncate -s $(((256 << 20) + 1)) large/over
show bitsift index --index "$SCRATCH/large.index" -a large
