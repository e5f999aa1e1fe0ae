# Phrases that are a single term are counted without reading texts. Longer phrases are read, with
# the same results.
awk 'BEGIN {
    for (i = 0; i < 20000; i++) {
        printf "{\"id\":\"%d\",\"text\":\"%s ", i, i % 3 ? "under the terms of the licence." : "the terms under which of the licence the."
        for (k = 0; k < 12; k++)
            printf "w%d ", (i * 7919 + k * 104729) % 4001
        printf "two %s three\"}\n", i % 2 ? "one" : "of"
    }
}' >c.jsonl
bitsift index c.jsonl 2>&1 | tail -n 0
ask() {
    local sure
    sure=$(bitsift query --count --no-stat --explain "$1" 2>&1 >/dev/null | sed -nE 's/^verify: ([0-9]+) documents read.*/\1 read/p')
    printf '%s: %s of %s, %s' "$1" "$(bitsift query --count --no-stat "$1")" "$(bitsift query --count --brute "$1")" "$sure"
    echo ", $(bitsift query --count --no-stat "${1//\"/} -$1") without"
}
for phrase in '"the terms"' '"the terms of"' '"terms of the licence"' '"under the terms of the"' '"two one three"' '"two of three"'; do
    ask "$phrase"
done
echo '# the index grew, so that it has two segments; then they are merged; phrases do not extend beyond a field'
echo '{"id":"new","text":"under the terms of the licence two of three"}' >>c.jsonl
echo '{"id":"apart","a":"under the","b":"terms of it, two of","c":"three"}' >>c.jsonl
bitsift index 2>&1 | tail -n 0
ask '"the terms of"'
ask '"two of three"'
bitsift compact 2>&1 | tail -n 0
ask '"the terms of"'
ask '"two of three"'
show bitsift check | sed 's/, .*//'
bitsift query --count --no-stat --explain '"the terms of"' 2>&1 | grep 'word pair'
