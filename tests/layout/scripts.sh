#!/usr/bin/env bash
# scripts.sh SOURCE_DIR: tests that every *.sh file parses, and is executable if it begins with #!.
set -euo pipefail
cd -- "$1"

failed=0
while IFS= read -r -d '' script; do
    bash -n -- "$script" || failed=1
    if head -n 1 -- "$script" | grep -q '^#!' && ! [ -x "$script" ]; then
        echo "$script: begins with #! but is not executable"
        failed=1
    fi
done < <(find . -maxdepth 1 -type f -name '*.sh' -print0
    find bench bindings cmake tests -name cache -prune -o -type f -name '*.sh' -print0)
exit $failed
