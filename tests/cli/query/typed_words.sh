# Words as users type them: apostrophes of all kinds, flags and keycaps, dates and times, addresses,
# Korean.
cat >a.jsonl <<'EOF'
{"id":"quote","text":"we don’t know"}
{"id":"plain","text":"we don't know"}
{"id":"letter","text":"we donʼt know"}
{"id":"escaped","text":"we don\u2019t know"}
{"id":"flags","text":"🇩🇪 beats 🇫🇷"}
{"id":"keycaps","text":"press #️⃣ and 1️⃣"}
{"id":"time","text":"at 2031-01-02T03:04:05Z, or at 20310102T030405"}
{"id":"form","text":"a form 02T03A, and 1T2T3"}
{"id":"address","text":"192.168.0.1 and 10.0.0.1"}
{"id":"water","text":"H₂O"}
{"id":"h2o","text":"h2o"}
{"id":"korean","text":"한국어를 배운다"}
EOF
settle
quiet bitsift index a.jsonl
for query in "don't" 'don’t' 'donʼt' '"we don’t know"' 't' 'don*' 🇩🇪 🇫🇷 🇪🇫 '#️⃣' 1️⃣ 2031-01-02 '"02 03"' 2031-01-02T03:04 02T03 02t03 03:04:05Z \
    '01-02T0*' 20310102 02T03A 1T2T3 192.168 '192.168.*' 192.168.0.1 H₂O h2o 한국 '한국*'; do
    every "$query"
done
announce bitsift check
bitsift check | neutral -

echo '# an index with earlier tokenizer rules is answered by reading all texts, until it is renewed'
cp -r "$(dirname "$LIB")/../golden/v4/records" old
cd old
od -A n -t x1 -j 36 -N 4 .bitsift/manifest
file=$(ls *.jsonl | head -n 1)
finds bits
bitsift stats | grep '^health'
show bitsift compact
echo '{"id":"new","text":"don’t at 02T03 🇩🇪, @alice"}' >>"$file"
for query in "don't" 'don’t' 02 '"02 03"' 🇩🇪 alice; do
    bitsift query --fresh --ids "$query" 2>/dev/null || true
done
announce bitsift index
bitsift index 2>&1 >/dev/null | neutral -
each every :: bits "don't" 'don’t' '"02 03"' 🇩🇪 alice
bitsift stats | grep '^health'
# Prints the manifest's feature bits, which include the word rules only if words are indexed.
od -A n -t x1 -j 36 -N 4 .bitsift/manifest
rm -r .bitsift
quiet bitsift index --index .bitsift --grams .
od -A n -t x1 -j 36 -N 4 .bitsift/manifest
