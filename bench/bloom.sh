#!/usr/bin/env bash
# bloom.sh [BITSIFT_BENCH_BLOOM [N]]: measures the Bloom family: prints the tables of
# bitsift-bench-bloom, with N (10,000,000) absent keys for each rate, and pictures of them. Takes
# some minutes. The file for probes, 250 MB, is made in TMPDIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath -- "${1:-$here/../build/release/bench/bitsift-bench-bloom}")
n=${2:-10000000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-bloom.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"

table() { # NAME HEADING
    "$program" "$1" "$n" >"$1"
    printf '## %s\n\n' "$2"
    cat "$1"
    echo
}
cells() { sed -nE 's/^\| ([0-9].*) \|$/\1/p' "$1" | sed 's/ | /\t/g; s/ %//g'; } # TABLE
block() { # formats standard input as a code block
    echo '```'
    cat
    printf '```\n\n'
}
picture() { # TITLE ACROSS; points on standard input
    awk -v title="$1" -v across="$2" -f "$here/bloom.awk" | block
}

table rates 'False positive rate by bits a key'
cells rates | awk -F'\t' '{ print "formula\t" $1 "\t" $3; print "measured\t" $1 "\t" $4 }' |
    picture 'How often an absent key is said to be there' 'bits a key'
table compressed 'Compressed: the rate that so many bits sent a key buy'
table sizes 'Compressed: the bits sent a key that a rate costs'
# The rows of a rate are in ascending order of memory ($3, in bits per key), so `sent` keeps the row
# with most memory, and `within` the last row with at most 64 bits.
cells sizes | awk -F'\t' '{ plain[$1] = $2; sent[$1] = $5 } $3 <= 64 { within[$1] = $5 }
    END { for (r in plain) { print "plain\t" plain[r] "\t" r; print "up to 64 bits of memory\t" within[r] "\t" r; print "any memory\t" sent[r] "\t" r } }' |
    sort | picture 'The rate that so many bits sent a key buy' 'bits sent a key'
table counting 'Counting: counters that overflow, at the load of the best filter'
table deltas 'Deltas: 100,000 keys at a rate of .01, of which some go and as many come'
cells deltas | awk -F'\t' 'BEGIN { print "100,000 keys at a rate of 0.01, of which some go and as many come"
        print "changed  bytes sent  bits a key changed  of the whole filter" }
    { printf "%7s %11s %19s %18s %%\n", $1, $2, $3, $4 }' | block
table hops 'Attenuated: 64 nodes with 1,000 words each, three levels; searches for every word that somebody has'
cells hops | awk -F'\t' '$13 > 0 { print $1 "\t" $2 "\t" $13 / 100 }' |
    picture 'Of the hops to the nearest holder, those that are false' 'bits a word; the digit: neighbours of a node'
cells hops | awk -F'\t' 'BEGIN { print "64 nodes, three levels, 16 bits a word"
        print "neighbours  by filters alone            with homes"
        print "            asked    false    blind     asked    false" }
    $2 == 16 { printf "%10s %6s %7s %% %6s %% %9s %6s %%\n", $1, $8, $9, $10, $12, $13 }' | block
table levels 'Attenuated: more levels, no homes, 16 bits a word'
table probes 'Catalogs: a word that none has, microseconds of CPU'
