# -z: the output for compressed files must be that of rg, which decompresses them by external
# programs (bitsift loads libraries, except for .Z). Damaged files must be reported.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
for tool in gzip bzip2 xz lz4 zstd brotli; do
    can_use $tool || exit 77
done
awk 'BEGIN { for (i = 1; i <= 60000; i++) print "line " i * 7919 % 60013, (i % 5000 == 7 ? "foo" : "") }' >big.txt
printf 'foo\nbar' >small.txt
: >nothing.txt
printf '\377\376f\000o\000o\000\n\000' >utf16.txt
printf 'foo\nbar\000\nfoo\n' >nul.txt
awk 'BEGIN { for (i = 0; i < 30; i++) { for (j = 0; j < 9000; j++) printf "x"; print "foo" } }' >long.txt
# pack FILE: compresses the file in each format.
pack() {
    gzip -c "$1" >"$1.gz"
    bzip2 -c "$1" >"$1.bz2"
    xz -c "$1" >"$1.xz"
    xz --format=lzma -c "$1" >"$1.lzma"
    lz4 -q -c "$1" >"$1.lz4"
    zstd -q -c "$1" >"$1.zst"
    brotli -c "$1" >"$1.br"
}
for file in *.txt; do
    pack "$file"
done
endings='gz bz2 xz lzma lz4 zst br'
check() {
    for options in '' -c -l '-c --files-without-match' '-n -m3' '-v -c' '-U -c' '-a -c' '-b -o' '-C1' '-E utf-8 -c' --json '-q' '-P -c' '--mmap -c' \
        '-c --max-filesize 10K' '-c -g *.bz2' '-c -uuu'; do
        # shellcheck disable=SC2086 # several options
        same -z $options foo
    done
    # All files are larger than this limit.
    same -z --max-filesize 3 -c foo
    same -z --max-filesize 3 -c foo . ./
    same -z -c 'line 4[0-9]*1 $'
    same -z -n foo small.txt.gz
    same -z -n foo small.txt.* nul.txt.*
    same -c foo small.txt.gz
    same -z --no-search-zip -c foo
    same -z -U -c '(?s)foo.*foo'
}
check
export BITSIFT_INDEX=$SCRATCH/index
bitsift index -q .
check
for options in '' --no-stat --brute; do
    # shellcheck disable=SC2086 # none or one
    bitsift grep -z -c foo $options | cksum
done | uniq -c | awk '{ print $1 " answers alike" }'
unset BITSIFT_INDEX
echo '# several streams in one file, other endings, and a wrong ending'
mkdir more
for ending in $endings; do
    cat "small.txt.$ending" "big.txt.$ending" "nothing.txt.$ending" "small.txt.$ending" >"more/twice.$ending"
    cp "small.txt.$ending" "more/plain"
    cp small.txt "more/lie.$ending"
    : >"more/empty.$ending"
done
for pair in gz:tgz bz2:tbz2 xz:txz zst:zstd gz:GZ xz:lzma; do
    cp "small.txt.${pair%:*}" "more/other.${pair#*:}"
done
! can_use uncompress || printf '\037\235\220\146\336\274\121\040' >more/small.Z
for file in more/*; do
    case $file in
        # bitsift does not support concatenated files in these two formats; rg searches only the
        # first part of such a file.
        *twice.lzma | *twice.br) bitsift grep -z -c foo "$file" 2>&1 | sed -n '$p' ;;
        # The program that rg runs for .lzma accepts no other format.
        *other.lzma) bitsift grep -z -c foo "$file" ;;
        *) same -z -c foo "$file" ;;
    esac
done
echo '# truncated, changed, and with garbage after the end'
mkdir bad
for ending in $endings; do
    n=$(stat -c %s "big.txt.$ending")
    head -c $((n * 2 / 3)) "big.txt.$ending" >"bad/cut.$ending"
    head -c 5 "big.txt.$ending" >"bad/short.$ending"
    { cat "small.txt.$ending" && echo garbage; } >"bad/behind.$ending"
    cp "big.txt.$ending" "bad/changed.$ending"
    # This damage is always reported; brotli has no checksum, but the changed stream is invalid.
    flip_byte "bad/changed.$ending" $((n / 2))
    # Damage near the end, where most formats have a checksum. brotli has none: nothing is reported.
    cp "small.txt.$ending" "bad/sum.$ending"
    flip_byte "bad/sum.$ending" $(($(stat -c %s "small.txt.$ending") - 6))
done
for file in bad/*; do
    status=0
    bitsift grep -z -c -a foo "$file" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
    echo "$file: $status $(sed -E 's/^bitsift: [^:]*: //; s/(cannot be unpacked): .+/\1/' "$SCRATCH/err")"
done
report_same 60
echo '# as in rg, the last text before the damage is not searched'
seq 20000 | sed 's/$/ foo/' | gzip >large.gz
for n in 100 3000 20000 40000; do
    head -c $n large.gz >short.gz
    same -z -c foo short.gz
    same -z foo short.gz
done
report_same 1
