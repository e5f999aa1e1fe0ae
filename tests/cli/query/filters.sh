# Filters of query (-g, -t, -T, --in, --newer, --older, --date), and files by their names (name:).
mkdir -p src/lib docs notes/deep sub
echo 'cat main' >src/main.c
echo 'cat cat cat helper' >src/lib/helper.h
echo 'cat tool' >src/tool.py
echo 'cat guide' >docs/README.md
echo 'cat minor' >docs/app.min.js
echo 'dog' >notes/deep/read-me.txt
echo 'cat alone' >alone.txt
cat >log.jsonl <<'END'
{"id":"a","text":"cat one","when":"2024-05-17"}
{"id":"b","text":"cat cat two","when":"2023-01-01T10:00+02:00"}
{"id":"c","text":"cat three","name":"readme file"}
{"id":"d","text":"cat four","when":"soon","when":"2024-06-01T12:00:00Z"}
{"id":"e","text":"cat five","when":"tomorrow"}
END
touch -d 2020-01-01T00:00:00Z src/main.c
touch -d 2022-03-01T00:00:00Z docs/README.md
touch -d 2022-03-01T00:00:00.000000001Z docs/app.min.js
touch -d 2021-06-15T12:00:00Z log.jsonl
settle
quiet bitsift index src docs notes alone.txt log.jsonl

# Filters by path, with ripgrep's rules.
every -g '*.c' cat
every -g '!*.min.js' -g '!/src' cat
every -g 'src/**' cat
every -g 'src/*' cat
every -g '*.jsonl' cat
every -t c cat
every -t c -T h cat
every -T c cat
every -t py -g '*.md' cat
every --in src/lib cat
every --in docs --in ./log.jsonl cat
every --in "$PWD/src/../src/main.c" cat
every --in notes/gone cat

# Filters by time: the first moment of a date counts as newer, not as older.
every --newer 2021 cat
every --older 2021 cat
every --newer 2022-03 --older 2022-03-01T00:00:01 cat
every --newer 2022-03-01T02:00+02:00 --older 2023 -t md cat
every --newer 1d -t py cat
every --older 1d -t py cat
every --newer 2024 --date when cat
every --older 2024 --date when cat
every --newer 2024-05-18 --date when --any cat dog
every --newer 2000 --date text cat

# The best hits that pass the filter, with the scores of an unfiltered search.
show bitsift query -n 1 -T h cat
bitsift query --json -n 100 cat | grep helper.h | grep -o '"score":[0-9.]*' >all
bitsift query --json -n 100 --in src -t h cat | grep -o '"score":[0-9.]*' | cmp - all
finds --any -t c --count dog cat

# From a subfolder, paths are spelled as they are printed there.
cd sub
finds --count -g '*.c' cat
finds --count --in ../src cat
finds --count --in . cat
cd ..

# Queries for file names.
each every :: name:readme name:read 'name:"read me"' 'name:deep/read' 'name:help*' 'name:mian~1' 'name:(src OR main)' \
    'cat -name:c' 'cat name:h OR dog name:txt' name:alone name:docs readme 'name:file' 'name:nowhere'

# Matching a name opens no file. A file that does not pass the filter is not opened either.
show bitsift query --count --stats name:main 2>&1 | grep -o '"verified":[0-9]*'
bitsift query --count --brute --stats -t py cat 2>&1 | grep -o '"verified":[0-9]*'

printf 'cat\nname:main\n"\nnowhere\n' >batch
show bitsift query --batch batch --count -t c
bitsift query --batch batch --ids --in src 2>/dev/null || true

# New files are filtered, too.
echo 'cat new' >src/new.c
finds --fresh -t c cat
finds --fresh name:new
finds --fresh --older 1d -t c cat

# Invalid filters.
fails bitsift query -g 'a[' cat
fails bitsift query -t nothing cat
fails bitsift query --newer yesterday cat
fails bitsift query --older 2024-02-30 cat
fails bitsift query --in /nowhere cat
show bitsift query --date when cat
show bitsift query -t c
show bitsift query --batch batch --count -t nothing
quiet bitsift query --newer 3x cat

# Without files, name: is a field of records or plain text.
mkdir records
cp log.jsonl records/log.jsonl
cd records
quiet bitsift index --index .bitsift log.jsonl
finds name:readme

echo "# Times far from today, if the file system supports them"
mkdir "$SCRATCH/far"
cd "$SCRATCH/far"
for year in 1600 1700 1960 2024 2261 2262 2300 2440 9000; do
    echo needle >"f$year"
    touch -d "$year-06-01T12:00:00.5" "f$year"
    [ "$(date -u -d "@$(stat -c %Y "f$year")" +%Y)" = "$year" ] || rm "f$year"
done
far() { # NAME GOT WANTED: reports if GOT is not WANTED
    [ "$2" = "$3" ] || printf '%s: %s, not %s\n' "$1" "$2" "$3"
}
names=$(printf '%s\n' f*)
for i in walk index; do
    far "$i --sort" "$(bitsift grep --sort modified -l needle)" "$names"
    far "$i --sortr" "$(bitsift grep --sortr modified -l needle)" "$(tac <<<"$names")"
    [ "$i" != walk ] || bitsift index -q .
done
for name in $names; do
    year=${name#f}
    at=$year-06-01T12:00:00.5
    far "--newer $at" "$(bitsift query --ids --newer "$at" needle)" "$(sed -n "/$name/,\$p" <<<"$names")"
    far "--older $at" "$(bitsift query --ids --older "$at" needle || true)" "$(sed "/$name/,\$d" <<<"$names")"
    far "--newer $year" "$(bitsift query --ids --newer "$year" needle)" "$(sed -n "/$name/,\$p" <<<"$names")"
    far "--older $year" "$(bitsift query --ids --older "$year" needle || true)" "$(sed "/$name/,\$d" <<<"$names")"
done
for year in 0000 9999; do
    far "--newer $year" "$(bitsift query --count --newer "$year" needle || true)" "$([ "$year" = 9999 ] && echo 0 || wc -l <<<"$names")"
done
touch -d 2301-01-01 f2024
far 'changed' "$(bitsift query --ids --fresh --newer 2300-12 needle)" "$(printf '%s\n' f2024 f2440 f9000 | grep -xF -e f2024 -e "$names")"
