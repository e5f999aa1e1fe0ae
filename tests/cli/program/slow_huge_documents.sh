# A line of 200 MB, a JSONL record of 200 MB and a document of a million distinct words, among small
# documents, are indexed and queried exactly in less than 2 GiB of memory.
prose() {
    yes 'the quick brown fox jumps over the lazy dog, and nobody had asked it to' | tr '\n' ' ' | head -c "$1"
}
# measured COMMAND...: runs it; peak resident memory must be below 2 GiB (not with sanitizers).
measured() {
    local pid status=0 peak=0 seen
    "$@" &
    pid=$!
    while seen=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) && [ -n "$seen" ]; do
        peak=$seen
        sleep 0.05
    done
    wait "$pid" || status=$?
    echo "peak memory: $((peak / 1024)) MiB" >&2
    [ -n "${SANITIZED:-}" ] || [ "$peak" -lt $((2 * 1024 * 1024)) ] || echo "too much memory: $peak KiB"
    return "$status"
}
mkdir d
{
    prose 100000000
    printf ' needle in the haystack '
    prose 100000000
    printf ' lastword'
} >d/line.txt
seq 1000000 | tr '\n' ' ' >d/million.txt
echo 'a needle and 777777' >d/small.txt
{
    echo '{"id":"before","text":"needle before"}'
    printf '{"id":"record","text":"'
    prose 200000000
    echo ' needle in a record"}'
    echo '{"id":"after","text":"needle after"}'
} >c.jsonl
measured bitsift index -q d c.jsonl
cat >queries <<'QUERIES'
"needle in"
lastword dog
"777777 777778"
"777778 777777"
-needle
QUERIES
measured bitsift query --ids --batch queries | tee "$SCRATCH/ids"
head -n 2 queries | measured bitsift query --brute --ids --batch - | cmp - <(head -n 2 "$SCRATCH/ids")
measured bitsift query --count needle
measured bitsift query --count 777777
measured bitsift query '"777777 777778"'
measured bitsift query '"in a record"' dog
