# Peak memory of `bitsift index` is at most --memory plus 128 MiB: for many small files, a
# collection with long lines and one endless line, on one thread and on two; and for a document of
# only distinct words (ROUNDS=4: of 110 MB, with the default --memory of one gigabyte). Documents
# larger than --max-document are skipped, named and counted; grep still finds them. `bitsift
# compact` has the same limit and does not merge segments that need more.
mkdir small
awk 'BEGIN {
    x = 1
    for (i = 0; i < 1500; i++) {
        name = "small/" i ".txt"
        for (j = 0; j < 2000; j++) {
            x = (x * 16807) % 2147483647
            printf "w%d ", x % 400000 >name
        }
        close(name)
    }
}'
documents 60000 >lines.jsonl
for i in 1 2 3; do
    printf '{"id":"long%d","text":"' $i
    seq 1000000 | tr '\n' ' ' | head -c 2000000
    echo '"}'
done >>lines.jsonl
for jobs in 1 2; do
    within VmHWM 192 bitsift index --index "ix$jobs" --memory 64M -j "$jobs" -q --max-document 16M small lines.jsonl
done
cmp ix1/seg-000001 ix2/seg-000001

echo '# ids of many records'
seq 3300000 | awk '{ print "{\"id\":\"" $1 "\",\"text\":\"needle\"}" } END { print "{\"id\":\"7\",\"text\":\"hay\"}" }' >ids.jsonl
for jobs in 1 2; do
    within VmHWM 256 bitsift index --index ids.index --memory 128M -j "$jobs" -q ids.jsonl
    once needles finds --index ids.index --count needle
    once hay finds --index ids.index hay
    rm -r ids.index
done
rm ids.jsonl

echo '# an endless line, on standard input and in a collection'
{
    echo '{"id":"before","text":"needle"}'
    head -c 400000000 /dev/zero
    printf '\n{"id":"after","text":"needle"}\n'
} >"$SCRATCH/endless"
within VmHWM 192 bitsift index --index piped --memory 64M --max-document 16M --words - <"$SCRATCH/endless" 2>"$SCRATCH/said"
grep "skipped\|left out" "$SCRATCH/said"
finds --index piped needle
within VmHWM 192 bitsift index --index stored --memory 64M - <"$SCRATCH/endless" 2>"$SCRATCH/said"
grep "skipped\|left out" "$SCRATCH/said"
finds --index stored needle
{
    echo '{"id":"before","text":"needle"}'
    printf '{"id":"long","text":"'
    head -c 3000000 /dev/zero | tr '\0' x
    printf '"}\n{"id":"after","text":"needle"}'
} >long.jsonl
show bitsift index --index long --max-document 1M long.jsonl
finds --index long needle
settle
printf '\n{"id":"appended","text":"needle"}\n' >>long.jsonl
show bitsift index --index long
finds --index long needle
finds --index long needle --brute

echo '# files: the limit counts bytes and is recorded; grep finds larger files, too'
mkdir files
head -c 999999 /dev/zero | tr '\0' x >files/under
echo needle >>files/under
cp files/under files/over
echo 'needle' >>files/over
head -c 1000007 /dev/zero | tr '\0' x >files/exact
printf '\0needle\n' | cat - files/over >files/binary
show bitsift index --index files.index --max-document 1000007 files
finds --index files.index --count needle
listed bitsift grep --index files.index -c needle files
listed bitsift grep --index files.index -l needle files/over
show bitsift index --index files.index
show bitsift index --index files.index --max-document 2M
quiet bitsift index --index files.index --max-document 2M --rebuild -q
finds --index files.index --count needle
show bitsift index --max-document 0 files
show bitsift index --max-document 4G files

