#!/usr/bin/env bash
# Tests that C and C++ sources are formatted by .clang-format and that no line is wider than 100
# columns (a tab is 8).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failed=0
# Samples and golden indexes are data.
mapfile -d '' files < <(find core corpus indexer query bindings tests bench -path corpus/sample -prune -o \
    -path tests/golden -prune -o -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \) -print0)
[ ${#files[@]} -gt 500 ] || { echo "only ${#files[@]} files"; exit 1; }
python3 - "${files[@]}" <<'PROGRAM' || failed=1
import sys

wide = [f"{path}:{number}: {width} columns" for path in sys.argv[1:]
        for number, line in enumerate(open(path, encoding="utf-8"), 1)
        if (width := len(line.rstrip("\n").expandtabs(8))) > 100]
print(*wide, sep="\n", end="\n" if wide else "")
sys.exit(bool(wide))
PROGRAM
if command -v clang-format >/dev/null; then
    # Other versions format a few places differently; Debian 12 has version 14.
    case $(clang-format --version) in
    *"version 14."*) printf '%s\0' "${files[@]}" | xargs -0 -n 60 -P 2 clang-format --dry-run -Werror || failed=1 ;;
    *) echo "skipped: clang-format is not version 14" ;;
    esac
else
    echo "skipped: clang-format is not installed"
fi
exit $failed
