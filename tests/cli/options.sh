# Options are recorded with the index; other ones need --rebuild.
set -eu
. "$LIB"
printf 'running caf\303\251\n' >a.txt
quiet bitsift index .
show bitsift query --count run
show bitsift query --count cafe
show bitsift index --stem english
show bitsift index --fold-accents .
show bitsift index --hidden
show bitsift index --words --grams -q
show bitsift query --count run
quiet bitsift index --rebuild --stem english --fold-accents
show bitsift query --count run
show bitsift query --count cafe
show bitsift query --count runs
echo '# none means: as it was made'
quiet bitsift index
show bitsift query --count runs
quiet bitsift index --stem english --fold-accents .
show bitsift index --stem english
show bitsift query --count runs
echo '# --rebuild alone: the defaults again'
quiet bitsift index --rebuild
show bitsift query --count run
show bitsift query --count cafe
quiet bitsift index --rebuild --density 0.4
show bitsift query --count running
show bitsift index --density 0.3
