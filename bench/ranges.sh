#!/usr/bin/env bash
# ranges.sh BITSIFT [N]: measures queries of ranges over N (1,000,000) generated records with
# numbers and dates: counts of ranges, counts of ranges with a word, and the first ten hits by a
# field. Prints first the cost of an index with and without these fields, then a table: the count,
# checked against awk's except for dates; the median time of 200 runs; the lines of 64 bytes read
# per query. Uses a temporary folder; TMPDIR needs 400 MB.
set -euo pipefail
bitsift=$(realpath -- "$1")
n=${2:-1000000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-ranges.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"
export XDG_STATE_HOME=$folder

# Prints the records. Each has six words out of 2,000, distributed by Zipf's law. With FIELDS, it
# also has n (distinct numbers, shuffled), price (two decimals), year (few values) and when (a time
# with seconds).
records() { # FIELDS (0 or 1)
    awk -v n="$n" -v fields="$1" 'BEGIN { srand(7); day = 86400
        for (i = 0; i < n; i++) {
            line = ""; for (w = 0; w < 6; w++) line = line (w ? " " : "") "w" int(exp(rand() * log(2000)))
            v = (i * 7368787) % n; p = sprintf("%.2f", rand() * 1000); y = 1950 + int(rand() * 75)
            t = int(rand() * 10 * 12 * 28 * day); d = int(t / day); s = t % day
            when = sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", 2015 + int(d / 336), int(d / 28) % 12 + 1, d % 28 + 1, s / 3600, s / 60 % 60, s % 60)
            printf "{\"id\":\"%d\",\"text\":\"%s\"", i, line
            if (fields) printf ",\"n\":%d,\"price\":%s,\"year\":%d,\"when\":\"%s\"", v, p, y, when
            print "}" } }'
}

measure() { # COMMAND...: CPU seconds
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.1f", $1 + $2 }'
}
records 0 >bare.jsonl
records 1 >records.jsonl
bare_s=$(measure "$bitsift" index -j 1 --index bare bare.jsonl)
all_s=$(measure "$bitsift" index -j 1 --index all records.jsonl)
part() { "$bitsift" stats --json --index all | grep -oE "\"$1\":[0-9]+" | head -n 1 | cut -d: -f2; }
printf '%d records: index of the words alone in %s s of CPU, with four fields of numbers and dates in %s s;\n' "$n" "$bare_s" "$all_s"
printf '%s bytes for the numbers and dates, %s bits each.\n\n' "$(part numbers_and_dates)" \
    "$(awk -v b="$(part numbers_and_dates)" -v n="$n" 'BEGIN { printf "%.1f", b * 8 / n / 4 }')"

ask() { # OPTIONS... -- QUERY: the median in microseconds, and lines of 64 bytes per query
    local query=${*: -1}
    for ((i = 0; i < 200; i++)); do printf '%s\n' "$query"; done >batch
    "$bitsift" query --index all --no-stat --batch batch --stats "${@:1:$#-2}" 2>&1 >/dev/null | tail -n 1 |
        sed -E 's/.*"total":\{"p50_us":([0-9.]+).*"lines_read":([0-9]+).*/\1 \2/' | awk '{ printf "%d | %d", $1 + 0.5, $2 / 200 }'
}
half=$((n / 2)) hundredth=$((n / 100)) few=$((n / 10000 + (n < 10000)))
echo '| query | matches | median us | lines read |'
echo '|---|---|---|---|'
row() { # QUERY CONDITION-OF-AWK
    local wanted got
    wanted=$(awk -F'[":,]+' "{ id = \$3; text = \" \" \$5 \" \"; v = \$7; p = \$9; y = \$11 } $2 { c++ } END { print c + 0 }" records.jsonl)
    got=$("$bitsift" query --index all --no-stat --count -- "$1") || true
    [ "$wanted" = "$got" ] || { echo "$1: $got matches, where awk has $wanted" >&2; exit 1; }
    printf '| `%s` | %d | %s |\n' "$1" "$got" "$(ask --count -- "$1")"
}
row "n:$half..$((half + few - 1))" "v >= $half && v < $half + $few"
row "n:$half..$((half + hundredth - 1))" "v >= $half && v < $half + $hundredth"
row "n:<$half" "v < $half"
row "n:$((n / 4))..$((n / 4 + half - 1))" "v >= $n / 4 && v < $n / 4 + $half"
row "price:9.99..99.95" 'p >= 9.99 && p <= 99.95'
row "year:1990..1999" 'y >= 1990 && y <= 1999'
row "w2 n:<$half" "index(text, \" w2 \") && v < $half"
row "w150 n:$half..$((half + hundredth - 1))" "index(text, \" w150 \") && v >= $half && v < $half + $hundredth"
row "w150 -n:<$half" "index(text, \" w150 \") && v >= $half"
printf '| `when:2018-03..2018-05` | %d | %s |\n' "$("$bitsift" query --index all --no-stat --count 'when:2018-03..2018-05')" \
    "$(ask --count -- 'when:2018-03..2018-05')"
printf '| `--sort when:desc w2` | 10 | %s |\n' "$(ask --sort when:desc --format '{id}' -- w2)"
printf '| `--sort price w150` | 10 | %s |\n' "$(ask --sort price --format '{id}' -- w150)"
