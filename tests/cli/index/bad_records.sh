# Invalid lines of a collection are reported as file:line with the reason, counted and skipped;
# with --strict, the run stops at the first of them.
echo '{"id":"old","text":"cat"}' >c.jsonl
quiet bitsift index c.jsonl
cat >c.jsonl <<'RECORDS'
{"id":"1","text":"cat"}
{"id":"2","text":"cat"
{"id":"3"}
{"id":"4","text":7}
"cat"
[{"id":"6","text":"cat"}]
{"id":null,"text":"cat eight"}
{"id":{"a":1},"text":"cat"}
{"id":1.5,"text":"cat"}
{"id":12345678901234567890,"text":"cat big"}
{"id":-3,"text":"cat minus"}
{"id":"","text":"cat empty id"}

{"id":"13","text":"cat"} trailing
{"id":"14","text":"cat \ud800 lone"}
{"id":"15","id":"16","text":"cat twice"}
{"text":"cat no id"}
nonsense
RECORDS
printf '{"id":"last","text":"cat without line feed"}' >>c.jsonl
show bitsift index --strict
echo '# the old index still answers'
finds cat
echo '# without --strict'
show bitsift index
finds cat
finds --count --brute cat
echo '# standard input'
show bitsift index --strict --index "$SCRATCH/ix" - <c.jsonl
show bitsift index -q --index "$SCRATCH/ix" - <c.jsonl
finds --index "$SCRATCH/ix" --count cat
