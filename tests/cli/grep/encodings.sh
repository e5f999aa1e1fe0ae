# -E: text in the encodings of the WHATWG standard, under all their names, is decoded as by rg.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
labels="
unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 csunicode iso-10646-ucs-2 ucs-2 unicode
unicodefeff utf-16 utf-16le unicodefffe utf-16be ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1
iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined 866
cp866 csibm866 ibm866 csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 csisolatin4 iso-8859-4
iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144
iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114
iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 csisolatingreek ecma-118
elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek csiso88598e
csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 iso88598 iso_8859-8
iso_8859-8:1988 logical visual csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6 iso-8859-13
iso8859-13 iso885913 iso-8859-14 iso8859-14 iso885914 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
cskoi8r koi koi8 koi8-r koi8_r koi8-ru koi8-u csmacintosh mac macintosh x-mac-roman dos-874 iso-8859-11 iso8859-11
iso885911 tis-620 windows-874 cp1250 windows-1250 x-cp1250 cp1251 windows-1251 x-cp1251 cp1253 windows-1253 x-cp1253
cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
cp1255 windows-1255 x-cp1255 cp1256 windows-1256 x-cp1256 cp1257 windows-1257 x-cp1257 cp1258 windows-1258 x-cp1258
x-mac-cyrillic x-mac-ukrainian chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
big5 big5-hkscs cn-big5 csbig5 x-x-big5 cseucpkdfmtjapanese euc-jp x-euc-jp csiso2022jp iso-2022-jp csshiftjis ms932
ms_kanji shift-jis shift_jis sjis windows-31j x-sjis cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987
ks_c_5601-1989 ksc5601 ksc_5601 windows-949
"
printf 'foo \351\261 bar\nfoo\n' >sample
n=0
for label in $labels; do
    same -a -E "$label" -c foo sample
    n=$((n + 1))
done
echo "$n names"
for label in ' Shift_JIS ' $'\tLATIN1\n' UTF-16LE none auto nothing '' iso-2022-kr hz-gb-2312 replacement utf-7 cp864; do
    same -a -E "$label" foo sample
done
same -E latin1 --no-encoding foo sample
same --no-encoding -E latin1 -P foo sample
echo '# every byte, every pair of bytes that is a character'
for first in 8 9 a b c d e f; do
    for second in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do
        printf '%b\n' "\\x$first$second"
    done
done >bytes
for label in ibm866 latin{1,2,3,4,5,6} cyrillic arabic greek hebrew logical iso-8859-{13,14,15} koi8-r koi8-u mac tis-620 \
    windows-125{0,1,2,3,4,5,6,7,8} x-mac-cyrillic x-user-defined; do
    same -a -E $label '' bytes
    same -a -n -o -E $label '\p{L}' bytes
done
LC_ALL=C awk 'BEGIN { for (i = 129; i < 255; i++) for (j = 64; j < 255; j++) if (j != 127) printf "%c%c foo\n", i, j }' >pairs
for label in gbk gb18030; do
    same -a -E $label -b foo pairs
done
echo '# text, in pieces of all sizes, with marks, ends and NUL bytes'
text='foo bar %d: '
i=0
while [ $i -lt 3000 ]; do
    # shellcheck disable=SC2059
    printf "$text" $i
    case $((i % 3)) in
        0) echo '日本語のテキスト' ;;
        1) printf '%0*d\n' $((i % 97)) 0 ;;
        2) echo '東京' ;;
    esac
    i=$((i + 1))
done >utf8
cases='日 本語 テ.ス 京$ ^foo.*文 [^0-9a-z :]+'
for encoding in SHIFT_JIS EUC-JP GB18030 ISO-2022-JP UTF-16LE UTF-16BE BIG5-HKSCS; do
    case $encoding in BIG5*) sed 's/[のテキスト]//g' utf8 ;; *) cat utf8 ;; esac | iconv -f UTF-8 -t "$encoding" >"in.$encoding"
    label=${encoding%-HKSCS}
    for pattern in $cases; do
        for options in -c -o '-n -m5' '-c -P' '-c -v' '-c -U' '-b -o -m3' '-i -c' '-C1 -m2' --json; do
            # shellcheck disable=SC2086 # several options
            same -E "$label" $options "$pattern" "in.$encoding"
            # shellcheck disable=SC2086
            INPUT=in.$encoding same -E "$label" $options "$pattern"
        done
    done
done
sed 's/日本語のテキスト/한국어 텍스트/; s/東京/서울/' utf8 | iconv -f UTF-8 -t CP949 >in.kr
same -E euc-kr -c '한국어' in.kr
same -E euc-kr -o '텍.*' in.kr
sed 's/日本語のテキスト/Ёлки и палки/; s/東京/Москва/' utf8 | iconv -f UTF-8 -t KOI8-R >in.koi8
for options in -c '-i -c' -o -n; do
    # shellcheck disable=SC2086
    same -E koi8-r $options 'ёлки' in.koi8
    # shellcheck disable=SC2086
    same -E koi8-r $options 'Москва$' in.koi8
done
printf '\357\273\277foo \343\201\202\n' >marked8
printf '\377\376f\000o\000o\000 \000B0\n\000' >marked16
printf '\202\240 foo\n\000\202\240 foo\n' >nul
printf '\202\240\202' >cut
for label in shift_jis gbk; do
    for file in marked8 marked16 nul; do
        for options in '' -a -c '-l' '-n -a'; do
            # shellcheck disable=SC2086
            same -E $label $options 'foo|あ' $file
        done
    done
done
mkdir tree
cp in.* marked8 cut tree
for options in '' --no-stat; do
    # shellcheck disable=SC2086
    bitsift grep -E shift_jis -c $options '日本語|京' tree | cksum
done >"$SCRATCH/without"
same -E shift_jis -c '日本語|京' tree
bitsift index -q tree
same -E shift_jis -c '日本語|京' tree
for options in '' --no-stat; do
    # shellcheck disable=SC2086
    bitsift grep -E shift_jis -c $options '日本語|京' tree | cksum
done | cmp - "$SCRATCH/without"
report_same 1000
echo '# half a character at the end, which rg drops'
show bitsift grep -E shift_jis あ cut
show bitsift grep -E iso-8859-16 foo
show bitsift grep -E klingon foo
