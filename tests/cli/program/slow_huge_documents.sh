# A line of 200 MB, a JSONL record of 200 MB and a document of a million distinct words, among small
# documents, are indexed and queried exactly in less than 2 GiB of memory.
prose() {
    yes 'the quick brown fox jumps over the lazy dog, and nobody had asked it to' | tr '\n' ' ' | head -c "$1"
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
within VmHWM 2047 bitsift index -q d c.jsonl
cat >queries <<'QUERIES'
"needle in"
lastword dog
"777777 777778"
"777778 777777"
-needle
QUERIES
within VmHWM 2047 bitsift query --ids --batch queries | tee "$SCRATCH/ids"
head -n 2 queries | within VmHWM 2047 bitsift query --brute --ids --batch - |
    cmp - <(head -n 2 "$SCRATCH/ids")
within VmHWM 2047 bitsift query --count needle
within VmHWM 2047 bitsift query --count 777777
within VmHWM 2047 bitsift query '"777777 777778"'
within VmHWM 2047 bitsift query '"in a record"' dog
