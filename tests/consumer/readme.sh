#!/usr/bin/env bash
# readme.sh SOURCE_DIR: tests that the C programs in README.md and docs/library.md are those that
# tests compile and run.
set -euo pipefail
cd -- "$1"
program() { awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$1"; }
diff <(program README.md) tests/examples/search.c
diff <(program docs/library.md) tests/consumer/example.c
