#!/usr/bin/env bash
# signals.sh PROGRAM [ROUNDS [SEED [MB]]]: sends SIGINT or SIGTERM at a random moment of index,
# compact, check, query, grep and catalog, over hostile sources of MB megabytes each. Afterwards the
# index must be intact and either the old or the new one: check succeeds, and the number of
# documents with `needle` is that of one of the two. Prints the longest time from the signal to the
# end. MOST_MS: the limit of this time; without it there is none, because the machine may be busy.
#
# The long version: MOST_MS=200 tests/faults/signals.sh build/release/bitsift 500
set -euo pipefail
program=$(realpath -- "$1") rounds=${ROUNDS:-${2:-24}} seed=${SEED:-${3:-1}} size=${4:-2}
RANDOM=$seed
echo "rounds $rounds, seed $seed"
top=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-signals.XXXXXX")
trap 'rm -rf -- "$top"' EXIT
cd -- "$top"
export HOME=$top XDG_DATA_HOME=$top/data
set -m # otherwise background processes would ignore SIGINT
# If this shell was started with SIGINT ignored, it cannot change that for its children.
signals=(INT TERM)
[ -z "$(trap -p INT)" ] || signals=(TERM)

bytes=$((size * 1000000))
# Each source is a folder or a record file. At first, one of its documents has the word `needle`.
words() { awk -v n="$bytes" -v x="$1" 'BEGIN { for (i = 0; i < n; i += 10) { x = (x * 16807) % 2147483647; printf "%08x%c ", x, 103 + x % 20 } }'; }
repeat() { PIECE=$1 LC_ALL=C awk -v n="$bytes" 'BEGIN { for (piece = ENVIRON["PIECE"]; i < n; i += length(piece)) printf "%s", piece }'; }
mkdir words lines marks word files
words 1 >words/a.txt
words 2 | tr ' ' '\n' >lines/a.txt
{ printf a && repeat $'\u0301\u0327'; } >marks/a.txt
repeat 'word' >word/a.txt
for folder in words lines marks word files; do echo needle >$folder/z.txt; done
words 3 | split -b 2000 -a 4 - files/
{ echo '{"id":"1","text":"needle"}' && printf '{"id":"2","text":"' && words 4 && echo '"}'; } >long.jsonl
{ echo '{"id":"1","text":"needle"}' && printf '{"id":"2","text":"' && repeat '\u0041\n' && echo '"}'; } >escapes.jsonl
{ echo '{"id":"1","text":"needle"}' && words 5 | tr ' ' '\n' | awk '{ print "{\"id\":\"" NR % 5000 "x\",\"n\":" NR ".5,\"text\":\"" $1 "\"}" }'; } >records.jsonl
{ echo '{"id":"1","text":"needle"}' && printf '{"id":"2","n":' && repeat 7 && echo '}'; } >number.jsonl
sources=(words lines marks word files long.jsonl escapes.jsonl records.jsonl number.jsonl)
calls=(build build refresh refresh rebuild compact check query grep catalog)

fail() {
    echo "round $round, $call of $source, $signal after $delay s: $*" >&2
    exit 1
}
needles() {
    "$program" query --index "$1" --count needle 2>/dev/null || true
}
command_of() {
    case $1 in
        build | refresh | rebuild) command=("$program" index -q --index ix --memory 16M) ;;&
        build) command+=("$source") ;;
        rebuild) command+=(--rebuild) ;;
        compact) command=("$program" compact -q --index ix) ;;
        check) command=("$program" check --index ix) ;;
        query) command=("$program" query --index ix --brute '"needle word" OR w*d~1') ;;
        grep) command=("$program" grep -c 'needle.*z|z[0-9]z' "$source") ;;
        catalog) command=("$program" catalog refresh) ;;
    esac
}
# Prepares a call: restores the old index, and makes the change of the sources that the call needs.
prepare() {
    chmod -R u+rwX ix 2>/dev/null || true
    rm -rf ix
    [ ! -d "old-$source" ] || [ "$call" = build ] || cp -r "old-$source" ix
    if [ "$call" = refresh ] || [ "$call" = compact ]; then
        case $source in
            *.jsonl) echo "{\"id\":\"new$round\",\"text\":\"needle\"}" >>"$source" ;;
            *) echo needle >"$source/new$round.txt" ;;
        esac
    fi
    [ "$call" != compact ] || "$program" index -q --index ix
    [ "$call" != catalog ] || "$program" catalog add --name ix ix 2>/dev/null || true
}
milliseconds() {
    local now=$EPOCHREALTIME
    echo $((${now/./} / 1000))
}
declare -A takes=()
longest=0
for source in "${sources[@]}"; do
    "$program" index -q --index "old-$source" --memory 16M "$source"
done
for ((round = 1; round <= rounds; round++)); do
    source=${sources[RANDOM % ${#sources[@]}]} call=${calls[RANDOM % ${#calls[@]}]} delay=0
    signal=${signals[RANDOM % ${#signals[@]}]}
    command_of "$call"
    if [ -z "${takes[$call $source]:-}" ]; then
        prepare
        start=$(milliseconds)
        "${command[@]}" >/dev/null 2>&1 || true
        takes[$call $source]=$(($(milliseconds) - start + 1))
        [ ! -d ix ] || [ "$call" = build ] || { rm -rf "old-$source" && cp -r ix "old-$source"; }
    fi
    prepare
    before=$([ ! -d ix ] || needles ix)
    most=${takes[$call $source]}
    wait_ms=$((RANDOM * most / 32768))
    delay=$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))
    "${command[@]}" >out 2>err &
    run=$!
    sleep "$delay"
    start=$(milliseconds)
    kill "-$signal" "$run" 2>/dev/null || true
    status=0
    wait "$run" 2>/dev/null || status=$?
    took=$(($(milliseconds) - start))
    [ "$took" -le "$longest" ] || { longest=$took && slowest="$call of $source after $delay s"; }
    [ -z "${MOST_MS:-}" ] || [ "$took" -le "$MOST_MS" ] || fail "it took $took ms to end"
    case $status in 0 | 1 | 130 | 143) ;; *) fail "exit status $status: $(cat err)" ;; esac
    if [ "$call" = build ] && [ ! -e ix ]; then
        continue
    elif [ "$call" = build ] && [ ! -e ix/manifest ] && grep -q 'ended at once' err; then
        "$program" index -q --index ix "$source" >out 2>&1 || fail "build over what was left: $(cat out)"
    fi
    "$program" check --index ix >out 2>&1 || fail "check: $(cat out)"
    after=$(needles ix)
    "$program" index -q --index ix >out 2>&1 || fail "refresh: $(cat out)"
    now=$(needles ix)
    [ "$after" = "$before" ] || [ "$after" = "$now" ] || fail "$after documents match, $before before, $now at last"
    [ "$call" != catalog ] || "$program" catalog check >out 2>&1 || fail "catalog check: $(cat out)"
done
echo "$rounds rounds; at most $longest ms to end${slowest:+ ($slowest)}"
