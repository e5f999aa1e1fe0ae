# A file of the index is truncated while it is mapped: a message, exit status 2, and the answers to
# earlier queries are printed.
mkdir d
for i in {1..200}; do echo "cat number$i" >"d/$i.txt"; done
settle
bitsift index -q d
mkfifo queries
# The first answers are still in an output buffer when the segment is truncated; the lines of
# --explain, on standard error, show that they exist.
run() {
    bitsift query --explain --batch queries "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" &
    pid=$!
    exec 3>queries
    echo 'cat' >&3
    echo 'number7' >&3
    until [ "$(grep -c '^time:' "$SCRATCH/err")" -ge 2 ] || ! kill -0 "$pid"; do sleep 0.05; done
    sleep 0.1
    truncate -s 0 .bitsift/seg-*
    echo 'number9' >&3
    exec 3>&-
    wait "$pid" || echo "exit status $?"
    cat "$SCRATCH/out"
    grep '^bitsift:' "$SCRATCH/err" | neutral -
}
cp -r .bitsift "$SCRATCH/whole"
echo '# counts'
run --count
rm -r .bitsift && cp -r "$SCRATCH/whole" .bitsift
echo '# ids'
run --ids | sed -E 's,\t.*, ...,'
