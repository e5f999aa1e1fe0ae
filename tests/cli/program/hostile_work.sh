# Work grows linearly with untrusted input. Each family of queries and of files runs at a size and
# at four times that size; more than eight times the work is reported. Work is the number of
# readings of the clock, which the program reads after each estimated amount of work, plus the
# number of pages read; with LONG=1 also the processor time. Work that neither counts is limited by
# the time limit of the test. Input whose work cannot be linear, or that is longer than any
# legitimate input, is refused with one line; in a batch, this line takes the place of the answer.
limit() { # KIBIBYTES of address space; sanitizers need more than any limit
    [ -n "${SANITIZED:-}" ] || ulimit -v "$1"
}
limit 3000000

# costs: runs `job`; prints its work, and its user time in milliseconds.
costs() {
    local TIMEFORMAT=%3U
    : >"$SCRATCH/work"
    { time { LD_PRELOAD=$preload WORK=$SCRATCH/work job >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null || true; }; } 2>"$SCRATCH/cpu"
    awk '{ work += $1 + $2 / 4096 } END { printf "%d ", work }' "$SCRATCH/work"
    awk '{ print int($1 * 1000) }' "$SCRATCH/cpu"
}
preload=
! can_preload || preload=$CLOCK
# linear NAME SIZE FUNCTION: measures `job` with FUNCTION's input for SIZE and for 4 * SIZE.
linear() {
    local name=$1 size=$2 make=$3 once four once_ms four_ms
    "$make" "$size"
    read -r once once_ms < <(costs)
    "$make" $((4 * size))
    read -r four four_ms < <(costs)
    echo "$name: $once, $once_ms ms; four times as much: $four, $four_ms ms" >&2
    if [ "$four" -gt $((8 * once + 100)) ] || { [ -n "${LONG:-}" ] && [ "$four_ms" -gt $((8 * once_ms + 250)) ]; }; then
        echo "$name: $once, $once_ms ms; four times as much: $four, $four_ms ms"
    else
        echo "$name: linear"
    fi
}
repeat() {
    yes "$1" | head -n "$2" | tr -d '\n'
}
# A query reads the clock only if it has a time limit.
query() {
    bitsift query --time-limit 10m "$@"
}
words() {
    seq -f "$1" "$2" | tr '\n' ' '
}

mkdir d
for i in 1 2 3 4 5 6 7 8; do
    echo "cat and dog number $i" >d/$i.txt
done
words w%.0f 50000 >d/long.txt
repeat "$(repeat 'a ' 999)c " 100 >d/a.txt
bitsift index -q d

echo '# queries'
job() {
    query --batch queries --count
    query --batch queries -n 3
}
make_words() { words w%.0f "$1" >queries; }
make_any() { words 'w%.0f OR' "$1" | sed 's/OR $//' >queries; }
make_not() { { words -w%.0fx "$1" && echo cat; } >queries; }
make_hyphens() { seq -f w%.0f "$1" | tr '\n' - >queries; }
make_phrase() { printf '"%s"' "$(words w%.0f "$1")" >queries; }
make_near() { printf '"%s"~100000' "$(words w%.0f "$1")" >queries; }
make_same() { printf '"%s b"\n"%s"' "$(repeat 'a ' "$1")" "$(repeat 'a ' "$1")" >queries; }
make_han() { repeat 漢字 "$1" >queries; }
make_fuzzy() { { repeat x "$1" && echo '~2'; } >queries; }
make_prefixes() { words 'w%.0f* OR' "$1" | sed 's/OR $//' >queries; }
make_brackets() { { repeat 'a (' 900 && printf a && repeat ')' 900 && repeat ' OR b' "$1"; } >queries; }
linear words 20000 make_words
linear 'any of the words' 20000 make_any
linear 'none of the words' 20000 make_not
linear 'a token of many words' 4000 make_hyphens
linear 'a phrase' 4000 make_phrase
linear NEAR 4000 make_near
linear 'a phrase of one word' 4000 make_same
linear 'a run of signs' 2000 make_han
linear 'an inexact word' 100000 make_fuzzy
linear 'beginnings of words' 250 make_prefixes
linear brackets 20000 make_brackets

