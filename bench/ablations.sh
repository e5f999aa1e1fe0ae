#!/usr/bin/env bash
# ablations.sh [OPTION...] [NAME...]: measures the benefit of each part of the engine. Builds the
# program without one part at a time, and measures this program and the unchanged one in turns. The
# table in README.md, "What each part earns", was made with it.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname -- "$here")

usage() {
    cat <<'END'
usage: bench/ablations.sh [OPTION...] [NAME...]

Each part has a patch, bench/ablations/NAME.patch, or an option of the build. A patch begins with lines "Part: ..." (the
text of the table), "Lines: ..." (about how many lines would be removed with the part) and "Measures: ...":
  records      queries of words in generated records (JSONL)
  files        queries of words in generated files
  grep         whole processes: a search of the files, a refresh, a query, the start of the program
  index        the index has to be built again
For each NAME [all], the script applies the patch to a copy of the sources, builds it, builds its indexes, and runs the
same queries with both programs in turns. It checks that all answers are equal, and prints a line of the table:
bytes of the index of the words, then times as multiples of the program with all parts, "records; files". The time of a
query is its processor time, the least of all rounds. Exit status: 0 done, 1 answers differ, 2 it could not be done.

  --records N|FILE  number of records to generate, or a JSONL file to use [400000]
  --files N|FOLDER  number of files to generate, or a folder to use [20000]
  --queries N       of each class [100]
  --rounds N        of each program, taking turns [3]
  --builds N        of each index, taking turns [1]
  --quick           2,000 records, 400 files, 5 queries, 1 round: does everything work?
  --work DIR        for the copy, programs, corpora and indexes [build/ablations]
  --list            print the names
  --check           check that each patch applies to the sources, and that README.md has a row for each; build nothing
  -h, --help        this text
END
}

fail() {
    echo "ablations.sh: $*" >&2
    exit 2
}

say() {
    echo "ablations.sh: $*" >&2
}

# ---- the parts ----

# Parts that the build can switch off need no patch. For these, option_of has the option of CMake
# and heading_of the lines that a patch begins with.
declare -A option_of=([late-loading]=-DBITSIFT_LOAD_LATE=OFF)
declare -A heading_of=([late-loading]='Part: late loading of libraries
Lines: 170
Measures: grep')

# All parts, in the order of the table.
order=(group-columns block-columns exact-columns false-positive-lists rare-term-lists shared-rare-lists size-classes
    forward-indexes forward-exact forward-prices tf-levels max-score bounds-first seeds rows-together certain-or
    word-pairs wide-pairs four-words raw-line cut-fields scanned-fields byte-verifier records-together file-pieces
    folders late-loading)

heading() { # NAME FIELD
    if [ -n "${heading_of[$1]:-}" ]; then
        echo "${heading_of[$1]}"
    else
        cat -- "$here/ablations/$1.patch"
    fi | sed -n "/^--- /q; s/^$2: //p"
}

has() { # NAME MEASURE
    [[ " $(heading "$1" Measures) " = *" $2 "* ]]
}

check() {
    local name field found failed=0
    found=$(cd -- "$here/ablations" && printf '%s\n' *.patch | sed 's/\.patch$//')
    diff <(printf '%s\n' "$found" "${!option_of[@]}" | sort) <(printf '%s\n' "${order[@]}" | sort) >&2 ||
        { say "bench/ablations (<) and the order of the table (>) differ" && failed=1; }
    diff <(printf '%s\n' "${order[@]}" | sort) <(sed -n '/^## What each part earns/,$s/^| `\([a-z-]*\)` .*/\1/p' "$here/README.md" |
        sort) >&2 || { say "the parts (<) and the rows of README.md (>) differ" && failed=1; }
    for name in $found; do
        for field in Part Lines Measures; do
            [ -n "$(heading "$name" "$field")" ] || { say "$name.patch has no line \"$field: ...\"" && failed=1; }
        done
        patch --dry-run -p1 -f -s -F0 -d "$top" <"$here/ablations/$name.patch" >&2 ||
            { say "$name.patch does not apply: see CONTRIBUTING.md, \"How to measure\"" && failed=1; }
    done
    return $failed
}

# ---- arguments ----

options=$(getopt -n ablations.sh -o h -l records:,files:,queries:,rounds:,builds:,quick,work:,list,check,help -- "$@") || exit 2
eval "set -- $options"
records=400000 files=20000 queries=100 rounds=3 builds=1 work=$top/build/ablations
while [ "$1" != -- ]; do
    case $1 in
        --records) records=$2 && shift ;;
        --files) files=$2 && shift ;;
        --queries) queries=$2 && shift ;;
        --rounds) rounds=$2 && shift ;;
        --builds) builds=$2 && shift ;;
        --quick) records=2000 files=400 queries=5 rounds=1 builds=1 ;;
        --work) work=$2 && shift ;;
        --list) printf '%s\n' "${order[@]}" && exit ;;
        --check) command -v patch >/dev/null || exit 77; check && exit || exit 1 ;;
        -h | --help) usage && exit ;;
    esac
    shift
