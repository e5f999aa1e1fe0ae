#!/usr/bin/env bash
# run.sh SOURCE_DIR BUILD_DIR CC KIND: installs the library of that kind (shared or static) into a
# new folder, moves the folder, and builds and runs the example of docs/library.md against it: as a
# CMake project, and with pkg-config alone. SANITIZE: the sanitizers that the library was built
# with, if any.
set -euo pipefail
source=$1 build=$2 cc=$3 kind=$4
here=$source/tests/consumer

place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd -- "$place"

say() { # COMMAND...: prints its output only if it fails
    "$@" > log 2>&1 || { echo "failed: $*"; cat log; exit 1; }
}

# The components of a package: a library of one kind and the headers, without the other kind and
# without the program.
say cmake --install "$build" --prefix "$place/first" --component headers
say cmake --install "$build" --prefix "$place/first" --component "$kind"
say cmake --install "$build" --prefix "$place/first" --component json
[ "$kind" = static ] || say cmake --install "$build" --prefix "$place/first" --component shared_dev
mv first second
prefix=$place/second
headers=$(cd "$prefix/include" && find . -type f | LC_ALL=C sort)
[ "$headers" = "$(cd "$source/core" && printf '%s\n' ./bitsift.h ./bitsift/*.h)" ] || { echo "installed headers: $headers"; exit 1; }
if grep -rIl -e "$source" -e "$build" -e "$place/first" "$prefix"; then
    echo "these files know where they were built"
    exit 1
fi

flags=
[ -z "${SANITIZE:-}" ] || flags=-fsanitize=$SANITIZE
mkdir documents
echo "A Bloom filter is a set with false positives." > documents/a.txt
echo "A filter for coffee." > documents/b.txt

check() { # PROGRAM ID: the program must find the document
    local out
    out=$(cd documents && rm -rf .bitsift && "$1")
    [[ $out =~ ^[0-9]\.[0-9]{3}\ \ "$2"$ ]] || { echo "$1 printed: $out"; exit 1; }
}

for asked in "" "$kind"; do
    say cmake -S "$here/project" -B "cmake-$asked" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_C_FLAGS="$flags -Wall -Wextra -Werror" -DEXAMPLE="$here/example.c" -DFILTERS="$source/tests/examples/bloom.c" -DKIND="$asked"
    say cmake --build "cmake-$asked"
    check "$place/cmake-$asked/example" a.txt
    say "$place/cmake-$asked/filters"
done
other=static
[ "$kind" = shared ] || other=shared
if cmake -S "$here/project" -B cmake-other -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DEXAMPLE="$here/example.c" -DFILTERS="$source/tests/examples/bloom.c" -DKIND=$other > log 2>&1; then
    echo "find_package found the $other library, which is not installed"
    exit 1
fi

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name bitsift.pc)")
static=()
[ "$kind" = shared ] || static=(--static)
read -ra arguments <<< "$flags $(pkg-config "${static[@]}" --cflags --libs bitsift)"
say "$cc" -std=c11 -Wall -Wextra -Werror "$here/example.c" -o plain "${arguments[@]}"
library=$(dirname "$(find "$prefix" -name 'libbitsift.*' | head -n 1)")
export LD_LIBRARY_PATH=$library
check "$place/plain" a.txt
# Records are parsed by libbitsift-json.so. The shared library finds the installed file; a program
# with the static library needs it in its own folder.
object=$(find "$prefix" -name libbitsift-json.so)
echo '{"id": "one", "text": "a Bloom filter"}' > documents/records.jsonl
sed 's/"\."/"records.jsonl"/' "$here/example.c" > records.c
say "$cc" -std=c11 -Wall -Wextra -Werror records.c -o records "${arguments[@]}"
[ "$kind" = shared ] || cp "$object" "$place"
check "$place/records" one
# A libbitsift-json.so in the current directory or in LD_LIBRARY_PATH must not be used.
cp "$object" documents
rm -f -- "$object" "$place/libbitsift-json.so"
if out=$(cd documents && rm -rf .bitsift && LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$place/documents bash -c 'exec -a ./records "$1"' bash \
    "$place/records" 2>&1); then
    echo "libbitsift-json.so is missing, but records were indexed"
    exit 1
fi
where=$place
[ "$kind" = static ] || where=$library
[[ $out == *"libbitsift-json.so is neither in $where, its subfolders "* && $out != *$'\n'* ]] || { echo "records printed: $out"; exit 1; }
rm documents/libbitsift-json.so documents/records.jsonl
read -ra filters <<< "$flags $(pkg-config "${static[@]}" --cflags --libs bitsift-bloom)"
say "$cc" -std=c11 -Wall -Wextra -Werror "$source/tests/examples/bloom.c" -o filters "${filters[@]}"
say ./filters
if [ "$kind" = shared ] && ldd filters | grep -q 'libbitsift\.so'; then
    echo "a program with filters needs the whole of libbitsift"
    exit 1
fi

# The headers also compile as C++, and no other header is needed.
for header in "$prefix"/include/bitsift/*.h; do
    echo "#include <bitsift/${header##*/}>"
done > plus.cpp
echo '#include <bitsift.h>
int main() { bs_search_request request = {}; return request.output.mode == BS_SEARCH_TOP && bs_version() ? 0 : 1; }' >> plus.cpp
say "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror plus.cpp -o plus "${arguments[@]}"
say ./plus
