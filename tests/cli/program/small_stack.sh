# Small stacks: every command works with `ulimit -s 96`. Input that is nested too deeply for that
# causes an error, never a crash. With sanitizers, frames are larger, and the limit is 768 KiB.
KIB=${KIB:-${SANITIZED:+768}}
KIB=${KIB:-96}
# nest N OPEN MIDDLE CLOSE: prints OPEN N times, MIDDLE, CLOSE N times.
nest() {
    awk -v n="$1" -v open="$2" -v middle="$3" -v close_="$4" 'BEGIN {
        for (i = 0; i < n; i++) printf "%s", open
        printf "%s", middle
        for (i = 0; i < n; i++) printf "%s", close_
    }'
}
# small COMMAND...: runs it on a small stack.
small() {
    (ulimit -s "$KIB" && exec "$@")
}
# no_crash WHAT COMMAND...: reports if a signal ends the command, or if it fails without a message.
no_crash() {
    local what=$1 status=0
    shift
    small "$@" >/dev/null 2>"$SCRATCH/.stderr" || status=$?
    [ "$status" -le 2 ] || printf '%s: exit status %d\n' "$what" "$status"
    [ "$status" -ne 2 ] || [ -s "$SCRATCH/.stderr" ] || printf '%s: exit status 2 without a message\n' "$what"
}

# A corpus of deep and long documents.
mkdir tree
(
    cd tree
    printf '*.tmp\n!%s\n/%s\n' "$(nest 200 'a*' '' '?b')" "$(nest 300 '**/' x '')" >.ignore
    for i in $(seq 1 200); do printf 'needle %d in the hay, wörter 漢字 %d\n' "$i" $((i * 7)) >"file$i.txt"; done
    for _ in $(seq 1 300); do mkdir d && cd d; done
    printf 'deep needle\n' >end.txt
)
{
    printf '{"id":"deep","text":"needle","list":%s,"map":%s}\n' "$(nest 20000 '[' '"leaf"' ']')" "$(nest 20000 '{"k":' '"leaf two"' '}')"
    printf '{"id":"too deep","text":%s}\n' "$(nest 70000 '[' '"leaf"' ']')"
    documents 3000
} >records.jsonl
printf 'needle\n%s\n' "$(nest 500 '(' needle ')')" >patterns

quiet small bitsift index --words --grams tree records.jsonl
show small bitsift index
listed small bitsift query --count needle
listed small bitsift query --count 'leaf OR "deep needle" OR common'
show small bitsift query -n 2 '"needle in"~3 OR w1*'
listed small bitsift query --ids -j 2 'hundred -w7 w1~1'
listed small bitsift query --fresh --count name:file7 OR 漢字
quiet small bitsift query --explain --stats 'common hundred OR needle'
listed small bitsift query --brute --count 'needle'
quiet small bitsift query --feedback 'common hundred'
quiet small bitsift query --like d7
listed small bitsift grep -c -I 'deep needle' tree
show small bitsift grep -I -j 3 '(deep|shallow) +needle' tree
listed small bitsift grep -P -I -c '(?<=deep )needle' tree/d
show small bitsift grep --brute -I -o 'deep n' tree
listed small bitsift grep -c -F -f patterns tree/file1.txt
quiet small bitsift stats
quiet small bitsift check
quiet small bitsift delete --yes d3 d4
quiet small bitsift delete --query 'w17 OR w18' --dry-run
quiet small bitsift compact
quiet small bitsift index --rebuild
quiet small bitsift catalog add .bitsift
quiet small bitsift catalog list
listed small bitsift query --catalog --count needle
quiet small bitsift grep --catalog -c 'deep needle'
quiet small bitsift catalog refresh
quiet small bitsift catalog check
quiet small bitsift trust .bitsift
quiet small bitsift help
for page in index query grep stats check compact delete catalog trust; do quiet small bitsift help "$page"; done
quiet small bitsift --version

# Deeper and deeper nesting. With a stack of the usual size all of this works.
for n in ${LEVELS:-16 60 250 1000}; do
    for open in '(needle OR hay ' 'text:(deep -(hay OR ' '-(needle '; do
        brackets=${open//[!(]/}
        query=$(nest "$n" "$open" leaf "${brackets//\(/)}")
        no_crash "query of $n $open" bitsift query --count -- "$query"
        no_crash "query --any of $n $open" bitsift query --any --explain -n 3 -- "$query"
        no_crash "query --catalog of $n $open" bitsift query --catalog --count -- "$query"
    done
    for open in '(a|b' '(?:needle|(b' '(?=(' 'x(?i:y(?!'; do
        brackets=${open//[!(]/}
        pattern=$(nest "$n" "$open" needle "${brackets//\(/)}")
        no_crash "grep of $n $open" bitsift grep -c -- "$pattern"
        no_crash "grep -P of $n $open" bitsift grep -P -c -- "$pattern" tree/file1.txt
        no_crash "grep -e of $n $open" bitsift grep -c -e "$pattern" -e 'other' -w tree/file1.txt
    done
    no_crash "repetitions of $n" bitsift grep -c -- "needle$(nest "$n" '{1}' '' '')" tree/file1.txt
    no_crash "stars of $n" bitsift grep -c -- "$(nest "$n" 'a*' x 'b*')" tree/file1.txt
    no_crash "glob of $n" bitsift grep -c needle -g "$(nest "$n" '*a' '*' 'b?')" tree
    no_crash "glob of $n folders" bitsift grep -c needle -g "$(nest "$n" '**/' 'x' '/**')" tree
    no_crash "glob of $n alternatives" bitsift query --count -g "{$(nest "$n" 'a,' 'x' ',b')}" needle
    no_crash "words of $n" bitsift query --any --count -- "$(nest "$n" 'needle ' x ' w1')"
    no_crash "phrase of $n" bitsift query --count -- "\"$(nest "$n" 'needle ' x ' w1')\""
done
# Queries that need no larger stack have the same answers as on any other.
printf '%s\n' "$(small bitsift query --count -- "$(nest 16 '(needle OR (hay ' leaf '))')")"
small bitsift grep -c -I -- "$(nest 30 '(deep |' x ')')needle" tree/d
