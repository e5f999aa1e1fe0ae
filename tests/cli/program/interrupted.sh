# Ctrl-C and SIGTERM: an interrupted run reports the signal in one line, ends by it, and leaves no
# new files.
set -m # otherwise background processes ignore SIGINT
# interrupt SIGNAL COMMAND...: sends the signal once the command has read some of its standard input
# and waits for more.
interrupt() {
    local signal=$1 status=0 run
    shift
    announce "$@"
    rm -f in
    mkfifo in
    "$@" <in 2>"$SCRATCH/.stderr" &
    run=$!
    exec 9>in
    documents 2000 >&9 # more than a pipe holds, so the command has read some of it
    kill "-$signal" "$run"
    wait "$run" 2>"$SCRATCH/.wait" || status=$?
    exec 9>&-
    neutral "$SCRATCH/.stderr" | sed 's/^/! /'
    printf '%s: exit status %d\n' "$signal" "$status"
}
left() {
    find . -mindepth 1 -not -name in | LC_ALL=C sort
}
echo '# a first run'
interrupt INT bitsift index -
interrupt TERM bitsift index -
interrupt TERM bitsift index -q --index ix -
left
echo '# an existing folder stays'
mkdir ix
interrupt TERM bitsift index --index ix -
left
rm -r ix
echo '# a refresh'
documents 1000 >c.jsonl
quiet bitsift index c.jsonl
echo '{"id":"piped","text":"piped"}' | quiet bitsift index -
left >"$SCRATCH/before"
cp -r .bitsift "$SCRATCH/old"
interrupt INT bitsift index -
interrupt TERM bitsift index --rebuild -
left | cmp - "$SCRATCH/before"
rm "$SCRATCH/old/lock"
for file in "$SCRATCH"/old/*; do
    cmp "$file" ".bitsift/$(basename "$file")"
done
finds --count common
echo '# at random moments'
documents 30000 >c.jsonl
for delay in 0.002 0.01 0.02 0.05 0.1 0.2 0.4; do
    bitsift index -q --index new --memory 16M c.jsonl 2>"$SCRATCH/.stderr" &
    run=$!
    sleep "$delay"
    kill -TERM "$run" 2>/dev/null || true
    wait "$run" 2>/dev/null || true
    # `new` may exist only if the run finished before the signal. Then it is a sound index.
    [ ! -e new ] || bitsift check --index new >"$SCRATCH/.stdout" 2>&1 || echo "left after $delay s: $(ls -A new)"
    rm -rf new
done
echo '# a parent ignores the signal, so the program ignores it, too'
(
    trap '' INT
    bitsift index -q c.jsonl &
    run=$!
    kill -INT "$run" 2>/dev/null || true
    wait "$run"
)
finds --count common
