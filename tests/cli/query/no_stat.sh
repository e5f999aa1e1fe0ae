# query --no-stat, collections that grew, and files as recent as the run.
mkdir d
for name in a b c e; do echo "cat $name and a dog" >d/$name.txt; done
printf '%s\n' '{"id":"r1","text":"cat one"}' '{"id":"r2","text":"cat two"}' '{"text":"cat three"}' >r.jsonl
echo '# a run waits until the files that it read are old enough, so that the next run need not read them again'
show bitsift index d r.jsonl
show bitsift index
echo '# --no-stat trusts the index: missing and changed files are hits if their text is not read'
rm d/a.txt
echo 'bird' >d/b.txt
finds --count cat
finds --no-stat --count cat
finds --no-stat 'cat dog'
finds --no-stat 'cat -e'
finds --no-stat --count '"and a dog"'
echo '# shown text is the current one: "changed" marks it, and missing files have none'
show bitsift query --no-stat --json -n 2 'dog -e' | sed 's/,"passages":\[[^]]*\]//'
show bitsift query --no-stat -n 2 'dog -e'
show bitsift query --fresh --no-stat cat
echo '# a source that is not reachable'
mv d d.away
finds --no-stat --count dog
finds --no-stat dog
mv d.away d
echo '# a collection that grew answers as it was indexed, except for repeated ids'
printf '%s\n' '{"id":"r4","text":"cat four"}' >>r.jsonl
finds --in r.jsonl cat
finds --in r.jsonl --count cat
finds --no-stat --in r.jsonl --count cat
show bitsift query --in r.jsonl --json one | sed 's/,"passages":\[[^]]*\]//'
printf '%s\n' '{"id":"r1","text":"dog one"}' '{"id":"r2","text":"cat two again"}' >>r.jsonl
finds --in r.jsonl cat
finds --in r.jsonl --brute cat
finds --in r.jsonl --count cat
show bitsift query --in r.jsonl again
show bitsift query --in r.jsonl two
echo '# if its beginning changed, it is read again'
sed -i 's/cat three/cat THREE again/' r.jsonl
each finds --in r.jsonl :: 'cat again' 'cat three' one
