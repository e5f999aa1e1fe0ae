#!/usr/bin/env bash
# long.sh [NAME [ROUNDS [SEED]]]: runs the tests that are too long for ./test.sh. NAME: a random
# test below, or any other ctest test (with the programs of build/dev); fuzz [SECONDS [TARGET]];
# mutations; rg_suite SOURCES (a folder with the sources of ripgrep's tag 15.0.0). Without a name,
# the random tests, fuzz and mutations run, for some hours. A random test prints its seed; the same
# ROUNDS and SEED repeat it.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# The random tests with their rounds in a long run; each takes some minutes.
random_tests() {
    cat <<'LIST'
byte_verifier 200000
candidates 3000
catalog 2000
cli_and_not 1000
cli_grep_index 1500
cli_grep_random 3000
cli_long_lists_random 1500
cli_known_files 300
cli_rust_syntax 10000
cli_slow_memory 4
cli_sparse 60
cli_walk_random 1500
corrupt 8
equivalent 20000
exact 1000
faults 1000
searcher 20000
fuzz_index 20000
grammar 100000
hostile_names 500
hostile_names_program 100
json_text 500000
line_filter 20000
literal_set 20000
model 60000
oracle 500
parse_hostile 500000
passage 200000
pattern_tree 500000
postgresql_crash 20
postgresql_random 20
postgresql_rules 20
regex_property 500000
several 300
signals 500
sqlite_hostile 500
sqlite_model_delete_content 3000
sqlite_model_delete_own 3000
sqlite_model_wal_content 3000
sqlite_model_wal_own 3000
summary 60
tokenizer_property 500000
LIST
}

# run NAME ROUNDS SEED: runs the command of the ctest test NAME, with its environment and without
# its time limit.
run() {
    ctest --preset dev --show-only=json-v1 | python3 -c '
import json, os, sys
name = sys.argv[1]
tests = {test["name"]: test for test in json.load(sys.stdin)["tests"]}
if name not in tests:
    sys.exit(f"{name}: no such test; `ctest --preset dev -N` lists them")
properties = {entry["name"]: entry["value"] for entry in tests[name].get("properties", [])}
os.environ.update(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
os.environ.update({"LONG": "1"} | {key: value for key, value in zip(["ROUNDS", "SEED"], sys.argv[2:]) if value})
os.chdir(properties["WORKING_DIRECTORY"])
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
command = tests[name]["command"]
os.execv(command[0], command)' "$1" "$2" "$3"
}

# fuzz SECONDS [TARGET]: runs each fuzz target, or only TARGET, for SECONDS, starting from its seeds
# and what earlier runs found, and prints its code coverage.
fuzz() {
    local seconds=$1 log=build/fuzz/log name line status=0
    cmake --preset fuzz >/dev/null
    for name in ${2:-$(cd tests/fuzz/seeds && ls)}; do
        cmake --build --preset fuzz --target "fuzz_$name" -j "$(nproc)" >"$log" || { cat "$log" && return 1; }
        mkdir -p "build/fuzz/corpus/$name"
        if ! "build/fuzz/tests/fuzz_$name" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
            "build/fuzz/corpus/$name" "tests/fuzz/seeds/$name" >"$log" 2>&1; then
            tail -40 "$log"
            status=1
        fi
        line=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1)
        printf '%s: %s runs; %s of %s edges, %s features, corpus of %s\n' "$name" \
            "$(awk '/number_of_executed_units/ { print $2 }' "$log")" "$(cut -d' ' -f2 <<<"$line")" \
            "$(sed -nE 's/.*Loaded 1 modules +\(([0-9]+) inline.*/\1/p' "$log")" "$(cut -d' ' -f4 <<<"$line")" "$(cut -d' ' -f6 <<<"$line")"
    done
    return "$status"
}

case ${1:-} in
"")
    failed=()
    while read -r name rounds; do
        echo "== $name"
        run "$name" "$rounds" "" || failed+=("$name")
    done < <(random_tests)
    fuzz 300 || failed+=(fuzz)
    tests/mutate.sh || failed+=(mutations)
    [ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2 && exit 1; }
    ;;
fuzz) fuzz "${2:-60}" "${3:-}" ;;
mutations) tests/mutate.sh "${@:2}" ;;
rg_suite) tests/rg_suite/run.sh build/dev/bitsift "${@:2}" ;;
*)
    rounds=${2:-$(random_tests | awk -v name="$1" '$1 == name { print $2 }')}
    run "$1" "$rounds" "${3:-}"
    ;;
esac
