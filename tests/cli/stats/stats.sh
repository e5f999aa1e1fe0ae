# --stats: the last line on stderr is one JSON object. --explain: the query, the plan, and the
# numbers of each stage.
mkdir d
echo 'cat and dog' >d/a.txt
echo 'cat' >d/b.txt
quiet bitsift index d
stats() {
    bitsift query --stats "$@" 2>"$SCRATCH/stderr" || echo "exit status $?"
    tail -n 1 "$SCRATCH/stderr" | sed -E 's/:[0-9]+(\.[0-9]+)?/:N/g'
    tail -n 1 "$SCRATCH/stderr" | grep -oE '"(queries|hits)":[0-9]+'
}
stats --count cat
stats --ids fish
stats cat +++
stats --json --brute dog
printf 'cat\n(\ndog\n' >queries
stats --batch queries --count
stats --explain dog

echo '# explain'
bitsift query --explain --count '(cat OR "cat and") -dog' 2>"$SCRATCH/stderr"
grep -E '^query: ' "$SCRATCH/stderr"
sed -E -n 's/^(scan|verify|time): .*/\1/p' "$SCRATCH/stderr"
