# --fresh: the answers reflect the current files, not the commit: new, changed, removed, appended
# and rewritten ones.
mkdir d
echo 'cat one' >d/a.txt
echo 'cat two' >d/b.txt
echo 'cat three' >d/c.txt
printf '%s\n' '{"id":"r1","text":"cat four"}' '{"id":"r2","text":"cat five"}' >r.jsonl
settle
cats() { once cats finds --fresh cat; }
echo '{"id":"p","text":"cat from the pipe"}' | quiet bitsift index d r.jsonl -
cats
echo '# changed, removed and new files; appended and replaced records'
echo 'dog two' >d/b.txt
rm d/c.txt
echo 'cat six' >d/0.txt
printf '%s\n' '{"id":"r1","text":"dog four"}' '{"id":"r3","text":"cat seven"}' >>r.jsonl
cats
finds --fresh --count cat
finds --fresh dog
finds --fresh -- -dog
finds --fresh --brute cat
show bitsift query --fresh -n 2 six
finds six
echo '# a batch; --fresh writes nothing to the index'
printf '%s\n' cat dog cat >queries
show bitsift query --fresh --count --batch queries
finds --count dog
echo '# after a refresh, the same without --fresh'
quiet bitsift index
finds cat
finds dog
echo '# a rewritten collection; a folder that became a file; deleted documents return only when they change'
quiet bitsift index
show bitsift delete d/a.txt r3
cats
printf '%s\n' '{"id":"r3","text":"cat seven"}' '{"id":"r4","text":"cat eight"}' >r.jsonl
cats
echo 'cat one, again' >d/a.txt
cats
rm -r d
echo 'cat nine' >d
cats
echo '# a source that is gone, and an invalid record'
rm d
echo 'no json' >>r.jsonl
cats
echo '# a field that only new records have'
echo '{"id":"a","t":"hello"}' >f.jsonl
quiet bitsift index --index "$SCRATCH/fields" f.jsonl
echo '{"id":"b","title":"zebra hello"}' >>f.jsonl
finds --index "$SCRATCH/fields" --fresh title:zebra
finds --index "$SCRATCH/fields" --fresh -- hello -title:zebra
echo '# sources inside a source, once the rules no longer leave them out of it'
mkdir -p n/sub/in
for file in n/a n/one n/sub/b n/sub/in/c; do echo cat >$file; done
printf 'sub\none\n' >n/.ignore
echo in >n/sub/.ignore
quiet bitsift index --index nested n n/sub n/sub/in n/one
for rules in n/sub/.ignore n/.ignore; do
    rm $rules
    finds --index nested --fresh cat
done
echo '# a file that became a folder takes in a source that is now inside it'
echo cat >m
echo cat >z
quiet bitsift index --index became m z
rm m
mkdir m
echo cat >m/x
echo cat >m/y
quiet bitsift index --index became m/x
finds --index became --fresh cat
