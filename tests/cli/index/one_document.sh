# Each file is indexed once, because sources are identified by their real paths. Also: parts of
# sources, folders that contain other sources, --forget, and --rebuild with sources.
fill() {
    cd "$SCRATCH/.." && rm -rf work "$SCRATCH"/.once.* && mkdir work && cd work
    mkdir -p d/sub e
    for name in top d/a d/b d/sub/c e/f; do echo 'cat' >"$name.txt"; done
    settle
}
ids() { once ids finds cat; }
sound() { quiet bitsift check; }

echo '# one source by several names'
fill
ln -s d link
show bitsift index -q d "$PWD/d" ./d/ e/../d link
ids
show bitsift index --index .bitsift -q ../work/d
ids

echo '# a source inside of another one is a part of it: only this part is refreshed'
echo 'cat' >d/sub/new.txt
echo 'cat' >d/new.txt
rm d/sub/c.txt
settle
show bitsift index d/sub
ids
(cd d/sub && show bitsift index .)
(cd d/sub && finds cat)
rm d/a.txt
show bitsift index d/new.txt
ids
show bitsift index
ids
listed bitsift grep -l cat d
sound

echo '# if a source is named, the others stay as they were'
quiet bitsift index e
echo 'cat' >d/newer.txt
echo 'cat' >e/newer.txt
show bitsift index e
ids
quiet bitsift index

echo '# a part that the rules of its source exclude becomes a source of its own'
mkdir d/.hidden
echo 'cat' >d/.hidden/h.txt
printf 'cat\0' >d/binary
show bitsift index d/.hidden d/binary
ids
sound

echo '# a folder takes over the sources inside of it; deleted documents stay deleted'
fill
quiet bitsift index e d/sub d/b.txt
quiet bitsift delete d/sub/c.txt d/b.txt
mkdir d/.hidden
echo 'cat' >d/.hidden/h.txt
quiet bitsift index d/.hidden
show bitsift index d
ids
show bitsift index .
ids
finds --brute cat
finds --fresh cat
sound
quiet bitsift compact
ids
echo 'cat, changed' >d/b.txt
show bitsift index
ids
bitsift stats | grep deleted | neutral -
show bitsift index -q --rebuild
ids
sound

echo '# a missing source is reported in each run, with advice'
fill
quiet bitsift index d e
mv e away
show bitsift index
show bitsift index
(cd d && show bitsift index --forget ../e)
mv away e
show bitsift index
ids
sound

echo '# --forget'
quiet bitsift index e top.txt
echo '{"id":"s","text":"cat"}' | quiet bitsift index -
show bitsift index --forget "$PWD/d" --forget -
ids
finds --brute cat
listed bitsift grep -l cat .
sound
each show bitsift index --forget :: e/f.txt d nothing
quiet bitsift compact
show bitsift index d
ids
show bitsift index --forget e --forget top.txt --forget d
ids
show bitsift index
sound

echo '# --rebuild with sources keeps the others'
quiet bitsift index d e top.txt
quiet bitsift delete d/a.txt
show bitsift index --rebuild -q top.txt d
ids
sound
later() { once later finds --index later.index word; }
echo '# sources in a folder that excluded them become part of it once its rules include them'
mkdir -p later/sub
echo 'word plain' >later/a.txt
echo 'word below' >later/sub/b.txt
printf '{"id":"r","t":"word"}\n{"id":"s","t":"word"}\n' >later/c.jsonl
printf 'a.txt\nsub\nc.jsonl\n' >later/.ignore
show bitsift index --index later.index later
show bitsift index --index later.index later/a.txt later/sub later/c.jsonl
later
show bitsift delete --index later.index s
rm later/.ignore
finds --index later.index --fresh 'word AND plain'
finds --index later.index --fresh 'word AND below'
show bitsift index --index later.index later/a.txt
show bitsift index --index later.index
later
show bitsift index --index later.index
show bitsift delete --index later.index --undo later/c.jsonl#s
later
quiet bitsift check --index later.index
echo '# files that its rules exclude now become sources of their own when they are named'
echo c.jsonl >later/.ignore
echo a.txt >>later/.ignore
show bitsift index --index later.index later/a.txt later/c.jsonl
later
show bitsift index --index later.index -q
later
quiet bitsift check --index later.index
quiet bitsift index --index later.index --forget later/a.txt --forget later/c.jsonl
echo '# an index without sources reports it'
quiet bitsift index --index later.index --forget later
bitsift stats --index later.index | head -n 1
