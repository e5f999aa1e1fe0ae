# A query that does not parse: one line with the reason, the query, and a caret under the place.
set -eu
. "$LIB"
echo 'cat dog' >a.txt
quiet bitsift index .
while IFS= read -r query; do
    show bitsift query -- "$query"
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
QUERIES
show bitsift query ''
show bitsift query '   '
show bitsift query "$(printf 'a\tb (')"
show bitsift query "$(printf 'caf\351 (')"
show bitsift query "$(printf 'one\ntwo (')"
show bitsift query $'caf\u202e\u1112\u1161\u11ab (' # letters of one syllable take two columns, what turns the text round is shown as one
echo '# not an error'
show bitsift query --count cat +++
show bitsift query --count '- cat'
show bitsift query --count 'cat and dog'
show bitsift query --count 'nofield:cat'
echo '# too much of a good thing'
show bitsift query 'cat~3'
show bitsift query '*cat'