echo '# a document of distinct words only'
mkdir words
memory=$((256 * ${ROUNDS:-1}))
seq 100000000 $((100000000 + 2750000 * ${ROUNDS:-1})) >words/distinct
within VmHWM 144 bitsift index --index none.index --words --memory 16M -q words 2>"$SCRATCH/said" || echo "status $?"
grep skipped "$SCRATCH/said"
within VmHWM $((memory + 128)) bitsift index --index words.index --words --memory "${memory}M" -q words
within VmHWM 192 bitsift query --index words.index --count 100000001

echo '# documents that need more memory than allowed: counted, named, and found by grep'
seq 100000000 $((100000000 + 5000000 * ${ROUNDS:-1})) >words/distinct
mkdir -p words/more
seq 100000000 $((100000000 + 250000 * ${ROUNDS:-1})) | tee words/more/1 >words/more/2
within VmHWM $((memory + 128)) bitsift index --index words2 -j 2 --memory "${memory}M" -q words 2>"$SCRATCH/said"
grep skipped "$SCRATCH/said"
bitsift query --index words2 --ids 100000001
bitsift grep --index words2 -c '^10000000[12]$' words

echo '# consecutive enormous records'
for i in 1 2 3 4; do
    printf '{"id":"r%d","text":"' $i
    yes 'neither here nor there' | tr '\n' ' ' | head -c 40000000
    echo '"}'
done >enormous.jsonl
for jobs in 1 2; do
    within VmHWM 192 bitsift index --index "enormous$jobs" --memory 64M -j "$jobs" -q enormous.jsonl
    within VmHWM 192 bitsift index --index "stored$jobs" --memory 64M -j "$jobs" -q - <enormous.jsonl
    once nor bitsift query --index "enormous$jobs" --count nor
    once nor bitsift query --index "stored$jobs" --count nor
done

echo '# a record of very many values or names, which would take many times its length'
{
    printf '{"id":"values","a":['
    yes '1,' | tr -d '\n' | head -c 30000000
    printf '1]}\n{"id":"brackets","a":['
    yes '{},' | tr -d '\n' | head -c 30000000
    printf '1]}\n{"id":"names"'
    seq -f ',"n%.0f":"x"' 1000000 | tr -d '\n'
    printf '}\n{"id":"after","text":"needle"}\n'
} >many.jsonl
for jobs in 1 2; do
    within VmHWM 192 bitsift index --index "many$jobs" --memory 64M -j "$jobs" -q many.jsonl \
        2>"$SCRATCH/said"
    once said grep -v VmHWM "$SCRATCH/said"
    once needle bitsift query --index "many$jobs" --ids needle
done

echo '# compact with less memory than index had: segments that need more are not merged'
{
    head -n 2 enormous.jsonl
    printf '{"id":"too-long","text":"'
    yes 'neither here nor there' | tr '\n' ' ' | head -c 100000000
    printf '"}\n{"id":"distinct","text":"'
    seq 100000000 102500000 | tr '\n' ' '
    printf '"}\n'
} >parting.jsonl
echo '{"id":"small","text":"here"}' >small.jsonl
# compacted INDEX: prints what the compaction left out, and then the answers of the index, also
# after a compaction with more memory.
compacted() {
    grep "not compacted" "$SCRATCH/said"
    finds --index "$1" '100000001 OR here'
    bitsift compact --index "$1" -q
    finds --index "$1" --count '100000001 OR here'
    bitsift check --index "$1" | sed 's/,.*//'
}
for way in named kept; do
    parting=parting.jsonl small=small.jsonl
    [ "$way" = named ] || parting=- small=-
    bitsift index --index "$way" --words --memory 1G -q "$parting" <parting.jsonl
    bitsift index --index "$way" -q "$small" <small.jsonl
    cp -r "$way" "$way.before"
    for jobs in 1 2; do
        rm -r "$way"
        cp -r "$way.before" "$way"
        within VmHWM 192 bitsift compact --index "$way" --memory 64M -j "$jobs" 2>"$SCRATCH/said"
        once "$way" compacted "$way"
    done
done
bitsift index --index kept --rebuild --memory 64M -q
finds --index kept --count '100000001 OR here'
