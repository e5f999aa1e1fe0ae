# Standard output that cannot be written: every command that prints ends with status 2 and one line,
# also if it prints much.
[ -w /dev/full ] || skip 'no /dev/full'
export XDG_CONFIG_HOME=$SCRATCH/config
echo 'the ferry leaves at noon' >a.txt
settle
bitsift index -q .
bitsift catalog add .
bitsift trust .bitsift
try() {
    local status=0 closed=0
    "$@" >/dev/full 2>"$SCRATCH/err" || status=$?
    "$@" >&- 2>/dev/null || closed=$?
    printf '%d %d  %s  %s\n' "$status" "$closed" "${*:2}" "$(grep -c 'standard output: No space left on device' "$SCRATCH/err")"
}
echo '# exit statuses with a full and with a closed standard output, and the number of messages'
try bitsift --help
try bitsift help
try bitsift help bloom
try bitsift --version
try bitsift --generate bash
for command in index query grep delete compact stats check trust catalog; do
    try bitsift help "$command"
    try bitsift "$command" --help
done
try bitsift check
try bitsift stats
try bitsift stats -v
try bitsift stats --json
try bitsift stats --svg -
try bitsift query ferry
try bitsift query --ids ferry
try bitsift query --count ferry
try bitsift query --json ferry
try bitsift query --kernel list
each try bitsift grep :: ferry --version --type-list
try bitsift grep --kernel list
try bitsift delete --dry-run a.txt
try bitsift trust --list
try bitsift catalog list
try bitsift catalog list --json
try bitsift catalog has ferry
echo '# commands that print nothing'
try bitsift query nothing
try bitsift catalog check
try bitsift index -q
echo '# output larger than a buffer'
# The last write may be empty; the failure must be detected anyway.
head -c 200000 /dev/zero | tr '\0' 'x' | sed 's/./\/tmp\/x\n/g' >>"$XDG_CONFIG_HOME/bitsift/trusted"
try bitsift trust --list
