# Problems in a query cause warnings, with --strict-query errors: one line with the reason, the
# query, and a caret under the place. A query without words is always an error.
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
cat)
cat ()
"cat
cat OR
OR cat
cat AND
AND
cat AND OR dog
NOT
cat NOT
cat -(
+++
"+++"
-
*
cat (dog OR (
日本語 OR (
é (
cat^1001
cats or dogs
/c.t/
nam:a
QUERIES
show bitsift query ''
show bitsift query '   '
each show bitsift query --strict-query :: "$(printf 'a\tb (')" "$(printf 'caf\351 (')" "$(printf 'one\ntwo (')"
show bitsift query --strict-query $'caf\u202e\u1112\u1161\u11ab (' # a syllable of three letters takes two columns; U+202E, which reverses text, is shown as U+FFFD
echo '# no error'
show bitsift query --count cat +++
each show bitsift query --count :: '- cat' 'cat and dog' 'nofield:cat'
echo '# patterns and distances that are not supported'
show bitsift query 'cat~3'
show bitsift query '*cat'
echo '# at most five lines for all queries of a batch'
printf '%s\n' 'cat or dog' 'cat and dog' 'a ) b' 'titel:cat' >batch
printf 'cat +%s\n' 1 + ++ +++ ++++ >>batch
show bitsift query --count --batch batch
show bitsift query --count --strict-query --batch batch
echo '# text that looks like an operator'
while IFS= read -r query; do
    BITSIFT_INDEX=$SCRATCH/records finds -- "$query"
done <<'QUERIES'
cat^1e2
cat^2^3
cat^2~1
cat^1,5
"cat dog"^3~2
(cat)~2
cat~0.8
cat --verbose
year:2000..1990
year:1990...2000
year:>1,990
year:>0x7
year:[1990 TO 2000]
year:!=1990
title:-cat
cat 1990..2000
cat >5
yaer:>5
YEAR:1990
“cat dog”
cat NEAR dog
Cat Or Dog
ca.*t
QUERIES
finds --index "$SCRATCH/records" --any +cat bird
finds --index "$SCRATCH/records" --strict-query cat -- --verbose
for field in YEAR yaer year:up 'year desc' title nothing ''; do
    show bitsift query --index "$SCRATCH/records" --sort "$field" cat
done
show bitsift query --index "$SCRATCH/records" --sort year:desc --ids cat
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
