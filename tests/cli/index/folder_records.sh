# Collections in folders: which files are read record by record, the ids and places of their
# documents, and a refresh after files are created, appended to, rotated, removed, or stop being
# collections.
mkdir -p logs/deep
same() { # QUERY...: the index, --brute and --fresh must find the same ids
    once ids finds "$@"
    for way in --brute --fresh; do
        cmp <(bitsift query --ids "$@") <(bitsift query --ids $way "$@")
    done
    bitsift check | neutral - | sed 's/ in .*//'
}
refresh() { # checks that --fresh finds what the index has after a refresh
    settle
    bitsift query --fresh --ids "$@" >"$SCRATCH/fresh"
    show bitsift index
    bitsift query --ids "$@" | cmp - "$SCRATCH/fresh"
    same "$@"
}

echo '# the order of records in folders; records without ids are named by their lines; a file that does not begin with an object is no collection'
echo 'hello before' >logs/app
printf '%s\n' '{"id":"one","msg":"hello"}' '' '{"msg":"hello"}' '{"id":7,"msg":"hello"}' >logs/app.jsonl
echo 'hello between' >logs/app.txt
printf '\xef\xbb\xbf\n  {"id":"deep","msg":{"text":"hello"}}\n' >logs/deep/x.ndjson
printf '%s\n' 'hello' '{"id":"no","msg":"hello"}' >logs/first.jsonl
printf '%s\n' '["hello"]' >logs/list.jsonl
: >logs/empty.jsonl
printf '%s\n' '{"id":[1],"msg":"hello"}' '{"id":"good","msg":"hello"}' '{"id":"bad' >logs/mixed.jsonl
echo '{"id":"one","msg":"hello"}' >logs/Other.JSONL
settle
show bitsift index .
same hello
show bitsift query msg.text:hello
show bitsift query --json 'hello -msg:hello' | grep '#'
listed bitsift grep -c hello
listed bitsift grep --no-stat -c hello
show bitsift index

echo '# a new collection, and a longer one: only its new part is parsed; a later record of an id replaces the earlier one'
printf '%s\n' '{"id":"two","msg":"hello again"}' '{"id":"one","msg":"other"}' >>logs/app.jsonl
echo '{"id":"new","msg":"hello"}' >logs/new.jsonl
refresh hello

echo '# a rotated collection'
mv logs/app.jsonl logs/app.1.jsonl
echo '{"id":"two","msg":"hello anew"}' >logs/app.jsonl
refresh hello

echo '# a collection became a plain file, and a plain file a collection'
echo 'hello plainly' >logs/new.jsonl
echo '{"id":"now","msg":"hello"}' >logs/first.jsonl
refresh hello

echo '# removed, renamed, ignored and hidden files; a record that another one follows'
rm logs/first.jsonl
mv logs/deep/x.ndjson logs/deep/y.ndjson
mv logs/mixed.jsonl logs/.mixed.jsonl
printf '%s\n' 'app.1.jsonl' >logs/.ignore
printf '%s\n' '{"id":"two","msg":"hello anew"}' '{"id":"three","msg":"hello"}' >logs/app.jsonl
refresh hello
show bitsift compact
same hello

echo '# a whole folder is removed and returns'
mv logs away
refresh hello
mv away logs
refresh hello

echo '# naming a collection refreshes only this part of its folder'
echo '{"id":"four","msg":"hello"}' >>logs/app.jsonl
echo 'hello changed' >logs/app
show bitsift index logs/app.jsonl
finds 'id OR hello'

echo '# a rebuild'
show bitsift index --rebuild
same hello

echo '# from other folders: paths that can be opened, and ids'
(cd logs/deep && finds hello)
(cd logs && show bitsift query --json hello | grep -o '"id":"logs/app.jsonl#two".*"path":"[^"]*"')

echo '# temporary collections do not make the list of sources grow'
rm -rf .bitsift
show bitsift index -q .
before=$(stat -c %s .bitsift/manifest)
for i in 1 2 3 4 5 6 7 8; do
    rm -f logs/run-*.jsonl
    for k in 1 2 3 4 5 6; do
        echo '{"id":"run","msg":"hello"}' >logs/run-$i-$k.jsonl
    done
    bitsift index -q
    [ "$i" -ne 4 ] || bitsift compact -q
done
[ "$(stat -c %s .bitsift/manifest)" -lt $((before + 2000)) ] || echo 'the manifest grew'
same name:run