done
shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=("${order[@]}")
for name in "${names[@]}"; do
    [ -n "${option_of[$name]:-}" ] || [ -e "$here/ablations/$name.patch" ] || fail "$name: no such part; see --list"
done
command -v patch >/dev/null || fail "patch is not installed"
mkdir -p -- "$work"
work=$(realpath -- "$work")
tree=$work/tree
# Indexes that are not in the folder that they index must be trusted by `bitsift trust`. These
# folders keep this trust, and other settings of the programs, out of the user's home.
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state

# ---- programs ----

sources() { # prints the sources in the current folder, NUL-terminated
    find . \( -path ./build -o -path ./.git -o -path ./bench/cache -o -name '.bitsift' \) -prune -o \( -type f -o -type l \) -print0
}

# Makes the copy equal to the sources. Files that are equal already are not written, so that they
# are not compiled again.
copy_sources() {
    local file
    mkdir -p -- "$tree"
    while IFS= read -r -d '' file; do
        [ -e "$top/$file" ] || rm -f -- "$tree/$file"
    done < <(cd -- "$tree" && sources)
    while IFS= read -r -d '' file; do
        cmp -s -- "$top/$file" "$tree/$file" && continue
        mkdir -p -- "$(dirname -- "$tree/$file")"
        cp -P -- "$top/$file" "$tree/$file"
    done < <(cd -- "$top" && sources)
}

build_program() { # NAME BUILD_FOLDER [OPTION]: the programs are copied to programs/NAME
    local to=$work/programs/$1 log=$work/build.log
    if ! cmake -S "$tree" -B "$2" -DCMAKE_BUILD_TYPE=Release -DBITSIFT_BUILD_BENCH=ON -DBITSIFT_BUILD_TESTS=OFF \
        -DBITSIFT_BUILD_BINDINGS=OFF ${3:+"$3"} >"$log" 2>&1 ||
        ! cmake --build "$2" --target bitsift bitsift-bench bitsift-generate -j "$(nproc)" >>"$log" 2>&1; then
        tail -n 20 -- "$log" >&2
        fail "$1 could not be built"
    fi
    rm -rf -- "$to"
    mkdir -p -- "$to"
    cp -L -- "$(find "$2" -type f -name bitsift -perm -u+x | head -n 1)" "$2/bench/bitsift-bench" "$2/bench/bitsift-generate" "$to"
    [ ! -e "$2/libbitsift-json.so" ] || cp -L -- "$2/libbitsift-json.so" "$to"
}

build_without() { # NAME
    local patch=$here/ablations/$1.patch
    if [ -n "${option_of[$1]:-}" ]; then
        build_program "$1" "$work/build-$1" "${option_of[$1]}"
        return
    fi
    patch -p1 -f -s -F0 -d "$tree" <"$patch" >&2 || fail "$1.patch does not apply"
    build_program "$1" "$work/build"
    copy_sources
}

# ---- corpora ----

