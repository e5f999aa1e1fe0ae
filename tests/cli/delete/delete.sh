# bitsift delete: by id and by query; deleted documents are not indexed again until they change.
mkdir d
for name in a b c e; do echo "cat $name" >d/$name.txt; done
printf '%s\n' '{"id":"a","text":"cat one"}' '{"id":"b","text":"cat two"}' '{"id":"a","text":"cat three"}' \
    '{"text":"cat four"}' >r.jsonl
settle
ids() { once ids finds cat; }
echo '{"id":"p","text":"cat from the pipe"}' | quiet bitsift index d r.jsonl -
ids
show bitsift delete d/b.txt b r.jsonl:4 nothing
ids
bitsift check | sed "s,\,.*,,"
echo '# a refresh does not restore deleted documents'
show bitsift index
ids
echo '# nor does it if the collection grows or is rewritten, or a file is touched'
echo '{"id":"z","text":"cat five"}' >>r.jsonl
touch d/b.txt
quiet bitsift index
ids
{ echo '{"id":"y","text":"cat zero"}'; cat r.jsonl; } >r.new
mv r.new r.jsonl
quiet bitsift index
ids
echo '# r.jsonl:4 is another record now; b and d/b.txt change, so they are indexed again'
echo 'cat b, changed' >d/b.txt
echo '{"id":"b","text":"cat two, changed"}' >>r.jsonl
quiet bitsift index
ids
echo '# a record that occurs twice: a is deleted, and a rebuild does not restore its earlier text'
show bitsift delete a
quiet bitsift index --rebuild
ids
echo '# a deletion ends when its file is gone: if the file returns, it is new'
show bitsift delete d/c.txt
mv d/c.txt c.txt
quiet bitsift index
mv c.txt d/c.txt
quiet bitsift index
ids
echo '# documents from standard input'
show bitsift delete p
echo '{"id":"p","text":"cat from the pipe"}' | quiet bitsift index -
finds pipe
echo '{"id":"p","text":"cat from the pipe, changed"}' | quiet bitsift index -
finds pipe
echo '# deleting by a query'
show bitsift delete --query 'cat changed'
ids
show bitsift delete --query --any 'zero five'
show bitsift delete --any --query 'zero five'
ids
bitsift check | sed "s,\,.*,,"
echo '# nothing to delete, not an index, and bad arguments'
show bitsift delete nothing
show bitsift delete --query nothing
show bitsift delete
show bitsift delete --query cat d/a.txt
show bitsift delete --query '"cat'
show bitsift delete --index nowhere a
show bitsift delete -q d/a.txt
show bitsift compact
show bitsift compact
ids
bitsift check | sed "s,\,.*,,"
echo '# an id that looks like the id of a line'
T='{"id":"l.jsonl:2","text":"cat T"}'
echo "$T" >l.jsonl
quiet bitsift index --index "$SCRATCH/lines" l.jsonl
show bitsift delete --index "$SCRATCH/lines" l.jsonl:2
echo '{"text":"cat new"}' >>l.jsonl
quiet bitsift index --index "$SCRATCH/lines"
finds --index "$SCRATCH/lines" cat
echo "$T" >>l.jsonl
quiet bitsift index --index "$SCRATCH/lines"
show bitsift query --index "$SCRATCH/lines" cat
echo '# standard input, and a rebuild with other options'
printf '%s\n' '{"id":"a","key":"K1","text":"cat"}' '{"id":"b","key":"K2","other":"cat"}' |
    quiet bitsift index --index "$SCRATCH/pipe" -
quiet bitsift index --index "$SCRATCH/pipe" --rebuild --id key
finds --index "$SCRATCH/pipe" cat
show bitsift index -q --index "$SCRATCH/pipe" --rebuild --text text
finds --index "$SCRATCH/pipe" cat
