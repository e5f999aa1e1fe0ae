# The kinds of sources, and the ids of their documents.
mkdir -p a/deep b
echo 'hello from x' >a/x.txt
echo 'hello from deep' >a/deep/y.txt
echo 'hello from z' >b/z.txt
printf '%s\n' '{"id":"one","title":"hello","text":"from a record"}' '{"id":2,"text":"hello from two"}' \
    '{"text":"hello without id"}' >mail.jsonl
cp mail.jsonl b/inside.ndjson
settle
all() { once hello finds hello; rm -rf .bitsift; }

echo '# a folder by several names'
show bitsift index a
all
quiet bitsift index ./a/
all
quiet bitsift index .
all
quiet bitsift index ././a//
all
quiet bitsift index "$PWD/a"
finds hello
rm -rf .bitsift
(cd a && quiet bitsift index ../b && finds hello && rm -rf .bitsift)
(cd a && quiet bitsift index --index .bitsift ../b && finds hello && rm -rf .bitsift)

echo '# a file, a collection'
quiet bitsift index a/x.txt
all
quiet bitsift index ./a/x.txt
all
show bitsift index mail.jsonl
all
quiet bitsift index ./mail.jsonl
all

echo '# a collection in a folder is read record by record, too'
quiet bitsift index b
all

echo '# standard input: the text is stored'
show bitsift index - <mail.jsonl
show bitsift query 'hello two'
show bitsift query --json 'two'
all

echo '# several sources in the order in which they are named, and sources added later'
quiet bitsift index mail.jsonl a/deep
quiet bitsift index b
quiet bitsift index -q -- a/x.txt -
once hello finds hello
echo '{"id":"s","text":"hello from the pipe"}' | quiet bitsift index -
once hello finds hello
show bitsift query pipe
show bitsift index
all

echo '# fields of a record'
printf '%s\n' '{"key":"k1","id":"i1","title":"hello","text":"body","tags":["hidden"],"n":7}' >f.jsonl
quiet bitsift index --id key f.jsonl
each every :: hello i1 title:hello text:hello hidden
rm -rf .bitsift
quiet bitsift index --text text,other f.jsonl
once hello finds hello
finds body

echo '# the same label at another place is refused, because ids would be ambiguous'
mkdir -p elsewhere/a
(cd elsewhere && show bitsift index --index ../.bitsift f.jsonl)
cp f.jsonl elsewhere/
(cd elsewhere && show bitsift index --index ../.bitsift f.jsonl)
