#!/usr/bin/env bash
# lines.sh SOURCE_DIR: no file of the rooms is over 1,100 lines: longer ones are several things under one name.
set -euo pipefail
cd -- "$1"

failed=0
while read -r n file; do
    if [ "$n" -gt 1100 ]; then
        echo "$file: $n lines, 1100 are the most"
        failed=1
    fi
done < <(find core corpus indexer query -name sample -prune -o -type f -regex '.*\.\(c\|h\|cpp\)' -exec wc -l {} \;)
exit $failed
