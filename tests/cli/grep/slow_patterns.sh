# Patterns on which a backtracking engine takes polynomial or exponential time, in lines of 20 to
# 100,000 letters: found and counted as by rg.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
python3 - <<'END'
for length in (20, 26, 100, 3000, 100000):
    with open(f"{length}.txt", "w", encoding="utf-8") as file:
        for part in ("a", "x", "xy", "ab1_", "aA", "Aa b", "é", "a\t"):
            line = (part * length)[:length]
            print(line, file=file)
            print(line + "!", file=file)
            print("b" + line + "Ab", file=file)
END
patterns=('(.*x){25}y' '(x?){30}x{30}y' '^(([a-z])+.)+[A-Z]([a-z])+$' '(a*)*b' '(a|aa)+$' '(a+)+$' '(a|a?)+!' '([a-z]+)*!'
    '(\w+\s?)+!' '(\w+\s?)+$' '.*.*.*=' '.*.*.*!' '[a-z]+[0-9]' 'a*a*a*a*!' '(.*)(.*)(.*)(.*)(.*)[^a-z]' '(x+x+)+y' '(é|éé)+$' '(\w|\w\w)+!'
    '\b(a|aa)+$' '\b\w+\b!' '(?i)(a|aa)+!' '(ab1_|ab|1_)+!' '^(a?){40}a{40}$' '((a*)*)*A' '(?:(?:a+)+)+A' '(.+)+!$' '(.+.+)+!$' '([^b]*b?)*!'
    '^(?:.?){99}!' '(?s:.)*x(?s:.)*y(?s:.)*!' 'a.*a.*a.*a.*A' '(a{1,9}){1,9}A' '(\S+\s*)+!' '[a-zé]*[a-y]*[a-x]*!' '(a|b|ab)*!' '(?:a?a?)*!'
    '(\d*\w*)*!' '(.|\n)*!' '(x*)+y+(x*)+y+!' '(?:.*,){8}!')
for pattern in "${patterns[@]}"; do
    same -c "$pattern" .
    same -n -o --max-columns 60 "$pattern" 20.txt 26.txt 100.txt
done
printf '%d patterns\n' "${#patterns[@]}"
same -c -w '(a|aa)+A?b' .
# shellcheck disable=SC2016 # no expansion is wanted
same -o -r '$1-$2' '(a|aa)+(A?b)' 100.txt
same -v -c '(a|aa)+$' .
same -c '(x+x+)+(?:y|\n)' .
same -o '(a*|b)+' 20.txt
yes 'word ' | head -n 100000 | tr -d '\n' >words.txt
same -o '\w+' words.txt
same -P -c '.*(?:ab|cd)(?=\d)' 100000.txt
report_same 84
echo 'Without RE2, and with lookaround, they are given up.'
listed bitsift grep -c --no-linear-engine '(a|aa)+$' 100.txt
listed bitsift grep -c '(a|aa)+(?=$)' 100.txt
