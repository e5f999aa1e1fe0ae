#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. --long: also ripgrep's own tests, with bitsift in its place; they
# are fetched from Debian's archive.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. cmake/packages.sh
case ${1:-} in
"" | --long) ;;
*) echo "usage: test.sh [--long]" >&2 && exit 2 ;;
esac
install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
[ "${1:-}" != --long ] || command -v cargo >/dev/null || install_packages cargo
cmake --preset dev
cmake --build --preset dev -j "$(nproc)"
# What is released is compiled with other optimisations, which find other things to warn of.
cmake --preset release
cmake --build --preset release --target bitsift -j "$(nproc)"
ctest --preset dev -j "$(nproc)"
[ "${1:-}" != --long ] || tests/rg_suite/run.sh build/dev/bitsift
