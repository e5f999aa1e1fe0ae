# File names and ids with line feeds and with bytes that are invalid UTF-8.
mkdir d
echo 'cat one' >"d/$(printf 'line\nfeed')"
echo 'cat two' >"d/$(printf 'latin-\351')"
echo 'cat three' >"d/with space"
echo 'cat four' >"d/$(printf 'tab\tquote\"back\\slash')"
echo 'cat five' >"d/-dash"
echo 'cat six' >"d/$(printf '\033[31mred')"
printf '{"id":"line\\nfeed \\u0007 \\"q\\" \xc3\xa9","text":"cat seven"}\n' >c.jsonl
quiet bitsift index d c.jsonl
echo '# raw'
bitsift query --ids cat | od -An -c
bitsift query --ids -0 cat | tr '\0\n\033' '|!E' | od -An -c
echo '# text output: no terminal control characters'
show bitsift query cat
echo '# JSON'
show bitsift query --json cat
echo '# messages'
rm "d/$(printf 'line\nfeed')"
show bitsift query one
cd "d"
quiet bitsift index --index "$SCRATCH/ix" -- -dash
finds --index "$SCRATCH/ix" cat
