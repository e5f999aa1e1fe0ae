#!/usr/bin/env bash
# Installs what is missing, builds, and tests:
#
#     ./test.sh                               everything, in some minutes, with a few random rounds from a fixed seed
#     ./test.sh --quick                       unit tests, the layout of the sources, and each command once
#     ./test.sh --long [NAME [ROUNDS [SEED]]] random tests with many rounds, or one of them; fuzz [SECONDS [TARGET]];
#                                             mutations; rg_suite: see tests/long.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. cmake/packages.sh
case ${1:-} in
"" | --long) ;;
--quick) [ $# -eq 1 ] || { echo "test.sh --quick takes no arguments" >&2 && exit 2; } ;;
*) sed -n '4,7s/^# \{5\}//p' "$0" >&2 && exit 2 ;;
esac
install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
cmake --preset dev
cmake --build --preset dev -j "$(nproc)"
case ${1:-} in
--quick) exec ctest --preset quick -j "$(nproc)" ;;
--long)
    [[ ${2:-rg_suite} != rg_suite ]] || command -v cargo >/dev/null || install_packages cargo
    exec tests/long.sh "${@:2}"
    ;;
esac
# A release is compiled with other optimisations, which give other warnings.
cmake --preset release
cmake --build --preset release --target bitsift -j "$(nproc)"
ctest --preset dev -j "$(nproc)"
