# A collection that was rewritten after it was indexed: records are found by their ids at their new
# places.
ids() { once ids finds cat; }
printf '%s\n' '{"id":"a","text":"cat one"}' '{"id":"b","text":"cat two"}' '{"id":"c","text":"cat three"}' \
    '{"text":"cat four"}' >c.jsonl
quiet bitsift index c.jsonl
ids
echo '# records moved, changed, removed and added'
printf '%s\n' '{"id":"new","text":"cat in front, and long enough to move everything that follows"}' \
    '{"id":"c","text":"cat three"}' '{"id":"b","text":"dog"}' '{"text":"cat four"}' '{"id":"a","text":"a cat, one"}' \
    >c.jsonl
ids
show bitsift query cat
finds --count two
finds --count --brute cat
echo '# appended to'
quiet bitsift index
echo '{"id":"late","text":"cat"}' >>c.jsonl
ids
echo '# a repeated id: the last record with it counts'
echo '{"id":"a","text":"mouse"}' >>c.jsonl
ids
finds one
echo '# truncated within a record; no longer JSON; removed'
truncate -s 100 c.jsonl
ids
echo 'nothing that is a record' >c.jsonl
ids
rm c.jsonl
ids
echo '# stored text does not depend on the source'
echo '{"id":"s","text":"cat from the pipe"}' | quiet bitsift index --index "$SCRATCH/ix" -
show bitsift query --index "$SCRATCH/ix" cat
echo '# the collection returns'
printf '%s\n' '{"id":"a","text":"cat one"}' >c.jsonl
quiet bitsift index
ids