# make_records and make_files set `source` to the corpus. Records have 40 words on average, the
# first five of which are the title. Files have 300 words on average, and their lengths vary more; a
# folder has 40 files.
make_records() {
    [[ $records =~ ^[0-9]+$ ]] || { source=$(realpath -- "$records") && return; }
    source=$work/records-$records.jsonl
    [ -e "$source" ] || {
        "$work/programs/base/bitsift-generate" --words 1000000 --length 40 --spread 0.6 "$records" 7 |
            sed -E 's/"text": "(([^" ]+ ){5})/"title": "\1", "text": "/' >"$source.new"
        mv -- "$source.new" "$source"
    }
}

make_files() {
    [[ $files =~ ^[0-9]+$ ]] || { source=$(realpath -- "$files") && return; }
    source=$work/files-$files
    [ -e "$source" ] || {
        rm -rf -- "$source.new"
        mkdir -p -- "$source.new"
        (cd -- "$source.new" && seq -f '%03g' 0 $((files / 40)) | xargs mkdir)
        "$work/programs/base/bitsift-generate" --words 1000000 --length 300 --spread 2 "$files" 8 |
            awk -v folder="$source.new" '{
                sub(/^.*"text": "/, ""); sub(/"}$/, ""); gsub(/\\n/, "\n")
                file = sprintf("%s/%03d/%05d.txt", folder, (NR - 1) / 40, NR)
                printf "%s", $0 >file
                close(file)
            }'
        mv -- "$source.new" "$source"
    }
}

and_classes=rare+common,low+common,mid+mid,mid+mid+common,common+common,common+common+common,and2,and3,and4
or_classes=or2,or3,or4,or5
own_classes=near,or-phrase,field-word,field-phrase

# Appends queries of classes that `bitsift-bench queries` does not choose. They have phrases and
# operators in place of words, because bitsift-bench passes the words of a line on verbatim.
add_classes() { # CORPUS QUERIES
    awk -F '\t' -v OFS='\t' -v has_fields="$([ "$1" != records ] || echo 1)" '
        { print }
        $1 == "common" { common[n_common++] = $3 }
        $1 == "mid" && has_fields { print "field-word", "and", "text:" $3 }
        $1 == "phrase2" { phrase[n++] = $3 " " $4 }
        END {
            for (i = 0; i < n; i++) {
                if (has_fields && i % 4 == 0) print "field-phrase", "and", "text:\"" phrase[i] "\""
                if (i % 20 == 0) print "near", "and", "\"" phrase[i] "\"~8" # few: they are slow
                if (n_common) print "or-phrase", "or", common[i % n_common], "\"" phrase[i] "\""
            }
        }' "$2" >"$2.new"
    mv -- "$2.new" "$2"
}

prepare_corpus() { # CORPUS
    local dir=$work/base/$1 source
    if [ "$1" = records ]; then make_records; else make_files; fi
    if ! [ -e "$dir/source" ] || [ "$(cat -- "$dir/source")" != "$source $queries" ]; then
        say "corpus: $1"
        rm -rf -- "$dir"
        mkdir -p -- "$dir"
        "$base/bitsift-bench" tokens --cache "$dir" "$source"
        "$base/bitsift-bench" queries --cache "$dir" --number "$queries"
        mv -- "$dir/queries-$queries-1" "$dir/queries"
        add_classes "$1" "$dir/queries"
        echo "$source $queries" >"$dir/source"
    fi
    build_index base "$1"
}

# ---- indexes ----

build_index() { # NAME CORPUS: the processor time is appended to NAME/CORPUS/builds
    local dir=$work/$1/$2 file
    mkdir -p -- "$dir"
    for file in corpus.txt terms tokens texts; do
        [ "$1" = base ] || ln -sf "../../base/$2/$file" "$dir/$file"
    done
    "$work/programs/$1/bitsift-bench" build --cache "$dir" bitsift 2>/dev/null
    rm -f -- "$dir/sizes"
    "$work/programs/$1/bitsift-bench" sizes --cache "$dir" --summary "$dir/sizes" >/dev/null
    sed -n 's/^cpu_ns //p' "$dir/bitsift.times" >>"$dir/builds"
}

# ---- measuring ----

