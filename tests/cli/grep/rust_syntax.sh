# bitsift grep and rg's own engine: random patterns of Rust's regex syntax over random texts, also
# with invalid UTF-8. The seed is fixed; ROUNDS and SEED in the environment select other cases:
# ROUNDS=10000 SEED=7 tests/cli/run.sh PROGRAM tests/cli/grep/rust_syntax.sh
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
can_use python3 || exit 77
rg_status=0
python3 "$(dirname -- "$LIB")/rust_syntax.py" "$(command -v bitsift)" "$(command -v rg)" "${ROUNDS:-250}" "${SEED:-4711}" >"$SCRATCH/out" || rg_status=$?
# Prints the differences, and whether most patterns were valid. Excused differences go to stderr,
# and also to stdout if more than one round in fifty has one.
grep -v -e '^seed ' -e 'rounds had a valid pattern' -e '^excused ' "$SCRATCH/out" || true
grep '^excused ' "$SCRATCH/out" >&2 || true
awk '/^excused / { n += $2; all = all "\n" $0 }
    /rounds had a valid pattern/ { print ($1 * 2 > $3 ? "most" : "few") " patterns were valid" (n * 50 > $3 ? all : "") }' "$SCRATCH/out"
printf 'exit status %d\n' "$rg_status"
