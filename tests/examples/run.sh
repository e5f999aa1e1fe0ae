#!/usr/bin/env bash
# run.sh OUTPUT PROGRAM ARGUMENT...: the program must succeed, and its output must match OUTPUT, a
# regular expression. (ctest alone checks only one of the two.)
set -uo pipefail
output=$1
shift
printed=$("$@" 2>&1 && printf x)
status=$?
printf '%s' "${printed%x}"
[ "$status" -eq 0 ] || { echo "it ends with status $status" && exit 1; }
[[ ${printed%x} =~ $output ]] || { echo "this does not match $output" && exit 1; }
