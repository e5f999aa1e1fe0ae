# Invalid or odd text: invalid UTF-8, NUL bytes, empty text. The text around it is indexed.
mkdir d
printf 'cat \377\376 dog\300\200bird caf\351\n' >d/invalid.txt
printf 'cat\0dog\n' >d/nul.txt
{ head -c 70000 /dev/zero | tr '\0' ' '; printf 'cat \0 late\n'; } >d/late-nul.txt
: >d/empty.txt
printf '\n' >d/newline.txt
printf '\357\273\277cat with a mark\n' >d/bom.txt
printf '\377\376c\0a\0t\0 \0w\0i\0d\0e\0' >d/utf16.txt
printf '{"id":"e","text":""}\n{"id":"n","text":"cat\\u0000dog"}\n{"id":"i","text":"cat \377 dog"}\n' >c.jsonl
show bitsift index -v d
each every :: cat dog bird late wide 'cat dog' '"cat dog"'
show bitsift query dog
show bitsift query --json dog
finds --count -- -cat
finds --brute cat
echo '# with -a'
show bitsift index --rebuild -a
finds cat
show bitsift query nul OR dog
echo '# records'
show bitsift index --index "$SCRATCH/ix" c.jsonl
show bitsift query --index "$SCRATCH/ix" cat
finds --index "$SCRATCH/ix" -- -cat
