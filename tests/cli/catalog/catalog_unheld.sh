# grep over a catalog reads files that its indexes do not cover: collections that are sources (an
# index of collections alone has no grams), and files that were deleted by id but still exist.
export XDG_CONFIG_HOME=$SCRATCH/config
mkdir alone both folder kept
printf '%s\n' '{"id":"1","text":"hello, world!"}' '{"id":"2","text":"two"}' | tee alone/m.jsonl both/m.jsonl folder/m.jsonl >kept/m.jsonl
echo 'plain; text' >both/p.txt
settle
(cd alone && quiet bitsift index m.jsonl)
(cd both && quiet bitsift index m.jsonl p.txt)
quiet bitsift index folder --index folder/.bitsift
(cd kept && quiet bitsift index --grams --words m.jsonl)
show bitsift catalog add alone both folder kept
for pattern in hello 'hello, w' '"text":"two"' 'in; none'; do
    listed bitsift grep --catalog -c "$pattern"
    bitsift grep --catalog -c "$pattern" --stats=json 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
done
echo '# after changes of the sources'
(cd alone && echo 'now; files' >f.txt && quiet bitsift index f.txt)
(cd both && printf '%s\n' '{"id":"1","text":"changed, all of it"}' >m.jsonl && quiet bitsift index)
(cd folder && rm m.jsonl && quiet bitsift index)
(cd kept && bitsift check | neutral -)
for pattern in 'hello, w' 'changed, a' 'in; none'; do
    listed bitsift grep --catalog -c "$pattern"
    bitsift grep --catalog -c "$pattern" --stats=json 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
done
for index in alone both folder kept; do
    (cd "$index" && bitsift check | neutral -)
done
echo '# deleted by id'
mkdir deleted
echo 'deleted; but there' >deleted/d.txt
echo 'stays; file' >deleted/s.txt
quiet bitsift index deleted --index deleted/.bitsift
show bitsift catalog add deleted
for i in 1 2 3; do
    listed bitsift grep --catalog -c 'deleted; b'
    case $i in
    1) quiet bitsift delete --index deleted/.bitsift deleted/d.txt ;;
    2) (cd deleted && quiet bitsift compact) ;;
    esac
done
bitsift grep --catalog -c 'stays; not' --stats=json 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
echo 'changed; again' >deleted/d.txt
(cd deleted && quiet bitsift index && bitsift check | neutral -)
bitsift grep --catalog -c 'stays; not' --stats=json 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
echo '# text before a NUL byte'
mkdir binary
printf 'text before; that is long\0and after' >binary/a.dat
printf 'z; w\0' >binary/b.dat
(cd binary && quiet bitsift index a.dat b.dat)
show bitsift catalog add binary
each listed bitsift grep --catalog -c :: 'before; that' 'text before; that is long' \
    'text before; that is longer'
bitsift grep --catalog -c 'text before; that is longer' --stats=json 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
