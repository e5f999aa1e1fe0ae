# Catalogs: several indexes asked as one; those that cannot have an answer are not opened.
set -eu
. "$LIB"
export XDG_CONFIG_HOME=$SCRATCH/config
# What a line of statistics says of the catalog.
asked() {
    "$@" --stats 2>&1 >/dev/null | neutral - | sed 's/.*"catalog"://; s/}}$/}/'
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
echo '# which indexes'
show bitsift catalog list
show bitsift catalog add notes mail
show bitsift catalog add --name sources code/.bitsift
bitsift catalog list | sed -E 's/  [0-9]+ B  /  N B  /' | neutral -
show bitsift catalog check
show bitsift catalog add --name notes code
show bitsift catalog add --name a:b code
show bitsift catalog add nowhere
show bitsift catalog add --name x notes mail
show bitsift catalog
show bitsift catalog frobnicate
show bitsift catalog list notes
echo '# words'
show bitsift query --catalog ferry
show bitsift query --catalog --ids ferry
show bitsift query --catalog --ids --offset 2 ferry
show bitsift query --catalog --count ferry noon
show bitsift query --catalog --json -n 1 title:timetable
show bitsift query --catalog --format '{index} {id} {path} {line}' noon
show bitsift query --catalog --format trec noon
show bitsift query --catalog --count 'year:..2000 OR name:letter'
show bitsift query --catalog --sort year:desc noon
show bitsift query --catalog --ids 'title:lunch -title:timetable'
show bitsift query --catalog albatross
show bitsift query --catalog --brute --count albatross
printf 'ferry\nnoon\nalbatross\n' >queries
show bitsift query --catalog --count --batch queries
show bitsift query --catalog --strict-query 'noon or ferry'
asked bitsift query --catalog ferry
asked bitsift query --catalog ferry_open
asked bitsift query --catalog albatross
asked bitsift query --catalog 'ferry_o*'
asked bitsift query --catalog letter OR lunch
echo '# what does not go together'
for option in --fresh --feedback '--like notes/ferry.txt' '--index notes/.bitsift'; do
    # shellcheck disable=SC2086
    show bitsift query --catalog $option ferry
done
show bitsift query --partial ferry
show bitsift query --format '{index}' ferry
echo '# lines'
show bitsift grep --catalog ferry
show bitsift grep --catalog -n -A1 'ferry_open|letter'
show bitsift grep --catalog -c noon
show bitsift grep --catalog albatross
show bitsift grep --catalog -q noon
show bitsift grep --catalog -l --hidden noon
show bitsift grep --catalog --files -t h
asked bitsift grep --catalog ferry_open
asked bitsift grep --catalog -v ferry_open
asked bitsift grep --catalog --and noon ferry
(cd code && show bitsift grep --catalog ferry | neutral -)
show bitsift grep --catalog ferry notes
show bitsift grep --catalog --index notes/.bitsift ferry
show bitsift grep --catalog --max-results 1 ferry
show bitsift grep --partial ferry
echo '# an index that changes'
echo 'an albatross' >code/bird.txt
settle
(cd code && quiet bitsift index .)
bitsift catalog list | grep -c changed
show bitsift query --catalog --ids albatross
show bitsift grep --catalog albatross
bitsift catalog list | grep -c changed || true
show bitsift catalog refresh
echo '# one that cannot be reached'
mv mail away
show bitsift query --catalog ferry
show bitsift query --catalog --partial --ids ferry
show bitsift query --catalog --partial albatross
show bitsift grep --catalog noon
show bitsift grep --catalog --partial noon
show bitsift catalog refresh
asked bitsift query --catalog --partial ferry
mv away mail
echo '# without opening one'
show bitsift catalog has ferry noon
show bitsift catalog has Albatross
show bitsift catalog has unicorn
echo '# handed on'
show bitsift catalog export all.catalog
show bitsift catalog export all.catalog
show bitsift catalog --catalog theirs import all.catalog
bitsift catalog --catalog theirs list | sed -E 's/  [0-9]+ B  /  N B  /' | neutral -
show bitsift catalog --catalog theirs --catalog all.catalog has letter
show bitsift catalog remove notes code
show bitsift catalog remove notes
show bitsift query --catalog --ids ferry
printf 'x' | dd of=theirs bs=1 seek=200 conv=notrunc status=none
quiet bitsift catalog --catalog theirs check
echo '# words that are cut otherwise'
mkdir stems
echo 'ferries leave' >stems/a.txt
settle
(cd stems && quiet bitsift index --stem english .)
show bitsift catalog add stems
show bitsift query --catalog ferries
show bitsift query --catalog --ids ferry
echo '# a source that lies elsewhere, and that this user never named, is not searched'
mkdir -p here secret
echo 'a quetzal' >secret/s.txt
settle
(cd here && quiet bitsift index ../secret)
show bitsift catalog --catalog one add here
show bitsift grep --catalog=one quetzal
export XDG_STATE_HOME=$SCRATCH/another
show bitsift grep --catalog=one quetzal
show bitsift query --catalog=one quetzal
