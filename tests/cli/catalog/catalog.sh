# Catalogs: several indexes are queried as one; indexes that cannot have a hit are not opened.
export XDG_CONFIG_HOME=$SCRATCH/config
# asked COMMAND...: prints the object "catalog" of the command's statistics.
asked() {
    local stats=--stats
    [ "$2" != grep ] || stats=--stats=json
    "$@" $stats 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
}
mkdir notes mail code
echo 'the ferry leaves at noon' >notes/ferry.txt
printf 'a letter\nabout the ferry, and the ferry\n' >notes/letter.txt
printf '%s\n' '{"id":"m1","title":"timetable","year":1999,"text":"the ferry timetable"}' \
    '{"id":"m2","title":"lunch","year":2004,"text":"noon is late"}' >mail/mail.jsonl
printf 'int ferry_open(void);\nint noon;\n' >code/ferry.h
settle
(cd notes && quiet bitsift index .)
(cd mail && quiet bitsift index mail.jsonl)
(cd code && quiet bitsift index .)
echo '# adding and listing indexes'
show bitsift catalog list
show bitsift catalog add notes mail
show bitsift catalog add --name sources code/.bitsift
bitsift catalog list | sed -E 's/  [0-9]+ B  /  N B  /' | neutral -
show bitsift catalog check
show bitsift catalog add --name notes code
show bitsift catalog add --name a:b code
show bitsift catalog add nowhere
mkdir unindexed
show bitsift catalog add unindexed
show bitsift catalog add --name x notes mail
echo '# one that cannot be added does not keep the others from being added'
show bitsift catalog --catalog some.catalog add notes unindexed nowhere mail
bitsift catalog --catalog some.catalog list | cut -d' ' -f1
show bitsift catalog
show bitsift catalog frobnicate
show bitsift catalog list notes
echo '# word queries'
show bitsift query --catalog ferry
finds --catalog ferry
finds --catalog --offset 2 ferry
finds --catalog --count ferry noon
show bitsift query --catalog --json -n 1 title:timetable
show bitsift query --catalog --format '{index} {id} {path} {line}' noon
show bitsift query --catalog --format trec noon
finds --catalog --count 'year:..2000 OR name:letter'
show bitsift query --catalog --sort year:desc noon
finds --catalog 'title:lunch -title:timetable'
show bitsift query --catalog albatross
finds --catalog --brute --count albatross
printf 'ferry\nnoon\nalbatross\n' >queries
show bitsift query --catalog --count --batch queries
show bitsift query --catalog --strict-query 'noon or ferry'
each asked bitsift query --catalog :: ferry ferry_open albatross 'ferry_o*'
asked bitsift query --catalog letter OR lunch
echo '# options that exclude each other'
show bitsift query --catalog --index notes/.bitsift ferry
echo '# feedback terms of the best documents of all indexes, and documents like one of an index'
bitsift query --catalog --explain --feedback=2 timetable 2>&1 | grep -E '^(learnt|[a-z]+:$|.*  [0-9.]+  )'
finds --catalog --count --feedback leaves
finds --catalog --in notes --feedback timetable
show bitsift query --catalog --like notes:ferry.txt
finds --catalog --like mail:m1
finds --catalog --like m2
finds --catalog --like notes/letter.txt
finds --catalog --like nobody
finds --catalog --like mail:ferry.txt
printf 'at noon, a letter\n' >text
finds --catalog --like-file text
asked bitsift query --catalog --feedback ferry
show bitsift query --partial ferry
show bitsift query --format '{index}' ferry
echo '# lines of grep'
show bitsift grep --catalog ferry
show bitsift grep --catalog -n -A1 'ferry_open|letter'
listed bitsift grep --catalog -c noon
show bitsift grep --catalog albatross
show bitsift grep --catalog -q noon
listed bitsift grep --catalog -l --hidden noon
listed bitsift grep --catalog --files -t h
asked bitsift grep --catalog ferry_open
asked bitsift grep --catalog -v ferry_open
asked bitsift grep --catalog --and noon ferry
(cd code && show bitsift grep --catalog ferry | neutral -)
show bitsift grep --catalog ferry notes
show bitsift grep --catalog --index notes/.bitsift ferry
echo '# pages of lines over all indexes'
show bitsift grep --catalog --max-results 1 ferry
show bitsift grep --catalog --max-results 2 --after notes:notes/ferry.txt:1 ferry
show bitsift grep --catalog --max-results 2 --after mail:mail/mail.jsonl:1 ferry
listed bitsift grep --catalog -l --max-results 3 noon
listed bitsift grep --catalog -l --max-results 3 --after notes:notes/ferry.txt:0 noon
show bitsift grep --catalog --max-results 3 albatross
bitsift grep --catalog --json --max-results 2 ferry | grep -o '"results":.*"stats"'
show bitsift grep --catalog --after notes/ferry.txt:1 ferry
show bitsift grep --catalog --after notes:elsewhere.txt:1 ferry
echo '# limits for the whole search'
show bitsift query --catalog --time-limit 0.001us ferry
finds --catalog --time-limit 0.001us --count ferry
finds --catalog --time-limit 10m --memory 100M --count ferry
finds --catalog --memory 1 --count ferry
show bitsift grep --catalog --time-limit 0.001us ferry
listed bitsift grep --catalog --time-limit 10m -c ferry
show bitsift grep --partial ferry
echo '# text that indexes do not have: raw lines of records, hidden files that a type or a rule adds'
show bitsift grep --catalog '"id":"m2"'
mkdir hidden
echo 'a quagga' >hidden/.q.c
echo '!.q.c' >rules
(cd hidden && quiet bitsift index .)
bitsift catalog --catalog hidden.catalog add hidden
show bitsift grep --catalog=hidden.catalog quagga
show bitsift grep --catalog=hidden.catalog -t c quagga
show bitsift grep --catalog=hidden.catalog --ignore-file rules quagga
mkdir odd coded narrow large rows
printf 'a quoll\nmore\0and a quetzal\n' >odd/nul.dat
printf '\377\376q\0u\0a\0i\0l\0' >odd/utf16.txt
echo 'a numbat' | gzip -n >coded/plain.gz
printf 'un caf\351\n' >coded/latin.txt
echo 'a quokka' >narrow/a.c
echo 'a wombat among many words' >large/a.txt
printf '%s\n' '{"id":"r1","text":"a dingo"}' '{"id":"r2","text":"a koala"}' >rows/r.jsonl
(cd odd && quiet bitsift index .)
(cd coded && quiet bitsift index .)
(cd narrow && quiet bitsift index -g '*.txt' .)
(cd large && quiet bitsift index -q --max-document 10 .)
(cd rows && quiet bitsift index -q --max-document 40 .)
bitsift catalog --catalog odd.catalog add odd coded narrow large rows
for pattern in '"id":"r2"' quoll quetzal quail quokka wombat numbat '-a quetzal' '-z numbat' '-l quokka' '--files-without-match quokka' '-c --include-zero numbat' '-E latin1 café' '--pre cat numbat' \
    '--passthru numbat'; do
    # shellcheck disable=SC2086
    bitsift grep --catalog=odd.catalog $pattern >of_catalog || true
    # shellcheck disable=SC2086
    bitsift grep $pattern odd coded narrow large rows >of_folders || true
    cmp of_catalog of_folders && echo "$pattern: $(grep -c . <of_catalog)"
