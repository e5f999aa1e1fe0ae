# bitsift grep and rg's own engine: random patterns of Rust's regex syntax over random texts, also
# with invalid UTF-8. The seed is fixed; ROUNDS and SEED in the environment select other cases:
# ROUNDS=10000 SEED=7 tests/cli/run.sh PROGRAM tests/cli/grep/rust_syntax.sh
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
can_use python3 || exit 77
rg_status=0
python3 "$(dirname -- "$LIB")/rust_syntax.py" "$(command -v bitsift)" "$(command -v rg)" "${ROUNDS:-250}" "${SEED:-4711}" >"$SCRATCH/out" || rg_status=$?
# Prints the differences, and whether most patterns were valid; invalid ones test only errors.
grep -v -e '^seed ' -e 'rounds had a valid pattern' "$SCRATCH/out" || true
awk '/rounds had a valid pattern/ { print ($1 * 2 > $3 ? "most" : "few") " patterns were valid" }' "$SCRATCH/out"
printf 'exit status %d\n' "$rg_status"
