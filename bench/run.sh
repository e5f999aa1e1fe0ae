#!/usr/bin/env bash
# run.sh [OPTION...] [CORPUS...]: runs the whole benchmark. README.md explains what is measured, and
# which comparisons are unfair.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname -- "$here")

usage() {
    cat <<'END'
usage: bench/run.sh [OPTION...] [CORPUS...]

Builds bitsift-bench, makes each CORPUS from Debian packages into bench/cache, indexes it with bitsift and with every
engine whose library is there, asks all of them the same queries, compares their counts, prints tables, and writes
bench/record/CORPUS.md, .tsv and .svg. What is in bench/cache already is used again. Exit status: 0 done, 1 counts
disagree, 2 it could not be done.

  CORPUS            paragraphs (of linux-source-6.1, 1.4 million; 12 GB of disk, half an hour), linux (its files),
                    packages (descriptions) [these three], passages (of descriptions, under titles full of common words),
                    documentation (files of linux-doc-6.1, unpacked), changelogs (entries of those of the packages
                    installed here, much like mail)

  --quick           two small made-up corpora in a temporary folder, few queries, nothing recorded
  --queries N       of each class [200; with --quick 20]
  --seed N          of the queries [1]
  --rebuild         build all indexes again; --rebuild=NAME[,NAME...]: those (bitsift-bench list has the names)
  --scaling         also 1 and 10 million generated documents: how bitsift's times grow (18 GB of disk)
  --program FILE    a bitsift-bench that is built already (with bitsift-generate beside it)
  -h, --help        this text
END
}

fail() {
    echo "run.sh: $*" >&2
    exit 2
}

# Arguments.

options=$(getopt -n run.sh -o h -l quick,queries:,seed:,rebuild::,scaling,program:,help -- "$@") || exit 2
eval "set -- $options"
quick='' queries='' seed=1 rebuild='' scaling='' program=''
command_line="bench/run.sh"
while [ "$1" != -- ]; do
    case $1 in
        --quick) quick=1 ;;
        --queries) queries=$2 && shift ;;
        --seed) seed=$2 && shift ;;
        --rebuild) rebuild=${2:-all} && shift ;;
        --scaling) scaling=1 ;;
        --program) program=$(realpath -- "$2") && shift ;;
        -h | --help) usage && exit ;;
    esac
    shift
done
shift
[[ ${queries:=${quick:+20}} =~ ^[0-9]*$ ]] || fail "--queries wants a number"
queries=${queries:-200}
corpora=("$@")
[ ${#corpora[@]} -gt 0 ] || corpora=(paragraphs linux packages)
for corpus in "${corpora[@]}"; do
    case $corpus in
        paragraphs | linux | packages | passages | documentation | changelogs) ;;
        *) fail "$corpus: no such corpus; see --help" ;;
    esac
done
command_line+=" --queries $queries --seed $seed"

# Requirements.

