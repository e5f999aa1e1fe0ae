#!/usr/bin/env bash
# grep.sh [OPTION...] TREE: compares bitsift grep with an index with rg, ugrep and codesearch, as
# whole processes, on the patterns of grep_patterns.tsv. README.md explains the measurements. Each
# answer of bitsift is compared with rg's, byte for byte.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'END'
usage: bench/grep.sh [OPTION...] TREE

  --program FILE   the bitsift to measure [build/release/bitsift]
  --work DIR       for the indexes and answers [bench/cache/grep]
  --runs N         of each tool and pattern, taking turns; the least time counts [5]
  --class NAME     only the patterns of this class
  --help           this text

Needs rg 13; ugrep and codesearch (cindex, csearch) are left out where they are not installed.
END
}
fail() {
    echo "grep.sh: $*" >&2
    exit 2
}

options=$(getopt -n grep.sh -o h -l program:,work:,runs:,class:,help -- "$@") || exit 2
eval "set -- $options"
program=$here/../build/release/bitsift work=$here/cache/grep runs=5 only=''
while [ "$1" != -- ]; do
    case $1 in
        --program) program=$2 && shift ;;
        --work) work=$2 && shift ;;
        --runs) runs=$2 && shift ;;
        --class) only=$2 && shift ;;
        -h | --help) usage && exit ;;
    esac
    shift
done
shift
[ $# -eq 1 ] || fail "one TREE is wanted; see --help"
tree=$(realpath -- "$1")
program=$(realpath -- "$program")
mkdir -p -- "$work"
work=$(realpath -- "$work")
command -v rg >/dev/null || fail "rg is not installed"
tools=(bitsift-trusting bitsift rg)
command -v ugrep >/dev/null && tools+=(ugrep)
command -v csearch >/dev/null && tools+=(codesearch)
export CSEARCHINDEX=$work/codesearch

# Sets clock to the time in microseconds. Starts no process, which would count as the tool's time.
now() {
    clock=${EPOCHREALTIME//[!0-9]/}
}

build() {
    local start
    [ -e "$work/bitsift" ] || {
        now && start=$clock
        "$program" index -q --grams -j 1 --index "$work/bitsift" "$tree"
        now && echo "bitsift one-thread $((clock - start)) $(du -sb "$work/bitsift" | cut -f1)" >"$work/built"
        rm -rf -- "$work/two"
        now && start=$clock
        "$program" index -q --grams -j 2 --index "$work/two" "$tree"
        now && echo "bitsift two-threads $((clock - start)) $(du -sb "$work/two" | cut -f1)" >>"$work/built"
        rm -rf -- "$work/two"
    }
    if [[ " ${tools[*]} " == *' codesearch '* && ! -e $CSEARCHINDEX ]]; then
        now && start=$clock
        cindex -reset "$tree" >/dev/null 2>&1
        now && echo "codesearch one-thread $((clock - start)) $(stat -c %s "$CSEARCHINDEX")" >>"$work/built"
    fi
}

ask() { # TOOL PATTERN
    case $1 in
        bitsift-trusting) "$program" grep --index "$work/bitsift" --no-stat -e "$2" ;;
        bitsift) "$program" grep --index "$work/bitsift" -e "$2" ;;
        rg) rg --no-config --no-heading $dialect -e "$2" ;;
        ugrep) ugrep -rIP --ignore-files --no-hidden -e "$2" . ;;
        codesearch) csearch "$2" ;;
    esac
}

# The least of several runs, in microseconds; the tools take turns.
measure() { # CLASS PATTERN
    local tool run start elapsed dialect=''
    declare -A least
    rg --no-config -q -e "$2" /dev/null 2>/dev/null || [ $? -ne 2 ] || dialect=-P
    rg --no-config --no-heading --sort path $dialect -e "$2" >"$work/rg" 2>/dev/null || true
    for tool in bitsift bitsift-trusting; do
        ask $tool "$2" >"$work/ours" 2>/dev/null || true
        cmp -s "$work/rg" "$work/ours" || echo "grep.sh: other than rg: $tool $2" >&2
    done
    local n_files
    n_files=$({ rg --no-config -l $dialect -e "$2" || true; } | wc -l)
    for ((run = 0; run < runs; run++)); do
        for tool in "${tools[@]}"; do
            now && start=$clock
            # not /dev/null: some tools would stop at the first line
            ask "$tool" "$2" >"$work/out" 2>/dev/null || true
            now && elapsed=$((clock - start))
            [ "${least[$tool]:-$elapsed}" -lt "$elapsed" ] || least[$tool]=$elapsed
        done
    done
    printf '%s\t%s\t%s' "$1" "$2" "$n_files"
    for tool in "${tools[@]}"; do
        printf '\t%s' "${least[$tool]}"
    done
    printf '\n'
}

build
cd -- "$tree"
grep -v '^#' "$here/grep_patterns.tsv" | while IFS=$'\t' read -r class pattern; do
    [ -z "$only" ] || [ "$only" = "$class" ] || continue
    measure "$class" "$pattern" </dev/null
done >"$work/times.tsv"
awk -F'\t' -v tools="${tools[*]}" -v built="$work/built" -v tree_bytes="$(rg --no-config --files -0 | xargs -0 stat -c %s | awk '{ n += $1 } END { printf "%.0f", n }')" \
    -f "$here/grep.awk" "$work/times.tsv"
