# A refresh counts only real changes as changed; singular and plural are right; for small texts no
# ratios are printed.
printf '%s\n' '{"id":"a","text":"one"}' '{"id":"b","text":"two"}' '{"id":"c","text":"three"}' >c.jsonl
settle
show bitsift index c.jsonl
echo '# one of three lines changed'
sed -i 's/two/four/' c.jsonl
show bitsift index
echo '# the first line was removed, and another one added before the rest'
printf '%s\n' '{"id":"d","text":"five"}' '{"id":"b","text":"four"}' '{"id":"c","text":"three"}' >c.jsonl
show bitsift index
finds --fresh 'five OR four OR three'
echo '# the same record again at the end'
echo '{"id":"c","text":"three"}' >>c.jsonl
show bitsift index
echo '# a record that replaces an earlier one'
echo '{"id":"c","text":"six"}' >>c.jsonl
show bitsift index
show bitsift index --index "$SCRATCH/one" --rebuild c.jsonl
echo '# a single document'
mkdir d
echo 'cat' >d/a.txt
show bitsift index --index "$SCRATCH/ix" d
show bitsift index --index "$SCRATCH/ix"
show bitsift compact --index "$SCRATCH/ix"
bitsift check --index "$SCRATCH/ix" | neutral -
echo '# large texts have a rate and a ratio'
documents 70000 >"$SCRATCH/much.jsonl"
bitsift index --index "$SCRATCH/much" "$SCRATCH/much.jsonl" 2>&1 | sed -E 's/[0-9.]+ (KiB|MiB|s|MB|%|bits)/N \1/g; s/, in .*much/, in much/; s/[0-9,]+ (distinct|postings)/N \1/g'
