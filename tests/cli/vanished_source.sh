# A recorded source that is gone: named, the others go on, and it is read again when it comes back.
set -eu
. "$LIB"
mkdir d e
echo 'cat' >d/a.txt
echo 'cat' >e/b.txt
echo '{"id":"r","text":"cat"}' >r.jsonl
settle
quiet bitsift index d e r.jsonl
mv d elsewhere
mv r.jsonl r.old
show bitsift index
show bitsift query --ids cat
mv elsewhere d
mv r.old r.jsonl
show bitsift index -q
show bitsift query --ids cat
echo '# a folder that became a file'
rm -r e
echo 'cat' >e
show bitsift index -q
show bitsift query --ids cat
echo '# none left: the index stays'
mkdir away
mv d e r.jsonl away
show bitsift index
mv away/* .
show bitsift index -q
show bitsift query --ids cat
