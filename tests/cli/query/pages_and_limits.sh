# --offset shows hits page by page; --time-limit and --memory end expensive queries with a message.
mkdir notes
for i in 1 2 3 4 5 6 7; do
    { echo "cat number $i"; yes cat | head -"$i"; } >"notes/$i.txt"
done
settle
quiet bitsift index notes
listed bitsift query -n 7 --format '{path}' cat
for offset in 0 3 6 9; do
    listed bitsift query -n 3 --offset "$offset" --format '{path}' cat
done
finds --offset 5 cat
finds --count --offset 5 cat
show bitsift query --approx --offset 5 cat
echo '# ranks continue on the next page'
bitsift query --json -n 1 --offset 2 cat | grep -o '"rank":[0-9]*'
echo '# no time'
show bitsift query --time-limit 0.001us cat
show bitsift query --time-limit 1us --brute cat
finds --time-limit 10m --count cat
show bitsift query --time-limit soon cat
show bitsift query --time-limit 1us --batch /dev/null
show bitsift query --memory 100 cat
finds --memory 64M --count cat
yes nothing | head -300000 >large.txt
show bitsift grep --time-limit 1us something large.txt
listed bitsift grep --time-limit 10m -c 'number 3' notes/3.txt
echo '# an interrupted search reports nothing about files that it did not search'
for option in -n -c -l --files-without-match --count-matches; do
    once time-up fails bitsift grep --time-limit 1us "$option" something
    once time-up fails bitsift grep --time-limit 1us --brute "$option" something
done
bitsift grep --time-limit 1us --json something 2>&1 | grep -v summary
show bitsift grep --time-limit 1x cat notes