done
asked bitsift grep --catalog=odd.catalog numbat
echo '# an index that changes'
echo 'an albatross' >code/bird.txt
(cd code && quiet bitsift index .)
bitsift catalog list | grep -c changed
finds --catalog albatross
show bitsift grep --catalog albatross
bitsift catalog list | grep -c changed || true
show bitsift catalog refresh
echo '# an index that cannot be reached'
mv mail away
show bitsift query --catalog ferry
finds --catalog --partial ferry
show bitsift query --catalog --partial albatross
show bitsift grep --catalog noon
show bitsift grep --catalog --partial noon
show bitsift catalog refresh
asked bitsift query --catalog --partial ferry
mv away mail
echo '# --in with folders of several indexes'
finds --catalog --in notes --in code/bird.txt 'ferry OR albatross'
asked bitsift query --catalog --in notes ferry
finds --catalog --count --in notes unicorn
finds --catalog --count --in notes --in nowhere ferry
finds --catalog --count --in nowhere unicorn
echo '# words and field names that are not ASCII, a field of no index, one explanation for all indexes'
finds --catalog --count 'café OR ferry'
finds --catalog --count 'prénom:ferry'
show bitsift query --catalog --sort nobody unicorn
bitsift query --catalog --kernel nobody ferry 2>&1 | sed 's/;.*//'
bitsift query --catalog --explain ferry 2>&1 | grep -c '^normal form'
echo '# no such catalog'
show bitsift query --catalog=nobody ferry
show bitsift grep --catalog=nobody ferry
show bitsift catalog --catalog nobody check
show bitsift catalog --catalog nobody --catalog nobody has ferry
echo '# `has`: which indexes may have a word, without opening them'
show bitsift catalog has ferry noon
show bitsift catalog has Albatross
show bitsift catalog has unicorn
echo '# export and import'
show bitsift catalog export all.catalog
show bitsift catalog export all.catalog
show bitsift catalog --catalog theirs import all.catalog
bitsift catalog --catalog theirs list | sed -E 's/  [0-9]+ B  /  N B  /' | neutral -
show bitsift catalog --catalog theirs --catalog all.catalog has letter
show bitsift catalog remove notes ./code
show bitsift catalog remove notes
echo '# importing again changes nothing; files next to the catalog are left alone'
echo mine >theirs.new
echo mine >theirs.lock
bitsift catalog --catalog theirs import all.catalog
bitsift catalog --catalog theirs list | sed 's/  .*//'
cat theirs.new theirs.lock
finds --catalog ferry
printf 'x' | dd of=theirs bs=1 seek=200 conv=notrunc status=none
quiet bitsift catalog --catalog theirs check
echo '# a catalog that is a symlink'
ln -s "$XDG_CONFIG_HOME/bitsift/catalog" link
show bitsift catalog --catalog link add code
readlink link | neutral -
finds --catalog noon
bitsift catalog remove code
echo '# an index with another stemmer'
mkdir stems
echo 'ferries leave' >stems/a.txt
(cd stems && quiet bitsift index --stem english .)
show bitsift catalog add stems
show bitsift query --catalog ferries
show bitsift catalog has ferries
show bitsift catalog has ferry
finds --catalog ferry
echo '# --fresh over a catalog, compared with one index of all sources'
mkdir -p fresh/a fresh/b
echo 'an old heron' >fresh/a/old.txt
echo 'a heron that goes' >fresh/a/gone.txt
echo 'a stork' >fresh/b/stork.txt
echo '{"id":"r1","text":"a heron"}' >fresh/b/r.jsonl
(cd fresh && quiet bitsift index --index ../all.index a b)
(cd fresh/a && quiet bitsift index .)
(cd fresh/b && quiet bitsift index .)
show bitsift catalog --catalog both add fresh/a fresh/b
rm fresh/a/gone.txt
echo 'a new heron and an ibis' >fresh/a/new.txt
echo 'a stork and a heron' >fresh/b/stork.txt
echo '{"id":"r2","place":"nest","year":2020,"text":"an egret"}' >>fresh/b/r.jsonl
for query in heron ibis 'heron OR stork' 'place:nest egret' 'year:2019..2021' 'NOT heron' 'her* ibis~1'; do
    show bitsift query --catalog=both --format '{score} {path}' "$query"
    (cd fresh && bitsift query --index ../all.index --fresh --format '{score} {path}' "$query" | sed 's: : fresh/:') >of-one
    bitsift query --catalog=both --fresh --format '{score} {path}' "$query" >of-two
    cat of-two
    diff of-one of-two || true
    bitsift query --catalog=both --fresh --count "$query"
done
show bitsift query --catalog=both --fresh --sort year heron OR egret
asked bitsift query --catalog=both --fresh ibis
mv fresh/a/new.txt fresh/a/newer.txt
finds --catalog=both --fresh ibis
echo '# a source outside of the folder, which this user did not name, is not searched'
mkdir -p here secret
echo 'a quetzal' >secret/s.txt
(cd here && quiet bitsift index ../secret)
show bitsift catalog --catalog one add here
show bitsift grep --catalog=one quetzal
export XDG_STATE_HOME=$SCRATCH/another
show bitsift grep --catalog=one quetzal
show bitsift query --catalog=one quetzal
show bitsift query --catalog=one --fresh quetzal
echo '# more indexes than the limit of open files'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    mkdir -p "many/$i"
    echo "a narwhal $i" >"many/$i/a"
done
for dir in many/*; do
    bitsift index -q --index "$dir/.bitsift" "$dir"
done
bitsift catalog --catalog many.catalog add many/*
(ulimit -n 40 && bitsift query --catalog=many.catalog -n 1 narwhal | sed 's/ .*//')
