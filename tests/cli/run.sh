#!/usr/bin/env bash
# run.sh PROGRAM SCRIPT: runs SCRIPT (X.sh) in a new folder and a clean environment, and compares
# its standard output with the transcript X.sh.stdout.exact (see tests/wording.py), which UPDATE=1
# rewrites instead. Exit status 0: as expected; 1: different; 77: the script cannot run on this
# machine. A test that is skipped, wholly or in part, prints "skipped: REASON" on stderr. With
# LONG, stderr of the script is printed in any case.
#
# A script has bitsift and, if test.sh could fetch it, ripgrep 15 in its PATH, an empty current
# folder, SCRATCH (a folder next to that one, for files that must not be indexed), an empty HOME,
# SAMPLE (the sample corpus), README, and LIB (the path of lib.sh, which is sourced already).
# CTest also sets RESEAL (reseal.c), HOSTILE_IO (hostile_io.c), COLLIDE (collide.c), CLOCK
# (clock_preload.c) and, in builds with sanitizers, SANITIZED. SEED and ROUNDS select other random
# cases and their number.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: run.sh PROGRAM SCRIPT" >&2
    exit 2
fi
program=$(realpath -- "$1")
script=$(realpath -- "$2")
here=$(realpath -- "$(dirname -- "$0")")
name=$(basename -- "$script")

top=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-cli.XXXXXX")
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    chmod -R u+rwX -- "$top"
    rm -rf -- "$top"
}
trap cleanup EXIT
mkdir "$top/bin" "$top/work" "$top/scratch" "$top/home" "$top/nobody"
ln -s -- "$program" "$top/bin/bitsift"
rg=$here/../../build/ripgrep/rg
[ ! -e "$rg" ] || ln -- "$rg" "$top/bin/rg" 2>/dev/null || cp -- "$rg" "$top/bin/rg"
chmod 755 "$top" "$top/work" "$top/scratch" "$top/bin"
chmod 777 "$top/nobody"

keep=()
for variable in ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS SANITIZED RESEAL COLLIDE SEED ROUNDS LONG; do
    [ -z "${!variable:-}" ] || keep+=("$variable=${!variable}")
done
# Copies for the user nobody, who may be unable to enter the folder of the originals.
for variable in HOSTILE_IO CLOCK; do
    [ -e "${!variable:-}" ] || continue
    cp -- "${!variable}" "$top/bin"
    keep+=("$variable=$top/bin/$(basename -- "${!variable}")")
done
status=0
(
    cd "$top/work"
    exec env -i "${keep[@]}" PATH="$top/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME="$top/home" LC_ALL=C.UTF-8 TZ=UTC \
        SCRATCH="$top/scratch" SAMPLE="$here/../../corpus/sample" README="$here/../../README.md" LIB="$here/lib.sh" \
        bash -euc '. "$LIB"; . "$0"' "$script"
) >"$top/stdout" 2>"$top/stderr" </dev/null || status=$?
[ ! -e "$top/skipped" ] || sort -u "$top/skipped" >&2

if [ "$status" -eq 77 ]; then
    cat "$top/stderr" >&2
    exit 77
fi
if [ "$status" -ne 0 ]; then
    cat "$top/stdout"
    cat "$top/stderr" >&2
    echo "$name: exit status $status" >&2
    exit 1
fi
if ! "$here/../wording.py" compare "$script.stdout.exact" "$top/stdout"; then
    cat "$top/stderr" >&2
    echo "$name: other output than expected; if the new one is right: UPDATE=1 tests/cli/run.sh PROGRAM $name," \
        "or for new wordings of messages alone: tests/wording.py reword" >&2
    exit 1
fi
[ -z "${LONG:-}" ] || cat "$top/stderr" >&2
