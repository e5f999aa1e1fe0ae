# Indexes of grams, of words, and of both.
mkdir d
echo 'struct page *page;' >d/a.c
printf 'a binary\0 file' >d/b.bin
printf '\377\376a\0b\0c\0d\0' >d/utf16.txt
: >d/empty
echo '{"id":"r", "text":"page"}' >c.jsonl
bitsift index -q --index grams --grams d c.jsonl
bitsift index -q --index words --words d c.jsonl
bitsift index -q --index both d c.jsonl
for index in grams words both; do
    bitsift check --index "$index" | sed 's/, [0-9.]* KiB.*//'
    bitsift stats -v --index "$index" | grep '^options'
    bitsift stats --index "$index" --json | grep -o '"gram_shards":\[[^]]' || true
done
show bitsift query --index grams page
finds --index both page
show bitsift index -q --index both --words
# Removed, changed and new files.
rm d/a.c
echo more >>d/b.bin
echo 'struct folio *folio;' >d/c.c
bitsift index -q --index grams
bitsift check --index grams | sed 's/, [0-9.]* KiB.*//'
bitsift compact -q --index grams
bitsift check --index grams | sed 's/, [0-9.]* KiB.*//'
