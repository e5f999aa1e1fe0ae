#!/usr/bin/env bash
# public_interface.sh SOURCE_DIR CC LIBRARY OBJECT...: tests that the program's commands use only
# the public interface. They must link with the shared library, which exports only what the public
# headers declare, and stubs of the functions that core/program declares. Exception, as in
# includes.sh: stats.
set -euo pipefail
cd -- "$1"
cc=$2
library=$3
shift 3
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT

# Stubs of the private functions, so that their library code is not linked.
for name in $(grep -ohE '\bbs_[a-z_]+\(' core/program/*.h | sort -u); do
    echo "void $name void) {}"
done >"$place/private.c"
# A stub of the command stats: the list of commands in program.c refers to it, but its objects are
# left out below.
echo "int bs_command_stats;" >>"$place/private.c"
[ -s "$place/private.c" ] || { echo "core/program declares no function"; exit 1; }
"$cc" -w -fPIC -c -o "$place/private.o" "$place/private.c"

objects=()
for object in "$@"; do
    case ${object##*/} in cmd_stats.c.o | stats_format.c.o | stats_svg.c.o) continue ;; esac
    objects+=("$object")
done
"$cc" -shared -Wl,--no-undefined -o /dev/null "${objects[@]}" "$place/private.o" "$library"
