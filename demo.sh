#!/usr/bin/env bash
# demo.sh [PATH [QUERY]]: installs missing packages, builds, indexes the sample corpus (or PATH) and
# runs a query (or QUERY). Writes only to build/.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
case ${1:-} in
-h | --help)
    echo "usage: $0 [PATH [QUERY]]"
    exit
    ;;
esac
if [ $# -gt 2 ]; then
    echo "usage: $0 [PATH [QUERY]]" >&2
    exit 2
fi
# Path prefix, empty if the current directory is this folder: keeps printed commands short.
here=$top/
[ "$(pwd -P)" != "$top" ] || here=
source=${1:-${here}corpus/sample}
if [ $# -eq 0 ]; then
    query='lantern OR "cold harbour"'
else
    query=${2:-readme OR license OR todo OR error}
fi
if [ ! -e "$source" ]; then
    echo "$0: $source: no such file or folder" >&2
    exit 2
fi

. "$top/cmake/packages.sh"
install_packages "${BUILD_PACKAGES[@]}"

[ -x "$top/build/demo/bitsift" ] || echo 'building (half a minute or so) ...' >&2
mkdir -p "$top/build"
log=$top/build/demo.log
if ! {
    (cd "$top" && cmake --preset release -B build/demo -DBITSIFT_WERROR=OFF -DBITSIFT_BUILD_TESTS=OFF \
        -DBITSIFT_BUILD_BENCH=OFF) &&
        cmake --build "$top/build/demo" --target bitsift -j "$(nproc)"
} >"$log" 2>&1; then
    cat "$log" >&2
    echo "$0: the build failed; all it wrote is above and in $log" >&2
    exit 1
fi

index=(--index "${here}build/demo-index")
bitsift=${here}build/demo/bitsift
quoted() {
    local word line=
    for word; do
        [[ $word =~ ^[A-Za-z0-9_./=:,+@%-]+$ ]] || word=${word@Q}
        line+="${line:+ }$word"
    done
    printf '%s\n' "$line"
}
run() {
    printf '\n$ %s\n' "$(quoted "$@")"
    "$@"
}
# The consent to index PATH is recorded there, not in the user's home.
export XDG_STATE_HOME=$top/build/demo-state
# A new index each time, so that it contains only PATH.
rm -rf -- "$top/build/demo-index"
index_command=("$bitsift" index "${index[@]}")
query_command=("$bitsift" query "${index[@]}")
[[ $source != -* ]] || index_command+=(--)
[[ $query != -* ]] || query_command+=(--)
index_command+=("$source")
query_command+=("$query")
run "${index_command[@]}"
status=0
run "${query_command[@]}" || status=$?
[ "$status" -ne 1 ] || echo '(nothing matched)'
[ "$status" -le 1 ] || exit "$status"

printf '\nThe two commands, to go on by hand:\n\n    export XDG_STATE_HOME=%s\n    %s\n    %s\n' \
    "$(quoted "$XDG_STATE_HOME")" "$(quoted "${index_command[@]}")" "$(quoted "${query_command[@]}")"
