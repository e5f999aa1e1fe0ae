# --explain: how many documents each operand leaves, in the order of the plan, down to candidates
# and hits. The transcript omits how many columns a term has, because new measurements may change
# that, but not the counts.
waterfall() {
    announce bitsift query --explain "$@"
    bitsift query --explain "$@" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || true
    once heading sed -n '/^waterfall/,/ all documents$/p' "$SCRATCH/stderr"
    sed -n '/ all documents$/,/ hits/p' "$SCRATCH/stderr" |
        sed -E '1d; s/[0-9]+( to [0-9]+)? hashed/N hashed/'
}
documents 3000 >c.jsonl
settle
quiet bitsift index --memory 16M c.jsonl
waterfall --count hundred common w17
waterfall --count -- common hundred -w18
waterfall --count -- common -common
waterfall --count '"hundred common"~3' '(w1 OR w2)'
waterfall --count '"common hundred" w1*'
waterfall --count w1 OR w2 OR '"w3 w4"'
waterfall --count nowhere common
waterfall --count -- -common
waterfall -n 2 common hundred
echo '# the last number of candidates is that of the scan'
for query in 'common hundred w1*' 'w1 OR w2 OR "w3 w4"' '"common w17"' '-w3 common'; do
    bitsift query --count --explain -- "$query" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || true
    left=$(sed -nE 's/^ *([0-9,]+) .*candidates: .*/\1/p' "$SCRATCH/stderr" | tr -d ,)
    hits=$(sed -nE 's/^ *([0-9,]+) +hits$/\1/p' "$SCRATCH/stderr" | tr -d ,)
    grep -q " $left candidates" "$SCRATCH/stderr" || echo "$query: $left candidates?"
    [ "$hits" = "$(cat "$SCRATCH/stdout")" ] || echo "$query: $hits hits?"
done
echo '# documents of --fresh are read in addition'
documents 3001 | tail -n 1 >>c.jsonl
waterfall --count --fresh common
echo '# names of files are not words of the index: a phrase of them is one operand'
mkdir d
echo common >d/a-b.txt
quiet bitsift index --index names d
BITSIFT_INDEX=names waterfall --count 'name:"a b"' common
BITSIFT_INDEX=names waterfall --count 'name:"a b c d"'
echo '# many operands'
waterfall --count common w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 | tail -n 3
echo '# --brute uses no columns'
waterfall --count --brute common
can_use script || exit 0
echo '# bars on a terminal'
SHELL=$BASH script -qec 'bitsift query --explain --count common hundred' /dev/null </dev/null |
    tr -d '\r' | sed -n '/^waterfall/,/ hits/p' | sed -E 's/[0-9]+( to [0-9]+)? hashed/N hashed/'
