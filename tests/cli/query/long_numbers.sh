# Numbers with hundreds of digits: ranges and sort orders are exact, with and without the index,
# also if the first digits are equal.
digits() { # N DIGIT: prints DIGIT N times
    printf "%0$1d" 0 | tr 0 "$2"
}
prefix=$(digits 300 7)
order=()
number() { # ID NUMBER: makes a record; the calls are in ascending order of NUMBER
    printf '{"id":"%s","v":%s,"t":"x"}\n' "$1" "$2" >>sorted.jsonl
    order+=("$1")
}
number minus-long "-${prefix}9"
number minus-less "-${prefix}1.5"
number minus-one -1
number tiny "1e-400"
number part "0.${prefix}25"
number part-more "0.${prefix}3"
number one 1
number d255 "$(digits 255 7)"
number d256 "$(digits 256 7)"
number d257 "$(digits 257 7)"
for i in 100 101 105 109; do
    number "long-$i" "$prefix$i"
    number "long-$i-half" "$prefix$i.5"
done
number 4096-bit "$(digits 1233 8)"
number large "1E+5000"
number many "$(digits 20000 9)"
number larger 1e999999999
awk 'NR % 2' sorted.jsonl >v.jsonl
awk 'NR % 2 == 0' sorted.jsonl >>v.jsonl
printf '%s\n' '{"id":"word","v":"seven","t":"x"}' '{"id":"too-large","v":1e1000000000,"t":"x"}' '{"id":"space","v":"2024-05-17 08:30","t":"x"}' >>v.jsonl
bitsift index -q v.jsonl

check() { # NAME GOT WANTED: reports if GOT is not WANTED
    [ "$2" = "$3" ] || printf '%s: %s, not %s\n' "$1" "$2" "$3"
}
wanted() { # FROM TO: a part of `order`, as --ids prints it
    local id
    for id in $(sed -E 's/.*"id":"([^"]*)".*/\1/' v.jsonl); do
        for ((i = $1; i < $2; i++)); do
            [ "${order[i]}" != "$id" ] || echo "$id"
        done
    done
}
n=${#order[@]}
for how in '' --brute; do
    for ((at = 0; at < n; at += ${#how} ? 4 : 1)); do
        value=$(sed -E "$((at + 1))"'s/.*"v":([^,]*),.*/\1/;t;d' sorted.jsonl)
        # shellcheck disable=SC2086 # an option or none
        {
            check "> ${order[at]} $how" "$(bitsift query $how --ids "v:>$value" || true)" "$(wanted $((at + 1)) "$n")"
            check "<= ${order[at]} $how" "$(bitsift query $how --ids "v:<=$value" || true)" "$(wanted 0 $((at + 1)))"
            check "= ${order[at]} $how" "$(bitsift query $how --ids "v:$value..$value")" "${order[at]}"
        }
    done
    # shellcheck disable=SC2086
    check "order $how" "$(bitsift query $how -n 99 --sort v --format '{id}
' t:x | head -n "$n" | tr '\n' ' ')" "$(printf '%s ' "${order[@]}")"
    # shellcheck disable=SC2086
    check "descending $how" "$(bitsift query $how -n 99 --sort v:desc --format '{id}
' t:x | grep -v space | head -n "$n" | tac | tr '\n' ' ')" "$(printf '%s ' "${order[@]}")"
    for ((k = 1; k < n; k += 5)); do
        # shellcheck disable=SC2086
        check "first $k $how" "$(bitsift query $how -n "$k" --sort v --format '{id}
' t:x | tr '\n' ' ')" "$(printf '%s ' "${order[@]:0:k}")"
    done
done
check "a factor" "$(bitsift query --ids "v:1Ki..${prefix}Pi -v:>=$prefix" | tr '\n' ' ')" "d256 d255 d257 "
bitsift check | sed 's/, .*//'
