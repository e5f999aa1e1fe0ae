# Files named by options are read whole, up to 16 MiB and until --time-limit, also if a file is a
# pipe without a writer, or endless.
echo common >a.txt
quiet bitsift index -q --words a.txt
head -c 16777216 /dev/zero | tr '\0' '#' >"$SCRATCH/most"
{ cat "$SCRATCH/most" && echo x; } >"$SCRATCH/more"
mkfifo "$SCRATCH/pipe"
# Prints commands for each option that names a file; `run` replaces FILE.
commands() {
    cat <<'COMMANDS'
query --like-file FILE
query --stop FILE common
query --stop FILE --stop FILE common
grep -f FILE a.txt
BITSIFT_CONFIG_PATH=FILE grep common a.txt
COMMANDS
}
# run FILE WORD...: runs bitsift with these words. FILE replaces the word FILE; a first word
# VARIABLE=FILE sets a variable.
run() {
    local file=$1 word words=()
    shift
    for word; do words+=("${word//FILE/$file}"); done
    case ${words[0]} in
    *=*) show env "${words[0]}" bitsift "${words[@]:1}" ;;
    *) show bitsift "${words[@]}" ;;
    esac
}
try() {
    local line
    while read -r -u 3 line; do
        # shellcheck disable=SC2086 # words
        run "$1" $line --time-limit "$2"
    done 3< <(commands)
}
echo '# too large'
try "$SCRATCH/more" 10m
echo '# endless'
try /dev/zero 10m
echo '# a pipe without a writer'
try "$SCRATCH/pipe" 100ms
echo '# a missing file, and a folder'
try "$SCRATCH/nowhere" 10m
try "$SCRATCH" 10m
echo '# files of the maximum size'
finds --count --like-file "$SCRATCH/most"
finds --count --stop "$SCRATCH/most" common
BITSIFT_CONFIG_PATH=$SCRATCH/most listed bitsift grep -c common a.txt
echo '# standard input'
mkfifo "$SCRATCH/held"
exec 9<>"$SCRATCH/held" # has a writer, which writes nothing
show bitsift query --time-limit 100ms --like-file - <&9
show bitsift query --time-limit 100ms --stop - common <&9
show bitsift grep --time-limit 100ms -f - a.txt <&9
yes common | show bitsift query --like-file -
echo '# a batch waits for the next query, but not for the end of a begun one'
(printf 'common\n' && sleep 1.5 && printf 'common\nnothing') >&9 &
show bitsift query --time-limit 1s --batch - --count <&9
wait
show bitsift query --time-limit 100ms --batch /dev/zero --count
echo '# text that arrives within the time limit is used'
(echo comm && sleep 0.1 && echo on) >"$SCRATCH/pipe" &
listed bitsift grep --time-limit 10m -c -f "$SCRATCH/pipe" a.txt
wait
echo '# a configuration of many lines that sets a time limit'
{ seq -f '# %.0f' 1000 && printf -- '--count\n--time-limit=10m'; } >"$SCRATCH/config"
BITSIFT_CONFIG_PATH=$SCRATCH/config show bitsift grep common a.txt

echo '# the time limit applies to the checks of --fresh'
mkdir d
echo common >d/a.txt
quiet bitsift index --index d.index d
finds --index d.index --fresh --time-limit 1us --count common
finds --index d.index --fresh --time-limit 10m --count common