installed() {
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

# Reports missing packages once and continues without them.
say_missing() {
    local missing=() package
    for package in libsqlite3-dev libxapian-dev libroaring-dev gnuplot-nox liblucene8-java default-jdk-headless; do
        [ "$package" = default-jdk-headless ] && command -v javac >/dev/null && continue
        installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || echo "run.sh: going on without what these give: apt-get install ${missing[*]}" >&2
}

build_program() {
    cmake -S "$top" -B "$top/build/bench" -DCMAKE_BUILD_TYPE=Release -DBITSIFT_BUILD_BENCH=ON -DBITSIFT_BUILD_TESTS=OFF \
        >/dev/null
    cmake --build "$top/build/bench" --target bitsift-bench bitsift-generate -j "$(nproc)" >/dev/null
    program=$top/build/bench/bench/bitsift-bench
}

# Compiles LuceneEngine into a folder and prints its class path. Prints nothing without Lucene or a
# JDK.
lucene_class_path() { # FOLDER
    local jars=() jar
    command -v javac >/dev/null && command -v java >/dev/null || return 0
    for jar in /usr/share/java/lucene-core-8.*.jar /usr/share/java/lucene-analyzers-common-8.*.jar; do
        [ -e "$jar" ] && jars+=("$jar")
    done
    [ ${#jars[@]} -eq 2 ] || return 0
    mkdir -p -- "$1"
    if [ "$1/LuceneEngine.class" -ot "$here/LuceneEngine.java" ]; then
        javac -cp "${jars[0]}:${jars[1]}" -d "$1" "$here/LuceneEngine.java" >&2
    fi
    printf '%s' "$1:${jars[0]}:${jars[1]}"
}

bench() {
    "$program" "$1" ${lucene:+--lucene "$lucene"} "${@:2}"
}

# Corpora.

unpack_linux() {
    [ ! -d "$cache/linux-source-6.1" ] || return 0
    [ -e /usr/src/linux-source-6.1.tar.xz ] || fail "the files of Linux are missing: apt-get install linux-source-6.1"
    rm -rf -- "$cache/unpacking"
    mkdir -p "$cache/unpacking"
    tar -xf /usr/src/linux-source-6.1.tar.xz -C "$cache/unpacking"
    mv -- "$cache/unpacking/linux-source-6.1" "$cache/linux-source-6.1"
    rmdir "$cache/unpacking"
}

make_paragraphs() {
    unpack_linux
    [ ! -e "$cache/paragraphs.jsonl" ] || return 0
    bench paragraphs "$cache/linux-source-6.1" >"$cache/paragraphs.new"
    mv -- "$cache/paragraphs.new" "$cache/paragraphs.jsonl"
}

# Fetches package lists into the cache, for systems where apt has no translations, such as
# containers. The lists of the system do not change.
fetch_lists() {
    local own=$cache/apt
    mkdir -p -- "$own/lists/partial" "$own/archives/partial"
    apt-get update -q -o Acquire::Languages=en -o Dir::State::Lists="$own/lists" -o Dir::Cache="$own" \
        -o Dir::Cache::Archives="$own/archives" -o APT::Sandbox::User="$(id -un)" >&2 ||
        fail "apt has no descriptions of packages, and cannot fetch them"
}

# Makes NAME.jsonl with NAME.awk from apt's lists of translations, which may be compressed.
make_of_descriptions() { # NAME
    local list lists=()
    [ ! -e "$cache/$1.jsonl" ] || return 0
    compgen -G '/var/lib/apt/lists/*_i18n_Translation-en*' >/dev/null || fetch_lists
    for list in {/var/lib/apt/lists,"$cache"/apt/lists}/*_i18n_Translation-en*; do
        [ -e "$list" ] && lists+=("$list")
    done
    [ ${#lists[@]} -gt 0 ] || fail "apt has no descriptions of packages"
    for list in "${lists[@]}"; do
        /usr/lib/apt/apt-helper cat-file "$list"
    done | LC_ALL=C awk -f "$here/json.awk" -f "$here/$1.awk" >"$cache/$1.new"
    mv -- "$cache/$1.new" "$cache/$1.jsonl"
}

make_documentation() {
    [ ! -d "$cache/linux-doc-6.1" ] || return 0
    rm -rf -- "$cache/unpacking"
    mkdir -p "$cache/unpacking"
    (cd "$cache/unpacking" && apt-get download -q -o APT::Sandbox::User="$(id -un)" linux-doc-6.1 >&2) ||
        fail "linux-doc-6.1 cannot be fetched"
    dpkg -x "$cache"/unpacking/*.deb "$cache/unpacking"
    find "$cache/unpacking/usr/share/doc/linux-doc-6.1" -type f -name '*.gz' -exec gunzip -q {} +
    mv -- "$cache/unpacking/usr/share/doc/linux-doc-6.1" "$cache/linux-doc-6.1"
    rm -rf -- "$cache/unpacking"
}

make_changelogs() {
    [ ! -e "$cache/changelogs.jsonl" ] || return 0
    find /usr/share/doc -mindepth 2 -maxdepth 2 -type f \( -name changelog.gz -o -name changelog.Debian.gz \) -print0 |
        LC_ALL=C sort -z | xargs -0 gzip -dc | iconv -c -f UTF-8 -t UTF-8 |
        LC_ALL=C awk -f "$here/json.awk" -f "$here/changelogs.awk" >"$cache/changelogs.new"
    [ -s "$cache/changelogs.new" ] || fail "no changelogs are installed here"
    mv -- "$cache/changelogs.new" "$cache/changelogs.jsonl"
}

# Makes the source of a corpus if it does not exist, and sets `source` to it.
make_source() {
    case $1 in
        linux) unpack_linux ;;
        paragraphs) make_paragraphs ;;
        packages | passages) make_of_descriptions "$1" ;;
        documentation) make_documentation ;;
        changelogs) make_changelogs ;;
    esac
    source=$cache/$1.jsonl
    [ "$1" != linux ] || source=$cache/linux-source-6.1
    [ "$1" != documentation ] || source=$cache/linux-doc-6.1
}

# The record.

machine() {
    local commit
    commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null || echo unknown)
    git -C "$top" diff --quiet HEAD -- core corpus indexer query 2>/dev/null || commit+=", changed"
    echo "| | |"
    echo "|---|---|"
    echo "| processor | $(sed -nE 's/^model name\s*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |"
    echo "| memory | $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo) |"
    echo "| system | $(sed -nE 's/^PRETTY_NAME="(.*)"/\1/p' /etc/os-release), Linux $(uname -r) |"
    echo "| compiler | $(c++ --version | head -n 1), release build |"
    echo "| bitsift | commit $commit |"
    for package in libsqlite3-0 libxapian30 libroaring0 liblucene8-java libicu72; do
        installed "$package" && echo "| $package | $(dpkg-query -W -f='${Version}' "$package") |"
    done
    [ -z "$lucene" ] || echo "| Java | $(java -version 2>&1 | head -n 1) |"
    echo "| command | \`$command_line $1\` |"
    echo "| date | $(date -u +%Y-%m-%d) |"
}

# All classes except phrases.
word_classes=rare,low,mid,common,rare+common,low+common,mid+mid,mid+mid+common,common+common,common+common+common
word_classes+=,absent,and2,and3,and4,or2,or3,or4,or5,mid-common,common-common

# Measures one corpus: prints all tables and writes the numbers to FOLDER/summary.tsv. If engines
# disagree in a count, sets `disagreement` instead of returning a status, because it must not be
# called in a condition, where bash ignores `set -e`.
measure() { # CORPUS SOURCE FOLDER
    local name=$1 source=$2 folder=$3 status=0 common=()
    common=(--cache "$folder" --number "$queries" --seed "$seed" --summary "$folder/summary.tsv")
    [ -e "$folder/corpus.txt" ] || bench tokens --cache "$folder" "$source"
    case $rebuild in
        '') ;;
        all) rm -f -- "$folder"/*.times ;;
        *) IFS=, read -ra names <<<"$rebuild" && bench build --cache "$folder" "${names[@]}" ;;
    esac
    bench build --cache "$folder" ${quick:+--asked}
    rm -f -- "$folder/summary.tsv"
    echo "# $name"
    echo
    machine "$name"
    echo
    bench sizes "${common[@]}"
    echo
    echo "## Queries"
    bench compare "${common[@]}" --raw "$folder/raw.tsv" || status=$?
    [ "$status" -le 1 ] || exit "$status"
    [ "$status" -eq 0 ] || disagreement=1
    bench compare "${common[@]}" --exhaustive --engines bitsift,bitsift-top --classes "$word_classes"
    bench tokenizer "${common[@]}"
    [ -z "$quick" ] || return 0
    bench kernels "${common[@]}"
    awk -f "$here/goals.awk" -v corpus="$name" "$folder/summary.tsv"
}

draw() {
    command -v gnuplot >/dev/null || return 0
    awk -f "$here/plot.awk" -v folder="$2" "$2/summary.tsv"
    gnuplot -e "folder='$2'; corpus='$1'" "$here/plot.gp" >"$here/record/$1.svg"
}

# Scaling.

scale_one() { # NAME DOCUMENTS
    if [ ! -e "$cache/$1.jsonl" ]; then
        "$(dirname -- "$program")/bitsift-generate" --words 8000000 --length 40 "$2" 7 >"$cache/$1.new"
        mv -- "$cache/$1.new" "$cache/$1.jsonl"
    fi
    [ -e "$cache/$1/corpus.txt" ] || bench tokens --cache "$cache/$1" "$cache/$1.jsonl"
    [ -e "$cache/$1/bitsift.times" ] || bench build --cache "$cache/$1" bitsift
}

# Measures bitsift with a small and a large corpus. Rare words have a df of 2 to 10 in both; common
# words are the same words in both. Queries for rare words are also measured with all ids as their
# result, because a count of one word needs only the lexicon. The queries run in turn (compare.h):
# repeated immediately, a query of the small corpus would find all its data in the L2 cache, a query
# of the large corpus would not.
scale() {
    local size
    scale_one generated-1m 1000000
    scale_one generated-10m 10000000
    for size in generated-1m generated-10m; do
        bench queries --cache "$cache/$size" --number "$queries" --seed "$seed"
        rm -f -- "$cache/$size/summary.tsv"
        bench compare --in-turn --cache "$cache/$size" --engines bitsift,bitsift-ids,bitsift-top --classes rare \
            --number "$queries" --seed "$seed" --summary "$cache/$size/summary.tsv" >/dev/null
        bench compare --in-turn --cache "$cache/$size" --engines bitsift,bitsift-top \
            --classes common,common+common,or2 --queries "$cache/generated-1m/queries-$queries-$seed" \
            --summary "$cache/$size/summary.tsv" >/dev/null
    done
    echo "# 1 and 10 million generated documents"
    echo
    machine --scaling
    echo
    awk -f "$here/scaling.awk" "$cache/generated-1m/summary.tsv" "$cache/generated-10m/summary.tsv"
}

# Quick.

# Runs most steps with two small corpora: many words; many writing systems. A test of run.sh; the
# times do not matter.
run_quick() {
    cache=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-bench.XXXXXX")
    trap 'rm -rf -- "$cache"' EXIT
    lucene=$(lucene_class_path "$cache/java")
    "$(dirname -- "$program")/bitsift-generate" --words 20000 --length 60 3000 5 >"$cache/generated.jsonl"
    measure generated "$cache/generated.jsonl" "$cache/generated"
    measure sample "$top/corpus/sample" "$cache/sample"
    bench compare --in-turn --cache "$cache/sample" --number "$queries" --seed "$seed" --engines bitsift,bitsift-top
    # Test that a file of a corpus may be a symlink, so that folders can share it.
    mv -- "$cache/sample/terms" "$cache/terms"
    ln -s ../terms "$cache/sample/terms"
    bench queries --cache "$cache/sample" --number "$queries" --seed $((seed + 1))
}

# Main.

disagreement=0
say_missing
[ -n "$program" ] || build_program
if [ -n "$quick" ]; then
    run_quick
    exit "$disagreement"
fi
cache=$here/cache
mkdir -p -- "$cache"
lucene=$(lucene_class_path "$cache/java")
[ -n "$lucene" ] || echo "run.sh: Lucene is left out: no liblucene8-java or no JDK" >&2
for corpus in "${corpora[@]}"; do
    make_source "$corpus"
    measure "$corpus" "$source" "$cache/$corpus" >"$cache/$corpus.md"
    cat -- "$cache/$corpus.md"
    mkdir -p -- "$here/record"
    cp -- "$cache/$corpus.md" "$here/record/$corpus.md"
    cp -- "$cache/$corpus/summary.tsv" "$here/record/$corpus.tsv"
    draw "$corpus" "$cache/$corpus"
done
if [ -n "$scaling" ]; then
    scale >"$cache/scaling.md"
    cat -- "$cache/scaling.md"
    mkdir -p -- "$here/record"
    cp -- "$cache/scaling.md" "$here/record/scaling.md"
fi
exit "$disagreement"
