#!/usr/bin/env bash
# run.sh SOURCE_DIR CLANG LIBRARY...: tests that the binary interface is compatible with the last
# release of this soname: everything in VERSION.txt here (made by dump.sh) must still exist, at the
# same offset and with the same type. Additions are allowed. Also tests that every struct that may
# have to grow has reserved room. UPDATE=1 writes the present interface to VERSION.txt, as needed
# for a release.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ "$(getconf LONG_BIT)" = 64 ] || { echo "skipped: the interface is written down for 64 bits"; exit 77; }
version=$(sed -nE 's/^#define BS_VERSION +"([0-9]+\.[0-9]+)\..*/\1/p' "$1/core/bitsift.h")
released=$here/$version.txt
now=$(mktemp)
trap 'rm -f -- "$now"' EXIT
"$here/dump.sh" "$@" | LC_ALL=C sort >"$now"

# These structs are elements of arrays or will never have more fields.
frozen=" bs_error bs_text bs_pattern_range bs_skip_kind bs_grep_separator bs_grep_span bs_bloom_key bs_bloom_view bs_attenuated_view "
failed=0
for name in $(sed -nE 's/^struct (bs_[a-z_]+): .*/\1/p' "$now"); do
    [[ $frozen != *" $name "* ]] || continue
    cat "$1"/core/bitsift.h "$1"/core/bitsift/*.h | sed -n "/^struct $name {/,/^};/p" | grep -q $'^\tuint64_t reserved\\[' || {
        echo "struct $name has no reserved room"
        failed=1
    }
done

if [ -n "${UPDATE:-}" ]; then
    cp -- "$now" "$released"
elif [ ! -f "$released" ]; then
    echo "no interface of $version is written down: UPDATE=1 tests/abi/run.sh ... (docs/building.md)"
    failed=1
elif ! LC_ALL=C comm -23 "$released" "$now" | sed 's/^/no longer so: /' | { ! grep .; }; then
    failed=1
fi
exit $failed