# Measures the queries of some classes, and writes their times to NAME/CORPUS/raw-ROUND.
ask() { # NAME CORPUS INDEX ROUND
    local dir=$work/$1/$2 status=0
    mkdir -p -- "$dir"
    "$work/programs/$1/bitsift-bench" compare --processor-time --cache "$work/base/$2" --index "$3" --queries "$work/base/$2/queries" \
        --engines candidates,bitsift,bitsift-ids,bitsift-top \
        --classes "rare,$and_classes,$or_classes,phrase2,phrase3,$own_classes" --raw "$dir/raw-$4" \
        >"$dir/compared" 2>"$dir/errors" || status=$?
    [ "$status" -eq 0 ] || { cat -- "$dir/errors" >&2 && fail "$1: $2: the queries failed"; }
}

# Writes the answers that must be equal: the ten best with their scores, and the exact counts.
answer() { # NAME CORPUS INDEX
    local dir=$work/$1/$2
    "$work/programs/$1/bitsift" query --index "$3" --no-stat -n 10 --format trec --batch "$work/base/$2/texts-of-queries" \
        >"$dir/best" || [ $? -eq 1 ]
    "$work/programs/$1/bitsift" query --index "$3" --no-stat --count --batch "$work/base/$2/texts-of-queries" \
        >"$dir/counts" || [ $? -eq 1 ]
}

# Writes the queries to texts-of-queries as a user would type them, one per line.
texts_of_queries() { # CORPUS
    awk -F '\t' '{
        text = $3
        for (i = 4; i <= NF; i++) text = text ($2 == "or" ? " OR " : $2 == "not" && i == NF ? " -" : " ") $i
        print $2 == "phrase" ? "\"" text "\"" : text
    }' "$work/base/$1/queries" >"$work/base/$1/texts-of-queries"
}

# Prints, for each measure of a corpus, the time without the part divided by the time with all
# parts. Fails if the counts of a query differ.
compare_times() { # NAME CORPUS
    awk -F '\t' -v and="$and_classes" -v or="$or_classes" -v base="$work/base/" '
        function class_set(list, measure, engine, i, n, class) {
            n = split(list, class, ",")
            for (i = 1; i <= n; i++) measures[class[i] SUBSEP engine] = measure
        }
        BEGIN {
            class_set(and, "candidates", "candidates"); class_set(and, "exact", "bitsift")
            class_set(or, "OR", "bitsift"); class_set("phrase2,phrase3", "phrases", "bitsift")
            class_set("rare", "ids of a rare word", "bitsift-ids")
            class_set(and, "ten best of an AND", "bitsift-top"); class_set(or, "of an OR", "bitsift-top")
            class_set("near", "NEAR", "bitsift"); class_set("or-phrase", "a word OR a phrase", "bitsift")
            class_set("field-word", "a word in a field", "bitsift")
            class_set("field-phrase", "a phrase in a field", "bitsift")
        }
        FNR == 1 { is_base = index(FILENAME, base) == 1; next }
        !(($1, $3) in measures) { next }
        {
            key = $1 SUBSEP $3; query = key SUBSEP $2
            if ($3 ~ /^bitsift(-ids)?$/ && (query in count) && count[query] != $4) {
                print $1 ": " $2 ": " $3 ": " count[query] " or " $4 >"/dev/stderr"; is_wrong = 1
            }
            count[query] = $4
            if (!((is_base, query) in least) || $5 < least[is_base, query]) least[is_base, query] = $5
            queries[query] = key
        }
        END {
            for (query in queries) {
                key = queries[query]; n[key]++
                ours[key] += least[1, query]; theirs[key] += least[0, query]
            }
            # Each class has the same weight.
            for (key in n) { a[measures[key]] += ours[key] / n[key]; b[measures[key]] += theirs[key] / n[key] }
            for (measure in a) printf "%s\t%.4f\n", measure, b[measure] / a[measure]
            exit is_wrong
        }' "$work/base/$2"/raw-* "$work/$1/$2"/raw-*
}

