# Records whose keys and ids are not valid names: these and other records are found, and the files
# of the index are sound.
printf '%s\n' '{"id":"1","t":"alpha"}' '{"id":"3","t":"gamma"}' >n.jsonl
quiet bitsift index n.jsonl
printf '%s\n' '{"id":"2","a\u0000b":"beta"}' '{"id":"4","\u0000":"delta","\u0000":"epsilon"}' '{"id":"5","\ud800":"zeta 17"}' \
    '{"id":"6","o\u0000":{"p\u0000":["eta"]}}' >>n.jsonl
show bitsift index
quiet bitsift check
for word in alpha beta gamma delta epsilon zeta eta; do bitsift query --ids "$word"; done
echo '# invalid characters of names are U+FFFD, which can be typed'
each every :: 'a�b:beta' '�:epsilon' '�:zeta' 'o�.p�:eta' 'ab:beta' '�:17..18'
show bitsift compact
quiet bitsift check
finds '�:epsilon'
echo '# in a folder, and from standard input'
mkdir f
echo 'alpha lantern' >f/note.txt
printf '%s\n' '{"a\u0000b":"lantern"}' >f/log.jsonl
quiet bitsift index f
finds lantern
printf '%s\n' '{"id":"p","t":"pipe"}' | quiet bitsift index -
printf '%s\n' '{"id":"q","\u0000":"pipe"}' | quiet bitsift index -
finds pipe
quiet bitsift index --rebuild
finds pipe
quiet bitsift check
echo '# ids that contain NUL are not printed where NUL ends ids'
printf '%s\n' '{"id":"a\u0000b","t":"zero"}' '{"id":"plain","t":"zero"}' | quiet bitsift index --index "$SCRATCH/nul" -
bitsift query --index "$SCRATCH/nul" --ids -0 zero | tr '\0' ';'
echo
show bitsift query --index "$SCRATCH/nul" --ids zero | tr '\0' '~'
bitsift delete --index "$SCRATCH/nul" --dry-run -0 --query zero | tr '\0' ';' || true
echo
quiet bitsift query --index "$SCRATCH/nul" --ids -0 zero
quiet bitsift delete --index "$SCRATCH/nul" --dry-run -0 --query zero
echo '# invalid options are refused, whatever the sources are'
show bitsift index --index "$SCRATCH/no" -g '[' n.jsonl
show bitsift index --index "$SCRATCH/no" --records '{a' n.jsonl
show bitsift index --index "$SCRATCH/no" --grams --stem klingon n.jsonl
ls "$SCRATCH"
