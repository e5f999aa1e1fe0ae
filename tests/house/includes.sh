#!/usr/bin/env bash
# includes.sh SOURCE_DIR: includes go one way, indexer -> corpus -> core and query -> corpus -> core. Only main.c, the
# front door, sees every room.
set -euo pipefail
cd -- "$1"

failed=0
check() { # ROOM ALLOWED...
    local room=$1 allowed file line header
    allowed=$(IFS='|'; echo "$*")
    while IFS=: read -r file line header; do
        case ${file##*/} in main.c | cmd_*) continue ;; esac
        header=${header#*\"}
        header=${header%%\"*}
        if ! [[ $header =~ ^($allowed)/([a-z0-9_]+/)*[a-z0-9_]+\.h$ ]]; then
            echo "$file:$line: $room must not include \"$header\" (only ${allowed//|/, })"
            failed=1
        fi
    done < <(find "$room" -name sample -prune -o -type f -name '*.[ch]' -print -o -type f -name '*.cpp' -print |
        LC_ALL=C sort | xargs grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"')
}
check core
check corpus core
check indexer corpus core
check query corpus core
exit $failed