measure_words() { # NAME: appends lines of CORPUS, MEASURE, RATIO to NAME/ratios
    local name=$1 corpus round index
    for corpus in records files; do
        has "$name" "$corpus" || continue
        rm -f -- "$work/base/$corpus"/raw-* "$work/base/$corpus/builds"
        index=$work/base/$corpus/bitsift
        if has "$name" index; then
            index=$work/$name/$corpus/bitsift
            for ((round = 1; round <= builds; round++)); do
                build_index base "$corpus"
                build_index "$name" "$corpus"
            done
        fi
        for ((round = 1; round <= rounds; round++)); do
            ask base "$corpus" "$work/base/$corpus/bitsift" "$round"
            ask "$name" "$corpus" "$index" "$round"
        done
        compare_times "$name" "$corpus" >"$work/$name/$corpus/ratios" || wrong "$name" "$corpus"
        answer "$name" "$corpus" "$index"
        cmp -- "$work/base/$corpus/best" "$work/$name/$corpus/best" >&2 || wrong "$name" "$corpus"
        cmp -- "$work/base/$corpus/counts" "$work/$name/$corpus/counts" >&2 || wrong "$name" "$corpus"
        sed "s/^/$corpus\t/" "$work/$name/$corpus/ratios" >>"$work/$name/ratios"
        has "$name" index || continue
        paste <(sort -n "$work/$name/$corpus/builds" | head -n 1) <(sort -n "$work/base/$corpus/builds" | head -n 1) |
            awk -v OFS='\t' -v corpus="$corpus" '{ print corpus, "build", $1 / $2 }' >>"$work/$name/ratios"
        paste <(cut -f 4 "$work/$name/$corpus/sizes") <(cut -f 4 "$work/base/$corpus/sizes") |
            awk -v OFS='\t' -v corpus="$corpus" '{ print corpus, "bytes", $1 / $2 }' >>"$work/$name/ratios"
        rm -rf -- "$work/$name/$corpus/bitsift"
    done
}

wrong() { # NAME CORPUS
    say "$1: $2: the answers differ"
    has_wrong=1
}

# ---- whole processes ----

# Prints the total milliseconds of processor time of N runs of a command.
processor_ms() { # N COMMAND...
    local n=$1 i times TIMEFORMAT='%3U %3S'
    shift
    times=$({ time for ((i = 0; i < n; i++)); do "$@" >/dev/null 2>&1 || true; done; } 2>&1)
    awk '{ print ($1 + $2) * 1000 }' <<<"$times"
}

# Measures whole processes of the program NAME on the corpus FILES, with the grep index of INDEX_OF
# and the word index of base. Appends lines of a measure and its time to NAME/processes.
run_processes() { # NAME INDEX_OF FILES
    local program=$work/programs/$1/bitsift index=$work/$2/grep-index pattern="$word.*$other"
    {
        printf -- 'the start of the program\t%s\n' "$(processor_ms 40 "$program" --version)"
        printf -- 'a selective grep\t%s\n' "$(processor_ms 10 "$program" grep --index "$index" --no-stat -j 1 -c "$pattern" "$3")"
        printf -- 'a grep of the tree\t%s\n' "$(processor_ms 5 "$program" grep --index "$index" -j 1 -c "$pattern" "$3")"
        printf -- 'one query\t%s\n' "$(processor_ms 10 "$program" query --index "$work/base/files/bitsift" --no-stat -n 10 --ids "$word")"
        printf -- 'a refresh\t%s\n' "$(processor_ms 3 "$program" index -q -j 1 --index "$index")"
    } >>"$work/$1/processes"
    "$program" grep --index "$index" -j 1 -c "$pattern" "$3" | sort >"$work/$1/found" || [ $? -eq 1 ]
}

make_grep_index() { # NAME FILES
    rm -rf -- "${work:?}/$1/grep-index"
    "$work/programs/$1/bitsift" index -q --grams -j 1 --index "$work/$1/grep-index" "$2"
}