echo '# names of fields'
job() {
    rm -rf ix
    bitsift index -q --index ix fields.jsonl
    query --index ix --batch queries --count
}
make_fields() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "{\"id\":\"%d\",\"f%d\":\"cat\"}\n", i, i }' >fields.jsonl
    words 'f%.0f:cat' 2000 >queries
}
make_one_record() {
    awk -v n="$1" 'BEGIN { printf "{\"id\":\"1\""; for (i = 0; i < n; i++) printf ",\"f%d\":\"cat\"", i; print "}" }' >fields.jsonl
    { repeat f5: 20000 && echo cat; } >queries
}
linear 'names of many records' 20000 make_fields
rm -rf ix
make_fields 140000
bitsift index --index ix fields.jsonl 2>&1 | grep 'names of fields'
finds --index ix --count f5:cat
finds --index ix --count cat
linear 'names of one record' 20000 make_one_record
# A record of nested objects with a text at each level, so that names of fields grow with the depth;
# then a record with many arrays in a single array.
make_deep() {
    {
        printf '{"id":"deep"'
        repeat ',"key":{"text":"cat"' "$1"
        printf '%s}\n{"id":"array","a":[' "$(repeat '}' "$1")"
        repeat '1,[2],' "$1"
        printf '3]}\n'
    } >fields.jsonl
    words 'a:%.0f' 4 >queries
    echo "$(repeat key. 50)text:cat" >>queries
}
linear 'names of deep records' 15000 make_deep

echo '# texts'
job() {
    rm -rf ix
    bitsift index -q --index ix texts.jsonl
    query --index ix '"dog cat"' --count
    query --index ix '"cat dog"' -n 3
    query --index ix 'cat*' -n 3
    query --index ix "$(repeat a 200)b" -n 3
}
make_texts() {
    {
        printf '{"id":"backslashes","text":"%s' dog
        repeat '\\\\' "$1"
        printf '%s"}\n{"id":"quotes","text":"%s' 'cat dog' dog
        repeat '\\"' "$1"
        printf '%s"}\n{"id":"words","text":"' 'cat dog'
        repeat "cat'" "$1"
        printf '%s"}\n{"id":"marks","text":"' ' dog'
        repeat $'\u0301' "$1"
        printf '%s"}\n{"id":"letters","text":"' ' dog cat'
        repeat a "$((2 * $1))"
        printf '"}\n'
        printf '{"a":%s%s}\n' "$(repeat '[' "$1")" "$(repeat ']' "$1")"
    } >texts.jsonl
}
linear 'lines of one kind of character' 50000 make_texts

echo '# words with equal hashes'
job() {
    rm -rf ix
    bitsift index -q --words --index ix hashes.txt
}
"$COLLIDE" >"$SCRATCH/collisions"
make_collisions() {
    for i in 1 2 3 4 5; do
        head -n "$1" "$SCRATCH/collisions"
    done >hashes.txt
}
linear 'words of one hash' 4000 make_collisions

echo '# ignore rules'
job() {
    bitsift grep --time-limit 10m --files tree
}
make_rules() {
    mkdir -p "tree/$(repeat a/ 400)"
    { repeat '**/' 300 && echo 'a*a*a*a*b'; } >tree/.ignore
    seq -f '*x%.0f*y' "$1" >>tree/.ignore
    touch tree/{a,b,c,d,e,f,g}{1,2,3,4,5,6,7,8,9}aaaaaaaaaaaaaaaaaaaaaaaaaaaay
}
linear 'rules' 2000 make_rules

echo '# input that is refused'
{
    echo cat
    head -c 3000000 /dev/zero | tr '\0' x
    echo
    repeat 'a ' 100001
    echo
    repeat a- 16385
    echo
    repeat 'b* ' 1025
    echo
    repeat '(' 1001
    echo
    echo dog
    head -c 1048577 /dev/zero
} >queries
show bitsift query --batch queries --count
status=0
(limit 1000000 && bitsift grep -f /dev/zero d) 2>&1 || status=$?
echo "exit status $status"
# The limit applies before an endless line ends, and the line is not held in memory.
status=0
{ head -c 300000000 /dev/zero && echo && echo cat; } | (limit 250000 && bitsift query --batch - --count) 2>/dev/null || status=$?
echo "exit status $status"
