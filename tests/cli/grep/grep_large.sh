# bitsift grep and rg with files that are read in pieces. Where pieces end must not affect the
# output, except if a later piece has a NUL byte: then lines of the pieces before it are printed.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg

# lines N SEED: prints random lines, some of them long or empty.
lines() {
    awk -v n="$1" -v x="$2" 'BEGIN {
        split("foo bar Foo ab caf\303\251 42 a.b foo_1( 1.2.3 ABCD123", words, " ")
        for (i = 0; i < n; i++) {
            x = (x * 16807) % 2147483647
            m = x % 50 == 0 ? x % 900 : x % 11
            for (j = 0; j < m; j++) {
                x = (x * 16807) % 2147483647
                printf "%s ", x % 40 < 1 ? words[1 + x % 10] : "w" x % 60
            }
            print ""
        }
    }'
}
lines 9000 1 >even.txt
lines 2500 2 >small.txt
lines 9000 3 | sed 's/$/\r/' >crlf.txt
{ lines 6000 4; printf 'foo\0bar\n'; lines 3000 5; } >nul.bin
{ head -c 200000 /dev/zero | tr '\0' x; printf 'foo\n'; head -c 70000 /dev/zero | tr '\0' y; printf '\nfoo'; } >wide.txt
{ lines 4000 6; printf '\303 foo \377\n'; lines 4000 7; } >bytes.txt
for pattern in foo 'foo|bar' '[a-z]+_[0-9]+\(' '\d\.\d' '\b[A-Z]{4}[0-9]{3}\b' 'é' 'x$' '^w1 ' 'zzzz' '^$'; do
    for option in -c -n '-n -C2' '-A3 -b' '-v -c' '-o -b' --json '-m3 -A2' '-i -n' '-w -c' --passthru -l --files-without-match \
        '-a -n' --count-matches '-P -o' '--binary -c'; do
        # shellcheck disable=SC2086 # several options
        same $option -e "$pattern" .
    done
    same --no-mmap -n -e "$pattern" nul.bin even.txt
    same -A2 -b -e "$pattern" nul.bin wide.txt
    INPUT=nul.bin same -n -e "$pattern"
    INPUT=crlf.txt same --crlf -n -e "$pattern" -
done
echo '# lines of one length, so that each piece of a file begins and ends at the same offset as the one before'
perl -e 'for (0 .. 9999) { print $_ % 1024 == ($_ >> 10 & 1 ? 10 : 3) ? "\303\251" . "b" x 61 : "a" x 63, "\n" }' >fixed.txt
same -c '^.{63}$' fixed.txt
same -n -v '^.{63}$' fixed.txt
echo '# classes in a row that are expected to be rare, but are in each line'
perl -e 'for (0 .. 149999) { print "qz123 ", $_ > 75000 ? "\303\251" : "e", $_ % 997 ? "\n" : " X\n" }' >rare.txt
same -c '[qz][0-9]{3}.*[XY]$' rare.txt
same -c -v '[qz][0-9]{3}.*[XY]$' rare.txt
same -n '[qz][0-9]{3} e [XY]' rare.txt
report_same 200
