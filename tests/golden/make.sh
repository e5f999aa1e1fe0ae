#!/usr/bin/env bash
# make.sh PROGRAM FOLDER: makes the indexes of tests/golden/v4 with a bitsift, and their sources beside them, into a new FOLDER.
# Those that are checked in were made when version 4 of the format was released, and stay as they are: they stand for
# the indexes that people have. A version 5, if there is ever one, gets a folder of its own.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: make.sh PROGRAM FOLDER" >&2
    exit 2
fi
program=$(realpath -- "$1") here=$(realpath -- "$(dirname -- "$0")")
mkdir -- "$2"
cd -- "$2"

# A run waits until stamps of what it read prove something, so that nothing is suspect in the end.
index() {
    sleep 0.1
    "$program" index -q -j 1 "$@"
}

# Files, words and grams: a collection among them, with its row; a binary file; a link; a second segment; a deleted file,
# which leaves a tombstone and an exclusion; a file that is gone, which leaves a tombstone alone.
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

# Records, stemmed and without accents: ids that come twice, fields, deleted ones, and a part that was appended.
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

# Standard input: the text is stored.
mkdir stored
printf '{"id":"s%d","text":"stored record %d of bits: %s"}\n' 1 1 'the quick fox' 2 2 'the lazy dog' 3 3 'the quick dog' |
    (cd stored && index --words -)

# A matrix of two blocks: exact columns, exceptions, tf levels, rare words with lists; some documents far longer than the rest.
mkdir matrix
(
    cd matrix
    awk -f "$here/matrix.awk" >r.jsonl
    index --words r.jsonl
)

# What keeps an index out of git and backups would keep these out, too.
rm -f -- */.bitsift/.gitignore */.bitsift/CACHEDIR.TAG */.bitsift/lock
