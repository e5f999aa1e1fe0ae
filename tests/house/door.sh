#!/usr/bin/env bash
# door.sh SOURCE_DIR OBJECT...: the program's commands call of the library what bitsift.h exports, and nothing behind it; so
# they would run with the shared library. The exceptions are those of includes.sh: stats, and grep so far.
set -euo pipefail
header=$1/core/bitsift.h
shift

exported=$(tr '\n' ' ' < "$header" | grep -oE 'BS_API [^;]*;' | grep -oE '\bbs_[a-z0-9_]+\(' | tr -d '(')
own=$(nm --defined-only -g -P -- "$@" | awk '/^bs_/ {print $1}')
failed=0
for object in "$@"; do
    case ${object##*/} in cmd_stats.c.o | present_stats.c.o | present_svg.c.o | cmd_grep.c.o | grep_arguments.c.o) continue ;; esac
    while read -r name; do
        echo "${object##*/}: $name is not in bitsift.h"
        failed=1
    done < <(nm -u -P -- "$object" | awk '/^bs_/ {print $1}' | grep -vxF -e "$exported" -e "$own")
done
exit $failed
