# A crafted index with correct checksums: each of eight commands fails and reports the same damage.
[ -n "${RESEAL:-}" ] || skip 'RESEAL is not set; ctest sets it'
mkdir docs
echo 'cat 1' >docs/1.txt
echo 'cat 2' >docs/2.txt
settle
quiet bitsift index docs
echo 'cat 3' >docs/3.txt
rm docs/1.txt
quiet bitsift index
cp -r .bitsift "$SCRATCH/good"

# crafted FILE SECTION OFFSET BYTES NUMBER: prints each error and how many of the eight commands
# report it; all must fail.
crafted() {
    echo "# $*"
    local said command
    for command in 'query cat' 'query --brute --ids cat' 'grep cat' 'stats' 'check' 'index' 'compact' 'delete docs/2.txt'; do
        rm -r .bitsift
        cp -r "$SCRATCH/good" .bitsift
        "$RESEAL" ".bitsift/$1" "${@:2}"
        said=$(bitsift $command 2>&1) && said="$command: exit status 0"
        head -n 1 <<<"$said"
    done | sed 's/; rebuild it with .*//' | LC_ALL=C sort | uniq -c
}

# In the manifest: the kind of the first source, the next file number, options, the density, the
# number of deleted documents.
crafted manifest 2 1 4 9
crafted manifest 1 8 8 0xffffffffffffffff
crafted manifest 1 16 4 0x80000003
crafted manifest 1 20 8 0
crafted manifest 3 25 8 2
# In a segment: the total of words, and the source of its first documents.
crafted seg-000001 1 32 8 0xffffffffffffffff
crafted seg-000001 30 0 4 7
