# --ids and ties are in document order: sources in the order in which they were first indexed, then
# paths by components, or positions in a collection.
mkdir -p t/a t/a.d t/B
for file in t/a/x t/a-b t/a.txt t/a.d/y t/B/z t/A t/b t/z t/a0; do
    echo 'cat' >"$file"
done
printf '%s\n' '{"id":"3","text":"cat"}' '{"id":"1","text":"cat"}' '{"id":"2","text":"cat"}' '{"id":"3","text":"cat"}' \
    >z.jsonl
quiet bitsift index z.jsonl t
finds cat
bitsift query -n 100 cat | grep -v '^    ' | cut -d ' ' -f 1 | cmp - <(bitsift query --ids cat) && echo 'ties: the same'
quiet bitsift index t z.jsonl
bitsift query --ids cat | head -n 1
