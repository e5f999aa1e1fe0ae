# bitsift grep, bitsift grep --brute and rg agree, for random lists of patterns and random texts.
# The patterns are regexes, or literals that are empty, overlap, are prefixes of each other, are not
# ASCII, or have letters with three forms (such as k, K and the Kelvin sign). The seed is fixed;
# ROUNDS and SEED select other cases, as for grep_random.sh.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
RANDOM=${SEED:-4711}
n_cases=${ROUNDS:-40}

# pieces SEED LINES LEAST MOST ALPHABET BAD: prints lines of LEAST to MOST letters. A small alphabet
# makes many overlaps. BAD: some bytes are invalid UTF-8.
pieces() {
    LC_ALL=C awk -v seed="$1" -v n="$2" -v least="$3" -v most="$4" -v alphabet="$5" -v bad="$6" 'BEGIN {
        srand(seed)
        n_letters = split(alphabet, letters, ",")
        for (line = 0; line < n; line++) {
            out = ""
            for (left = least + int(rand() * (most - least + 1)); left > 0; left--)
                out = out (bad && rand() < 0.02 ? sprintf("%c", 128 + int(rand() * 128)) : letters[1 + int(rand() * n_letters)])
            print out
        }
    }'
}
alphabets=('a,b' 'a,b,c, ,_' 'k,K,s,S,a,ſ,K' 'é,É,e,Σ,σ,ς,ß, ' 'a,b,c,d,e,f,g,h,i,j,k,l, , ,.' '日,本,語,中,a' 'foo,bar,Foo,-,+, ')
sizes=(1 2 2 3 5 15 16 17 40 100 400 1500 5000)
options=('' '' -i -S -o '-o -i' '-o -b' -c -v --json '--json -i' '-n --column' --count-matches '--color=always' '-r <$0>' -x '-x -i' '-x -o' '-x -c' --crlf
    '--crlf -x' -U '-U -o' '-U -x' --null-data -l '-m1 -b' -A1 '-v -o' --vimgrep '-P -w' '-P -w -o' '-P -o' '-P -i -w' --no-unicode '-M9')
shows_matches='-o|json|-r|col|vim|matches'
# Escapes literals for rg and PCRE2.
escape() {
    sed -E 's/[][\\.*+?(){}^$|#&~-]/\\&/g' -- "$1"
}
# regexes SEED N: prints N random regexes, some of which contain no literal.
regexes() {
    LC_ALL=C awk -v seed="$1" -v n="$2" 'BEGIN {
        srand(seed)
        n_atoms = split("a b c ab ba foo bar (?:foo|ba) (?:a|bc)+ [ab] [^c] \\w \\d? a* (?:ab){1,2} (?:ab){2} . \\b \\. (?i:K) é \\s (o) \\bfoo\\b x?", atoms, " ")
        for (line = 0; line < n; line++) {
            out = rand() < 0.1 ? "^" : ""
            for (left = 1 + int(rand() * 4); left > 0; left--)
                out = out atoms[1 + int(rand() * n_atoms)]
            print out (rand() < 0.1 ? "$" : "")
        }
    }'
}
mkdir t
for ((i = 0; i < n_cases; i++)); do
    alphabet=${alphabets[RANDOM % ${#alphabets[@]}]}
    size=${sizes[RANDOM % ${#sizes[@]}]}
    option=${options[RANDOM % ${#options[@]}]}
    least=$((RANDOM % 4 ? 1 + RANDOM % 6 : 0))
    pieces $RANDOM 40 0 30 "$alphabet" 1 >t/1.txt
    pieces $RANDOM 300 0 12 "$alphabet" 0 >t/2.txt
    ((RANDOM % 4)) || sed -i 's/$/\r/' t/2.txt
    ((RANDOM % 4)) || printf 'foo ab' >>t/2.txt
    # rg -P cannot hold very long lists, and after an empty match it continues inside a character.
    if [[ $option == *-P* ]]; then
        size=$((size > 400 ? 400 : size))
        [[ ! $option =~ $shows_matches ]] || least=$((least ? least : 1))
    fi
    pieces $RANDOM "$size" $least $((least + RANDOM % 8)) "$alphabet" 0 >list
    ((RANDOM % 8)) || sed -n 's/^.*\(.....*\)$/\1/p' t/2.txt | tr -d '\r' | head -n $((size / 2)) >>list
    escape list >escaped
    case $((RANDOM % 5)) in
        0) arguments=(-f escaped) ;;
        1) arguments=(-e "($(head -c 60000 escaped | tr '\n' '|')zq)") ;;
        2)
            regexes $RANDOM "$size" >list
            # The text is valid UTF-8 for more than 40 regexes: a pattern too large to be matched by
            # bytes treats invalid bytes as the start or end of a line (bitsift-grep(1)).
            pieces $RANDOM 60 0 20 'a,b,c,foo,bar, ,k,K,é,o,.' $((size <= 40)) >t/1.txt
            size=$((size > 400 ? 400 : size))
            arguments=(-f list)
            # After an empty match rg -P continues inside a character, where PCRE2 promises nothing.
            [[ $option != *-P* ]] || option=-P
            ;;
        *) arguments=(-F -f list) ;;
    esac
    # shellcheck disable=SC2086 # several options
    same $option "${arguments[@]}" t
    # shellcheck disable=SC2086
    ((size > 400)) || same_with --brute $option "${arguments[@]}" t
done
# A list with a pattern that is invalid UTF-8 is refused, as by rg.
printf 'foo\nb\351r\nbar\n' >list
same -F -f list t
report_same $((n_cases * 2 / 3))
