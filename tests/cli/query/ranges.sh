# Ranges of numbers and dates in fields of records: what they find, and that all ways of searching
# agree.
cat >all.jsonl <<'END'
{"id":"a","text":"cat","year":1990,"price":12.5,"when":"2024-05-17"}
{"id":"b","text":"dog","year":1995,"price":-3,"when":"2024-06"}
{"id":"c","text":"cat dog","year":2000.0,"price":1e400,"when":"2024"}
{"id":"d","text":"cat","year":"2001","price":-0,"when":"2023-12-31T23:00:00-02:00"}
{"id":"e","text":"eel","year":[1980,2010,1980],"price":12345678901234567890123,"size":{"x":5,"y":[{"z":-7},{"z":"7.50"}]}}
{"id":"f","text":"eel","year":"old","price":"12,5","when":"tomorrow"}
{"id":"g","text":"year 1990..2000 and >5","price":9007199254740993,"when":"2016-12-31T23:59:60Z"}
{"id":"h","text":"cat","price":9007199254740992,"when":"1492-10-12","year":""}
{"id":"i","text":"cat","price":"1e-400","when":["9999-12-31","2024-05-17T08:30:59.25"],"year":"\u0031990"}
{"id":"j","text":"dog","price":1e-3,"name":77}
END
echo 'cat in a file, year:1990' >file.txt
settle
quiet bitsift index all.jsonl file.txt

checked() {
    bitsift check "$@" | neutral -
}

# Ranges of numbers with two ends, with one end, and without their ends; decimals, exponents, zeros,
# and more digits than a double has.
each every :: year:1990..2000 year:1990..1990 'year:>1990' 'year:>=1990' 'year:<1990' 'year:<=1990' year:..1990 \
    year:2001.. 'price:<0' price:0..0 price:-3..1e-400
every 'price:>0' 'price:<1'
every price:12.5..0.0125k
every 'price:>9007199254740992' 'price:<1e30'
every price:9007199254740992..9007199254740992
every 'price:>1e399'
every 'price:>12345678901234567890122' 'price:<12345678901234567890124'
every price:8Pi..9008T
# In nested fields and arrays, any value suffices.
each every :: 'size.x:>3' size.y.z:-7..-7 size.y.z:7.5..
every 'year:<1985' 'year:>2005'
# Dates, in UTC: a date without a day, an hour or seconds denotes the whole month, day or minute.
# Ranges of dates also find years that are numbers.
each every :: when:2024-05..2024-06 when:2024-05-17..2024-05-17 when:2024-05-17T08:30..2024-05-17T08:30 \
    when:2024..2024 'when:<2024' 'when:>2024' when:2024-01-01T01..2024-01-01T01 \
    when:2016-12-31T23:59:60..2016-12-31T23:59:60 when:2017-01-01..2017-01-01 when:9999.. when:..1500 \
    year:1990-01..1995-01
# Ranges with other operands.
every cat year:1990..2000
every cat OR year:..1985
every -- -year:1990..2010
every -- cat -when:2024..
every '(year:1990..1990 OR year:2000..2001) cat'
every 'year:(1990..1990 OR >=2001)'
every --any year:2001.. dog
every name:70..80
show bitsift query 'cat year:1990..2000'

# These are read as text, with a notice: ranges in unknown fields and in fields without numbers, and
# ranges with invalid ends.
each every :: 'text:>5' text:1990..2000 year:a..z 'year:>old' 'year:1m..2m' 'year:=>1990' title:=a name:70..x
finds 'cat year:..'
every 'yaer:1990..2000'
bitsift query --explain 'cat year:1990..2000 -price:<0' 2>&1 | grep -E '^query|price|year|candidates:'

# Sorted by a field, the least first, or with :desc the greatest. If a document has several values,
# its least counts, or its greatest with :desc. Documents without a value come last; documents with
# equal values are in document order.
sorted() {
    local mode
    show bitsift query --format '{rank} {id} {value}' "$@"
    for mode in --brute --fresh --no-stat; do
        bitsift query --format '{rank} {id} {value}' "$@" 2>/dev/null | diff - <(bitsift query --format '{rank} {id} {value}' $mode "$@" 2>/dev/null)
    done
}
sorted --sort year 'cat OR dog OR eel'
sorted --sort year:desc 'cat OR dog OR eel'
sorted --sort -year -n 2 'cat OR dog OR eel'
sorted --sort price:asc -n 20 -- -zzz
sorted --sort when:desc -n 4 cat
sorted --sort size.y.z eel
sorted --sort year -n 3 year:1990..
sorted --sort year '"cat dog"'
show bitsift query --sort year --format trec cat
show bitsift query --sort year -n 2 cat
show bitsift query --json --sort when:desc -n 2 'price:..1 -eel'
show bitsift query --format '{value}' cat

