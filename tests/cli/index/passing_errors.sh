# Documents that temporarily cannot be read stay in the index; the run reports the errors and ends
# with exit status 2. Only missing files are removed.
can_preload || skip 'nothing can be preloaded here'
make() {
    rm -rf ./* .bitsift "$SCRATCH/.once.ids"
    mkdir -p d/sub e
    for name in d/a d/b d/sub/c d/sub/e d/z e/f; do echo 'cat' >"$name.txt"; done
    printf 'cat\0' >d/sub/binary
    printf '{"id":"r%d","text":"cat"}\n' 1 2 3 >r.jsonl
    settle
    bitsift index -q d e r.jsonl
}
refresh() {
    show hostile "$@" bitsift index
    once query finds --count cat
    once grep listed bitsift grep --no-stat -c cat d
}
ids() { once ids finds cat; }
make
echo '# a folder whose entries cannot be read, a folder that cannot be opened, a file, a source'
touch d/sub
refresh FAIL_READ=/d/sub
refresh FAIL_OPEN=sub
touch d/b.txt
settle
refresh FAIL_OPEN=b.txt
refresh FAIL_READ=b.txt
touch d e
refresh FAIL_READ=/work/d
touch e
refresh FAIL_READ=/work/e
echo '# everything that could be read is committed; missing files are removed'
echo 'cat' >d/new.txt
rm d/z.txt d/sub/c.txt
show hostile FAIL_READ=/d/sub bitsift index
ids
show bitsift index -q
ids
echo '# a deleted document stays deleted'
show bitsift delete d/sub/e.txt
touch d/sub
show hostile FAIL_READ=/d/sub bitsift index -q
show bitsift index -q
ids

echo '# an ignore file that cannot be read'
make
mkdir d/.git
echo 'a.txt' >d/sub/.gitignore
echo 'c.txt' >>d/sub/.gitignore
refresh FAIL_READ=.gitignore
refresh FAIL_OPEN=.gitignore
show bitsift index -q
ids
listed hostile FAIL_READ=.gitignore bitsift grep -l cat d

echo '# a collection: an error at its start, and in the middle of its new part'
make
cp r.jsonl old
{ sed 's/cat/dog/' old; documents 60000; } >r.jsonl
show hostile FAIL_OPEN=r.jsonl bitsift index
show hostile FAIL_READ=r.jsonl FAIL_READ_FROM=3000000 bitsift index
show bitsift index -q
finds --count cat
finds --count hundred
documents 60000 | sed 's/"id":"d/"id":"e/' >>r.jsonl
show hostile FAIL_READ=r.jsonl FAIL_READ_FROM=10000000 bitsift index -q
finds --count hundred
quiet bitsift check
show bitsift index -q
finds --count hundred

echo '# incomplete answers'
make
listed hostile FAIL_OPEN=b.txt bitsift query --ids --brute cat
listed hostile FAIL_READ=r.jsonl bitsift query --ids --brute cat
echo 'cat' >d/new.txt
listed hostile FAIL_OPEN=new.txt bitsift query --ids --fresh cat
listed hostile FAIL_OPEN=new.txt bitsift query --ids --fresh nothing
# --fresh reads only changed folders, because the index has the entries of the others.
touch d/sub e
listed hostile FAIL_READ=/d/sub bitsift query --count --fresh cat
listed hostile FAIL_READ=/work/e bitsift query --count --fresh cat
listed hostile FAIL_OPEN=r.jsonl bitsift query --count --fresh cat
listed hostile FAIL_READ=/d/a bitsift grep -l cat d
listed hostile FAIL_READ=/d/a bitsift grep --no-stat -l cat d
touch d/sub/c.txt
show hostile FAIL_READ=/c.txt bitsift delete --query cat
ids
for i in {10..39}; do echo 'cat' >"e/$i.txt"; done
bitsift index -q
listed hostile FAIL_OPEN=.txt bitsift query --count --brute cat
show hostile FAIL_OPEN=.txt bitsift index --rebuild -q | folded
echo '# out of memory: an answer or a message'
make
echo 'cat' >d/new.txt
for i in {1..100}; do
    status=0
    count=$(hostile FAIL_REALLOC="$i" bitsift query --count --fresh cat 2>"$SCRATCH/why") || status=$?
    [ "$status:$count" != 0:10 ] || continue
    [ "$status" -eq 2 ] && grep -q '^bitsift: .' "$SCRATCH/why" || echo "$i: $status, $count, $(cat "$SCRATCH/why")"
done
echo '# compacting'
make
echo 'cat' >d/new.txt
bitsift index -q
show hostile FAIL_READ=b.txt bitsift compact
show hostile FAIL_OPEN=/r.jsonl FAIL_READ=r.jsonl bitsift compact -q
finds --count cat
echo '# the only copy of stored text cannot be read because zstd is missing: every document stays'
rm -rf .bitsift
for id in s t; do echo "{\"id\":\"$id\",\"text\":\"cat\"}" | bitsift index -q -; done
hostile FAIL_LOAD=libzstd bitsift compact >"$SCRATCH/said" 2>&1 || true
hostile FAIL_LOAD=libzstd bitsift index --rebuild >"$SCRATCH/said" 2>&1 || true
ids
