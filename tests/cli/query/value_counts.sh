# `bitsift stats`: for each field with numbers or dates, how many of its texts are such values, and
# how many are other texts, which no range matches; over several segments, after deletions and
# compaction. Also dates far from today, and with a space before the time.
values() {
    bitsift stats "$@" | sed -n '/^values/,/^size/p' | sed '$d'
}
json() {
    bitsift stats --json | grep -oE '"value_fields":\[[^]]*\]'
}

cat >c.jsonl <<'EOF'
{"id":"a","title":"a cat","year":1990,"when":"2024-05-17 08:30","mixed":["1","x","2.50","","1e3"]}
{"id":"b","title":"1984","year":"n/a","when":"2262-04-12T00:00","mixed":"0x10"}
{"id":"c","title":"dog","year":"1,000","when":"9876-05-04T03:02:01","mixed":"-.5"}
{"id":"d","title":"bird","year":"-12.5e-3","when":"1677-09-20"}
{"id":"e","title":"bird","year":null,"when":"0001-01-01 00:00"}
{"id":"f","title":"bird","year":["","12 EUR"],"when":"2024-02-30","never":"true"}
EOF
quiet bitsift index c.jsonl
values
json
echo '# ranges do not include texts that are not values'
each every :: 'year:..99999' 'year:>=-1e400' 'mixed:1..1'

echo '# a segment in which no text of the field is a value'
settle
printf '{"id":"g","title":"fox","year":"unknown","late":7}\n{"id":"h","year":"about 1800"}\n' >>c.jsonl
quiet bitsift index
values
echo '# deleted documents count until compaction removes them'
quiet bitsift delete --yes b h
values
quiet bitsift compact
values

echo '# dates'
for range in '..1677' '<1677-09-21' '>2262' '2262-04-11T23:59:59..9876-05-04T03:02:01' '..0001' '2024-05-17T08:30..2024-05-17T08:30' \
    '"2024-05-17 08:30..2024-05-17 08:30"' '">2024-05-17 08:30"' '">=9876-05-04 03:02"'; do
    every "when:$range"
done
listed bitsift query -n 9 --sort when --format '{id}' 'bird OR cat OR dog OR fox'

echo '# many fields: -v shows all; names with control characters; files have no fields'
{
    printf '{"id":"x"'
    for i in 11 12 13 14 15 16 17 18 19; do printf ',"f%s":%s' "$i" "$i"; done
    printf ',"esc\\u001b[31m":["3","red"],"a\\u0000b":"4"}\n'
} >many.jsonl
mkdir d
echo 'plain 5' >d/f.txt
quiet bitsift index --index m many.jsonl d
values --index m
values -v --index m | wc -l
quiet bitsift index --index n d
values --index n
quiet bitsift check --index m
