# However many files changed or cannot be read, a few lines report it, with numbers and an example.
# -v names all of them.
mkdir d
for i in $(seq 100 139); do echo "cat $i" >"d/$i.txt"; done
echo '{"id":"r","text":"cat"}' >c.jsonl
settle
quiet bitsift index d c.jsonl
for i in $(seq 100 129); do echo "another cat $i" >"d/$i.txt"; done
rm d/13[0-4].txt
finds --count cat
show bitsift query cat -n 1
echo '# a batch reports changes once, at its end'
printf 'cat\n100\n101\n130\nnothing\n' >queries
show bitsift query --batch queries --count
show bitsift query -v --count 'cat OR 101' | folded
echo '# only missing files'
finds --count '130 OR 131 OR 132'
echo '# deleting by a query'
show bitsift delete --query '101 OR 102 OR 130'
echo '# records that --fresh cannot read'
for i in $(seq 30); do echo 'no JSON'; done >>c.jsonl
finds --fresh --count cat
[ "$(bitsift query --fresh -v --count cat 2>&1 | grep -c 'not valid JSON')" -eq 30 ]
echo '# proposed commands have --index if the query had it'
mkdir named
echo 'harbour one' >named/a.txt
echo 'harbour two' >named/b.txt
quiet bitsift index --index elsewhere named
echo 'harbour other' >named/a.txt
finds --index elsewhere --count harbour
listed bitsift delete --index elsewhere --dry-run --query harbour
rm named/b.txt
finds --index elsewhere --count harbour
can_be_nobody || exit 0
echo '# unreadable files'
chmod -R a+rX . "$SCRATCH"
quiet bitsift index
chmod 0 d/10?.txt d/11?.txt
chmod -R a+rX .bitsift
listed as_nobody bitsift query --count cat
[ "$(as_nobody bitsift query -v --count cat 2>&1 | grep -c 'Permission denied')" -eq 20 ]
