#!/usr/bin/env bash
# run.sh SQLITE3 EXTENSION BITSIFT SCRIPT.sql: runs a script in the shell of SQLite, in a folder of its own, with the extension
# loaded; what it writes, errors too, must be as SCRIPT.sql.exact says (see tests/wording.py). PRELOAD: the library of the sanitizers
# that the extension is built with; the shell itself knows nothing of them.
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
