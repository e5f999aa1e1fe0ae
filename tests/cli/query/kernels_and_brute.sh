# Every kernel gives the same answers as reading all texts.
copy_sample sample
cd sample
quiet bitsift index .
bitsift query --kernel list >"$SCRATCH/kernels"
grep -x plain "$SCRATCH/kernels"
cat >"$SCRATCH/queries" <<'QUERIES'
lantern -ferry
"cold harbour"
(anchor OR buoy) compass
gondola
herring (pie OR soup) -cream
bloom filter
-the
图书馆
"the harbour" OR "the lantern"
nothinghere
the
QUERIES
bitsift query --count --batch "$SCRATCH/queries"
for mode in --count --ids --json ''; do
    # shellcheck disable=SC2086 # no mode is no argument
    bitsift query $mode --batch "$SCRATCH/queries" >"$SCRATCH/expected"
    # shellcheck disable=SC2086
    bitsift query $mode --brute --batch "$SCRATCH/queries" | cmp - "$SCRATCH/expected"
    while read -r kernel; do
        # shellcheck disable=SC2086
        bitsift query $mode --kernel "$kernel" --batch "$SCRATCH/queries" | cmp - "$SCRATCH/expected"
    done <"$SCRATCH/kernels"
done
bitsift query --kernel abacus cat 2>"$SCRATCH/stderr" || echo "exit status $?"
sed 's/available: .*/available: .../' "$SCRATCH/stderr"
