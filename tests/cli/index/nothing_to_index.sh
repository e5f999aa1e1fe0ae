# Empty folders, collections and inputs make a working index; invalid sources leave nothing behind.
mkdir empty
: >empty.jsonl
printf '\n\n' >blank.jsonl
answers() {
    finds --count cat
    finds --count -- -cat
    finds --brute cat
    quiet bitsift index
}
for source in empty empty.jsonl blank.jsonl -; do
    bitsift index "$source" 2>"$SCRATCH/said"
    once said neutral "$SCRATCH/said"
    once answers answers
    rm -r .bitsift
done
show bitsift index
show bitsift index missing
show bitsift index missing missing.jsonl ''
ls -A
echo '# one valid source suffices'
echo 'cat' >empty/a.txt
settle
show bitsift index missing empty
finds cat
echo '# a source that is neither a file nor a folder'
mkfifo pipe
show bitsift index pipe
ln -s loop loop
show bitsift index loop
ln -s empty link
show bitsift index link
finds cat
