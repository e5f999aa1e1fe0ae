# Two writers at the same time: the second reports the process that holds the lock; --wait waits.
echo '{"id":"a","text":"cat"}' >a.jsonl
quiet bitsift index a.jsonl
# A writer that waits for its input.
mkfifo "$SCRATCH/input"
bitsift index -q - <"$SCRATCH/input" &
first=$!
exec 3>"$SCRATCH/input"
echo '{"id":"b","text":"cat"}' >&3
# This writer holds the lock once the lock file contains its process id.
until [ "$(cat .bitsift/lock)" = "$first" ]; do sleep 0.05; done
status=0
bitsift index a.jsonl 2>"$SCRATCH/stderr" || status=$?
sed "s/process $first/process FIRST/" "$SCRATCH/stderr"
echo "exit status $status"
finds cat
bitsift index -q --wait a.jsonl 3>&- &
second=$!
sleep 0.2
kill -0 "$second" && echo 'the second waits'
exec 3>&-
wait "$first" && echo 'the first is done'
wait "$second" && echo 'the second is done'
finds cat
