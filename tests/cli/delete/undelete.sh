# bitsift delete: --dry-run, the question on a terminal, and --undo.
mkdir -p d/sub
for name in a b c sub/e; do echo "cat $name" >d/$name.txt; done
printf '%s\n' '{"id":"r1","text":"cat one"}' '{"id":"r2","text":"cat two"}' '{"text":"cat three"}' >r.jsonl
settle
ids() { once ids finds cat; }
printf '%s\n' '{"id":"p1","text":"cat from the pipe"}' '{"id":"p2","text":"dog from the pipe"}' |
    quiet bitsift index d r.jsonl -
bitsift query cat >before
bitsift query --ids cat >before-ids
echo '# --dry-run changes nothing'
listed bitsift delete --dry-run d/b.txt r2 nothing
listed bitsift delete -n --query 'one OR two OR pipe'
bitsift delete -qn0 --query 'e OR two' | tr '\0' '|'
echo
bitsift query cat | diff before -
echo '# deleting and restoring by ids'
show bitsift delete d/b.txt r2 r.jsonl:3 p1
show bitsift delete d/b.txt
ids
show bitsift delete --undo d/b.txt r2 d/a.txt
ids
bitsift check | sed "s,\,.*,,"
(
    cd d/sub
    show bitsift delete e.txt
    finds cat
    listed bitsift delete --undo -n ../sub/e.txt e.txt
)
show bitsift delete --undo d/sub/e.txt
echo '# --undo by queries, which match only deleted documents'
listed bitsift delete --undo -n --query cat
listed bitsift delete --undo -n --query=-three
show bitsift delete --undo --query 'one OR pipe'
ids
show bitsift delete --undo --query pipe
show bitsift delete --undo --query cat
bitsift query cat | diff before -
bitsift check | sed "s,\,.*,,"
show bitsift index
echo '# a rebuild reports what stays deleted; --undo works after it'
show bitsift delete --query 'a OR two OR pipe'
show bitsift index --rebuild 2>&1 | grep -e deleted
show bitsift delete --undo --query 'cat OR dog'
echo '# but documents from standard input must be given again'
ids
show bitsift delete --undo p1 p2
printf '%s\n' '{"id":"p1","text":"cat from the pipe"}' '{"id":"p2","text":"dog from the pipe"}' | quiet bitsift index -
bitsift query --ids cat | diff before-ids -
echo '# documents that compaction has removed are read again'
show bitsift delete --query 'c OR r2 OR two OR three OR from'
bitsift compact -q
listed bitsift delete --undo -n --query 'cat OR dog'
show bitsift delete --undo --query 'c OR three'
ids
show bitsift delete --undo r2 p1
ids
echo '{"id":"p1","text":"cat from the pipe"}' | quiet bitsift index -
bitsift query --ids cat | diff before-ids -
bitsift check | sed "s,\,.*,,"
echo '# documents that have changed or vanished since'
quiet bitsift delete d/a.txt d/b.txt d/c.txt
echo 'cat a, changed' >d/a.txt
rm d/b.txt
show bitsift delete --undo --query 'cat OR changed'
ids
quiet bitsift index
ids
show bitsift delete --undo --query cat
echo '# all documents, so that no segment remains'
show bitsift delete --query 'cat OR dog'
ids
show bitsift delete --undo d/a.txt r1
ids
bitsift check | sed "s,\,.*,,"
echo '# the permissions of an index do not change'
quiet bitsift index --shared --index "$SCRATCH/shared" d
bitsift delete -q --index "$SCRATCH/shared" --query cat
bitsift delete -q --index "$SCRATCH/shared" --undo --query cat
stat -c %a "$SCRATCH/shared" "$SCRATCH/shared/manifest"
echo '# the question on a terminal'
script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no script(1)'
on_terminal() {
    local answer=$1
    shift
    (sleep 0.3; echo "$answer") | script -qec "$*" /dev/null | tr -d '\r'
}
on_terminal n bitsift delete --query cat
finds --count cat
on_terminal y bitsift delete --query changed
finds --count cat
on_terminal '' bitsift delete --yes --query one
finds --count cat
show bitsift delete --undo --query 'cat changed'
show bitsift delete --query changed
