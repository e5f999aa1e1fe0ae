# --weight: how much an occurrence in a field counts.
cat >a.jsonl <<'EOF'
{"id":"body","title":"other things","text":"a ferry, and another ferry","author":{"name":"Ann"}}
{"id":"title","title":"ferry","text":"of another thing and more","author":{"name":"Ben"}}
{"id":"none","title":"nothing","text":"nothing at all","author":{"name":"ferry"}}
EOF
settle
quiet bitsift index a.jsonl
# hits ARGUMENT...: shows the hits of a query; --brute must find the same.
hits() {
    show bitsift query --json "$@"
    bitsift query --json --brute "$@" | diff "$SCRATCH/.stdout" -
}
hits ferry
quiet bitsift index --rebuild --weight title=3 a.jsonl
hits ferry
hits title:ferry
od -A n -t x1 -j 36 -N 4 .bitsift/manifest
bitsift check | neutral -

echo '# scores as if the word occurred that often in the text, except for its length'
quiet bitsift index --rebuild --weight author.name=7 --weight title=100 --weight text=1 --weight title=3 a.jsonl
hits ferry
bitsift query --brute --json '"ferry"' | diff "$SCRATCH/.stdout" -
bitsift stats -v | grep -o 'weight .*'
bitsift stats --json | grep -o '"weight":[^]]*]'

echo '# the option is recorded'
quiet bitsift index
quiet bitsift index --weight title=3 --weight author.name=7
show bitsift index --weight title=4 --weight author.name=7
show bitsift index --weight title=3
echo '{"id":"new","title":"more of it","author":{"name":"ferry ferry"}}' >>a.jsonl
quiet bitsift index
once hits hits -n 1 ferry
quiet bitsift compact
once hits hits -n 1 ferry

echo '# invalid weights'
for weight in title title=0 title=101 title=1.5 =3 title=-1 title= title=0003; do
    fails bitsift index --index "$SCRATCH/no" --weight "$weight" a.jsonl
done

echo '# a field that no record has'
show bitsift index --rebuild -q --weight tittle=3 --weight title=2 --weight author=5 a.jsonl
show bitsift index -q --weight tittle=3 --weight title=2 --weight author=5
show bitsift index -q
