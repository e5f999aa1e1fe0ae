#!/usr/bin/env bash
# make.sh PROGRAM FOLDER: creates FOLDER and, with the bitsift PROGRAM, the indexes of
# tests/golden/v4 and their sources in it. The files in the repository must not change, because they
# represent indexes that users made with an earlier release. A later version of the format gets
# another folder.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: make.sh PROGRAM FOLDER" >&2
    exit 2
fi
program=$(realpath -- "$1") here=$(realpath -- "$(dirname -- "$0")")
mkdir -- "$2"
cd -- "$2"

# Waits until the fingerprints of the files can be trusted, then runs `bitsift index`.
index() {
    sleep 0.1
    "$program" index -q -j 1 "$@"
}

# A folder of files, indexed with words and grams. Among the files are a collection (the index has
# its row), a binary file and a symlink. The index has two segments, a deleted file (with a
# tombstone and an exclusion), and a removed file (with a tombstone only).
mkdir -p tree/src tree/notes
(
    cd tree
    printf 'int main(void)\n{\n\treturn sift_bits(42); /* the answer */\n}\n' >src/main.c
    printf 'Bits sift. The bits that sift are the bits that stay.\nA second line, about Bloom filters.\n' >notes/bits.md
    printf 'Caf\xc3\xa9 na\xc3\xafve, stra\xc3\x9fe; \xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd and \xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0.\n' >notes/world.md
    printf 'To be deleted: bits.\n' >notes/deleted.md
    printf 'Soon gone: bits.\n' >notes/gone.md
    printf '{"id":"m1","title":"First bits","text":"of a log"}\n{"title":"No id","text":"the second of the log"}\n' >notes/log.jsonl
    printf 'bits\000in a binary file\n' >src/data.bin
    ln -s main.c src/link.c
    index .
    "$program" delete -q notes/deleted.md
    rm notes/gone.md
    printf 'A later file, of the second segment: bits and bytes.\n' >notes/later.md
    index
)

# A collection, indexed with stemming and without accents: an id that occurs twice, several fields,
# a deleted record, and a record that was appended later.
mkdir records
(
    cd records
    printf '{"id":"%s","title":"%s","body":{"text":"%s"},"year":%s}\n' \
        a 'Sifting bits' 'Bits were sifted for caf\u00e9s' 1990 b 'Bytes' 'no bit of it, but caf\u00e9s' 1991 \
        c 'Deleted' 'bits that nobody misses' 1992 a 'Sifting again' 'the second a takes the place of the first' 1993 >mail.jsonl
    index --words --stem english --fold-accents mail.jsonl
    "$program" delete -q c
    printf '{"id":"d","title":"Appended","body":{"text":"bits, at the end of the file"},"year":1994}\n' >>mail.jsonl
    index
)

# Records of standard input, whose text is stored in the index.
mkdir stored
printf '{"id":"s%d","text":"stored record %d of bits: %s"}\n' 1 1 'the quick fox' 2 2 'the lazy dog' 3 3 'the quick dog' |
    (cd stored && index --words -)

# A matrix of two blocks, with exact columns, false positives, tf levels and rare-term lists; some
# documents are much longer than the others.
mkdir matrix
(
    cd matrix
    awk -f "$here/matrix.awk" >r.jsonl
    index --words r.jsonl
)

# Removes the lock files, and the files that keep an index out of git and backups, so that the
# golden indexes can be committed.
rm -f -- */.bitsift/.gitignore */.bitsift/CACHEDIR.TAG */.bitsift/lock
