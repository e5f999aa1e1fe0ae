# A full disk causes an error with exit status 2; the old index still works, and no files are left
# behind.
documents 200 >c.jsonl
quiet bitsift index c.jsonl
documents 20000 >c.jsonl
# limited KIB COMMAND...: runs the command, which cannot write files larger than KIB.
limited() {
    (
        ulimit -f "$1"
        shift
        exec "$@"
    )
}
# Output goes through pipes, which this limit does not affect.
try() {
    {
        limited "$@" || echo "exit status $?"
    } 2>&1 | neutral - | sed -E -e 's/(seg|del)-[0-9]+/\1-N/' -e 's/cannot [a-z ]+:/cannot DO IT:/'
}
files() {
    find .bitsift -type f | sed 's/[0-9][0-9]*/N/' | sort
}
for kib in 0 4 64 512; do
    once full try "$kib" bitsift index -q
    once hundred bitsift query --count hundred 2>/dev/null
done
once files files
echo '# stored text'
try 64 bitsift index -q - <c.jsonl
once files files
echo '# the first index'
try 64 bitsift index -q --index "$SCRATCH/ix" c.jsonl
show bitsift query --index "$SCRATCH/ix" hundred
echo '# with space again'
quiet bitsift index
finds --count hundred
