# Long lists of literals and regexes, also with more patterns than PCRE2 can hold: the reported
# matches, searches with an index, and limits.
#
# words FIRST LAST: prints each number as a word, 12 as wbcz. No word is a prefix of another.
words() {
    seq "$1" "$2" | tr 0123456789 abcdefghij | sed 's/.*/w&z/'
}
mkdir t
words 1 9000 >all
awk 'NR % 100 == 1 { print "line " NR ": " $0 "; X" $0 "X" }' all >t/some.txt
printf 'nothing here\nwabcdefgz\n' >t/none.txt

echo 'Literals, however they are given.'
words 1 6000 >list
listed bitsift grep -c -F -f list t
listed bitsift grep -c -f list t
{
    printf '('
    paste -sd '|' list | tr -d '\n'
    printf ')'
} >one
listed bitsift grep -c -f one t
# shellcheck disable=SC2046 # each line is an option and its pattern
bitsift grep -c $(sed 's/^/-e /' list) t
paste -sd '|' list >one
listed bitsift grep -c -f one t
words 5000 90000 >list
listed bitsift grep -c -F -f list t

echo 'What a match is: of those that begin alike that of the first pattern.'
words 6001 12000 >list
printf 'line 6\nline\nlin\n' >>list
show bitsift grep -m2 -o -b -F -f list t/some.txt
printf 'lin\nline\n' | cat - list >first
show bitsift grep -m1 -o -F -f first t/some.txt
show bitsift grep -o -F -f list t/some.txt | sort | uniq -c | sort -k1nr -k2 | sed -E 's/^ +//; 3q'
show bitsift grep -m2 -o -n -i -F -e wBAbZ -f list t/some.txt
words 1 6000 >list
show bitsift grep -m2 -n -o -F -f list t/some.txt
show bitsift grep -m2 -n -o -w -F -f list t/some.txt
listed bitsift grep -c -v -F -f list t
show bitsift grep -m2 -r '<$0>' -F -f list t/some.txt
show bitsift grep --json -m1 -F -f list t/some.txt | sed -E 's/"elapsed(_total)?":\{[^}]*\}/"elapsed":T/g'
sed 's/.*/line 101: &; X&X/' list >lines
show bitsift grep -x -F -f lines t
sed -i 's/^line 101/line 201/' lines
echo >>lines
show bitsift grep -x -F -f lines t
listed bitsift grep -c -x -F -f lines t
printf '\n' | bitsift grep -n -x -F -f lines
echo >>list
listed bitsift grep -c -F -f list t

echo 'Letters beyond ASCII.'
{ words 1 5000; printf 'STRASSE\nGRÖSSE\nΣΊΣΥΦΟΣ\nkelvin\n'; } >list
printf 'größe\nσίσυφος\n\342\204\252elvin\nstra\303\237e\ngr\377\303\266ße\n' >t/letters.txt
show bitsift grep -n -o -i -F -f list t/letters.txt
show bitsift grep -n -o -i -w -F -f list t/letters.txt
listed bitsift grep -c -F -f list t/letters.txt

echo 'Regexes: each a pattern of its own, with the groups of all.'
words 1 5000 | sed 's/$/ *; (X)(w[a-j]*)/' >list
listed bitsift grep -c -f list t
show bitsift grep -m2 -o -r '<$1,$2,$201,$202>' -f list t/some.txt
show bitsift grep -m1 -o -r '<$what,$1,$2>' -e 'line (?P<what>1)' -f list t/some.txt
printf '[0-9]{4}:\n' >>list
listed bitsift grep -c -f list t/some.txt
listed bitsift grep -c --brute -f list t/some.txt
sed -i '4000s/$/(/' list
bitsift grep -c -f list t 2>&1 | cut -c 1-100

echo 'What PCRE2 has no room for, and is no list.'
show bitsift grep '.{65536}' t
show bitsift grep '(foo|bar){3000}' t
awk 'BEGIN { printf "a"; for (i = 0; i < 300000; i++) printf "{1}" }' >deep
quiet bitsift grep -f deep t

echo 'By an index.'
mkdir ix
words 1 600 | while read -r word; do
    echo "of $word" >"ix/$word"
done
settle
quiet bitsift index -q --grams --index i ix
words 501 580 >list
bitsift grep --index i -f list ix >ours
bitsift grep -f list ix | cmp - ours
wc -l <ours
bitsift grep --index i --explain -l -f list ix 2>&1 >ours | sed -nE 's/(, "[a-z]*")+(, and .*), [0-9]+ of them.*/ ...\2/p'
words 401 600 >list
bitsift grep --index i --explain -c -f list ix 2>&1 >ours | sed -nE 's/candidates.*//p'
wc -l <ours
