# A collection that was rewritten after it was indexed: records are found by their ids at their new
# places.
printf '%s\n' '{"id":"a","text":"cat one"}' '{"id":"b","text":"cat two"}' '{"id":"c","text":"cat three"}' \
    '{"text":"cat four"}' >c.jsonl
quiet bitsift index c.jsonl
show bitsift query --ids cat
echo '# moved, changed, gone, new'
printf '%s\n' '{"id":"new","text":"cat in front, and long enough to move everything that follows"}' \
    '{"id":"c","text":"cat three"}' '{"id":"b","text":"dog"}' '{"text":"cat four"}' '{"id":"a","text":"a cat, one"}' \
    >c.jsonl
show bitsift query --ids cat
show bitsift query cat
show bitsift query --count two
show bitsift query --count --brute cat
echo '# appended to'
quiet bitsift index
echo '{"id":"late","text":"cat"}' >>c.jsonl
show bitsift query --ids cat
echo '# an id that comes again: its last record counts'
echo '{"id":"a","text":"mouse"}' >>c.jsonl
show bitsift query --ids cat
show bitsift query --ids one
echo '# cut short within a record; no longer JSON; gone'
truncate -s 100 c.jsonl
show bitsift query --ids cat
echo 'nothing that is a record' >c.jsonl
show bitsift query --ids cat
rm c.jsonl
show bitsift query --ids cat
echo '# stored text does not care'
echo '{"id":"s","text":"cat from the pipe"}' | quiet bitsift index --index "$SCRATCH/ix" -
show bitsift query --index "$SCRATCH/ix" cat
echo '# back again'
printf '%s\n' '{"id":"a","text":"cat one"}' >c.jsonl
quiet bitsift index
show bitsift query --ids cat
