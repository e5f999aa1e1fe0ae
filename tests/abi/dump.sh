#!/usr/bin/env bash
# dump.sh SOURCE_DIR CLANG LIBRARY...: prints what a program depends on that was compiled with the
# public headers and linked to the shared libraries, one line per item: sizes of structs, offsets
# and types of their fields, values of enumerators and numeric macros, symbols with their versions
# and types. Reserved fields are left out, because later versions may use them.
set -euo pipefail
cd -- "$1"
clang=$2
shift 2
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT

for header in core/bitsift.h core/bitsift/*.h; do
    echo "#include \"$header\""
done >"$place/all.c"
compile() { # ARGUMENT...
    "$clang" -std=c11 -I. -fno-color-diagnostics "$@"
}

compile -fsyntax-only -Xclang -fdump-record-layouts-complete "$place/all.c" | awk '
    / \| (struct|union) bs_[a-z_]+$/ && $1 == 0 && $4 !~ /bs_.* / && !/ \|   / { name = $3 " " $4; next }
    name && / \|   [^ ]/ {
        field = $NF
        type = $0
        sub(/^ *[0-9:-]+ \| +/, "", type)
        sub(" " field "$", "", type)
        if (field != "reserved")
            print name "." field ": at " $1 ", " type
    }
    name && /\[sizeof=/ { sub(/.*sizeof=/, ""); sub(/,.*/, ""); print name ": " $0 " bytes"; name = "" }'

# BS_SKIP_REASONS is left out: programs must not depend on the number of reasons.
compile -E -P "$place/all.c" | tr '\n' ' ' | grep -oE 'enum bs_[a-z_]+ *\{[^}]*\}' | grep -oE '\bBS_[A-Z0-9_]+\b' |
    grep -vx BS_SKIP_REASONS | sort -u >"$place/names"
compile -E -dM "$place/all.c" | sed -nE 's/^#define (BS_[A-Z0-9_]+) [0-9(].*/\1/p' | grep -v '^BS_VERSION' >>"$place/names"
{
    cat "$place/all.c"
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    sed 's/.*/printf("&: %lld\\n", (long long)&);/' "$place/names"
    echo '}'
} >"$place/values.c"
compile "$place/values.c" -o "$place/values"
"$place/values"

compile -fsyntax-only -Xclang -ast-dump "$place/all.c" |
    sed -nE "s/.*FunctionDecl.* (bs_[a-z0-9_]+) '(.*)'( extern)?\$/\1 \2/p" >"$place/types"
nm -D --defined-only -- "$@" | awk '
    NR == FNR { name = $1; sub(/^[^ ]+ /, ""); types[name] = $0; next }
    $2 ~ /[TWBDR]/ { name = $3; sub(/@.*/, "", name); print $3 ": " types[name] }' "$place/types" -
