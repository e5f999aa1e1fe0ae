#!/usr/bin/env bash
# grep.sh [OPTION...] TREE: compares `bitsift grep`, with and without an index, with rg 15, rg 13,
# ugrep and codesearch, as whole processes, on the patterns and options of grep_patterns.tsv.
# README.md explains the measurements. Each answer of bitsift is compared with that of rg 15, byte
# for byte.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'END'
usage: bench/grep.sh [OPTION...] TREE

  --program FILE   the bitsift to measure [build/release/bitsift]
  --work DIR       for the indexes and answers [bench/cache/grep]
  --runs N         of each tool and pattern, taking turns; the least time counts [5]
  --class NAME     only the patterns of this class; those of nine and shape need no index
  --rg FILE        ripgrep 15.0.0 [build/ripgrep/rg, which ./test.sh fetches]
  --help           this text

rg 13 (Debian's), ugrep and codesearch (cindex, csearch) are left out where they are not installed.
TREE must not be in a folder that bitsift has indexed.
END
}
fail() {
    echo "grep.sh: $*" >&2
    exit 2
}

options=$(getopt -n grep.sh -o h -l program:,work:,runs:,class:,rg:,help -- "$@") || exit 2
eval "set -- $options"
program=$here/../build/release/bitsift work=$here/cache/grep runs=5 only='' rg=$here/../build/ripgrep/rg
while [ "$1" != -- ]; do
    case $1 in
        --program) program=$2 && shift ;;
        --work) work=$2 && shift ;;
        --runs) runs=$2 && shift ;;
        --class) only=$2 && shift ;;
        --rg) rg=$2 && shift ;;
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
[[ $("$rg" --version 2>/dev/null) == 'ripgrep 15.0.0 '* ]] || fail "$rg: not ripgrep 15.0.0; see --help"
rg=$(realpath -- "$rg")
tools=(bitsift-trusting bitsift bitsift-no-index rg-15)
[[ $(rg --version 2>/dev/null) != 'ripgrep 13.'* ]] || tools+=(rg-13)
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

ask() { # TOOL PATTERN OPTION...
    local tool=$1 what=(-e "$2")
    shift 2
    [[ " $* " != *' --files '* ]] || what=()
    case $tool in
        bitsift-trusting) "$program" grep --index "$work/bitsift" --no-stat "$@" "${what[@]}" ;;
        bitsift) "$program" grep --index "$work/bitsift" "$@" "${what[@]}" ;;
        bitsift-no-index) "$program" grep "$@" "${what[@]}" ;;
        rg-15) "$rg" --no-config --no-heading $dialect "$@" "${what[@]}" ;;
        rg-13) rg --no-config --no-heading $dialect "$@" "${what[@]}" ;;
        ugrep) ugrep -rIP --ignore-files --no-hidden "$@" "${what[@]}" . ;;
        codesearch) csearch "${what[1]}" ;;
    esac
}
# Writes an answer without the times that --json prints.
answer() { # FILE TOOL PATTERN OPTION...
    local file=$1
    shift
    { ask "$@" 2>/dev/null || true; } | sed -E '/"type":"(end|summary)"/s/"elapsed(_total)?":\{[^}]*\}//g' >"$file"
}

# True if a tool is measured with the patterns of a class. The patterns of the classes nine and
# shape are searched without an index, by bitsift, rg 15 and, unless it lacks an option, ugrep.
# Patterns of other classes that have options are searched only by bitsift and ripgrep.
takes_part() { # TOOL CLASS OPTION...
    case $2 in
        nine | shape) [[ $1 == bitsift-no-index || $1 == rg-15 || ($1 == ugrep && " $* " != *' -'[Ur]' '*) ]] ;;
        *) [[ $1 != bitsift-no-index && ($# -eq 2 || $1 == bitsift* || $1 == rg*) ]] ;;
    esac
}

# Prints a row: class, pattern, number of matching files, and for each tool the microseconds of its
# fastest run; the tools take turns.
measure() { # CLASS PATTERN OPTION...
    local class=$1 pattern=$2 tool run start elapsed n_files dialect=''
    shift 2
    declare -A least
    "$rg" --no-config -q -e "$pattern" /dev/null 2>/dev/null || [ $? -ne 2 ] || dialect=-P
    answer "$work/rg" rg-15 "$pattern" --sort=path "$@"
    for tool in bitsift bitsift-trusting bitsift-no-index; do
        takes_part $tool "$class" "$@" || continue
        answer "$work/ours" $tool "$pattern" "$@"
        cmp -s "$work/rg" "$work/ours" || echo "grep.sh: other than rg: $tool $* $pattern" >&2
    done
    n_files=$({ "$rg" --no-config -l $dialect -e "$pattern" || true; } | wc -l)
    for ((run = 0; run < runs; run++)); do
        for tool in "${tools[@]}"; do
            takes_part "$tool" "$class" "$@" || continue
            now && start=$clock
            # The output goes to a file, because some tools stop at the first line if it goes to
            # /dev/null. The output of the classes nine and shape goes to a pipe.
            case $class in
                nine | shape) ask "$tool" "$pattern" "$@" 2>/dev/null | cat >"$work/out" || true ;;
                *) ask "$tool" "$pattern" "$@" >"$work/out" 2>/dev/null || true ;;
            esac
            now && elapsed=$((clock - start))
            [ "${least[$tool]:-$elapsed}" -lt "$elapsed" ] || least[$tool]=$elapsed
        done
    done
    printf '%s\t%s\t%s' "$class" "$*${*:+ }$pattern" "$n_files"
    for tool in "${tools[@]}"; do
        printf '\t%s' "${least[$tool]:-}"
    done
    printf '\n'
}

[[ $only == nine || $only == shape ]] || build
cd -- "$tree"
set -f # globs in options are for the tools
grep -v '^#' "$here/grep_patterns.tsv" | while IFS=$'\t' read -r class pattern options; do
    [ -z "$only" ] || [ "$only" = "$class" ] || continue
    # shellcheck disable=SC2086 # several options
    measure "$class" "$pattern" $options </dev/null
done >"$work/times.tsv"
awk -F'\t' -v tools="${tools[*]}" -v built="$work/built" -v tree_bytes="$("$rg" --no-config --files -0 | xargs -0 stat -c %s | awk '{ n += $1 } END { printf "%.0f", n }')" \
    -f "$here/grep.awk" "$work/times.tsv"
