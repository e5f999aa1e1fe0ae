# Anonymous memory of `bitsift index` and `compact` is at most --memory plus 128 MiB on two threads
# for data other than text: many distinct words, ids of records that are all read again, names of
# files in one folder, names of skipped files, trigrams. Data beyond --memory is in temporary files;
# the answers equal those of a run with more memory. `bitsift check` makes the summary again, in
# memory, and compares it with the summary of the index.
sound() {
    bitsift check --index "$1" | sed 's/ in .*//'
}

echo '# words that are nearly all distinct'
mkdir words
awk 'BEGIN {
    x = 1
    for (i = 0; i < 50; i++) {
        name = "words/" i ".txt"
        for (j = 0; j < 100000; j++) {
            x = (x * 16807) % 2147483647
            printf "%x_%c ", x, 97 + j % 8 >name
        }
        close(name)
    }
}'
settle
within RssAnon 144 bitsift index --index words.index --memory 16M -j 2 -q words
sound words.index
echo 'needle and thread' >words/0.txt
within RssAnon 144 bitsift index --index words.index --memory 16M -j 2 -q
bitsift query --index words.index --ids thread
within RssAnon 144 bitsift compact --index words.index --memory 16M -j 2 -q
sound words.index
within RssAnon 144 bitsift index --index words.index --memory 16M -j 2 -q --rebuild
sound words.index
rm -r words words.index

echo '# ids of a collection that is read again completely'
seq 1000000 | awk '{ print "{\"id\":\"record-" $1 "\",\"text\":\"hay\"}" }' >ids.jsonl
within RssAnon 144 bitsift index --index ids.index --memory 16M -j 2 -q ids.jsonl
{ echo '{"id":"first","text":"needle"}'; cat ids.jsonl; } >longer.jsonl
mv longer.jsonl ids.jsonl
within RssAnon 144 bitsift index --index ids.index --memory 16M -j 2 -q
bitsift query --index ids.index --ids needle
bitsift query --index ids.index --count hay
bitsift delete --index ids.index -q record-77 || true
within RssAnon 144 bitsift compact --index ids.index --memory 16M -j 2 -q
bitsift query --index ids.index --count hay
sound ids.index
rm -r ids.index ids.jsonl

echo '# names of files'
mkdir names
(cd names && seq -f 'a-name-that-is-long-enough-to-count-for-something-%06.0f.bin' 60000 | xargs touch)
printf '\0needle' | tee names/a-name-that-is-long-enough-to-count-for-something-000001.bin >names/binary
within RssAnon 144 bitsift index --index names.index --memory 16M -j 2 -q names
echo hay >names/hay
within RssAnon 144 bitsift index --index names.index --memory 16M -j 2 -q
bitsift query --index names.index --ids hay
bitsift grep --index names.index -c -a needle names/binary
rm -r names names.index

echo '# trigrams'
mkdir bytes
for i in $(seq 12); do
    awk -v i="$i" 'BEGIN { x = i; for (j = 0; j < 250000; j++) { x = (x * 16807) % 2147483647; printf "%c%c%c", x % 95 + 32, int(x / 95) % 95 + 32, int(x / 9025) % 95 + 32 } }' >"bytes/$i"
done
for jobs in 1 2; do
    within RssAnon 192 bitsift index --index "bytes$jobs" --memory 64M -j "$jobs" -q bytes
done
cmp bytes1/seg-000001 bytes2/seg-000001
sound bytes1
