# The index records its options; other options require --rebuild, and --rebuild without options
# keeps them.
printf 'running caf\303\251\n' >a.txt
quiet bitsift index .
finds --count run
finds --count cafe
show bitsift index --stem english
show bitsift index --fold-accents .
show bitsift index --hidden
show bitsift index --words --grams -q
finds --count run
quiet bitsift index --rebuild --stem english --fold-accents
each finds --count :: run cafe runs
echo '# without options, the recorded ones are used'
quiet bitsift index
finds --count runs
quiet bitsift index --stem english --fold-accents .
show bitsift index --stem english
finds --count runs
options() { bitsift stats -v | grep '^options'; }
echo '# --rebuild alone uses the recorded options'
quiet bitsift index --rebuild
finds --count run
finds --count cafe
mkdir d
printf '{"id": 1, "text": "caf\303\251"}\n' >d/.r.log
quiet bitsift index --rebuild --hidden --no-ignore --no-records --density 0.4 --stem english .
options
quiet bitsift index --rebuild
options
quiet bitsift index --rebuild .
options
finds id
quiet bitsift index --rebuild --records '*.log' --hidden .
options
echo '# --rebuild of a damaged index, too'
rm .bitsift/seg-*
show bitsift index -q --rebuild
options
finds caf*
echo '# --rebuild with any option: all others have their defaults'
quiet bitsift index --rebuild --words --grams .
options
finds --count run
finds --count cafe
quiet bitsift index --rebuild --density 0.4
finds --count running
show bitsift index --density 0.3
