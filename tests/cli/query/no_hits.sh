# On a terminal a query without hits is reported, with a proposed word; so is the number of hits
# that are not shown.
can_use script || exit 77
on_terminal() {
    announce "$@"
    SHELL=$BASH script -qec "$(printf '%q ' "$@")" /dev/null </dev/null | tr -d '\r' |
        sed -E -e 's/\x1b\[[0-9;]*m//g' -e '/^    /d' -e '/  0\.[0-9]+$/d' || true
}
mkdir d
echo 'the harbour at night' >d/a.txt
echo 'the harbour, a harbor, and herring' >d/b.txt
for i in $(seq 30); do echo "boat $i" >"d/boat$i.txt"; done
quiet bitsift index d
on_terminal bitsift query harbuor
on_terminal bitsift query harbour boat
on_terminal bitsift query harbuor herirng xyzzyx
export XDG_CONFIG_HOME=$SCRATCH/config
mkdir e
echo 'a lighthouse, and a harbor' >e/c.txt
quiet bitsift index --index e.index e
bitsift catalog add .bitsift e.index
on_terminal bitsift query --catalog harbuor
on_terminal bitsift query --catalog lighthuse
on_terminal bitsift query --catalog ligthhuose xyzzyx
on_terminal bitsift query --catalog harbour lighthouse
on_terminal bitsift query --catalog --fresh lighthuse
on_terminal bitsift query '"at nihgt" -harbuor'
on_terminal bitsift query --ids harbuor
on_terminal bitsift query --count harbuor
on_terminal bitsift query --any harbuor boat -n 40 --ids | folded
echo '# too short for a proposal'
on_terminal bitsift query zz
echo '# words of the index that begin with the word'
printf '한국어를 배운다, 아니면 한글\nroute 192.168.0.1 serial 12345\n' >d/korean.txt
quiet bitsift index
on_terminal bitsift query 한국
on_terminal bitsift query 192.168
on_terminal bitsift query 12346
on_terminal bitsift query rou
rm d/korean.txt
quiet bitsift index
echo '# without a terminal nothing is printed, and the exit status is 1'
show bitsift query harbuor
echo '# a batch prints no proposals'
echo 'harbuor' >queries
on_terminal bitsift query --batch queries --ids
echo '# the number of all hits'
on_terminal bitsift query boat
on_terminal bitsift query boat -n 29
on_terminal bitsift query boat -n 30
on_terminal bitsift query boat -n 31
echo '# pages'
on_terminal bitsift query boat -n 2 --offset 20
on_terminal bitsift query boat -n 2 --offset 28
on_terminal bitsift query boat -n 2 --offset 30
echo '# the search ended when it had the best hits: there may be no more'
cp "$SAMPLE/notes.jsonl" .
quiet bitsift index --index "$SCRATCH/notes" notes.jsonl
on_terminal bitsift query --index "$SCRATCH/notes" -n 1 title:ferry
on_terminal bitsift query --index "$SCRATCH/notes" -n 1 --offset 1 text:ferry
echo '# no proposal after a time limit, because documents that were not read may match'
on_terminal bitsift query harbuor --brute --time-limit 0.001us
echo '# proposals in an index with stems'
echo '{"id":"1","text":"sailing boats"}' >c.jsonl
quiet bitsift index --index "$SCRATCH/stems" --stem english c.jsonl
on_terminal bitsift query --index "$SCRATCH/stems" saliing
echo '# a lower bound of the number of hits'
documents 30000 >many.jsonl
settle
quiet bitsift index --index "$SCRATCH/many" many.jsonl
on_terminal bitsift query --index "$SCRATCH/many" --any common hundred >"$SCRATCH/many.out"
sed -E 's/at least [0-9,]+/at least N/' "$SCRATCH/many.out"
