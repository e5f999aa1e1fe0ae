#!/usr/bin/env bash
# run.sh PROGRAM SOURCES [FOLDER [WAY...]]: runs ripgrep 15's own tests with PROGRAM's grep instead
# of rg. SOURCES: a folder with ripgrep's sources of 15.0.0; its `tests` are used unmodified. Each
# test runs with both of rg's engines. WAY: no index (none), a fresh index (fresh), a fresh index
# with --no-stat (no-stat), an index made by other ignore rules (other-rules), an index of other
# contents (stale); all five by default. Prints for each way the number of passed tests and the
# failed ones, and compares these with expected.tsv (columns: way or all, test, reason; the manual
# names each test, too). Exit status 1 if they differ. Builds are kept in FOLDER (default
# build/rg-suite). Needs cargo, and Debian's archive for crates.
set -euo pipefail
here=$(realpath -- "$(dirname -- "$0")")
[ $# -ge 2 ] || { echo "usage: run.sh PROGRAM SOURCES [FOLDER [WAY...]]" >&2; exit 2; }
BITSIFT=$(realpath -- "$1")
sources=$(realpath -- "$2")
[ -e "$sources/tests/tests.rs" ] || { echo "run.sh: $sources: not ripgrep's sources" >&2; exit 2; }
folder=$(realpath -m -- "${3:-$here/../../build/rg-suite}")
ways=("${@:4}")
[ ${#ways[@]} -gt 0 ] || ways=(none fresh no-stat other-rules stale)
# Crates that the tests need, and Windows crates that Cargo's lock file requires.
crates=(bstr memchr lazy-static byteorder serde serde-derive serde-json walkdir same-file itoa ryu syn quote proc-macro2 unicode-ident winapi-util winapi
    winapi-i686-pc-windows-gnu winapi-x86-64-pc-windows-gnu)

# Runs apt-get with Debian's archive and sources, without changing the system's lists.
apt() {
    apt-get -q -o Dir::Etc::SourceList="$folder/apt/debian.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User= \
        -o Acquire::Languages=none "$@"
}

fetch() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/crates"
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main" >"$folder/apt/debian.list"
    cd "$folder/apt"
    apt update
    apt download "${crates[@]/#/librust-}"
}

build() {
    local package
    cd "$folder"
    for package in apt/librust-*.deb; do
        dpkg -x "$package" crates
    done
    cp -r -- "$sources" source
    mkdir -p .cargo
    printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' \
        "$folder/crates/usr/share/cargo/registry" >.cargo/config.toml
    cp -- "$here/Cargo.toml" .
    : >nothing.rs
    RUSTFLAGS=-Awarnings cargo test --offline --no-run
}

if [ ! -e "$folder/built" ]; then
    rm -rf -- "$folder"
    mkdir -p "$folder"
    echo "fetching and building ripgrep's tests ..." >&2
    crates=("${crates[@]/%/-dev}")
    (fetch && build) >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 2; }
    : >"$folder/built"
fi
# The test program expects rg in the parent of its own folder.
cp -- "$here/rg" "$folder/target/debug/rg"
program=$(find "$folder/target/debug/deps" -name 'integration-*' -type f -executable)
# The tests run in this folder, because no folder above them may have an ignore file or an index.
scratch=$(mktemp -d)
trap 'chmod -R u+rwX -- "$scratch"; rm -rf -- "$scratch"' EXIT
status=0
for way in "${ways[@]}"; do
    mkdir -p "$scratch/tmp" "$scratch/home"
    (cd "$scratch" && env -i PATH="$PATH" HOME="$scratch/home" TMPDIR="$scratch/tmp" LC_ALL=C.UTF-8 WAY="$way" \
        BITSIFT="$BITSIFT" "$program" --test-threads "$(nproc)") >"$folder/$way.log" 2>&1 </dev/null || true
    chmod -R u+rwX -- "$scratch"
    rm -rf -- "$scratch/tmp"
    sed -nE 's/^test (.*) \.\.\. FAILED$/\1/p' "$folder/$way.log" | LC_ALL=C sort >"$folder/$way.failed"
    printf '%s: %d of %d passed\n' "$way" "$(grep -c ' \.\.\. ok$' "$folder/$way.log")" \
        "$(grep -c '^test .* \.\.\. ' "$folder/$way.log")"
    # Tests that are expected to fail in all ways or in this one.
    awk -F '\t' -v way="$way" '$1 == "all" || $1 == way { print $2 }' "$here/expected.tsv" | LC_ALL=C sort >"$folder/expected"
    LC_ALL=C comm -12 "$folder/expected" "$folder/$way.failed" | sed 's/^/  failed, as expected: /'
    LC_ALL=C comm -13 "$folder/expected" "$folder/$way.failed" | sed 's/^/  failed: /'
    LC_ALL=C comm -23 "$folder/expected" "$folder/$way.failed" | sed 's/^/  expected to fail: /'
    cmp -s "$folder/expected" "$folder/$way.failed" || status=1
done
manual=$("$BITSIFT" --generate man grep)
while IFS=$'\t' read -r _ name _; do
    [[ $manual == *"${name##*::}"* ]] || { echo "the manual does not name $name" && status=1; }
done <"$here/expected.tsv"
exit "$status"
