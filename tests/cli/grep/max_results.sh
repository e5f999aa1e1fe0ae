# bitsift grep --max-results, --after: how many results are shown, how many there are, and how to
# continue.
mkdir -p t/a t/a-b
printf 'one key\ntwo\nthree key\nfour\nfive key\nsix key\n' >t/a/x.txt
printf 'key\n' >t/a-b/y.txt
printf 'no\nkey key\nno\nno\nno\nkey\n' >t/a.txt
printf 'nothing\n' >t/b.txt
printf 'the last key\n' >t/z.txt

echo "# At most N lines, in the order of the output"
show bitsift grep --max-results 3 -n key t
show bitsift grep --max-results 3 --after t/a/x.txt:5 -n key t
show bitsift grep --max-results 3 --after t/a.txt:2 -n key t
show bitsift grep --max-results 3 --after t/z.txt:1 key t
show bitsift grep --after t/a-b/y.txt:1 key t
listed bitsift grep --max-results 100 -c key t/z.txt
show bitsift grep --max-results 1 nothing t
show bitsift grep --max-results 1 nowhere t

echo "# What counts as a result"
show bitsift grep --max-results 1 --after t/a-b/y.txt:1 -o key t
listed bitsift grep --max-results 2 -l key t
listed bitsift grep --max-results 2 --after t/a/x.txt:0 -l key t
listed bitsift grep --max-results 2 --after t/a/x.txt:3 -c key t
listed bitsift grep --max-results 1 --files-without-match key t
listed bitsift grep --max-results 2 --files t
listed bitsift grep --max-results 2 --after t/a-b/y.txt:0 --files t
show bitsift grep --max-results 1 -U 'key\nno' t
show bitsift grep --max-results 1 -U '(?s)key.*?no' t
show bitsift grep --max-results 2 -v key t
show bitsift grep --max-results 2 --and e --not five key t
show bitsift grep --max-results 1 -q key t
show bitsift grep --max-results 5 -m1 -n key t

echo "# Context ends where the next match begins"
show bitsift grep --max-results 2 -n -C1 key t
show bitsift grep --max-results 1 --after t/a/x.txt:3 -n -B9 key t
show bitsift grep --max-results 1 -n -A9 key t
show bitsift grep --max-results 4 --heading -n key t
show bitsift grep --max-results 1 --passthru -n key t/a/x.txt

echo "# JSON"
json() {
    announce bitsift grep --json "$@"
    bitsift grep --json "$@" 2>&1 | sed -E 's/"(elapsed|elapsed_total)":\{[^}]*\}/TIME/g'
}
json --max-results 3 key t
json --max-results 1 --after t/z.txt:1 key t
bitsift grep --json key t | grep -c '"results"' || true

echo "# A binary file is one result"
printf 'key\nkey\0\nkey\nkey\n' >n.bin
show bitsift grep --max-results 1 key n.bin t/z.txt
show bitsift grep --max-results 1 --after n.bin:1 key n.bin t/z.txt
show bitsift grep --max-results 1 --after n.bin:18446744073709551615 key n.bin t/z.txt

echo "# File names that need quotes"
mkdir q
printf 'key\nkey\n' >"q/it's here.txt"
printf 'key\nkey\n' >q/$'\x01:2'
show bitsift grep --max-results 1 key q
show bitsift grep --max-results 1 --after $'q/\x01:2:2' key q
show bitsift grep --max-results 1 key - <t/a.txt
show bitsift grep --max-results 1 --after '<stdin>:2' key - <t/a.txt
(
    cd q
    printf 'key\nkey\nkey\n' >-e
    show bitsift grep --max-results 1 -n key
    show bitsift grep --max-results 1 --after -e:1 -n key
    show bitsift grep --max-results 1 --after=-e:2 -n key
    rm ./-e
)

echo "# Files have changed since: the search continues after the same position"
cp -r t c
rm c/a/x.txt
show bitsift grep --max-results 1 --after c/a/x.txt:3 -n key c
printf 'key\n' >c/a/y.txt
show bitsift grep --max-results 1 --after c/a/x.txt:3 -n key c
sed -i 1,2d c/a.txt
show bitsift grep --max-results 2 --after c/a.txt:2 -n key c

