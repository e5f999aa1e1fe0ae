#!/usr/bin/env bash
# includes.sh SOURCE_DIR: tests that includes go one way through the modules, as ARCHITECTURE.md
# lists them. A module may include its own headers, those of the modules that are listed for it
# here, and the public headers: core/bitsift.h and core/bitsift/*.h. Search and grep do not include
# each other; the matrix includes neither index files nor files of users. The program
# (query/options, manual, format and cli) includes only the public headers and those of
# core/program, which it shares with the bindings. Exception: stats (cmd_stats, stats_format and
# stats_svg) shows the internal structure of an index, for which there is no public interface.
set -euo pipefail
cd -- "$1"

failed=0
check() { # ROOM ALLOWED...
    local room=$1 allowed file line header
    allowed=$(IFS='|'; echo "$*")
    while IFS=: read -r file line header; do
        case $file in
            query/cli/cmd_stats.c | query/format/stats_format.[ch] | query/format/stats_svg.[ch]) continue ;;
        esac
        case $file in
            # PostgreSQL's own headers are also included with quotation marks, but have other paths.
            bindings/postgresql/*) [[ $header =~ \"(\.\.|bindings|core|corpus|indexer|query|tests)/ ]] || continue ;;
        esac
        header=${header#*\"}
        header=${header%%\"*}
        if ! [[ $header =~ ^(($allowed)/[a-z0-9_]+|core/bitsift|core/bitsift/[a-z_]+)\.h$ ]]; then
            echo "$file:$line: $room must not include \"$header\""
            failed=1
        fi
    done < <(find "$room" -type f \( -name '*.[ch]' -o -name '*.cpp' \) -print |
        LC_ALL=C sort | xargs grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"')
}
below=()
check core/program core/program
# The modules of core and corpus in order: each may include those before it.
for room in core/base core/system core/collections core/bloom core/simd core/text core/file core/lexicon core/matrix core/store core/catalog core/check \
    corpus/walk corpus/read corpus/changes; do
    check "$room" "${below[@]}"
    below+=("$room")
done
check indexer/batch "${below[@]}"
check indexer/choose "${below[@]}" indexer/batch
check indexer/segment "${below[@]}" indexer/batch indexer/choose
check indexer/run "${below[@]}" indexer/batch indexer/choose indexer/segment
# The stages of a query in order, and the module that combines them.
stages=(query/load query/statistics query/language query/plan query/scan query/rank query/verify query/answer query/search)
before=()
for room in "${stages[@]}"; do
    check "$room" core/program "${below[@]}" "${before[@]}"
    before+=("$room")
done
check query/regex "${below[@]}" query/regex/rust query/regex/prefilter
# The parts of grep in order, and the module that combines them.
parts=(core/program "${below[@]}" query/regex query/regex/rust query/regex/prefilter)
for room in query/grep/read query/grep/match query/grep/print query/grep; do
    check "$room" "${parts[@]}"
    parts+=("$room")
done
# These modules use searches and grep mostly through the public headers. They also use stages of a
# query (analysis, plan, search) and query/regex.
check query/catalog core/program "${below[@]}" "${stages[@]}" query/regex
check query/candidates "${below[@]}" "${stages[@]}" query/regex
# The program: tables of options, manual pages, output formats, commands.
check query/options
check query/manual query/options
check query/format query/options
check query/cli core/program query/options query/manual query/format
# The extensions may include the public headers; each of their folders may include those before it.
check_extension() { # BINDING FOLDER...
    local binding=$1 folder before=()
    shift
    for folder; do
        check "bindings/$binding/$folder" "${before[@]}"
        before+=("bindings/$binding/$folder")
    done
    check "bindings/$binding" "${before[@]}"
}
check_extension sqlite base index table
check_extension postgresql base storage types pattern search functions access
# Python's files include each other by relative paths, because a source distribution has them in
# other folders. api may include base. Both may include core/program, which the program and Python
# share.
while IFS=: read -r file line header; do
    [[ $header =~ \"(py_[a-z_]+|core/program/[a-z_]+)\.h\" || ($file == */api/* && $header =~ \"\.\./base/py_[a-z_]+\.h\") ]] ||
        { echo "$file:$line: bindings/python must not include $header"; failed=1; }
done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' bindings/python/src/*/*.[ch])

# Installed headers include only each other.
while IFS=: read -r file line header; do
    [[ $header =~ \"(\.\./bitsift|bitsift/[a-z_]+|[a-z_]+)\.h\" ]] || { echo "$file:$line: not among the public headers"; failed=1; }
done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' core/bitsift.h core/bitsift/*.h)

# Every file belongs to a module, not to the folder of modules.
while read -r file; do
    echo "$file: belongs into one of the rooms of ${file%%/*}"
    failed=1
done < <(find core corpus indexer query -maxdepth 1 -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) \
    ! -path 'core/bitsift.*')
exit $failed
