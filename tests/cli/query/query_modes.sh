# Output modes of queries, and --any.
copy_sample sample
cd sample
quiet bitsift index .
show bitsift query '"cold harbour" kestrel'
listed bitsift query --count '"cold harbour"'
listed bitsift query -c '"cold harbour"'
listed bitsift query --ids '"cold harbour"'
listed bitsift query -l '"cold harbour"'
show bitsift query -n 2 lantern -- -ferry
show bitsift query --number=1 lantern
show bitsift query -n 0 lantern
show bitsift query --json -n 2 lantern
show bitsift query --json --ids pangolin
finds --count pangolin OR walrus
finds --count pangolin walrus
finds --any --count pangolin walrus
finds --any pangolin walrus -- -one
finds --any '(pangolin one) walrus'
echo '# ids ended by NUL'
bitsift query --ids -0 '"cold harbour"' | tr '\0' '|'
echo
bitsift query -l0 '"cold harbour"' | tr '\0' '|'
echo
echo '# without a terminal: no colours, no progress and no hints'
bitsift query lantern | grep -c "$(printf '\033')" || true