measure_processes() { # NAME
    local name=$1 round source index_of=base word other
    make_files
    word=$(awk -F '\t' '$1 == "phrase2" { print $3; exit }' "$work/base/files/queries")
    other=$(awk -F '\t' '$1 == "phrase2" { print $4; exit }' "$work/base/files/queries")
    make_grep_index base "$source"
    if has "$name" index; then
        index_of=$name
        make_grep_index "$name" "$source"
        awk -v OFS='\t' -v a="$(du -sb "$work/$name/grep-index" | cut -f 1)" -v b="$(du -sb "$work/base/grep-index" | cut -f 1)" \
            'BEGIN { print "files", "bytes", a / b }' >>"$work/$name/ratios"
    fi
    rm -f -- "$work/base/processes" "$work/$name/processes"
    for ((round = 1; round <= rounds; round++)); do
        run_processes base base "$source"
        run_processes "$name" "$index_of" "$source"
    done
    cmp -- "$work/base/found" "$work/$name/found" >&2 || wrong "$name" grep
    awk -F '\t' -v OFS='\t' '
        FNR == 1 { which++ }
        !((which, $1) in least) || $2 < least[which, $1] { least[which, $1] = $2; is[$1] }
        END { for (m in is) print "files", m, (least[2, m] + 0.01) / (least[1, m] + 0.01) }' \
        "$work/base/processes" "$work/$name/processes" >>"$work/$name/ratios"
}

# ---- the table ----

print_row() { # NAME
    awk -F '\t' -v name="$1" -v part="$(heading "$1" Part)" -v n_lines="$(heading "$1" Lines)" '
        { ratio[$1, $2] = $3; is_there[$2] }
        function times_of(x) { return x < 0.1 || x >= 10 ? sprintf("%.2g", x) : sprintf("%.2f", x) }
        function percent_of(x) { x = (x - 1) * 100; return x > -.05 && x < .05 ? "0" : sprintf(x >= 10 || x <= -10 ? "%+.0f %%" : "%+.1f %%", x) }
        function both(measure, is_bytes, a, b) {
            if (!(measure in is_there)) return ""
            a = ("records", measure) in ratio ? ratio["records", measure] : ""
            b = ("files", measure) in ratio ? ratio["files", measure] : ""
            a = a == "" ? "" : is_bytes ? percent_of(a) : times_of(a)
            b = b == "" ? "" : is_bytes ? percent_of(b) : times_of(b)
            return a == "" ? b : b == "" ? a : a "; " b
        }
        # Adds a measure to the list if its ratio differs from 1 by 10 % or more in one of the
        # corpora; a smaller difference may be noise.
        function effect(measure, list, c) {
            if (!(measure in is_there)) return list
            for (c = 0; c < 2; c++) {
                x = ratio[c ? "files" : "records", measure]
                if (x != "" && (x >= 1.1 || x <= .9)) return list (list ? ", " : "") measure " x " both(measure)
            }
            return list
        }
        END {
            n = split("OR,phrases,ids of a rare word,ten best of an AND,of an OR,a word OR a phrase,NEAR,a word in a field," \
                "a phrase in a field,the start of the program,one query,a selective grep,a grep of the tree,a refresh", others, ",")
            for (i = 1; i <= n; i++) list = effect(others[i], list)
            and_candidates = both("candidates")
            and_exact = both("exact")
            printf "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", name, part, n_lines, both("bytes", 1),
                and_candidates == "" ? "" : "x " and_candidates, and_exact == "" ? "" : "x " and_exact, list,
                both("build") == "" ? "" : "x " both("build")
        }' "$work/$1/ratios"
}

# ---- all ----

has_wrong=0
base=$work/programs/base
say "building the program"
copy_sources
build_program base "$work/build"
"$base/bitsift" trust '*' >/dev/null
for corpus in records files; do
    prepare_corpus "$corpus"
    texts_of_queries "$corpus"
    answer base "$corpus" "$work/base/$corpus/bitsift"
done
echo "| name | without | lines | bytes | AND: candidates | exact | other effects | build |"
echo "|---|---|--:|--:|--:|--:|---|--:|"
for name in "${names[@]}"; do
    say "$name"
    build_without "$name"
    rm -rf -- "${work:?}/$name"
    mkdir -p -- "$work/$name"
    measure_words "$name"
    ! has "$name" grep || measure_processes "$name"
    print_row "$name"
done
exit "$has_wrong"
