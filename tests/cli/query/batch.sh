# Many queries in one process.
mkdir d
echo 'cat and dog' >d/a.txt
echo 'cat' >d/b.txt
printf 'cat mouse\n' >"d/$(printf 't\tab')"
quiet bitsift index d
printf 'cat\n(\ndog\n\nfish\ncat -dog\r\ndog' >queries
# Every output mode reports the same errors; the transcript has them once.
batch() {
    local status=0
    announce bitsift query --batch queries "$@"
    bitsift query --batch queries "$@" 2>"$SCRATCH/said" || status=$?
    once said neutral "$SCRATCH/said"
    [ "$status" -eq 2 ] || echo "exit status $status"
}
batch --count
batch --ids
batch
batch --json
batch --json --ids
batch --json --count
show bitsift query --json --count cat
echo '# ids ended by NUL; a line feed after each query'
bitsift query --batch queries --ids -0 2>/dev/null | tr '\0' '|' || true
show bitsift query --batch - --count <<'QUERIES'
cat
dog OR mouse
QUERIES
show bitsift query --batch - --count -n 3 --any <<'QUERIES'
dog mouse
QUERIES
echo '# exit status: 1 if no query matched'
show bitsift query --batch - --count <<'QUERIES'
fish
QUERIES
show bitsift query --batch - --count </dev/null
show bitsift query --batch nowhere --count
show bitsift query --batch d --count
