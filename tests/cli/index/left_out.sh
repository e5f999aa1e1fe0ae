# A folder like a home directory: skipped files are counted by kind in the closing summary and by
# `stats`.
#
# make_home DIR: creates about 470 files of 20 kinds.
make_home() {
    local dir=$1 i
    mkdir -p "$dir"/{Documents,Pictures,Music,src/app/node_modules/lib,src/app/.git,Mail,logs,.config,Downloads}
    for ((i = 0; i < 60; i++)); do echo "note $i about the harbour" >"$dir/Documents/note$i.txt"; done
    for ((i = 0; i < 40; i++)); do echo "# page $i" >"$dir/Documents/page$i.md"; done
    for ((i = 0; i < 40; i++)); do printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR%d' $i >"$dir/Pictures/p$i.png"; done
    for ((i = 0; i < 30; i++)); do printf '\xff\xd8\xff\xe0\0\x10JFIF%d' $i >"$dir/Pictures/p$i.JPG"; done
    for ((i = 0; i < 20; i++)); do printf 'ID3\x03\0\0\0%d' $i >"$dir/Music/m$i.mp3"; done
    for ((i = 0; i < 20; i++)); do printf '%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n%d\0' $i >"$dir/Documents/d$i.pdf"; done
    for ((i = 0; i < 40; i++)); do echo "int f$i(void) { return $i; }" >"$dir/src/app/f$i.c"; done
    for ((i = 0; i < 20; i++)); do echo "def f$i(): pass" >"$dir/src/app/f$i.py"; done
    for ((i = 0; i < 50; i++)); do echo "module.exports = $i" >"$dir/src/app/node_modules/lib/m$i.js"; done
    printf 'node_modules\n*.o\n' >"$dir/src/app/.gitignore"
    for ((i = 0; i < 20; i++)); do printf '\177ELF\2\1\1\0%d' $i >"$dir/src/app/f$i.o"; done
    for ((i = 0; i < 20; i++)); do printf 'From a@b\nSubject: mail %d\n\nharbour\n' $i >"$dir/Mail/$i.eml"; done
    for ((i = 0; i < 20; i++)); do echo "2026-11-22 started $i" >"$dir/logs/l$i.log"; done
    for ((i = 0; i < 20; i++)); do echo "key=$i" >"$dir/.config/c$i.ini"; done
    for ((i = 0; i < 20; i++)); do echo "a,b,$i" >"$dir/Documents/t$i.csv"; done
    for ((i = 0; i < 10; i++)); do printf '\x1f\x8b\x08\0%d' $i >"$dir/Downloads/a$i.gz"; done
    for ((i = 0; i < 10; i++)); do printf 'PK\3\4\0\0%d' $i >"$dir/Downloads/a$i.zip"; done
    for ((i = 0; i < 10; i++)); do printf '\xff\xfeh\0i\0' >"$dir/Documents/u$i.utf16"; done
    for ((i = 0; i < 10; i++)); do ln -s "note$i.txt" "$dir/Documents/link$i.txt"; done
    for ((i = 0; i < 10; i++)); do : >"$dir/Documents/empty$i"; done
    mkfifo "$dir/Downloads/pipe"
}
left_out() {
    bitsift stats --index .bitsift | grep '^left out' || echo 'nothing is left out'
}
make_home home
settle
show bitsift index --index .bitsift home
left_out
echo '# a refresh without changes reports the same and commits nothing'
cp .bitsift/manifest "$SCRATCH/manifest"
show bitsift index --index .bitsift
cmp .bitsift/manifest "$SCRATCH/manifest"
echo '# one more file of each kind; names without an extension; one hidden folder fewer'
printf '\0' >home/Music/noend
printf '\0' >home/Music/odd.n-d
: >home/.hidden
: >home/src/app/more.o
rm -r home/.config
quiet bitsift index --index .bitsift
left_out
echo '# -v names every skipped file'
mkdir small small/.git small/.hidden small/ignored small/.bitsift
echo 'a' >small/a.txt
printf '\0' >small/b.bin
printf 'ignored\nc.txt\n' >small/.gitignore
: >small/c.txt
: >small/ignored/d.txt
show bitsift index --index small.index -v small
echo '# files that options include are not skipped; globs skip files, too'
show bitsift index --index small.index --rebuild --hidden --no-ignore -a -g '!c.txt'
quiet bitsift check --index .bitsift
echo '# a folder without skipped files'
mkdir plain
: >plain/a.txt
quiet bitsift index --index plain.index plain
bitsift stats --index plain.index | grep '^left out' || echo 'nothing is left out'
echo '# invalid records stay counted: of a collection in a folder and of a named one, appended to and rewritten'
mkdir logs
printf '{"m":"one"}\nrubbish\n{"m":""}\n' >logs/a.jsonl
printf '[1]\n{"m":"two"}\n' >named.jsonl
quiet bitsift index --index records.index logs named.jsonl
records() { bitsift stats --index records.index | grep '^left out' || echo 'nothing is left out'; }
records
quiet bitsift index --index records.index
records
printf '{"m":"three"}\nmore rubbish\n{"m":"ha' >>logs/a.jsonl
quiet bitsift index --index records.index
records
printf 'lf"}\n' >>logs/a.jsonl
quiet bitsift index --index records.index
records
quiet bitsift compact --index records.index
quiet bitsift check --index records.index
records
printf '{"m":"two"}\n' >named.jsonl
quiet bitsift index --index records.index
records
echo 'text' >logs/b.txt
rm logs/a.jsonl
quiet bitsift index --index records.index
records
