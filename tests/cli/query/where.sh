# Places in a document: lines, columns and bytes of a hit, --format, passages, and snippets for
# terminals of any width.
mkdir d
printf 'one\n\ttwo cat three\n\n    cat four dog\n' >d/code.c
printf '\357\273\277cat first\r\nthen a dog\r\n' >d/mark.txt
printf '\377\376c\0a\0t\0\n\0\075\330\115\334 \0d\0o\0g\0' >d/wide.txt
printf 'a \377\377 c\302\255at, don\342\200\231t \357\254\201ne\n' >d/odd.txt
printf '猫は漢字の国に住む。漢字\n' >d/run.txt
printf '{"id":"r1","title":"a cat","body":"say \\"cat\\",\\nor dog"}\n{"body":"x cat"}\n' >c.jsonl
quiet bitsift index d c.jsonl
settle
place='{path}:{line}:{column}:{text}'
show bitsift query --format "$place" cat
show bitsift query --format '{rank} {id} {line}:{column} {start}-{stop} {field}|{text}' cat dog
show bitsift query --json -n 2 'cat dog'
show bitsift query --json fine
echo '# places in a record are within its field; the place of a phrase is its own'
show bitsift query --json body:cat
show bitsift query --format '{id} {line} {field} {start}-{stop} {text}' '"x cat"'
show bitsift query --format "$place" '"cat four"'
show bitsift query --format "$place" '漢字'
show bitsift query --format '{start}-{stop}' '漢字の国'
show bitsift query --format "$place" '"cat dog"~1'
echo '# start and stop are byte offsets in the file'
bitsift query --format '{path} {start} {stop}' 'cat dog' | sort | while read -r path start stop; do
    case $path in d/*) echo "$path $(tail -c "+$((start + 1))" "$path" | head -c "$((stop - start))" | od -An -c | tr -s ' \n' ' ')" ;; esac
done
echo '# a document without a matching word: its beginning'
show bitsift query --format "$place" -- '-cat -x'
show bitsift query --json -- '-cat -x'
echo '# lines and columns are those of rg'
if can_compare; then
    for path in d/code.c d/mark.txt; do
        [ "$(bitsift query --format "$place" cat | grep "^$path" | cut -d: -f1-3)" = \
            "$(rg --no-heading --with-filename --column cat "$path" | head -n 1 | cut -d: -f1-3)" ] || echo "$path: rg has another place"
    done
fi
echo '# formats'
show bitsift query -n 1 --format '{{{line}}\t\\{{path}\n' dog
bitsift query -n 2 --format '{id}\0' dog | tr '\0' '|'
echo
echo dog | show bitsift query --batch - -n 1 --format '{score}'
each fails bitsift query dog --format :: '{paht}' '{path' '{path}\q' 'x\'
show bitsift query --format '{path}' --json dog
show bitsift query --format '' dog
echo '# a snippet has whole lines and is as wide as the terminal'
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%s ", i == 20 ? "needle" : "漢字かな" i; print ""
             print "before"; print "\tif (hay) {"; print "\t\tneedle two;"; print "\t}" }' >d/long.txt
quiet bitsift index
show bitsift query needle
show bitsift query two
if can_use script; then
    for columns in 30 50 100; do
        SHELL=$BASH script -qec "stty cols $columns; bitsift query --color never needle" /dev/null </dev/null >"$SCRATCH/typescript" || true
        grep -a -A 1 '^d/long' "$SCRATCH/typescript" | tr -d '\r' | tee "$SCRATCH/shown"
        [ "$(LC_ALL=C.UTF-8 wc -L <"$SCRATCH/shown")" -le "$columns" ] || echo 'too wide'
    done
fi
