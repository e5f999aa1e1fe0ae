# bitsift grep and rg: Rust's regex syntax, PCRE2's syntax with -P, matches across lines,
# replacement, line ends, separators, colours.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree
# Syntax that rg's own engine lacks but bitsift accepts without -P. like_pcre2_as RG_PATTERN PATTERN
# OPTION...: compares bitsift (PATTERN) with rg -P (RG_PATTERN), in files of valid UTF-8.
like_pcre2_as() {
    local rg_status=0 our_status=0 like=$1 pattern=$2
    shift 2
    rg --no-config --no-heading --sort path -P "$@" -e "$like" docs/*t[fylezdnm].txt src >"$SCRATCH/rg" 2>"$SCRATCH/rg.err" || rg_status=$?
    bitsift grep "$@" -e "$pattern" docs/*t[fylezdnm].txt src >"$SCRATCH/ours" 2>"$SCRATCH/ours.err" || our_status=$?
    if ! cmp -s "$SCRATCH/rg" "$SCRATCH/ours" || [ "$rg_status" != "$our_status" ]; then
        printf 'other than rg -P: %s\n' "$pattern $*"
        diff -a "$SCRATCH/rg" "$SCRATCH/ours" | head -n 6 | cut -c 1-200
        n_other=$((n_other + 1))
    fi
    n_same=$((n_same + 1))
}
for pattern in 'foo(?=bar)' 'foo(?!bar)' '(?<=foo )bar' '(?<!foo )bar' '(\w)\1' '(?<a>o)\k<a>' '(?P<a>o)(?P=a)' '(?>fo+)o?' '(?:(?=f)foo)+' \
    '\bfoo\b(?![-_])' 'foo|(?<=x)y' '(?<=[[a-f]&&[^x]] )foo'; do
    like=$pattern
    [[ $pattern == *\&\&* ]] && like='(?<=[a-f] )foo'
    like_pcre2_as "$like" "$pattern" -n
    like_pcre2_as "$like" "$pattern" -o -b
    like_pcre2_as "$like" "$pattern" -i -c
done
# Syntax of PCRE2 that Rust's regex syntax lacks or reads differently, and invalid patterns: an
# error names the construct. With -P, PCRE2's syntax has the meaning that it has in rg -P.
for pattern in 'f\Koo' '\Qa.b\E' 'foo\h+bar' 'foo\Z' '^\Gfoo' '(?|(f)oo|(b)ar)' '\X' '(?(?=f)foo|bar)' '(*UCP)foo' '(?#c)foo' '\R' '\N+foo' \
    'fo{,2}' 'a{' '\0' '(?&x)' '\cA' '\e' '\o{1}' '\x4' '\u{110000}' '\p{Nope}' '\p{gc=Nope}' '\b{foo}' '(?i' '(?z)a' '(?i-)a' \
    '(?ii)a' ')(' '(' '[a' '[b-a]' '[\b]' '[\d-z]' '(?<a>x)(?<a>y)' '(?<1>x)' '(?<>x)' '*' 'a|*' '(?i)*' 'x{2,1}' '(?-u)é|\pL' '\x00' 'a\nb' \
    '[\n]' '[\x00]'; do
    # rg encloses a pattern in a group before it parses it, so )( becomes two groups.
    [ "$pattern" = ')(' ] || same -c -e "$pattern" src docs/*.txt
    bitsift grep -c -e "$pattern" src/foo.h 2>&1 || true
done
# A NUL byte is allowed among alternatives that are all single characters; a named file may match.
for pattern in 'x|\x00' '(\x00|x)' 'bar[\x00x]' 'bar(\x00|x)' '[\x00]|x' '(?-u)\x00|x'; do
    for options in '' -c -o -a -U --no-mmap; do
        # shellcheck disable=SC2086 # one option or none
        same $options -e "$pattern" docs/nul.bin docs/nul2.bin docs/nul3.bin
    done
done
for pattern in 'f\Koo' '\Qa.b\E' 'foo\h+bar' 'foo\Z' '(?|(f)oo|(b)ar)' '\X' '(?(?=f)foo|bar)' '(?#c)foo' 'fo*+' 'f(?R)?o' '\p{Lu}\p{Ll}*' '[[a-b]x]'; do
    same -P -n -e "$pattern" src docs/utf8.txt
done
# Rust's regex syntax. PCRE2 would read most of these patterns differently.
for pattern in 'fo*+' 'o**' 'o{2}{1}' 'f(?R)?o' '[[a-b]x]' '[a-z&&[^b-y]]' '[a-z--[b-y]]' '[a-f~~d-z]' '[[:upper:]]{2}' '[[:space:]]foo' '[[:^alpha:]]foo' \
    '[[:foo:]]' '[[=a=]-z]' '()' '\p{Lu}\p{Ll}*' '\P{L}+foo' '\p{Letter}+' '\p{sc=Greek}' '\p{isGreek}' '\p{gc:lowercase letter}+' '\u{66}oo' '\u0066oo' '\U00000066oo' \
    '\<foo\>' '\b{start}f' 'o\b{end}' '\b{start-half}oo' 'oo\b{end-half}' '(?U)fo+' '(?U)fo+?' '(?Us)f.*o' '(?R)foo$' '(?-m)^foo$' '(?-u)\w+' '(?-u:\xe9)' \
    '(?-u:.)ve' '(?x) f o o # c'$'\n' '(?x)[ f o ]' '(?i)FOO|BAR' '(?i:F)OO' 'x{0}foo' '\vfoo' 'foo\v' 'f[\x6f]+' '[\s\S]foo' '[\Wf]oo' '[^\d]oo$' \
    '[^\W]+' '[^\S]foo' 'é' 'naï' 'ΣΊΣ' '[é-ï]' '\Bo' 'fo\x6f' '(?s)foo.' '(?m)^foo$' '\Afoo' 'foo\z' '(?P<x_1>f)' '\&\~\-\#' '\/' '#' ' ' ']' '}' 'a#b'; do
    same -c -e "$pattern" src docs/*.txt
    [[ $pattern == *\\[Az]* || $pattern == *-m* ]] || same -o -b -e "$pattern" src docs/*.txt
    same -i -c -e "$pattern" src docs/*.txt
    same -S --count-matches -e "$pattern" src docs/*.txt
    same -w -c -e "$pattern" -e bar src docs/*.txt
    same -x -c -e "$pattern" -e '.*foo' src docs/*.txt
done
# Flags apply only to the pattern that sets them, not to the other patterns of a list.
same -n -e '(?i)FOO' -e BAR src docs/*.txt
same -n -e '(?x) F o # c'$'\n' -e 'b a' src docs/*.txt
# Matches next to bytes that are not UTF-8.
printf '\252foo\n \377 foo\377bar\nfoo\200 \303foo\n\316\243\316\221\316\243\n! \252elvin\n' >docs/invalid.txt
for pattern in foo '\bfoo' '\Bo' 'foo\B' '\B' '\b' '[^a]foo' '.foo' '(?-u:.)foo' '(?-u:[\x80-\xff])' '(?s-u:.)+' '\w+' '\W' '[a-z\xaa]*'; do
    for options in '-n' '-o -b' '-w -n' '-w -o -b' '-x -c' '-c -v' '--no-unicode -o -b' '-i --count-matches'; do
        # shellcheck disable=SC2086
        same -a $options -e "$pattern" docs/invalid.txt
    done
done
rm docs/invalid.txt
# Patterns that would be too large for PCRE2 if the definition of a word character were written at
# each of its uses.
printf '\314\201\377\nab\n\342\223\220\n\314\201\na\377\n\377\nx2aa- a\n' >docs/large.txt
long=$(seq -f 'x%.0f\w+\b.\w' 300 | paste -sd '|')
for pattern in '^\w$|(?:\w-){2000}' "^\\w\$|$long" "(?:$long|\\b)\\w" "(?:$long|\\s)\\w" "(?-u:\\xff)\\B|$long" "$(printf '(%.0s' {1..248})\\b\\w$(printf ')%.0s' {1..248})"; do
    for options in '-a -n' '-a -o -b' '-a -w -c'; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" docs/large.txt
    done
done
rm docs/large.txt
bitsift grep '(?:\w-){9000}' src/foo.h 2>&1 || true
# A look-ahead that needs many bytes.
{
    seq -f 'abcdefghijklmnop line %.0f' 20
    echo 'The end'
} >docs/ahead.txt
for options in -l -c --count-matches -n '-l -v' '-c -v' -o -q --files-without-match; do
    # shellcheck disable=SC2086
    same -UP $options -e '(?s)line 1(?=.*The end)' docs/ahead.txt
    # shellcheck disable=SC2086
    like_pcre2_as '(?s)line 1(?=.*The end)' '(?s)line 1(?=.*The end)' -U $options
done
rm docs/ahead.txt
for pattern in foo 'foo\nbar' 'foo\s+bar' 'o$\n' '(?s)foo.*bar' '(?s)bar.*?foo' '[^x]+' 'bar\n\n' '^' '$' '\n' '\n\n+' 'foo.bar' '^foo' 'o{2}\W' \
    'x*' 'bar\n|foo' '\z' 'o\b'; do
    for options in -U '-U -n -o' '-U -c' '-U --count-matches' '-U -P' '-U -P -c' '-U --json' '-U -P --json' '-U -v -n' '-U -C1 -n' '-U -l' \
        '-U --multiline-dotall -n' '-U --vimgrep' '-U --color=always -n' '-U -m1 -n' '-U -b --column' '-U -M10' '-U -q' '-U --passthru'; do
        # shellcheck disable=SC2086 # several options
        same $options -e "$pattern" src docs
    done
done
for pattern in foo 'o$' 'three$' '^$' '\s$' '.$'; do
    for options in --crlf '--crlf -o -b' '--crlf -v -n' '--crlf -P' '--crlf -c' '--crlf -l' '--crlf --color=always' \
        '--crlf -C1' '--crlf -x' '--crlf --json' '--crlf -r X'; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" src docs
    done
done
# If each match must contain a literal, rg counts the second \r of \r\r\n as part of the line end.
printf 'b\r\r\nfoo\r\r\n\r\r\nab\r\nfoo\nx\rfoo\r\r\nb\r\r\r\n' >docs/two.txt
for pattern in 'b$' '^b$' 'b\s*$' '(?:b$)' 'fo+$' '(?i)FOO$' 'b' '^$' '.$' '[^a]$' 'b$|x' '\S$' 'b.' '[\x00-z]$' '^\w+$'; do
    for options in --crlf '--crlf -P' '--crlf -c' '--crlf -P -o' '--crlf -x' '--crlf -v -n' '--crlf -i -n'; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" docs/two.txt docs/crlf.txt
    done
done
# With -U, a match may contain \r, and start between \r and \n.
printf 'a\r\nb\na\rb\nx\r\n9\rK\n9xK\n9\r\nK\na\r' >docs/two.txt
for pattern in 'a\r' 'x\r|b' '[\r]' 'a[^x]' '(?s:.)K' '\r*' '9[\w\W]K' '9[\d\D]K' '9(?s-u:.)K'; do
    for options in -n '-o -b' '-U -n' '-U -o -b' '-U -x -n' '-U -x -e zz' '-U -w -c' '-U -v'; do
        # shellcheck disable=SC2086
        same --crlf $options -e "$pattern" docs/two.txt
    done
done
# Classes that begin with a bracket or a hyphen; smart case, which considers only literal letters;
# with -U, patterns some of which cannot match across lines.
printf 'a-b a]b [x] -x- ]y[\nAB CD\nAbc ABC abc\n\t\n1+1\n' >docs/marks.txt
for pattern in '[^-a]\w' '[^-a-z]\w' '[^]a]\w' '[^]1]+\w' '[]x]\w' '[-x]\w' '[^-]+' '[^]-]+' '[^^]\w' '[^\s-]\w' '[\s-]\w' '[^\S-]\w'; do
    for options in -n '-n -o' -c '-v -n' '-i -o' -P; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" docs/marks.txt src
    done
done
for pattern in '\x41bc' '\x{42}C' '[[:upper:]]' '\p{Lu}+' '\pL+' '(?U)ab+' '[\x41]b' '(?P<Name>ab)' '\W' '[a-b]bc' '[A-B]bc' 'abc\S'; do
    same -S -o -n -e "$pattern" docs/marks.txt
    [[ $pattern == *:* ]] || same -S -P -o -n -e "$pattern" docs/marks.txt
done
for pattern in '[^\s]+' '[^\n]b' '(?s)abc' '[^\W]+' '(?s:.)b' '\S b' '[\S ]b'; do
    for options in '-U -n' '-U --json' '-U -c' '-U -v -n'; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" docs/marks.txt docs/crlf.txt
    done
done
for options in --null-data '--null-data -o' '--null-data -c' '--null-data -v -l' '--null-data --json'; do
    # shellcheck disable=SC2086
    same $options foo src docs
done
# With --null-data -U, only patterns that can match a NUL byte are searched across lines, and only
# these patterns lose empty matches.
for pattern in '.?' '\s?' 'o?' '^' '$' '[^o]?' '(?s).?' 'o|\n'; do
    for options in '--null-data -U -o -b' '--null-data -U --json' '--null-data -o -b' '--null-data -U -c'; do
        # shellcheck disable=SC2086
        same $options -e "$pattern" src/deep/plain.txt docs/blank.txt
    done
done
# Context lines after the last line that -m allows are printed as matches if they match, but not in
# the modes in which rg searches line by line.
printf 'a\0foo\0bfoo\0z\0foo\0' >"$SCRATCH/nul"
for options in '-U -m1 -A2 -n' '-m1 -A2 -n' '-U -m1 --passthru' '-U -C1 -m1'; do
    # shellcheck disable=SC2086
    same --null-data $options foo "$SCRATCH/nul"
done
# -q --stats searches all files.
same -q --stats --files-without-match no_such_word src
# shellcheck disable=SC2016 # no expansion is wanted
for text in '' X '<$0>' '$1-$2' '${1}x' '$1x' '$$1' '$name' '${name}' '$9' '$' 'a$' '${' '${1' 'é$1'; do
    same -r "$text" '(?P<name>f)(o+)' src docs
    same -o -n -r "$text" '(?P<name>f)(o+)' src
    same --color=always -r "$text" '(?P<name>f)(o+)' src
    same -v -r "$text" '(?P<name>f)(o+)' src
    same --json -r "$text" '(?P<name>f)(o+)' src
done
for options in '--context-separator XX -C1' '--no-context-separator -C1' '--context-separator \t -A1' '--field-match-separator \t' \
    '--field-context-separator @ -C1' '--field-match-separator XX -n -C1' '--heading' '--heading -n -C1' '--heading -c' '--heading -I' '--heading -0' \
    '--include-zero -c' '--include-zero --count-matches' '--trim -o' '-M10 --max-columns-preview' '-M10 --max-columns-preview --color=always' \
    '-M0' '-M30 -o' '-M30 --vimgrep' '-M3 -C1 -n' '-M30 --max-columns-preview -o' '-M30 -v' '-p' '-p --no-heading' '--color ansi' '--color always -0' \
    '--color always -l' '--color always -c' '--color always --count-matches -0' '--color always --vimgrep' '--color always --json' \
    '--color always -A1 -b --column' '--colors match:none --color always' '--colors path:fg:blue --colors match:style:nobold --color always' \
    '--colors line:fg:0x10 --colors column:fg:1,2,3 --color always --column' '--colors match:bg:yellow --colors match:style:intense --color always' \
    '--colors match:style:underline --color always' '--colors nonsense' '--colors match:fg:nocolor' '-C2 -A0 -n' '-A0 -C2 -n' '-B1 -C2 -n' '-C2 -B1 -n' \
    '--passthru -C2' '-C1 --passthru' '-c -l' '-l -c' '-c --count-matches' '--count-matches -c' '-v --count-matches' '-c -o' '--json -q' '--json -c' \
    '-n -N' '-N -n' '-H -I' '-I -H' '--column --no-column' '-o -v' '-o -C1 -n' '-o --passthru' '-i -s' '-s -S' '-S -i' '-F --no-fixed-strings' '-w -x' '-x -w' \
    '-m1' '-m2 -C2 -n' '-m1 -A2' '-m1 -v' '-m1 --json' '-m2 -c' '-m1 --count-matches' '-m3 --vimgrep' '-m1 -o' '-m1 -l' '-m1 --passthru' '-m2 -B2'; do
    # shellcheck disable=SC2086
    same $options foo src docs
done
# A flag applies only to the rest of its own pattern, with -P, too.
printf 'K\nk\nS\n' >flags.txt
for patterns in '-e x(?i)s* -e k' '-e (?i)s+ -e k' '-x -e (?i)s -e k'; do
    # shellcheck disable=SC2086
    same -P $patterns flags.txt
    # shellcheck disable=SC2086
    same $patterns flags.txt
done
# With --crlf, a line in the context is matched without its CRLF, but with a lone LF.
printf 'a b\n\nc\n \nd\n' >lf.txt
printf 'a b\r\n\r\nc\n \r\nd\n\ne' >mixed.txt
for option in '' -P '-r X'; do
    for pattern in '\s' ' ?\n' 'b\n|\s' '^ ?$'; do
        # shellcheck disable=SC2086
        same $option -U --crlf -n -m1 -A3 -e "$pattern" lf.txt mixed.txt
    done
done
report_same 900
