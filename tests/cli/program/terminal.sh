# Terminal control: escapes, C1 characters, marks of direction. In ids, paths, snippets and messages
# none of them is written to a terminal; names written to a pipe are exact.
can_use script || exit 77
mkdir d
for name in 'esc\033[31m' 'c1\302\23331m' 'raw\23331m' 'rlo\342\200\256txt' 'lri\342\201\246x' 'alm\330\234x'; do
    # shellcheck disable=SC2059 # the name holds escapes
    printf 'cat \342\200\256one \302\233two \033[31mthree\n' >"d/$(printf "$name")"
done
printf '{"id":"r\\u202e\\u009b\\u001b[1m","te\\u202ext":"cat \\u202eone \\u009btwo"}\n' >c.jsonl
# Matches bytes that may control a terminal, except line ends and bitsift's own colours.
hostile=$(printf '\033\\[31m|\302[\200-\237]|\342\200[\216\217\252-\256]|\342\201[\246-\251]|\330\234|raw\233|\007')
on_terminal() {
    announce "$@"
    SHELL=$BASH script -qec "$(printf '%q ' "$@")" /dev/null </dev/null >"$SCRATCH/typescript" || true
    if LC_ALL=C grep -aqE "$hostile" "$SCRATCH/typescript"; then
        echo 'a terminal would obey this:'
        LC_ALL=C grep -aE "$hostile" "$SCRATCH/typescript" | od -An -c
    fi
    [ -s "$SCRATCH/typescript" ] || echo 'nothing printed'
}
# Messages, too: the standard error of a command is the terminal here.
quiet bitsift index d c.jsonl
on_terminal bitsift query --ids cat
on_terminal bitsift query --ids -0 cat
echo 'cat' >q
on_terminal bitsift query --ids --batch q
on_terminal bitsift query --json cat
on_terminal bitsift query --json --ids cat
on_terminal bitsift query cat
on_terminal bitsift query --format '{path} {id} {field} {text}' cat
on_terminal bitsift query --explain "$(printf 'c\342\200\256at \302\233')"
on_terminal bitsift query "$(printf '"(\342\200\256 \302\233')"
on_terminal bitsift stats -v
on_terminal bitsift stats --json
on_terminal bitsift grep -l cat d
on_terminal bitsift grep -c cat d
on_terminal bitsift grep --files d
on_terminal bitsift grep --candidates cat d
on_terminal bitsift grep --json cat d
on_terminal bitsift grep -o cat d
on_terminal bitsift grep --heading -o cat d
on_terminal bitsift grep cat "$(printf 'none\342\200\256\302\233\23331m\033[31m')"
on_terminal bitsift delete "$(printf 'none\342\200\256\302\233')"
on_terminal bitsift check --index "$(printf 'none\342\200\256\302\233')"
on_terminal bitsift "$(printf 'none\342\200\256\302\233\033[31m')"
on_terminal bitsift query "--$(printf 'none\342\200\256\302\233\033[31m')"
on_terminal bitsift index --index "$(printf 'ix\342\200\256\302\233')" d
echo '# names are exact in a pipe'
bitsift query --ids cat | od -An -c
rm -r d
on_terminal bitsift query cat
on_terminal bitsift index -v "$(printf 'none\342\200\256\302\233\033[31m')"
echo '# like rg, grep prints lines unchanged, also on a terminal'
printf 'cat \342\200\256\302\233\n' >f.txt
script -qec 'bitsift grep -N --color never cat f.txt' /dev/null </dev/null | od -An -c
