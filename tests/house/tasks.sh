#!/usr/bin/env bash
# tasks.sh SOURCE_DIR: the file that answers each of a stranger's questions (tasks.tsv) is there, and ARCHITECTURE.md
# names it; and every file of the four rooms is named there, commands and kernels for each set of instructions apart.
# Skipped (77) as long as there is no such page.
set -euo pipefail
cd -- "$1"

page=ARCHITECTURE.md
if ! [ -f "$page" ]; then
    echo "there is no $page yet"
    exit 77
fi
failed=0
n=0
while IFS=$'\t' read -r task path; do
    case $task in '#'*) continue ;; esac
    n=$((n + 1))
    if ! [ -f "$path" ]; then
        echo "$task There is no $path"
        failed=1
    elif ! grep -qF -- "$path" "$page"; then
        echo "$task $page does not name $path"
        failed=1
    fi
done < tests/house/tasks.tsv
if [ "$n" -lt 20 ]; then
    echo "tests/house/tasks.tsv: $n tasks, 20 are the least"
    failed=1
fi
while IFS= read -r path; do
    name=$(basename -- "${path%.*}")
    case $name in cmd_* | kernel_*) continue ;; esac
    grep -qE "\\b$name\\.(c|h|cpp)\\b" "$page" || { echo "$page does not name $path"; failed=1; }
done < <(find core corpus indexer query -path corpus/sample -prune -o \( -name '*.[ch]' -o -name '*.cpp' \) -print)
if [ "$(wc -l <"$page")" -gt 250 ]; then
    echo "$page has more than 250 lines"
    failed=1
fi
exit $failed
