#!/usr/bin/env bash
# headers.sh SOURCE_DIR CC CXX: every header of the rooms compiles alone as C11, and those that say extern "C" or
# BS_BEGIN_DECLS as C++17 too: they are what C++ may include.
#
# Not a header of its own: core/simd/kernel_body.h, which is a function body included once per instruction set.
set -euo pipefail
cd -- "$1"
cc=$2
cxx=$3

failed=0
compile() { # HEADER COMPILER ARGUMENT...
    local header=$1 output
    shift
    # Twice, so that a missing #pragma once or include guard shows.
    if ! output=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
        "$@" -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -fsyntax-only -Wall -Wextra -Wshadow -Wundef -Werror - 2>&1); then
        printf '%s does not compile alone with %s:\n%s\n' "$header" "$*" "$output"
        failed=1
    fi
}

while read -r header; do
    case $header in
        core/simd/kernel_body.h) continue ;;
    esac
    compile "$header" "$cc" -std=c11 -x c
    if grep -qE 'extern "C"|^BS_BEGIN_DECLS' "$header"; then
        compile "$header" "$cxx" -std=c++17 -x c++
    fi
done < <(find core corpus indexer query -name sample -prune -o -type f -name '*.h' -print | LC_ALL=C sort)
exit $failed
