# `index --rebuild SOURCE` reads that source completely, without trusting fingerprints, and keeps
# all others. `index --rebuild` makes everything again, and loses no text that exists nowhere else.
all() { bitsift query --no-stat --ids 'cat OR dog OR bird OR fish' 2>/dev/null | tr '\n' ' '; echo; }
mkdir a b b/sub
echo 'cat' >a/x
echo 'hidden bird' >a/.h
echo 'dog' >b/y
echo 'dog below' >b/sub/z
echo 'hidden dog' >b/.h
printf '{"id":"i1","t":"bird"}\n{"id":"i2","t":"bird"}\n' >b/in.jsonl
printf '{"id":"r1","t":"fish"}\n{"id":"r2","t":"fish"}\n{"t":"fish by line"}\n' >r.jsonl
settle
printf '{"id":"p1","t":"cat"}\n{"id":"p2","t":"cat"}\n' | quiet bitsift index b - a r.jsonl
quiet bitsift delete r2 p2 b/in.jsonl#i2
all

echo '# a change that the fingerprint does not reveal'
touch -r a/x fingerprint
sed -i 's/cat/dog/' a/x
touch -r fingerprint a/x
quiet bitsift index --rebuild a
finds dog
show bitsift index --rebuild ./b/../b r.jsonl
ln -s a link
show bitsift index -q --rebuild link
(cd b/sub && show bitsift index -q --rebuild ..)
all
quiet bitsift check

echo '# a deleted document stays deleted until it changes'
printf '{"id":"r1","t":"fish"}\n{"id":"r2","t":"fish, other"}\n{"t":"fish by line"}\n' >r.jsonl
quiet bitsift index --rebuild r.jsonl
all

echo '# arguments that are not sources of the index'
mkdir c
echo 'cat' >c/w
each fails bitsift index --rebuild :: c b/sub b/in.jsonl . nothing
each fails bitsift index --rebuild a :: nothing c
all

echo '# standard input replaces its earlier documents'
printf '{"id":"p2","t":"cat"}\n{"id":"p3","t":"cat"}\n' | quiet bitsift index --rebuild -
all
echo '{"id":"p4","t":"cat"}' | quiet bitsift index -
all
quiet bitsift index --rebuild - </dev/null
all
echo '{"id":"p1","t":"cat"}' | quiet bitsift index -

echo '# options of the whole index, and rules of folders'
for option in --words --grams --store '--stem english' --fold-accents --split-identifiers '--id t' '--text t' '--weight t=2' \
    '--density 0.4' '--max-document 1M'; do
    # shellcheck disable=SC2086 # several words
    once refused fails bitsift index --rebuild a $option
done
quiet bitsift index --rebuild a --words --grams
show bitsift index -q --rebuild a --hidden
all
quiet bitsift index
all
show bitsift index -q --rebuild b a -g '!.h'
all
bitsift stats -v | grep '^options'
echo '# all sources are named: everything is made anew'
echo '{"id":"p5","t":"cats"}' | show bitsift index -q --rebuild r.jsonl - a b --stem english
finds --no-stat cat
bitsift stats -v | grep '^options'
quiet bitsift index --rebuild --words --grams

echo '# a missing source'
mv b away
show bitsift index -q --rebuild
show bitsift index -q --rebuild b
show bitsift index -q --rebuild a
mkdir b
show bitsift index -q --rebuild
show bitsift index -q --rebuild a --forget r.jsonl
all
echo '# an empty folder that is named is taken as empty'
show bitsift index -q --rebuild b
all
rmdir b
mv away b
quiet bitsift index
all
rm -r b
show bitsift index -q --rebuild --forget b
all

echo '# stored texts'
mkdir b
echo 'dogs' >b/y
echo 'hidden dog' >b/.h
printf 'x\0' >b/binary
printf '{"id":"i1","t":"birds"}\n{"id":"i2","t":"bird"}\n' >b/in.jsonl
printf '{"id":"r1","t":"fish"}\n{"t":"fish by line"}\n' >r.jsonl
quiet bitsift index --rebuild --store
quiet bitsift index b r.jsonl
quiet bitsift delete b/in.jsonl#i2
mv b away
mv r.jsonl away.jsonl
show bitsift index -q --rebuild --store --stem english --hidden
finds --no-stat dog OR bird OR fish
quiet bitsift check
show bitsift index -q --rebuild --store --hidden --id t
mv away b
mv away.jsonl r.jsonl
show bitsift index -q
finds fish
show bitsift index -q --rebuild --store
all
listed bitsift grep -c . b
finds --count bird
echo '# a folder takes over one that is not mounted'
mv b away
mkdir b
mv away ../
quiet bitsift index .
finds --no-stat dogs
show bitsift index -q --rebuild
finds --no-stat dogs
rmdir b
mv ../away b
show bitsift index -q
finds dogs
quiet bitsift check

if can_be_nobody; then
    echo '# a source that may not be read'
    mkdir of_nobody of_nobody/d of_nobody/e
    echo 'cat' >of_nobody/d/x
    echo 'cat' >of_nobody/e/x
    chmod -R a+rwX of_nobody
    cd of_nobody
    chown -R 65534 . 2>/dev/null || true
    as_nobody bitsift index -q --index i d e
    chmod 0 d
    show as_nobody bitsift index -q --index i
    show as_nobody bitsift index -q --index i --rebuild
    show as_nobody bitsift index -q --index i --rebuild d
    show as_nobody bitsift index -q --index i --rebuild e
    chmod 755 d
    listed as_nobody bitsift query --index i --ids cat
fi
