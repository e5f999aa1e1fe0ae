# bitsift compact makes one segment without deleted documents, and answers stay the same. A document
# whose file has changed since it was indexed is not moved.
mkdir d
for i in 1 2 3; do echo "cat $i" >d/$i.txt; done
settle
echo '{"id":"p","text":"cat from the pipe"}' | quiet bitsift index d -
echo '{"id":"q","text":"cat from the pipe, too"}' | quiet bitsift index -
echo 'dog 2' >d/2.txt
rm d/3.txt
quiet bitsift index
finds cat
show bitsift compact
each finds :: cat pipe dog
bitsift check | sed "s,\,.*,,"
show bitsift compact
echo '# a document that has changed since is not moved'
echo 'cat 4' >d/4.txt
quiet bitsift index
echo 'mouse 1' >d/1.txt
show bitsift compact
finds cat
finds mouse
quiet bitsift index
finds mouse
show bitsift compact
bitsift check | sed "s,\,.*,,"
echo '# invalid arguments'
show bitsift compact --index nowhere
show bitsift compact d
ls
echo '# a field that only deleted documents had remains a field'
printf '%s\n' '{"id":"a","t":"my title zebra here"}' '{"id":"b","title":"zebra"}' '{"id":"c","t":"x"}' >f.jsonl
quiet bitsift index --index "$SCRATCH/fields" f.jsonl
show bitsift delete --index "$SCRATCH/fields" b
finds --index "$SCRATCH/fields" title:zebra
show bitsift compact --index "$SCRATCH/fields"
finds --index "$SCRATCH/fields" title:zebra
