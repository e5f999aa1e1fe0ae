# --store: the index stores the texts of files and records, so that phrases, snippets and compaction
# need no source. Queries still notice sources that changed or are missing.
mkdir docs
printf 'the quick brown fox\njumps over the lazy dog\n' >docs/a.txt
printf '\xff\xfeq\0u\0i\0c\0k\0 \0b\0r\0o\0w\0n\0 \0b\0e\0a\0r\0' >docs/utf16.txt
: >docs/empty.txt
printf '%s\n' '{"id":"r1","t":"a quick brown hare"}' '{"id":"r2","t":"brown and quick \"x\ty\""}' >docs/c.jsonl
printf '%s\n' '{"id":"s1","t":"quick brown snail"}' >s.jsonl
printf '%s\n' '{"id":"p1","t":"quick brown pipe"}' >pipe
show bitsift index --index kept --store docs s.jsonl - <pipe
bitsift check --index kept | neutral -
show bitsift query --index kept '"quick brown"'
echo '# the same results as without --store, and as by brute force'
quiet bitsift index --index plain docs s.jsonl - <pipe
for query in '"quick brown"' '"brown and"' '"lazy dog" OR "x y"' '-quick'; do
    bitsift query --index plain --ids -- "$query" >plain.ids
    bitsift query --index kept --ids -- "$query" | diff plain.ids - && bitsift query --index kept --brute --ids -- "$query" | diff plain.ids -
done
echo '# a changed file has its current text, except with --no-stat'
printf 'the slow brown fox\n' >docs/a.txt
each every --index kept :: '"slow OR quick" brown fox' '"brown fox"' '"quick brown fox"'
finds --index kept --no-stat '"quick brown fox"'
echo '# a missing document is not a hit, except with --no-stat; then its stored text is shown'
mkdir away
mv docs s.jsonl away
finds --index kept '"quick brown"'
show bitsift query --index kept --no-stat '"quick brown"'
finds --index plain --no-stat '"quick brown"'
echo '# compaction needs no source'
printf '%s\n' '{"id":"p2","t":"quick brown tube"}' | show bitsift index --index kept -
show bitsift delete --index kept --yes p1
mv away/docs away/s.jsonl .
printf '%s\n' '{"id":"p3","t":"quick brown tube"}' | show bitsift index --index kept -
mv docs s.jsonl away
show bitsift compact --index kept
bitsift check --index kept | neutral -
finds --index kept --no-stat '"quick brown"'
mv away/docs away/s.jsonl .
echo '# the option is recorded'
show bitsift index --index plain --store docs
quiet bitsift index --index plain --store --rebuild
finds --index plain '"brown fox"'
