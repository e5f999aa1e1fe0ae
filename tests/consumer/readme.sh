#!/usr/bin/env bash
# readme.sh SOURCE_DIR: the library example of README.md is the program that the consumer test builds and runs.
set -euo pipefail
cd -- "$1"
diff <(awk '/^```c$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md) tests/consumer/example.c
