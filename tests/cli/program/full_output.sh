# Standard output that is full or closed: every command that prints ends with status 2 and one line,
# also if it prints much. Prints the exit statuses and the number of messages of all others.
[ -w /dev/full ] || skip 'no /dev/full'
export XDG_CONFIG_HOME=$SCRATCH/config
echo 'the ferry leaves at noon' >a.txt
settle
bitsift index -q .
bitsift catalog add .
bitsift trust .bitsift
try() {
    local status=0 closed=0 said
    "$@" >/dev/full 2>"$SCRATCH/err" || status=$?
    "$@" >&- 2>/dev/null || closed=$?
    said=$(grep -c 'standard output: No space left on device' "$SCRATCH/err") || true
    [ "$status $closed $said" = '2 2 1' ] || echo "$status $closed $said  ${*:2}"
}
echo '# as in rg, grep uses /dev/null if its standard output is closed'
for command in index query grep delete compact stats check trust catalog; do
    try bitsift help "$command"
    try bitsift "$command" --help
done
for arguments in --help help 'help bloom' --version '--generate bash' check stats 'stats -v' \
    'stats --json' 'stats --svg -' 'query ferry' 'query --ids ferry' 'query --count ferry' \
    'query --json ferry' 'query --kernel list' 'grep ferry' 'grep --version' 'grep --type-list' \
    'grep --kernel list' 'delete --dry-run a.txt' 'trust --list' 'catalog list' \
    'catalog list --json' 'catalog has ferry'; do
    # shellcheck disable=SC2086 # several words
    try bitsift $arguments
done
echo '# commands that print nothing'
try bitsift query nothing
try bitsift catalog check
try bitsift index -q
echo '# output larger than a buffer'
# The last write may be empty; the failure must be detected anyway.
head -c 200000 /dev/zero | tr '\0' 'x' | sed 's/./\/tmp\/x\n/g' >>"$XDG_CONFIG_HOME/bitsift/trusted"
try bitsift trust --list
