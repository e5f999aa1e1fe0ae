# grep with the rows of collections: a collection is opened only if its grams may match the pattern,
# and the results equal rg's.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg

records() { # NAME N: prints N records, the middle one with the word needle_NAME
    awk -v name="$1" -v n="$2" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "{\"id\":\"%s%d\",\"text\":\"words of %s number %d, %s\"}\n", name, i, name, i * 7919 % 5003, \
                   i == int(n / 2) ? "needle_" name : "straw"
    }'
}
# opened ARGUMENT...: prints the number of files whose text grep searched.
opened() {
    printf 'opened for %s: ' "$*"
    bitsift grep --stats=json "$@" 2>&1 >/dev/null | grep -o '"verified":[0-9]*' | sed 's/.*://'
}
for name in a b c d e f; do records $name 400 >$name.jsonl; done
printf 'needle_x in a file\n' >x.txt
settle
show bitsift index --words --grams a.jsonl b.jsonl c.jsonl d.jsonl e.jsonl f.jsonl x.txt

echo '# queries of words do not find rows of collections'
finds --count needle_c
finds --count 'NOT needle_c'
finds --count --brute 'NOT needle_c'
finds 'NOT straw'
finds --count ''
show bitsift delete c.jsonl
bitsift stats --json | grep -oE '"(documents|collections|deleted|positions)":[0-9]+' | tr '\n' ' '
echo
bitsift stats | grep -E '^health'
bitsift stats -v | grep -E '^seg-' | sed 's/, [0-9.]* [KM]iB//'
bitsift check | sed 's/, [0-9.]* KiB.*//'

echo '# which files are opened'
for paths in '' . 'c.jsonl' 'a.jsonl b.jsonl c.jsonl x.txt' "$PWD/b.jsonl"; do
    for pattern in needle_c needle_x 'needle_[bd]' absent 'words of [ae] number 12'; do
        # shellcheck disable=SC2086 # several paths
        same -n -i $pattern $paths
    done
done
opened needle_c
opened needle_c a.jsonl c.jsonl
opened absent x.txt b.jsonl
opened --no-stat needle_c
opened 'needle_[bd]'
opened straw

echo '# appended to, rewritten, gone, renamed; new'
records g 400 >g.jsonl
echo '{"id":"late","text":"needle_c and more of it"}' >>b.jsonl
touch -r d.jsonl "$SCRATCH/stamp"
sed 's/needle_d/noodle_d/' d.jsonl >"$SCRATCH/d" && cat "$SCRATCH/d" >d.jsonl && touch -r "$SCRATCH/stamp" d.jsonl
rm e.jsonl
mv f.jsonl h.jsonl
for pattern in needle_c needle_d noodle_d needle_e needle_f needle_g; do
    same $pattern
    same $pattern b.jsonl c.jsonl d.jsonl e.jsonl
done
opened needle_c
echo 'the index is believed:'
bitsift grep --no-stat -l needle_c
bitsift grep --no-stat -l noodle_d || echo none

echo '# a refresh reads the changed collections'
quiet bitsift index a.jsonl b.jsonl c.jsonl d.jsonl g.jsonl h.jsonl
bitsift check | sed 's/, [0-9.]* KiB.*//'
for pattern in needle_c needle_d noodle_d needle_e needle_f needle_g; do same $pattern; done
opened needle_c
opened noodle_d
opened needle_f
finds --count words

echo '# refreshed again and again, compacted'
for i in 1 2 3 4 5 6 7; do
    for name in a b c d; do echo "{\"id\":\"$name-$i\",\"text\":\"round_$i$name\"}" >>$name.jsonl; done
    bitsift index -q 2>/dev/null || true # e.jsonl and f.jsonl are missing
done
same 'round_[37]c'
opened round_7c
bitsift compact 2>&1 | sed -E 's/ in [0-9.]+ s//; s/, [0-9.]+ KiB//'
bitsift check | sed 's/, [0-9.]* KiB.*//'
same 'round_[37]c'
opened round_7c
opened absent
show bitsift compact -q
finds --count words

echo '# odd collections: without a final line end, with a byte order mark, UTF-16, with NUL bytes, not JSON, empty, a symlink, larger than --max-document'
printf '{"id":"1","text":"odd_end"}' >end.jsonl
printf '\357\273\277{"id":"1","text":"odd_mark"}\n' >mark.jsonl
printf '{"id":"1","text":"odd_utf"}\n' | iconv -t UTF-16 >utf.jsonl
printf '{"id":"1","text":"odd_nul"}\n\000\n{"id":"2","text":"odd_behind"}\n' >nul.jsonl
{ records n 2000; printf '\000odd_late\n'; } >late.jsonl
printf 'odd_text, no JSON\n' >text.jsonl
: >empty.jsonl
ln -s a.jsonl link.jsonl
bitsift index -q --index "$SCRATCH/odd" --grams --max-document 64K ./*.jsonl >/dev/null 2>&1 || true
export BITSIFT_INDEX=$SCRATCH/odd
bitsift check | sed 's/, [0-9.]* KiB.*//'
for pattern in odd_end odd_mark odd_utf odd_nul odd_behind odd_late odd_text straw absent; do
    same $pattern
    same -c $pattern ./*.jsonl
done
same -a 'odd_(late|nul)'
same straw link.jsonl
opened odd_end
opened absent
bitsift grep --candidates absent
unset BITSIFT_INDEX

echo '# in a folder, and named; the index is not asked about a small named file'
mkdir -p "$SCRATCH/in/logs/deep"
cd "$SCRATCH/in"
for name in p q; do records $name 6000 >logs/$name.jsonl; done
records r 6000 >logs/deep/r.txt
records s 100 >logs/deep/s.jsonl
cp logs/q.jsonl logs/t.jsonl
records u 40000 >logs/u.jsonl # large enough to be read in pieces
bitsift index -q .
for pattern in needle_q needle_r needle_u absent; do
    same $pattern
    same $pattern logs/p.jsonl logs/q.jsonl logs/deep/r.txt logs/deep/s.jsonl
    same -c $pattern logs/q.jsonl logs/deep "$PWD/logs/t.jsonl" logs/q.jsonl
    (cd logs && same $pattern deep/r.txt ./q.jsonl ../logs/t.jsonl)
done
opened absent
opened absent logs/p.jsonl logs/q.jsonl logs/deep/r.txt
opened absent logs/deep/s.jsonl
opened needle_q logs/p.jsonl logs/t.jsonl
opened needle_u
opened --no-stat needle_p logs/p.jsonl logs/t.jsonl
echo '{"id":"late","text":"needle_p"}' >>logs/t.jsonl
opened needle_p logs/q.jsonl logs/t.jsonl
cd "$OLDPWD"

echo '# by default, collections have grams only if files have'
rm -r .bitsift
bitsift index -q a.jsonl
opened absent a.jsonl
mkdir d
echo 'needle_z' >d/z.txt
bitsift index -q d
bitsift index -q
opened absent a.jsonl d
rm -r .bitsift
bitsift index -q a.jsonl
bitsift index -q --words --grams
bitsift index -q
opened absent a.jsonl
report_same 60
