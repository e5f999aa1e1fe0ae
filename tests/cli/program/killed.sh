# A killed build: the old index still works, the next run succeeds and leaves no stray files.
documents 200 >c.jsonl
quiet bitsift index c.jsonl
documents 60000 >c.jsonl
touch -d '2001-02-03 04:05:06' c.jsonl
# The number of segments depends on when runs were killed, but every segment file must belong to the
# index.
files() {
    local named
    find .bitsift -type f | sed 's/[0-9][0-9]*/N/' | sort -u
    named=$(bitsift check | sed -E 's/.* in ([0-9]+) segments?,.*/\1/')
    [ "$(find .bitsift -name 'seg-*' | wc -l)" -eq "$named" ] || echo "not $named segments"
}
once files files
cp -r .bitsift "$SCRATCH/old"
killed=0
for delay in 0.01 0.03 0.06 0.1 0.15 0.2 0.3 0.4; do
    # Little memory, so that killed runs leave finished segments, too.
    bitsift index -q --memory 16M 2>"$SCRATCH/stderr" &
    writer=$!
    sleep "$delay"
    if kill -9 "$writer" 2>/dev/null; then
        killed=$((killed + 1))
    fi
    wait "$writer" 2>/dev/null || true
    count=$(bitsift query --count hundred 2>/dev/null)
    # 2 of the 200 indexed records match; 600 of 60,000 if a run finished before it was killed.
    [ "$count" = 2 ] || [ "$count" = 600 ] || echo "after $delay s: $count"
    # If a run finished, restore the old index, because the next run would have nothing to do.
    if [ "$count" = 600 ]; then
        rm -r .bitsift
        cp -r "$SCRATCH/old" .bitsift
    fi
done
[ "$killed" -gt 0 ] || echo 'never killed'
quiet bitsift index
finds --count hundred
finds --count --brute hundred
once files files
echo '# a killed first build leaves no index; the next run makes one'
bitsift index -q --index "$SCRATCH/ix" --memory 16M c.jsonl &
writer=$!
sleep 0.1
kill -9 "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
status=0
bitsift query --index "$SCRATCH/ix" --count hundred >"$SCRATCH/stdout" 2>&1 || status=$?
[ "$status" -eq 2 ] || [ "$(cat "$SCRATCH/stdout")" = 600 ] || cat "$SCRATCH/stdout"
quiet bitsift index --index "$SCRATCH/ix" c.jsonl
finds --index "$SCRATCH/ix" --count hundred
echo '# the same for an interrupted build (Ctrl-C)'
bitsift index -q --rebuild --memory 16M &
writer=$!
sleep 0.05
kill -TERM "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
finds --count hundred
quiet bitsift index
once files files
