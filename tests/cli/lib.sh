# Helpers for the test scripts in the folders here. run.sh sources this file before each script.
set -eu

# show COMMAND...: prints as a transcript: the command, after it its exit status unless 0; its
# standard output; its standard error, each line marked with "! ". In the command and in standard
# error, text that differs between runs is replaced (neutral).
show() {
    local status=0
    "$@" >"$SCRATCH/.stdout" 2>"$SCRATCH/.stderr" || status=$?
    announce "$@" | with_status "$status"
    cat "$SCRATCH/.stdout"
    neutral "$SCRATCH/.stderr" | sed 's/^/! /'
}

# with_status STATUS [EXPECTED]: adds an exit status to the line of a command, unless it is the
# expected one (0).
with_status() {
    if [ "$1" -eq "${2:-0}" ]; then cat; else sed "s/\$/ # exit status $1/"; fi
}

# copy_sample FOLDER: copies the sample corpus. Leaves out an index, if it contains one.
copy_sample() {
    cp -r "$SAMPLE" "$1"
    rm -rf -- "$1/.bitsift"
}

# folded: replaces consecutive lines that differ only in numbers by the first, the number of lines
# between, and the last.
folded() {
    awk 'function end() { if (n > 2) print "... " n - 2 " more"; if (n > 1) print line }
        { kind = $0; gsub(/[0-9]+/, "N", kind) }
        kind != last { end(); print; n = 0 }
        { n++; line = $0; last = kind }
        END { end() }'
}

announce() {
    local word line='$'
    for word; do
        [[ $word =~ ^[A-Za-z0-9_./=:,+@%-]+$ ]] || word=${word@Q}
        line+=" $word"
    done
    printf '%s\n' "$line" | neutral -
}

# quiet COMMAND...: prints nothing if the exit status is 0, otherwise the command and the status.
quiet() {
    local status=0
    "$@" >/dev/null 2>"$SCRATCH/.stderr" || status=$?
    [ "$status" -eq 0 ] || announce "$@" | with_status "$status"
}

# fails COMMAND...: prints the messages of a command that must end with exit status 2 and must not
# print anything to standard output; otherwise, also prints the command and that output.
fails() {
    local status=0
    "$@" >"$SCRATCH/.stdout" 2>"$SCRATCH/.stderr" || status=$?
    [ "$status" -eq 2 ] && [ ! -s "$SCRATCH/.stdout" ] || announce "$@" | with_status "$status"
    cat "$SCRATCH/.stdout"
    neutral "$SCRATCH/.stderr" | sed 's/^/! /'
}

# each COMMAND... :: LAST...: runs the command once for each LAST, which is added to its arguments.
each() {
    local each_command=() each_last
    while [ "$1" != :: ]; do
        each_command+=("$1")
        shift
    done
    for each_last in "${@:2}"; do
        "${each_command[@]}" "$each_last"
    done
}

# once NAME COMMAND...: prints the command's output, unless it equals that of the previous call with
# this name.
once() {
    local once_last=$SCRATCH/.once.$1
    "${@:2}" >"$once_last.new"
    cmp -s "$once_last.new" "$once_last" || cat "$once_last.new"
    mv "$once_last.new" "$once_last"
}

# listed COMMAND...: like show, but prints the lines of standard output on the line of the command.
listed() {
    local status=0
    "$@" >"$SCRATCH/.stdout" 2>"$SCRATCH/.stderr" || status=$?
    show_listed "$(announce "$@")" "$status"
}

# show_listed TEXT STATUS [EXPECTED]: prints the result of a command; TEXT represents the command.
show_listed() {
    printf '%s -> %s\n' "$1" "$(paste -sd ' ' "$SCRATCH/.stdout")" | neutral - | sed 's/ $//' |
        with_status "${@:2}"
    neutral "$SCRATCH/.stderr" | sed 's/^/! /'
}

# finds ARGUMENT...: prints on one line the arguments of a query, the ids that it finds (with
# --count: their number), and its exit status unless it is 0 with hits or 1 without; then its
# messages.
finds() {
    local ids=(--ids) none='' status=0 expected=0
    [[ " $* " != *' --count '* ]] || ids=() none=0
    bitsift query "${ids[@]}" "$@" >"$SCRATCH/.stdout" 2>"$SCRATCH/.stderr" || status=$?
    [ "$(cat "$SCRATCH/.stdout")" != "$none" ] || expected=1
    show_listed "$*" "$status" "$expected"
}

# every ARGUMENT...: like finds; also checks that all ways of searching agree on the ids, their
# number and the hits.
every() {
    local ids n way
    finds "$@"
    ids=$(cat "$SCRATCH/.stdout")
    n=$(printf '%s' "$ids" | grep -c '') || true
    for way in '' --brute --fresh --no-stat '--kernel plain'; do
        # shellcheck disable=SC2086 # several words
        [ "$(bitsift query --ids $way "$@" 2>/dev/null)" = "$ids" ] || echo "other ids with $way"
        # shellcheck disable=SC2086
        [ "$(bitsift query --count $way "$@" 2>/dev/null)" = "$n" ] || echo "another count with $way"
        # shellcheck disable=SC2086
        [ "$(bitsift query --json -n 100 $way "$@" 2>/dev/null | grep -c '"rank"')" = "$n" ] || echo "other hits with $way"
    done
}

