#!/usr/bin/env bash
# includes.sh SOURCE_DIR: includes go one way, indexer -> corpus -> core and query -> corpus -> core. The program, query/cli,
# goes through the library's door: core/bitsift.h and nothing behind it. Two exceptions: stats (cmd_stats, present_stats)
# shows how an index is made, which is nobody's interface; grep (cmd_grep, grep_arguments) waits for a bs_grep.
set -euo pipefail
cd -- "$1"

failed=0
check() { # ROOM ALLOWED...
    local room=$1 allowed file line header headers
    allowed="($(IFS='|'; echo "$*"))/([a-z0-9_]+/)*[a-z0-9_]+\.h"
    while IFS=: read -r file line header; do
        headers=$allowed
        case $file in
            query/cli/cmd_stats.c | query/cli/present_stats.[ch] | query/cli/cmd_grep.c | query/cli/grep_arguments.[ch]) ;;
            query/cli/*) headers='core/bitsift\.h|query/cli/[a-z0-9_]+\.h' ;;
        esac
        header=${header#*\"}
        header=${header%%\"*}
        if ! [[ $header =~ ^($headers)$ ]]; then
            echo "$file:$line: $room must not include \"$header\" (only $headers)"
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
