#!/usr/bin/env bash
# Installs missing packages, builds, and tests:
#
#     ./test.sh                                everything, in some minutes, with a few random rounds from a fixed seed
#     ./test.sh --quick                        unit tests, the layout of the sources, and each command once
#     ./test.sh --sanitized                    PRESET=asan: all but benchmarks and cli_slow_*; PRESET=tsan: the fast unit
#                                              tests, faults, bindings, and each command once
#     ./test.sh --long [NAME [ROUNDS [SEED]]]  random tests with many rounds, or one of them; fuzz [SECONDS [TARGET]];
#                                              mutations; rg_suite: see tests/long.sh
#
# PRESET: the preset to build and test, dev by default. NO_SKIPS: a skipped test is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. cmake/packages.sh
preset=${PRESET:-dev} junit=$PWD/build/${PRESET:-dev}/junit.xml
# Most tests wait now and then, so there are two for each processor.
tests=(--output-junit "$junit" --test-output-size-passed 100000 --no-tests=error -j $((2 * $(nproc))))
case ${1:-} in
"" | --long) ;;
--quick) tests+=(-L '^(unit|layout|smoke)$' -LE '^slow$') ;;
--sanitized)
    # The thread sanitizer makes programs ten times slower, so slow tests, random tests and transcripts are left out.
    case $preset in
    tsan) tests+=(-L '^(unit|faults|smoke|bindings)$' -LE '^(slow|bench)$') ;;
    *) tests+=(-E '^cli_slow_' -LE '^bench$') ;;
    esac
    ;;
*) sed -n '4,9s/^# \{5\}//p' "$0" >&2 && exit 2 ;;
esac
install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
# In CI nothing that compares with ripgrep is skipped.
fetch_ripgrep build/ripgrep || [ -z "${CI:-}" ]
cmake --preset "$preset"
cmake --build --preset "$preset" -j "$(nproc)"
if [ "${1:-}" = --long ]; then
    [ "${2:-}" != rg_suite ] || command -v cargo >/dev/null || install_packages cargo
    exec tests/long.sh "${@:2}"
fi
status=0
ctest --preset "$preset" "${tests[@]}" || status=$?
tests/skipped.py "$junit" || [ -z "${NO_SKIPS:-}" ] || status=1
exit "$status"
