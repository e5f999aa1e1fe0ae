# Problems in a query cause warnings, with --strict-query errors: one line with the reason, the
# query, and a caret under the place. A query without words is always an error. test_parse.c tests
# the messages and places of all problems.
echo 'cat dog' >a.txt
quiet bitsift index .
printf '%s\n' '{"id":"1","title":"cat","text":"cat 2 dog","year":1990}' '{"id":"2","title":"a bird","text":"bird 1","year":2001}' '{"id":"3","text":"dog"}' >"$SCRATCH/r.jsonl"
quiet bitsift index --index "$SCRATCH/records" "$SCRATCH/r.jsonl"
# strict QUERY: prints the lines that --strict-query adds; the exit status must be 2, without hits.
strict() {
    local status=0
    bitsift query --count -- "$1" >/dev/null 2>"$SCRATCH/lenient" || true
    bitsift query --count --strict-query -- "$1" >"$SCRATCH/stdout" 2>"$SCRATCH/strict" || status=$?
    [ "$status" -eq 2 ] && [ ! -s "$SCRATCH/stdout" ] || echo "strict: exit status $status"
    grep -vxFf "$SCRATCH/lenient" "$SCRATCH/strict" | sed 's/^/! /'
}
while IFS= read -r query; do
    finds -- "$query"
    strict "$query"
done <<'QUERIES'
(cat
cat AND OR dog
AND
+++
*
cat -(
日本語 OR (
nam:a
QUERIES
show bitsift query ''
show bitsift query '   '
show bitsift query --strict-query "$(printf 'caf\351 (')"
show bitsift query --strict-query $'caf\u202e\u1112\u1161\u11ab (' # a syllable of three letters takes two columns; U+202E, which reverses text, is shown as U+FFFD
echo '# no error'
finds --count cat +++
finds --count '- cat'
echo '# at most five lines for all queries of a batch'
printf '%s\n' 'cat or dog' 'cat and dog' 'a ) b' 'titel:cat' >batch
printf 'cat +%s\n' 1 + ++ +++ ++++ >>batch
show bitsift query --count --batch batch
echo '# with --strict-query, each error is printed'
head -n 2 batch | show bitsift query --count --strict-query --batch -
bitsift query --strict-query --batch batch 2>&1 | grep -c '^bitsift: '
echo '# text that looks like an operator'
while IFS= read -r query; do
    BITSIFT_INDEX=$SCRATCH/records finds -- "$query"
done <<'QUERIES'
cat --verbose
year:>0x7
year:[1990 TO 2000]
year:!=1990
yaer:>5
QUERIES
finds --index "$SCRATCH/records" --any +cat bird
finds --index "$SCRATCH/records" --strict-query cat -- --verbose
for field in YEAR yaer year:up 'year desc' title nothing ''; do
    fails bitsift query --index "$SCRATCH/records" --sort "$field" cat
done
finds --index "$SCRATCH/records" --sort year:desc cat
show bitsift query --index "$SCRATCH/records" --like '' cat
show bitsift query --index "$SCRATCH/records" --like-file '' cat
show bitsift query --index "$SCRATCH/records" --stop '' cat
finds --index "$SCRATCH/records" --like-file /dev/null cat
finds --index "$SCRATCH/records" --like-file /dev/null --strict-query cat
printf 'dog' >"$SCRATCH/dog"
printf 'bird' >"$SCRATCH/bird"
for stop in "--stop $SCRATCH/dog" "--stop $SCRATCH/dog --stop $SCRATCH/bird" "--stop english --stop $SCRATCH/dog" "--stop $SCRATCH/dog --stop english"; do
    # shellcheck disable=SC2086 # several words
    BITSIFT_INDEX=$SCRATCH/records finds $stop --any cat dog bird
    # shellcheck disable=SC2086
    BITSIFT_INDEX=$SCRATCH/records finds $stop --any a cat dog
done
