# Feedback terms, which are added to a query: terms of its best documents (--feedback), or of a
# document that hits should resemble (--like).
cat >docs.jsonl <<'END'
{"id":"1","text":"ferry harbour lantern lantern keeper"}
{"id":"2","text":"ferry harbour lantern tide"}
{"id":"3","text":"lantern keeper tide"}
{"id":"4","text":"tide tables harbour"}
{"id":"5","text":"bread oven"}
{"id":"6","text":"ferry ticket oven"}
{"id":"7","text":"unique"}
END
quiet bitsift index docs.jsonl
show bitsift query --format '{rank} {id} {score}' ferry
show bitsift query --format '{rank} {id} {score}' --feedback=2 ferry
# learnt ARGUMENT...: prints the feedback terms, joined by OR.
learnt() {
    bitsift query --explain -n 0 "$@" 2>&1 >/dev/null | sed -n 's/^learnt: [^:]*: //p' | sed 's/ / OR /g'
}
# same ARGUMENT... -- QUERY WRITTEN: QUERY with these arguments must have the hits of WRITTEN, in
# which the feedback terms replace WORDS.
same() {
    local options=() words
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    words=$(learnt "${options[@]}" -- ${2:+"$2"})
    bitsift query --format '{rank} {id} {score}' -n 10000 "${options[@]}" -- ${2:+"$2"} >found
    bitsift query --format '{rank} {id} {score}' -n 10000 --brute "${options[@]}" -- ${2:+"$2"} >brute
    bitsift query --format '{rank} {id} {score}' -n 10000 -- "${3//WORDS/$words}" >written
    cmp found brute && cmp found written && wc -l <found
    [ "$(bitsift query --count "${options[@]}" -- ${2:+"$2"})" = "$(wc -l <found)" ] || echo 'another count'
}
show learnt --feedback=2 ferry
same --feedback=2 -- ferry '(ferry) OR WORDS'
same --feedback -- 'ferry harbour' '(ferry harbour) OR WORDS'
same --feedback -- 'ferry^3 -ticket' '(ferry^3 OR WORDS) -ticket'
same --feedback=1 -- '"lantern keeper" OR bread' '"lantern keeper" OR bread OR WORDS'
same --feedback --any --stop english -- 'the ferry' 'ferry OR WORDS'
echo '# many documents'
documents 3000 >many.jsonl
quiet bitsift index --index many many.jsonl
BITSIFT_INDEX=many same --feedback -- 'w17 w18 OR w19' '(w17 w18 OR w19) OR WORDS'
BITSIFT_INDEX=many same --feedback=3 -- 'hundred -w5' '(hundred OR WORDS) -w5'
echo '# --sort does not change which documents are the best'
cat >years.jsonl <<'END'
{"id":"1","text":"ferry ferry lantern","year":1990}
{"id":"2","text":"ferry tables bread","year":1980}
{"id":"3","text":"lantern","year":1970}
{"id":"4","text":"bread","year":1960}
END
quiet bitsift index --index years years.jsonl
BITSIFT_INDEX=years show bitsift query --format '{id}' --feedback=1 ferry
BITSIFT_INDEX=years show bitsift query --format '{id}' --feedback=1 --sort year ferry
echo '# an example document is no hit, and is not counted, in sorted order either'
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "{\"id\":\"%d\",\"n\":%d,\"text\":\"%s\"}\n", i, i % 100, i % 3 ? "bread" : "ferry" }' >n.jsonl
quiet bitsift index --index n n.jsonl
BITSIFT_INDEX=n finds --count --like 29997
n=$(BITSIFT_INDEX=n bitsift query --like 29997 --sort n -n 1 --stats 2>&1 >found | grep -oP '"hits":\K[0-9]+')
[ "$n" -le 10199 ] || echo "$n hits"
echo '# no feedback terms'
finds --count --feedback nothing
finds --count --feedback -- -ferry
finds --count --feedback unique
each fails bitsift query ferry :: --feedback=0 --feedback=x
show bitsift query --feedback --like 1 ferry
echo '# documents like a given one, which is not a hit'
show bitsift query --format '{rank} {id} {score}' --like 1
show learnt --like 1
finds --count --like 1
finds --like 1
finds --brute --like 1
finds --like 1 -- bread -tide
finds --brute --like 1 -- bread -tide
same --like 5 -- ferry '(ferry OR WORDS) -bread'
show bitsift query --like 7
show bitsift query --like 8
show bitsift query --like 1 --like 2
echo '# documents like a text'
printf 'The harbour, the\nlantern; HARBOUR' >text
show bitsift query --format '{rank} {id} {score}' --like-file text
show bitsift query --format '{rank} {id} {score}' --like-file - -n 1 <text
show bitsift query --like-file nowhere
show bitsift query --like-file /dev/null
show bitsift query --like-file - --batch - <text
show bitsift query --stop - --batch - <text
show bitsift query --stop - --stop - --any tide <text
echo '# files by their paths, with filters'
mkdir -p d/e
cp text d/a.txt
cp text d/e/b.txt
echo 'lantern' >d/e/c.md
quiet bitsift index d
finds --like d/a.txt --in d
finds --like d/a.txt -t md
(cd d && finds --like a.txt -g '*.txt')
echo '# a document that is newer than the index'
echo 'lantern harbour' >d/new.txt
echo 'lantern lantern' >d/a.txt
settle
finds --like d/new.txt --in d
finds --fresh --like d/new.txt --in d
finds --fresh --like d/a.txt --in d
