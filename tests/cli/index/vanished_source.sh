# A recorded source that is missing, or is an empty folder: its documents stay, each run reports
# this, and the source is read again when it returns. Commands that messages propose can be pasted.
mkdir d e
echo 'cat' >d/a.txt
echo 'cat' >e/b.txt
echo '{"id":"r","text":"cat"}' >r.jsonl
settle
quiet bitsift index d e r.jsonl
mv d elsewhere
mv r.jsonl r.old
show bitsift index
show bitsift index -q d e
once ids finds cat
finds --fresh cat
once no-stat finds --no-stat cat
show bitsift compact -q
once no-stat finds --no-stat cat
mkdir d
show bitsift index
show bitsift index -q d
once no-stat finds --no-stat cat
mkdir d/sub
echo '# a folder that has an entry, even if it is not indexed, is not missing'
show bitsift index -q
once no-stat finds --no-stat cat
rm -r d
mv elsewhere d
mv r.old r.jsonl
show bitsift index -q
once ids finds cat
echo '# a folder that became a file'
rm -r e
echo 'cat' >e
show bitsift index -q
once ids finds cat
echo '# all sources are missing: the index stays'
mkdir away
mv d e r.jsonl away
show bitsift index
show bitsift index --rebuild
mv away/* .
show bitsift index -q
once ids finds cat
echo '# a missing folder inside of a source is a part of it'
mkdir d/below
echo 'cat' >d/below/c.txt
quiet bitsift index
rm -r d/below
show bitsift index -q
once no-stat finds --no-stat cat
echo '# a folder that contains only the index'
mkdir alone
echo 'dog' >alone/x
quiet bitsift index --index alone/.bitsift alone
rm alone/x
show bitsift index --index alone/.bitsift
echo '# a missing source without documents: nothing can be lost'
mkdir bare
quiet bitsift index --index bare.index bare d
rmdir bare
show bitsift index -q --index bare.index
show bitsift index -q --index bare.index --rebuild

echo '# names that a shell must quote'
names=("it's two" '$HOME;x' $'line\nfeed' $'esc\e[31m' '-dash' '~' $'\xff\\' 'a"b`c' 'é ü')
for name in "${names[@]}"; do
    rm -rf odd ./i*
    index="i'x $name"
    mkdir odd
    mkdir "./odd/$name"
    echo 'cat' >"./odd/$name/f"
    echo 'dog' >odd/g
    (
        cd odd
        bitsift index -q --index "$index" g "./$name"
        rm -r "./$name"
        bitsift index -q --index "$index" 2>said && echo 'not said'
        [ "$(wc -l <said)" = 1 ] || echo 'not one line'
        ! LC_ALL=C grep -q '[[:cntrl:]]' said || echo 'control characters'
        mkdir "./$name"
        eval "$(LC_ALL=C sed -n 's/.*it is back: \(bitsift .*\); to forget it: .*/\1/p' said) -q" 2>&1
        [ "$(bitsift query --index "$index" --no-stat --count cat)" = 0 ] || echo 'not read anew'
        echo 'cat' >"./$name/f"
        bitsift index -q --index "$index"
        rm -r "./$name"
        bitsift index -q --index "$index" --rebuild 2>said && echo 'not refused'
        eval "$(LC_ALL=C sed -n 's/.*to forget [a-z ]*: //p' said) -q" 2>&1
        bitsift index -q --index "$index" || echo 'not forgotten'
    )
done