# settle: from now on, each bitsift trusts the fingerprints of files written before it starts,
# because clock_preload.c is preloaded, or if that is impossible, because bitsift starts with a
# delay. Otherwise, an index run may read a recent file again and count it as changed, depending on
# the speed of the machine.
settle() {
    local bin=${SCRATCH%/*}/bin
    if can_preload; then
        export LD_PRELOAD=$CLOCK
    elif [ -L "$bin/bitsift" ]; then
        mv "$bin/bitsift" "$bin/program"
        printf '#!/bin/sh\nsleep 0.03\nexec "%s" "$@"\n' "$(readlink "$bin/program")" >"$bin/bitsift"
        chmod 755 "$bin/bitsift"
    fi
}

# neutral FILE: prints a file with placeholders for times, rates, sizes of the index, process ids
# and the temporary folder, and without the line that says that the index is in .bitsift.
neutral() {
    sed -E -e "s|$(dirname -- "$SCRATCH")|TOP|g" \
        -e 's/\b[0-9]+\.[0-9]+ s\b/T s/' -e 's/\([0-9]+ MB\/s\)/(N MB\/s)/' \
        -e 's/^(  compacted .*), .* written$/\1, SIZE written/' \
        -e 's/^(compacted .* in T s: .*|nothing to compact: .*), .*$/\1, SIZE/' \
        -e 's/, [0-9.]+ [KMG]?i?B verified in T s$/, SIZE verified in T s/' \
        -e '/^  index     .*, in \.bitsift \([0-9,]+ segments?\)$/d' \
        -e 's/^  index     .*, in (.*) \([0-9,]+ segments?\)$/  index     SIZE in \1/' \
        -e 's/\(process [0-9]+\)/(process N)/' \
        -- "$1"
}

# skip_part REASON: reports that a part of the script does not run here. run.sh prints the reason,
# and tests/skipped.py counts it. skip REASON: also ends the script.
skip_part() {
    printf 'skipped: %s\n' "$1" >>"$SCRATCH/../skipped"
}
skip() {
    skip_part "$1"
    exit 77
}

# can_compare: true if rg is ripgrep 15.0.0; otherwise, calls skip_part.
can_compare() {
    [[ $(rg --version 2>/dev/null) == 'ripgrep 15.0.0 '* ]] || ! skip_part 'rg is not ripgrep 15.0.0'
}
# can_use COMMAND: true if the command is installed; otherwise, calls skip_part.
can_use() {
    command -v "$1" >/dev/null || ! skip_part "$1 is not installed"
}

# as_nobody COMMAND...: runs the command as a user who is bound by file permissions, so not as root.
# can_be_nobody: true if that is possible here; otherwise, calls skip_part.
as_nobody() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        HOME=$(dirname -- "$SCRATCH")/nobody setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
    fi
}
# hostile VARIABLE=VALUE... COMMAND...: preloads hostile_io.c, which these variables control.
hostile() {
    env LD_PRELOAD="$HOSTILE_IO ${LD_PRELOAD:-}" "$@"
}
can_preload() {
    [ -n "${CLOCK:-}" ]
}
can_be_nobody() {
    as_nobody bitsift --version >/dev/null 2>&1 || ! skip_part 'no user who is bound by file permissions'
}

# flip_byte FILE N: inverts the byte at offset N of a file.
flip_byte() {
    local file=$1 at=$2 byte
    byte=$(od -An -tu1 -j "$at" -N 1 -- "$file" | tr -d ' ')
    printf '%b' "\\$(printf '%03o' $((byte ^ 255)))" | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
}

# documents N: prints N pseudo-random records as JSONL, always the same. Each contains "common", and
# every hundredth "hundred".
documents() {
    awk -v n="$1" 'BEGIN {
        x = 1
        for (i = 0; i < n; i++) {
            printf "{\"id\":\"d%d\",\"text\":\"common", i
            if (i % 100 == 0)
                printf " hundred"
            for (j = 0; j < 20; j++) {
                x = (x * 16807) % 2147483647
                printf " w%d", x % 5000
            }
            print "\"}"
        }
    }'
}

# within KEY MIB COMMAND...: runs the command and reports if it used more than MIB. KEY: a line of
# /proc/PID/status: VmHWM (peak resident memory) or RssAnon (anonymous memory; a peak between two
# samples is missed).
within() {
    local key=$1 most=$2 pid status=0 peak=0 name value nap
    shift 2
    # Nothing ever comes from this pipe; a read from it with a time limit starts no program.
    exec {nap}<> <(:)
    "$@" <&0 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        { while read -r name value _; do
            [ "$name" != "$key:" ] || [ "$value" -le "$peak" ] || peak=$value
        done <"/proc/$pid/status"; } 2>/dev/null || break
        read -r -t 0.01 -u "$nap" _ || true
    done
    exec {nap}>&-
    wait "$pid" || status=$?
    echo "$key: $((peak / 1024)) MiB of $most" >&2
    # Sanitizers need more memory, so no limit is checked.
    [ -n "${SANITIZED:-}" ] || [ "$peak" -le $((most * 1024)) ] || echo "too much memory: $((peak / 1024)) MiB"
    return "$status"
}
