# --format trec: ranked hits in the format of TREC's runs, for trec_eval.
cat >docs.jsonl <<'END'
{"id":"FBIS3-1","text":"cat and dog"}
{"id":"FBIS3-2","text":"cat"}
{"id":"a b","text":"cat cat mouse"}
END
quiet bitsift index docs.jsonl
show bitsift query --format trec cat
printf '301\tcat\n302\tdog OR mouse\n\tdog\n303\t+++\ndog\n304\tfish\n305 x\tdog\r\n' >topics
show bitsift query --format trec --batch topics
show bitsift query --format trec -n 1 --batch topics
show bitsift query --format trec --json cat
echo '{"id":"","text":"bird"}' >empty.jsonl
quiet bitsift index --index empty empty.jsonl
show bitsift query --index empty --format trec bird
mkdir d
echo 'cat fish' >'d/a file.txt'
quiet bitsift index d
show bitsift query --format trec fish
