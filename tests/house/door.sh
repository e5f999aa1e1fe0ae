#!/usr/bin/env bash
# door.sh SOURCE_DIR CC LIBRARY OBJECT...: the program's commands need of bitsift nothing but the shared library, which exports what
# the public headers declare: they link against it alone. The one exception is that of includes.sh: stats.
set -euo pipefail
cc=$2
library=$3
shift 3

objects=()
for object in "$@"; do
    case ${object##*/} in cmd_stats.c.o | present_stats.c.o | present_svg.c.o) continue ;; esac
    objects+=("$object")
done
"$cc" -shared -Wl,--no-undefined -o /dev/null "${objects[@]}" "$library"
