# Collections in UTF-16 and UTF-32 with a byte order mark give the same answers as in UTF-8: as a
# source and in a folder, stored, appended to and changed, with and without the index. grep searches
# their bytes like ripgrep.
can_use iconv || exit 77
declare -A marks=([UTF-8]='' [UTF-16LE]='\xff\xfe' [UTF-16BE]='\xfe\xff' [UTF-32LE]='\xff\xfe\0\0' [UTF-32BE]='\0\0\xfe\xff')
codings='UTF-16LE UTF-16BE UTF-32LE UTF-32BE'

records() { # FROM TO: prints records with these numbers, and invalid lines
    awk -v from="$1" -v to="$2" 'BEGIN {
        for (i = from; i < to; i++) {
            printf "{\"id\":\"r%d\",\"n\":%d,\"t\":\"word%d of the größte 漢字 \\u00e4 😀 Zeile %d ", i, i % 7, i % 5, i
            for (k = i * i % 97; k > 0; k--)
                printf "filling%d ", k % 11
            printf "end\"}%s\n", i % 3 == 0 ? "\r" : ""
            if (i % 50 == 0)
                printf "\n{\"t\":\"no id %d\"}\nnot a record\n", i
        }
    }'
}
# One folder per encoding, with files of the same names.
each() { # COMMAND...: runs it in each folder; prints differences from UTF-8
    local coding
    (cd UTF-8 && eval "$*" >"$SCRATCH/wanted" 2>&1 || true)
    for coding in $codings; do
        (cd "$coding" && eval "$*" >"$SCRATCH/got" 2>&1 || true)
        cmp -s "$SCRATCH/wanted" "$SCRATCH/got" || { echo "$coding: $*" && diff "$SCRATCH/wanted" "$SCRATCH/got" | head -n 6 | cut -c 1-200; }
    done
    [ -s "$SCRATCH/wanted" ] || echo "nothing: $*"
}
put() { # FILE: writes it in each encoding, from standard input, with a byte order mark
    local coding
    cat >"$SCRATCH/text"
    for coding in UTF-8 $codings; do
        mkdir -p "$coding/$(dirname "$1")"
        { printf '%b' "${marks[$coding]}" && iconv -f UTF-8 -t "$coding" "$SCRATCH/text"; } >"$coding/$1"
    done
}
append() { # FILE: appends standard input in each encoding, without a byte order mark
    local coding
    cat >"$SCRATCH/text"
    for coding in UTF-8 $codings; do
        iconv -f UTF-8 -t "$coding" "$SCRATCH/text" >>"$coding/$1"
    done
}
ask() { # OPTION...: queries with these options must print the same for each encoding
    each bitsift query --ids "$*" '"größte 漢字"' '| tail -n 20'
    each bitsift query --count "$*" word3
    each bitsift query -n 4 --json "$*" 'word1 filling7 n:2..5'
    each bitsift query --count "$*" ä
    each bitsift query -n 5 --sort n:desc --format "'{id} {value} {path}
'" "$*" filling3
    each bitsift query --ids "$*" '"no id"'
}
index() { # ARGUMENT...: runs `bitsift index`, which must report the same for each encoding
    each bitsift index "$*" "2>&1 | grep -o '^indexed [0-9,]* documents\|^  [0-9,]* records.*\|[0-9,]* added.*'; echo done"
    settle
}
all() {
    ask
    ask --brute
    ask --fresh
    each bitsift check "| grep -o '.* documents'"
}

echo "# A source of its own, of several batches"
records 0 5000 | put c.jsonl
[ "$(wc -c <UTF-16LE/c.jsonl)" -gt 1500000 ] || echo 'too small'
index c.jsonl
all
echo "# Appended to"
records 5000 5100 | append c.jsonl
ask
ask --fresh
index
all
printf '{"id":"last","t":"without an end"}' | append c.jsonl
index
each bitsift query --ids '"without an end"'
printf '\n{"id":"r7","t":"größte 漢字 again"}\n' | append c.jsonl
each bitsift query --ids --fresh again
index
each bitsift query --ids again
all
echo "# Changed"
records 100 400 | put c.jsonl
ask
ask --fresh
index
all
echo "# Stored"
index --rebuild --store
ask
ask --no-stat
each bitsift check "| grep -o '.* documents'"
for coding in UTF-8 $codings; do rm "$coding/c.jsonl"; done
each bitsift query --ids --no-stat word1 "2>&1 | tail -n 3"
for coding in UTF-8 $codings; do rm -r "$coding"; done

echo "# In a folder"
records 0 300 | put f/a.jsonl
records 300 600 | put f/sub/b.ndjson
printf 'not records\n' | put plain.jsonl
index f
all
records 600 700 | append f/sub/b.ndjson
ask --fresh
index
all
echo "# Standard input"
for coding in UTF-8 $codings; do rm -r "$coding/.bitsift"; done
each bitsift index -q - '<f/a.jsonl; bitsift query --ids word1; bitsift query --json -n 2 filling5'
each bitsift check "| grep -o '.* documents'"

echo "# Empty and truncated collections"
for coding in UTF-8 $codings; do rm -r "$coding"; done
put empty.jsonl </dev/null
printf '{"id":"a","t":"one"}\n{"id":"b","t":"two' | put cut.jsonl
for coding in $codings; do truncate -s -1 "$coding/cut.jsonl"; done
truncate -s -1 UTF-8/cut.jsonl
index empty.jsonl cut.jsonl
each bitsift query --ids one

echo "# grep"
if can_compare; then
    records 0 120 | put g/a.jsonl
    for coding in $codings; do
        (
            cd "$coding/g"
            for indexed in no yes; do
                for options in -n -o --json; do
                    for pattern in größte 'Zeile 5\d' '漢.'; do
                        # shellcheck disable=SC2086
                        rg --no-config --no-heading --sort path $options -e "$pattern" . 2>&1 | sed -E 's/"(elapsed|elapsed_total)":\{[^}]*\}//g' >"$SCRATCH/rg" || true
                        # shellcheck disable=SC2086
                        bitsift grep $options -e "$pattern" . 2>&1 | sed -E 's/"(elapsed|elapsed_total)":\{[^}]*\}//g' >"$SCRATCH/ours" || true
                        cmp -s "$SCRATCH/rg" "$SCRATCH/ours" || echo "other than rg: $coding $options $pattern $indexed"
                    done
                done
                [ "$indexed" = yes ] || bitsift index -q .
            done
        )
    done
fi
