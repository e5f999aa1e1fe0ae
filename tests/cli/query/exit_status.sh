# Exit status 0: there are hits; 1: no hits; 2: error. All results go to stdout, everything else to
# stderr.
echo 'cat' >a.txt
quiet bitsift index .
for mode in '' --count --ids --json; do
    # shellcheck disable=SC2086 # no mode is no argument
    { quiet bitsift query $mode cat; quiet bitsift query $mode dog; quiet bitsift query $mode '('; }
done
show bitsift query dog
show bitsift query --count dog
show bitsift query --ids dog
show bitsift query --index nowhere cat
echo '# a full standard output'
if [ -w /dev/full ]; then
    status=0
    bitsift query cat >/dev/full 2>"$SCRATCH/stderr" || status=$?
    cat "$SCRATCH/stderr"
    echo "exit status $status"
fi
