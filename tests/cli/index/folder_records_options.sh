# Collections in folders: which files count as collections, deletions, filters, name:, statistics,
# and a folder that takes over collections and folders that were sources.
mkdir -p logs docs
printf '%s\n' '{"id":"a1","name":"bob","msg":"hello world"}' '{"msg":"hello second"}' '{"id":3,"msg":"third"}' >logs/app.jsonl
echo '{"id":"l","msg":"hello log"}' >logs/sys.log
echo 'hello z' >docs/z.txt
settle
ids() { once "ids $*" finds "$@"; }
check() { bitsift check | neutral - | sed 's/ in .*//'; }

echo '# --records adds a glob or excludes files, --no-records excludes all; both are recorded'
show bitsift index -q --records '*.log' .
ids hello
show bitsift index
show bitsift index --records '*.other'
show bitsift index --no-records
show bitsift index --records '*.log' --no-records
show bitsift index --records '*.log'
show bitsift index --rebuild --records '['
bitsift stats -v | grep -E '^(index|options|sources)'
bitsift stats --json | grep -oE '"(no-records|records|sources)":(\[[^]]*\]|[a-z]*)'
show bitsift index -q --rebuild --no-records
ids hello
check
show bitsift index -q
bitsift stats -v | grep -E '^(index|options|sources)'
show bitsift index -q --rebuild --records '/logs/*' --records '!app.jsonl'
ids hello
show bitsift index -q --rebuild --records '[z-]ys.log'
ids hello
show bitsift index -q --rebuild .
ids hello

echo '# deleting by path and by id; documents stay deleted when everything is read again or their file is appended to'
show bitsift delete logs/app.jsonl#a1
ids hello
(cd logs && show bitsift delete app.jsonl:2)
finds --fresh hello
echo '{"id":"new","msg":"hello new"}' >>logs/app.jsonl
show bitsift index
ids hello
show bitsift index --rebuild
ids hello
check
show bitsift delete --undo logs/app.jsonl:2
ids hello
show bitsift delete --query world
show bitsift delete --undo --query world
show bitsift index -q
ids hello
show bitsift delete --query 'third'
printf '%s\n' '{"id":3,"msg":"third changed"}' >>logs/app.jsonl
show bitsift index
ids third
echo '# a deletion ends when its file is gone'
show bitsift delete logs/app.jsonl#new
mv logs/app.jsonl away.jsonl
show bitsift index -q
mv away.jsonl logs/app.jsonl
show bitsift index
ids new
check

echo '# filters use the path of the file'
for filter in '-g *.jsonl' '-g !*.jsonl' '-t log' '--in logs/app.jsonl' '--in logs' '--in docs' '--newer 1h' '--older 1h'; do
    # shellcheck disable=SC2086
    (set -f; every $filter hello)
done
(cd logs && every --in app.jsonl hello)
(cd logs && every -g 'app*' hello)
touch -d 2001-01-01 logs/app.jsonl
show bitsift index -q
every --older 2002-01-01 hello

echo '# name: searches the field "name" of the record, otherwise the words of the path'
for query in name:app name:bob name:logs name:z 'name:app OR world' 'hello -name:app' 'name:app name:bob'; do
    every -- "$query"
done

echo '# a folder takes over a collection or a folder that was a source; deleted documents stay deleted'
rm -rf .bitsift
show bitsift index --index .bitsift -q logs/app.jsonl
ids hello
show bitsift delete new
show bitsift index logs
ids hello
show bitsift delete logs/app.jsonl#3
show bitsift index .
ids 'hello OR third'
check
show bitsift index --rebuild logs
ids 'hello OR third'
show bitsift index --rebuild .
ids 'hello OR third'
check
show bitsift index -q .
show bitsift index --forget logs/app.jsonl
show bitsift index --forget .

echo '# with --strict a bad record stops the run and leaves the index unchanged'
show bitsift index -q .
echo '{"id":"cut' >>logs/app.jsonl
echo '{"id":"other"' >logs/b.jsonl
show bitsift index --strict
show bitsift index
ids other
