# The query language by example, on the sample corpus; and how arguments become one query.
copy_sample sample
cd sample
quiet bitsift index -g '!README.md' .
count() {
    printf '%s -> %s\n' "$*" "$(bitsift query --count "$@" 2>"$SCRATCH/.stderr")"
    sed 's/^/! /' "$SCRATCH/.stderr"
}
count lantern
count 'lantern -ferry'
count 'lantern NOT ferry'
count lantern NOT ferry
count -- lantern -ferry
count -- -lantern
count '"cold harbour"'
count '"blue whale song"'
count 'blue whale song'
count blue whale song
count blue AND whale AND song
count blue OR whale OR song
count --any blue whale song
count '"copper marble"~5'
count '"copper marble"~1'
count 'copper marble'
count inter
count 'inter*'
count habour
count 'habour~1'
count 'habour~2'
finds '(anchor OR buoy) compass'
finds 'anchor OR buoy compass'
show bitsift query gondola
count strasse
finds nora@kestrelbay.example
count 図書館
count 图书馆
count 圖書館
count コーヒー
finds nguyễn
finds 'herring (pie OR soup) -cream'
show bitsift query -n 2 bloom filter
count Lantern
count LANTERN
count and
count 'lantern and'
count "don't"
quiet bitsift index --index "$SCRATCH/notes" notes.jsonl
finds --index "$SCRATCH/notes" title:ferry
finds --index "$SCRATCH/notes" --count ferry
show bitsift query --index "$SCRATCH/notes" rope