# After changes, a deletion and compaction, ranges and sorting use the current values.
echo '{"id":"k","text":"new","year":1999}' >>all.jsonl
sed -i 's/"year":1995/"year":2995/' all.jsonl
finds --fresh year:1990..2000
finds year:1990..2000
show bitsift query --sort year:desc -n 2 --format '{id} {value}' --fresh 'dog OR new'
show bitsift query --sort year:desc -n 2 --format '{id} {value}' 'dog OR new'
quiet bitsift index
every year:1990..2000
every 'year:>2900'
quiet bitsift delete k
every year:1990..2000
quiet bitsift compact
every year:1990..2000
checked
# A field in which only new documents have numbers.
echo '{"id":"l","text":5,"year":1999}' >>all.jsonl
finds --fresh text:1..9
finds text:1..9
quiet bitsift index
every text:1..9

# An index from an earlier release has no numbers of fields; searches read the texts instead.
[ -n "${RESEAL:-}" ] || skip 'RESEAL is not set; ctest sets it'
cp -rP "$(dirname "$LIB")/../golden/v4/records" old
cd old
"$RESEAL" .bitsift words
finds year:1991..1993
finds --count 'year:>1990 bits'
finds 'year:<0 OR title:a..b'
bitsift query --explain 'year:>1990' 2>&1 | grep -E 'year|candidates:'
quiet bitsift index
finds year:1991..1993
show bitsift query --sort year:desc --format '{id} {value}' bits
quiet bitsift compact
finds year:1991..1993
cd ..

# Many documents: several layers, lists and blocks; few documents have `few`, `mod` has several
# values, and `mix` has dates and numbers.
awk 'BEGIN { for (i = 0; i < 3000; i++) {
    printf "{\"id\":\"r%d\",\"text\":\"w%d\",\"n\":%d,\"mod\":[%d,%d,%d]", i, i % 7, (i * 7919) % 3001 - 1500, i % 5, i % 11, i % 13
    if (i % 97 == 0) printf ",\"few\":%d.%d", i, i % 10
    if (i % 3 == 0) printf ",\"mix\":\"%04d-%02d\"", 1900 + i % 150, i % 12 + 1
    if (i % 3 == 1) printf ",\"mix\":%d", 1900 + i % 150
    print "}" } }' >many.jsonl
quiet bitsift index --index many many.jsonl
checked --index many
while read -r query; do
    counts=$(for mode in '' --brute '--kernel plain'; do bitsift query --index many --count $mode -- "$query"; done | sort -u)
    printf '%s: %s\n' "$query" "$counts"
done <<'END'
n:-10..10
n:<-1499
n:>=1500
n:..0
w3 n:0..
w3 -n:0..
mod:12..
mod:0..0
mod:4..4 mod:10..10
few:100..1000
-few:0..
w1 few:>1e3
mix:1950..1960
mix:1950-06..1960-01
mix:>2040
w1 mix:1990..1999 OR few:..500
n:5..5 OR n:7..7 OR n:-9..-9
END
for sort in n n:desc mod mod:desc few few:desc mix mix:desc; do
    for query in w3 'w1 OR w2' 'n:-700..700' '-few:..500'; do
        top=$(bitsift query --index many --sort $sort -n 7 --format '{id} {value}' -- "$query" | cksum)
        all=$(bitsift query --index many --brute --sort $sort -n 5000 --format '{id} {value}' -- "$query" | head -n 7 | cksum)
        [ "$top" = "$all" ] || echo "$sort $query: not the first"
    done
done
show bitsift query --index many --sort few:desc -n 3 --format '{id} {value}' w0

echo '# a number in place of a date'
printf '{"id":"1","date":"2024-05-17","mix":"2024-05-17"}\n{"id":"2","date":"2023-05-17","mix":7}\n' >dates.jsonl
quiet bitsift index --index dates dates.jsonl
each every --index dates :: 'date:>20240501' 'date:5k..' 'mix:>20240501' 'date:>2023' 'date:>2024-05-01'
finds --index dates --strict-query 'date:>20240501'
echo '{"id":"3","date":20240601}' >>dates.jsonl
finds --index dates --fresh 'date:>20240501'
