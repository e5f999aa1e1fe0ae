# The best of many or few hits: documents that score bounds exclude are never among the best, for
# any number of requested hits.
awk 'BEGIN {
    for (i = 0; i < 60000; i++) {
        late = i < 20000 ? (i % 100 == 0) : 1
        printf "{\"id\":\"%d\",\"n\":%d,\"text\":\"%s%s%s%s w%d w%d w%d w%d\"}\n", i, i % 77,
            late ? "late " : "none ", late && i % 3 == 0 ? "late " : "none ", i % 3001 == 7 ? "alpha" : i % 4001 == 8 ? "beta" : "plain",
            i % 300 == 7 ? " gamma delta" : i % 5 == 0 ? " delta gammon" : " more more",
            i * 7919 % 4001, i * 104729 % 4001, i % 17, i % 5003
    }
}' >c.jsonl
bitsift index c.jsonl 2>&1 | tail -n 0
# best QUERY: prints the number of hits, and the limits with which the query finds other hits than
# the first ones of --brute.
best() {
    bitsift query "${options[@]}" --brute -n 100000 --format '{id} {score}\n' "$1" >all || true
    printf '%s: %s\n' "$1" "$(wc -l <all)"
    for n in 1 10 1000 100000; do
        bitsift query "${options[@]}" -n "$n" --format '{id} {score}\n' "$1" >found || true
        head -n "$n" all | cmp - found || echo "$n: $(wc -l <found)"
    done
}
options=()
echo '# the first blocks have fewer hits than requested'
best late
best delta
best 'late OR alpha'
echo '# words of weight 0 match without scoring'
for query in 'alpha OR beta OR gamma^0' 'alpha OR gamma^0' 'alpha^0 OR beta OR gamma' 'alpha^0 OR beta^0' \
    'alpha OR beta OR (gamma OR delta)^0' 'alpha OR beta OR gamm*^0' 'alpha OR beta OR gammo~1^0' 'alpha OR beta OR "gamma delta"^0'; do
    best "$query"
done
options=(--any)
best 'alpha beta gamma^0'
options=(--any --stop stop.txt)
echo 'gamma' >stop.txt
best 'alpha beta gamma'
options=(--sort n)
best 'alpha OR beta OR gamma^0'
options=()
echo '# several segments, with deletions and long documents'
awk 'BEGIN {
    for (i = 0; i < 3000; i++) {
        printf "{\"id\":\"long%d\",\"n\":%d,\"text\":\"%s %s", i, i % 77, i % 1000 == 5 ? "alpha" : "plain", i % 10 == 5 ? "gamma" : "late"
        for (k = 0; k < (i < 40 ? 3000 : 8); k++)
            printf " w%d", (i * 7919 + k * 104729) % 4001
        print "\"}"
    }
}' >>c.jsonl
bitsift index 2>&1 | tail -n 0
bitsift delete 7 21014 long5 long1005 30000 2>&1 | tail -n 0
best late
best 'alpha OR beta OR gamma^0'
echo '# no text is read only to find that it lacks the word'
rm -rf .bitsift
tail -n 3000 c.jsonl | head -n 30 >long.jsonl
bitsift index long.jsonl 2>&1 | tail -n 0
bitsift query --stats 'alpha OR gamma' 2>&1 >found | grep -oE '"(verified|hits)":[0-9]+'