echo "# In another order"
touch -d '2001-01-01' t/a.txt
touch -d '2002-01-01' t/z.txt t/a
touch -d '2003-01-01' t/b.txt t/a-b
touch -d '2004-01-01' t/a/x.txt t/a-b/y.txt
show bitsift grep --sortr path --max-results 2 -n key t
show bitsift grep --sortr path --max-results 2 --after t/a.txt:2 -n key t
show bitsift grep --sortr path --max-results 2 --after t/a.gone:2 -n key t
show bitsift grep --sort modified --max-results 3 -n key t
show bitsift grep --sort modified --max-results 3 --after t/a/x.txt:1 -n key t
show bitsift grep --sort modified --max-results 3 --after t/gone:1 -n key t
listed bitsift grep --sortr modified -l key t

echo "# Errors"
show bitsift grep --after t/a.txt key t
show bitsift grep --after u/a.txt:2 key t
show bitsift grep --after 't/a.txt:2#2' key t
show bitsift grep --max-results 0 key t

echo "# All pages together are the whole output"
for ((i = 0; i < 300; i++)); do
    mkdir -p "p/$((i % 7))"
    for ((j = 0; j < i % 13; j++)); do
        printf '%s\n' "line $j of $i" "$((i * j % 5)) key" "and $((j % 3)) key"
    done >"p/$((i % 7))/$i.txt"
done
# pages N PATTERN OPTION...: collects all pages of N results. Checks that together they are the
# whole output, and that each page reports the number of remaining results.
pages() {
    local n=$1 pattern=$2 after=() all left=-1 n_pages=0 counted
    shift 2
    all=$(bitsift grep -e "$pattern" "$@" | wc -l)
    : >"$SCRATCH/pages"
    while :; do
        bitsift grep --max-results "$n" "${after[@]}" -e "$pattern" "$@" >>"$SCRATCH/pages" 2>"$SCRATCH/messages"
        counted=$(sed -E 's/^bitsift: [0-9,]+ of ([0-9,]+) .*/\1/; s/,//g' "$SCRATCH/messages")
        [ "$left" -lt 0 ] || [ "$counted" -eq "$left" ] || echo "counted $counted of $left"
        [ "$n_pages" -gt 0 ] || [ "$counted" -eq "$all" ] || echo "counted $counted of $all"
        left=$((counted - n))
        n_pages=$((n_pages + 1))
        grep -q 'for more' "$SCRATCH/messages" || break
        eval "after=(--after $(sed 's/.*--after //' "$SCRATCH/messages"))"
    done
    if cmp <(bitsift grep -e "$pattern" "$@") "$SCRATCH/pages"; then
        echo "$n_pages pages of $n: $* $pattern"
    fi
}
pages 500 key -n p
pages 499 '[13] key' -n -j2 p
pages 97 'key' -n p/3 p p/4/11.txt
pages 61 '2 key' -I p
pages 150 key -v p
pages 50 key -l p
pages 41 key -c p
pages 70 . --files-without-match p
pages 300 '[24] key' -m3 p
pages 333 '1 key$' -o -n p
pages 200 key --sortr path -n p
pages 200 key --sort modified -n p
bitsift index --grams p >/dev/null 2>&1
settle
pages 97 '2 key' -n p
pages 97 '2 key' -n --no-stat p

echo "# --stats counts the bytes that are printed"
for options in -n -C1 -o; do
    for n in 1 3 99 400 100000; do
        printed=$(bitsift grep --max-results $n $options '2 key' p 2>"$SCRATCH/messages" | wc -c)
        counted=$(bitsift grep --max-results $n $options --stats '2 key' p 2>"$SCRATCH/messages" | sed -n 's/ bytes printed$//p')
        [ "$printed" = "$counted" ] || echo "$options, $n results: $printed bytes, counted as $counted"
    done
done
