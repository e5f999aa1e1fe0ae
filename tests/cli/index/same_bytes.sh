# Equal input and options make equal files, with any number of threads, in one segment and in
# several.
mkdir files
for i in $(seq 1 700); do
    seq "$i" "$((i + i % 97))" | sed "s/^/word/" >"files/$i.txt"
    echo "{\"id\": \"r$i\", \"title\": \"record $i\", \"text\": \"$(seq -s ' ' "$i" "$((i + 30))")\"}" >>records.jsonl
done
seq 1 400000 | sed 's/.*/a& b& c&/' >long.txt
settle # otherwise, the index marks files that are as recent as the run
compare() {
    for jobs in 2 3 8; do
        bitsift index -q --index "j$jobs" -j "$jobs" "$@"
        for file in j1/seg-* j1/manifest; do
            cmp "$file" "j$jobs/${file#j1/}" && echo "${file#j1/}: the same with -j $jobs"
        done
        rm -r "j$jobs"
    done
}
bitsift index -q --index j1 -j 1 files records.jsonl
compare files records.jsonl
rm -r j1
bitsift index -q --index j1 -j 1 --memory 16M files long.txt records.jsonl
[ "$(find j1 -name 'seg-*' | wc -l)" -gt 1 ] && echo 'several segments'
compare --memory 16M files long.txt records.jsonl >several
sed 's/seg-0*[0-9]*/seg-N/' several | sort -u
# Choices based on a sample of the sources are made by the first run that finds documents.
mkdir later
bitsift index -q --index grown later
cp files/* long.txt later
bitsift index -q --index grown
bitsift index -q --index whole later
cmp grown/seg-* whole/seg-* && echo 'grown from nothing: the same'
