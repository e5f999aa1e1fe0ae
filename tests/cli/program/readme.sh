# Runs the commands of README.md and docs/tour.md in order, in a copy of the sample corpus.
set -o pipefail
copy_sample sample
copy_sample session
cd sample
settle
# The session on the README's first screen must be what the commands print.
awk '/^<!-- session -->$/ { armed = 1; next }
     /^```console$/ && armed { inside = 1; armed = 0; next }
     /^```$/ { inside = 0 }
     inside' "$README" >../session-wanted
(
    cd ../session
    sed -n 's/^\$ //p' ../session-wanted | while IFS= read -r line; do
        printf '$ %s\n' "$line"
        [ "$line" = 'cd corpus/sample' ] || bash -euc "$line" 2>&1
    done
) >../session-shown
[ "$(wc -l <../session-wanted)" -ge 8 ]
diff ../session-wanted ../session-shown
# Runs each sh block that follows a line <!-- tested -->, and prints the first line of the output of
# each command.
awk '/^<!-- tested -->$/ { armed = 1; next }
     /^```sh$/ && armed { inside = 1; armed = 0; n++; next }
     /^```$/ { inside = 0 }
     inside { print > ("../block-" n) }
     END { print n > "../blocks" }' "$README" "$(dirname -- "$README")/docs/tour.md"
n=$(cat ../blocks)
[ "$n" -ge 5 ]
for i in $(seq "$n"); do
    while IFS= read -r line; do
        printf '$ %s\n' "$line"
        bash -euc "$line" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr" || { cat "$SCRATCH/stderr" >&2; exit 1; }
        awk 'NR == 1 { print } END { if (NR > 1) print "and " NR - 1 " more" }' "$SCRATCH/stdout"
    done <"../block-$i"
done | sed 's/, .* verified in .* s$/, SIZE verified in T s/'
