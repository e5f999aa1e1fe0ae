# Holes of sparse files are not read, but count as the NUL bytes that they represent: the results
# for a sparse file must equal those for its copy without holes. SEED and ROUNDS select other files
# and their number.
mkdir sparse dense
truncate -s 1M probe
echo x >>probe
[ "$(stat -c %b probe)" -lt 1000 ] || skip 'no sparse files here'
rm probe

# random N: sets `picked` to a number from 0 to N - 1. SEED fixes the sequence.
state=${SEED:-1}
random() {
    local high
    state=$(((state * 1103515245 + 12345) % 2147483648))
    high=$((state / 65536))
    state=$(((state * 1103515245 + 12345) % 2147483648))
    picked=$(((high * 32768 + state / 65536) % $1))
}
# make FILE: writes pieces of text with holes between them.
pieces=('needle' 'some text' $'a line\n' $'needle\nand more\n' $'\n' 'x' $'needle x\n\n' $'\xff\xfe')
make() {
    local file=$1 size=0 n
    : >"$file"
    random 4
    n=$((1 + picked))
    while [ "$n" -gt 0 ]; do
        random "${#pieces[@]}"
        printf '%s' "${pieces[picked]}" >>"$file"
        random 3
        [ "$picked" -gt 0 ] || head -c 70000 /dev/zero | tr '\0' "a" >>"$file"
        random 9000000
        size=$(($(stat -c %s "$file") + picked))
        truncate -s "$size" "$file"
        n=$((n - 1))
    done
    random 4
    [ "$picked" -eq 0 ] || printf 'last needle\nfoo\n' >>"$file"
}
# compare COMMAND...: runs the command in both folders and compares the output, except times.
n_compared=0
compare() {
    local folder
    for folder in sparse dense; do
        (cd "$folder" && "$@" >"$SCRATCH/$folder" 2>&1 </dev/null; echo "exit status $?" >>"$SCRATCH/$folder") || true
        sed -i -E -e 's/"elapsed[a-z_]*":\{[^}]*\}//g' -e 's/ verified in .*//' "$SCRATCH/$folder"
    done
    cmp -s "$SCRATCH/sparse" "$SCRATCH/dense" || echo "not the same: $*: $(head -c 200 "$SCRATCH/sparse" | tr '\0' 0) $(head -c 200 "$SCRATCH/dense" | tr '\0' 0)"
    n_compared=$((n_compared + 1))
}

echo '# files with holes'
modes=('' --no-mmap --mmap -a '-a --no-mmap' --binary --null-data -P '-P --no-mmap' '-a -P' '-E utf-16le' -uuu)
searches=('-c needle' needle '-n needle' '-b needle' '-v needle' '-c -v needle' '-c ^$' '--count-matches ^' '--count-matches x*' '-l needle'
    '--json needle' '--files-without-match needle' '-on needle' '-ob needle' '-c -m3 ^$' '-c -m9000000 ^$' '-m1 needle' '-A2 needle' '-C3 -n needle'
    '-c -F -e needle -e foo' '-c -w needle' '-n last' '-c \x00' '-x needle' '-q needle' '-c --and x needle' '-n --passthru -c needle'
    '--max-results 2 -n needle' '--count --include-zero nothing' '-U -c needle')
for ((i = 0; i < ${ROUNDS:-3}; i++)); do
    make sparse/f
    cp --sparse=never sparse/f dense/f
    for ((j = 0; j < 20; j++)); do
        random "${#modes[@]}"
        mode=${modes[picked]}
        random "${#searches[@]}"
        # shellcheck disable=SC2086 # several options
        compare bitsift grep $mode ${searches[picked]} f
    done
    compare bitsift grep -c needle .
    compare bitsift grep -a -c needle .
done

echo '# an index of files with holes'
rm -r sparse dense
mkdir sparse dense
make sparse/f
printf 'word needle\n' >>sparse/f
{ printf 'text, and then a hole'; } >sparse/g
truncate -s 300000 sparse/g
printf 'needle behind it\n' >>sparse/g
printf '{"id":"1","t":"needle one"}\n' >sparse/c.jsonl
truncate -s 9000000 sparse/c.jsonl
printf '\n{"id":"2","t":"needle two"}\n' >>sparse/c.jsonl
cp --sparse=never sparse/* dense
settle
for options in '' '-a' '-a --store' '-a --max-document 1M'; do
    # shellcheck disable=SC2086 # several options
    for folder in sparse dense; do
        (cd "$folder" && bitsift index -q --rebuild $options . 2>/dev/null) || echo "status $?"
    done
    compare bitsift query --ids needle
    compare bitsift query --json -n 5 '"needle behind"'
    compare bitsift grep -c needle
    compare bitsift grep -a -n behind
    compare bitsift check
done
[ "$n_compared" -gt 80 ] || echo "only $n_compared"

echo '# holes of about a terabyte'
truncate -s 1T huge
echo needle >>huge
{ printf 'first\nsecond\n' && printf 'no end'; } >other
truncate -s 900G other
printf '\nneedle two\n' >>other
for search in needle '-c needle' '-l needle' '-n --no-mmap needle' '-c -v --no-mmap needle' '-c --no-mmap ^$' '-a -c needle' '-a -nb two' '-P -c needle' \
    '-a needle' '-j1 --count-matches x*' '-j1 -U -e n\nx'; do
    # shellcheck disable=SC2086 # several options
    show bitsift grep $search huge other
done
show bitsift grep needle .
quiet bitsift index -q huge
quiet bitsift index -q .
show bitsift grep --no-mmap needle huge
echo '# a file that is longer than the first piece that is read'
mkdir long
{ head -c 65536 /dev/zero | tr '\0' x; echo; echo needle; } >long/file
bitsift grep -c needle long | cat
echo '# a pipe in place of a file that the index knows is not read'
mkdir piped
echo needle | tee piped/a >piped/b
quiet bitsift index -q piped
rm piped/b
mkfifo piped/b
exec 3<>piped/b
echo 'needle in a pipe' >&3
show bitsift grep --no-stat needle piped | cat
read -r line <&3
echo "$line"
exec 3>&-
