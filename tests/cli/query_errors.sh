# What is wrong with a query is told, and with --strict-query an error: one line with the reason, the query, and a caret under
# the place. Without words it is one always.
set -eu
. "$LIB"
echo 'cat dog' >a.txt
quiet bitsift index .
while IFS= read -r query; do
    show bitsift query --count -- "$query"
    show bitsift query --count --strict-query -- "$query"
done <<'QUERIES'
(cat
cat)
cat ()
"cat
cat OR
OR cat
cat AND
AND
cat AND OR dog
NOT
cat NOT
cat -(
+++
"+++"
-
*
cat (dog OR (
日本語 OR (
é (
cat^1001
cats or dogs
/c.t/
nam:a
QUERIES
show bitsift query ''
show bitsift query '   '
show bitsift query --strict-query "$(printf 'a\tb (')"
show bitsift query --strict-query "$(printf 'caf\351 (')"
show bitsift query --strict-query "$(printf 'one\ntwo (')"
show bitsift query --strict-query $'caf\u202e\u1112\u1161\u11ab (' # letters of one syllable take two columns, what turns the text round is shown as one
echo '# not an error'
show bitsift query --count cat +++
show bitsift query --count '- cat'
show bitsift query --count 'cat and dog'
show bitsift query --count 'nofield:cat'
echo '# too much of a good thing'
show bitsift query 'cat~3'
show bitsift query '*cat'
echo '# five lines at most, of all queries together'
printf '%s\n' 'cat or dog' 'cat and dog' 'a ) b' 'titel:cat' >batch
printf 'cat +%s\n' 1 + ++ +++ ++++ >>batch
show bitsift query --count --batch batch
show bitsift query --count --strict-query --batch batch
