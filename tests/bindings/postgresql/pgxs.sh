#!/usr/bin/env bash
# pgxs.sh BUILD_DIR MODULE: tests that `make install` by PGXS, in a copy of the folder and with the
# library of BUILD_DIR, makes an extension with the same symbols as MODULE, which CMake built.
# PG_CONFIG: selects the PostgreSQL version.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../bindings/postgresql" && pwd -P)
build=$(realpath -- "$1") module=$(realpath -- "$2")
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
mkdir "$place/postgresql"
(cd -- "$here" && cp -r Makefile ./*.control ./*.map sql */*.c */*.h --parents "$place/postgresql")
unset MAKEFLAGS MFLAGS MAKELEVEL
make -C "$place/postgresql" -j2 ROOT="$(realpath -- "$here/../..")" BITSIFT_BUILD="$build" PG_CONFIG="$PG_CONFIG" \
    DESTDIR="$place/installed" install >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
! grep -E 'warning:' "$place/log" || exit 1

symbols() { nm -D --defined-only "$1" | awk '{ print $NF }' | LC_ALL=C sort; }
made=$place/installed$("$PG_CONFIG" --pkglibdir)/bitsift.so
diff <(symbols "$module") <(symbols "$made") || { echo "the symbols of the module differ"; exit 1; }
shared=$place/installed$("$PG_CONFIG" --sharedir)/extension
cmp -- "$here/bitsift.control" "$shared/bitsift.control"
cmp -- "$(dirname -- "$module")/bitsift--0.1.sql" "$shared/bitsift--0.1.sql"
