#!/usr/bin/env bash
# run.sh SQLITE3 EXTENSION BITSIFT SCRIPT.sql: runs a script in the SQLite shell, in a folder of its
# own, with the extension loaded. Its output, including errors, must equal SCRIPT.sql.exact (see
# tests/wording.py). PRELOAD: the sanitizer library of the extension, because the shell is built
# without it.
set -euo pipefail
sqlite=$(realpath -- "$(command -v "$1")") extension=$(realpath -- "$2") script=$(realpath -- "$4")
BITSIFT=$(realpath -- "$3") wording=$(realpath -- "$(dirname -- "$0")/../../wording.py")
export BITSIFT

dir=$(mktemp -d "${TMPDIR:-/tmp}/bitsift-sqlite.XXXXXX")
trap 'rm -rf -- "$dir"' EXIT
cd -- "$dir"
export HOME=$dir XDG_CONFIG_HOME=$dir/config XDG_STATE_HOME=$dir/state EXTENSION=$extension
export SQLITE="${PRELOAD:+env LD_PRELOAD=$PRELOAD }$sqlite"
{
    printf '.load %s\n' "$extension"
    cat -- "$script"
} | $SQLITE -batch db >out 2>&1 || true
"$wording" compare "$script.exact" out
