# Names of options and commands cannot be abbreviated: an abbreviation is an error that proposes
# full names.
commands=$(bitsift --help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p')
for command in $commands; do
    short=${command%?}
    status=0
    bitsift "$short" </dev/null >"$SCRATCH/stdout" 2>&1 || status=$?
    [ "$status" -eq 2 ] && grep -qF "\`bitsift $command\`" "$SCRATCH/stdout" ||
        echo "$short: exit status $status: $(cat "$SCRATCH/stdout")"
    names=$(bitsift "$command" --help | sed -nE 's/^ +(-., )?(--[a-z0-9-]+).*/\2/p' | LC_ALL=C sort -u)
    n=0
    for name in $names; do
        short=${name%?}
        # Without and with a value after =, which must not matter.
        for argument in "$short" "$short=1"; do
            # Skip names of other options, and single letters, which are too short for a proposal.
            ! grep -qxF -e "$short" <<<"$names" && [ "${#short}" -gt 3 ] || continue
            status=0
            bitsift "$command" "$argument" 1 </dev/null >"$SCRATCH/stdout" 2>&1 || status=$?
            n=$((n + 1))
            [ "$status" -eq 2 ] && grep -q "^bitsift: .*$short.* --[a-z]" "$SCRATCH/stdout" ||
                echo "$command $argument: exit status $status: $(cat "$SCRATCH/stdout")"
        done
    done
    [ "$n" -ge 2 ] || echo "$command: $n options?"
done
[ "$(wc -w <<<"$commands")" -ge 8 ] || echo "commands: $commands?"
show bitsift query --cou x
show bitsift index --densit 0.3
show bitsift grep --ignore-cas x
show bitsift delete --quer x
show bitsift stats --js
show bitsift qurey x
show bitsift help indx
[ ! -e .bitsift ] || echo 'an index was made'
show bitsift query -ä x

echo "# An option that rg does not have takes the next word as its value, even if the word begins with -"
for name in --after --and --not --index --kernel --max-results --scope --time-limit; do
    ! bitsift grep "$name" -x y </dev/null 2>&1 | grep -xF "$(bitsift grep "$name" 2>&1)" || echo "$name: not"
done
