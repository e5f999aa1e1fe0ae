# Runs every command, like a new user.
mkdir notes
echo 'a bloom filter answers: not there, or perhaps' >notes/filter.md
echo 'an inverted index lists documents' >notes/index.md
printf '%s\n' '{"id":"r1","title":"Filters","text":"bits that sift"}' '{"id":"r2","text":"bits again"}' >records.jsonl
quiet bitsift index notes records.jsonl
finds bits OR filter
finds --count title:filters
show bitsift grep -n 'bits|not there' notes records.jsonl
quiet bitsift delete r2
finds bits
quiet bitsift compact
quiet bitsift check
bitsift stats | sed -n '1p' | neutral - | sed 's/,.*//'
quiet bitsift trust --list
quiet bitsift catalog add .
finds --catalog inverted
quiet bitsift help query
quiet bitsift --version
