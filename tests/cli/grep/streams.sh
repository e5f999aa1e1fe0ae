# Searching data while it arrives: standard input, pipes and large files. Tests how soon a line is
# printed, that neither a file nor the output is held in memory, the order of files, and what
# happens when the reader stops.
#
# prompt ARGUMENT...: writes two lines to a grep with these arguments, and reads a line of its
# output after each. If grep held a line back, this would wait forever.
prompt() {
    local line out all=
    rm -f in out
    mkfifo in out
    bitsift grep "$@" <in >out &
    exec 7>in 8<out
    for line in 'one needle' 'two needles'; do
        printf '%s\n' "$line" >&7
        read -r out <&8
        all+="${all:+ | }$out"
        # With --json, the first output is a "begin" line, so one input line is enough.
        [[ $* != *--json* ]] || break
    done
    exec 7>&- 8<&-
    wait
    printf '%s -> %s\n' "$(announce bitsift grep "$@")" "$all"
}
echo '# each line is printed as it arrives'
prompt needle
prompt -n needle -
prompt -b needle
prompt -o --column 'needles?'
prompt -v hay
prompt -P 'needles?$'
prompt -E latin1 needle
prompt --line-buffered -C2 needle
prompt --json needle
echo '# in blocks if requested, and only at the end if the output depends on the whole input'
rm -f in out
mkfifo in out
for options in --block-buffered -c -U; do
    pattern='needle.*'
    [ "$options" != -U ] || pattern+='\n?'
    bitsift grep "$options" "$pattern" <in >out &
    exec 7>in 8<out
    printf 'one needle\ntwo needles\n' >&7
    # shellcheck disable=SC2034
    if read -r -t 0.3 line <&8; then echo "$options: early"; fi
    exec 7>&-
    sed "s/^/$options: /" <&8
    exec 8<&-
    wait
done

echo '# the first read returns a single byte'
for options in -U -b -P '-P -U'; do
    pattern='needle|.$'
    [[ $options != *-U ]] || pattern='needle\n?|.\n'
    # shellcheck disable=SC2086
    {
        printf '\357'
        sleep 0.1
        printf '\273\277a needle\n'
    } | bitsift grep $options "$pattern" | od -c -An
done

echo '# a socket is read like a pipe, because editors use sockets for the programs that they run'
perl -MSocket -e 'socketpair(my $ours, my $its, AF_UNIX, SOCK_STREAM, 0) or die;
    syswrite($ours, "a needle\n") or die;
    shutdown($ours, 1);
    open(STDIN, "<&", $its) or die;
    close($its);
    exec("bitsift", "grep", "needle");'

echo '# grep ends before its input does, if it needs no more'
# ends OPTION...: searches a pipe that stays open.
ends() {
    local status=0
    announce bitsift grep "$@"
    rm -f in
    mkfifo in
    exec 7<>in
    printf 'one needle\ntwo needles\nthree needles\n' >in
    bitsift grep "$@" <in || status=$?
    [ "$status" -eq 0 ] || echo "exit status $status"
    exec 7<&-
}
ends -m2 needle
ends -q needle
ends -l needle

echo '# a named pipe is searched in its turn'
seq 300000 | sed 's/$/ needle/' >before
cp before after
rm -f in
mkfifo in
{ sleep 0.2; echo 'a needle in a pipe'; } >in &
bitsift grep -j3 needle before in after >"$SCRATCH/got"
wait
{ sed 's/^/before:/' before; echo 'in:a needle in a pipe'; sed 's/^/after:/' after; } | cmp - "$SCRATCH/got"
# Nothing writes to this pipe: -q must end after the match in `before`.
bitsift grep -j3 -q needle before in || echo "exit status $?"

echo '# neither the file nor the output is held in memory'
# lean COMMAND...: prints a checksum of the command's output. The command must need less than 64 MiB
# of address space, except with sanitizers.
lean() (
    command=$(announce "$@")
    [ -n "${SANITIZED:-}" ] || ulimit -v 65536
    export MALLOC_ARENA_MAX=1
    printf '%s -> %s\n' "$command" "$("$@" | cksum)"
)
# 61 MB in which every line matches.
yes 'a needle among needles, and so on' | head -n 1800000 >large
mkdir folder
mv large folder/large
ln folder/large large
lean bitsift grep needle large
lean bitsift grep needle - <large
lean bitsift grep -n needle folder
lean bitsift grep --json needles large | sed 's/-> .*/-> some/' # its output contains times
lean bitsift grep -C3 -v hay large
lean bitsift grep -oP 'needles' large
lean bitsift grep -c needle large
lean bitsift grep --no-stat --mmap needle folder
# shellcheck disable=SC2002 # a pipe
cat large | lean bitsift grep -A1 needle
# shellcheck disable=SC2002
cat large | lean bitsift grep -P -B1 'needles'
{ printf '\357\273\277'; cat large; } >marked
lean bitsift grep needle marked
{ cat large; printf 'a needle and \0\n'; } >binary
lean bitsift grep needle binary
lean bitsift grep -a needle binary
lean bitsift grep needle <binary
rm -f marked binary

echo '# output is in order with any number of threads'
for i in 1 2 3 4 5 6 7 8; do
    seq $((i * 1000000)) $((i * 1000000 + 150000 * (i % 3))) | sed 's/$/ needle/' >folder/$i
done
rm folder/large
for jobs in 1 2 3 8; do
    (
        [ -n "${SANITIZED:-}" ] || ulimit -v 196608
        MALLOC_ARENA_MAX=1 bitsift grep -I -j "$jobs" needle folder
    ) | cmp - <(cat folder/*)
done
bitsift grep -j3 --heading needle folder | cmp - <(for i in folder/*; do
    [ "$i" = folder/1 ] || echo
    echo "$i"
    cat "$i"
done)

echo '# grep ends when the reader closes the pipe'
# enough COMMAND...: reads only one line of the command's output; then the command must soon end.
enough() {
    local statuses preload=
    announce "$@"
    ! can_preload || preload=$CLOCK
    : >"$SCRATCH/work"
    LD_PRELOAD=$preload WORK=$SCRATCH/work "$@" 2>"$SCRATCH/said" | head -n 1 | cut -c 1-60
    statuses=${PIPESTATUS[0]}
    [ "$statuses" -eq 0 ] || echo "exit status $statuses"
    sed 's/:.*/: .../' "$SCRATCH/said"
    # A command that did not notice the closed pipe would read more.
    awk '$2 > 8000000 { print "read " $2 " bytes" }' "$SCRATCH/work"
}
enough bitsift grep needle large
enough bitsift grep needle - <large
enough bitsift grep -j3 needle large large large
enough bitsift grep -j3 needle folder
enough bitsift grep --json needle large
enough bitsift grep needle missing large

echo '# the output file is not searched below a folder; if it is named, it is searched up to its former size'
# into ARGUMENT...: appends the output of grep to a file that the search would find.
into() {
    local status=0
    cp here/a here/b
    (
        ulimit -f 20000
        exec bitsift grep "$@" <here/b >>here/b
    ) || status=$?
    printf '%s -> %s\n' "$(announce bitsift grep "$@")" "$(tail -n +100001 here/b | cksum)" |
        with_status "$status"
}
mkdir here
yes 'a needle' | head -n 100000 >here/a
into needle here
into -n needle here
into needle here/b
into needle -
into -c --include-zero needle here
into -l needle here
into --files-without-match nothing here
bitsift index -q here
into needle here
into --no-stat needle here
into -F -e needle -e x --brute here
# --files lists the output file, although a search of the folder leaves it out.
into --files here
