# Words with * and ?: which documents match, when the characters are wildcards, and which patterns
# are too broad.
cat >a.jsonl <<'X'
{"id":"lantern","title":"Lantern","text":"the red lantern hangs"}
{"id":"lanterns","title":"light","text":"red lanterns, lanern"}
{"id":"response","title":"response","text":"a Response to the cat"}
{"id":"ponse","title":"cut","text":"ponse cot coat"}
{"id":"cafes","text":"cafés 한국어 漢字 3.14 foo.bazar"}
{"id":"url","text":"see /api/users?id=7, users id, and how does it work?"}
{"id":"code","text":"SELECT count(*) FROM t; int main(int argc, char **argv)"}
X
settle
quiet bitsift index a.jsonl
for query in 'lan*ern' 'LAN*ern' 'lan*ern*' '*ponse' '*pon*' 'c?t' 'c?at' 'c*t' 'caf?s' 'caf*s' '한*어' '한?어' '*한국*' '3.1?' '3?14' 'foo.ba*r' 'fo*o.bazar' \
    'title:lan*n' 'text:*ponse' 'red -lan*rns' '"red lan*n"' '"red lant*"' '"the r?d"' '"r*d lantern"' '"red lan*ns"^2' '"red lan*n"~3' \
    'lan*ern~1' 'how does it work?' 'users?id=7' 'users?id' 'count(*)' '**argv)' '漢*字' '*qqqq*'; do
    every "$query"
done
finds --any 'lan*rns *ponse'
finds --strict-query 'c??t *x'
finds --strict-query 'fo*o.bazar'
each every :: '192.*.0.1' '/usr/*/bin' "$(printf 'word*%.0s' {1..210})y"
printf '%s\n' 'lan*ern' 'c?t' 'work?' >queries
show bitsift query --ids --batch queries
show bitsift query 'lan*rn^3 c?t'
show bitsift query --json '"red lan*rns"'
bitsift query --explain 'lan*ern "red c?t" 3?14 3.1?4' 2>/dev/null | head -n 1

echo '# stems: patterns are not stemmed'
quiet bitsift index --index stems --stem english a.jsonl
each every --index stems :: 'lan*ern' 'lan*erns' '"red lan*n"'

echo '# patterns that match more words than the limit'
make() { awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i <= to; i++) printf "{\"id\":\"%d\",\"text\":\"abc%dx\"}\n", i, i }'; }
make 1 17000 >many.jsonl
quiet bitsift index --index many many.jsonl
for query in 'abc1*9x' '*c1*x' 'abc?9*x' 'abc*x' '*bc1?*' 'abc*x^2 OR abc17x' '"abc*x"' '"x*bc*"' 'NOT *abc*'; do
    finds --index many --count "$query"
    bitsift query --index many --count "$query" 2>"$SCRATCH/1" | diff - <(bitsift query --index many --count --brute "$query")
done
finds --index many --count 'abc1* *bc*x'
