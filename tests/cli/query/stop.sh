# Stop words.
cat >docs.jsonl <<'END'
{"id":"1","text":"the cat is on the mat"}
{"id":"2","text":"cats and dogs"}
{"id":"3","text":"the the the the the"}
{"id":"4","text":"to be or not to be"}
{"id":"5","text":"a mat"}
{"id":"6","text":"ands of time"}
END
quiet bitsift index --stem english docs.jsonl
echo '# stop words are not scored, but must match'
show bitsift query --json the cat
show bitsift query --json --stop english the cat
show bitsift query --format '{id} {score}' cat 'the^0'
finds --count --stop english the dog
echo '# with --any they do not match'
every --any the cat
every --any --stop english the cat
every --any --stop english 'the OR cat'
every --any --stop english '(the AND cat)'
echo '# unless the query has only stop words'
every --any --stop english to be
every --any --stop english 'to -mat'
every --any --stop english 'to ca*'
echo '# stop words count in phrases, and negated ones exclude'
every --stop english '"to be or not to be"'
every --any --stop english '"on the mat" dog'
every --any --stop english -- cat mat -a
every --any --stop english -- cat mat '-(the)'
echo '# stop words are compared before stemming'
every --any --stop english ands dog
every --any --stop english and dog
echo '# a list from a file'
cat >list <<'END'
# of no use
Mat, CAT    | two of them
dog         | remark
END
every --any --stop list the mat cat dog
every --any --stop list the mats cats dogs
finds --any --stop ./nowhere the mat
finds --any --stop german the mat
show bitsift query --any --brute --json --stop english the cat
show bitsift query --stop english --explain --count the cat 2>&1 | grep '^! query'
