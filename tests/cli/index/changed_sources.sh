# Files that changed after they were indexed: a hit is read again, and dropped if it no longer
# matches; each source with changes is reported once.
mkdir d
echo 'cat one' >d/a.txt
echo 'cat two' >d/b.txt
echo 'cat three' >d/c.txt
echo 'dog' >d/e.txt
quiet bitsift index d
echo '# still matching'
echo 'a longer text with a cat in it' >d/a.txt
finds cat
finds --count cat
show bitsift query cat
show bitsift query --json -n 1 longer OR cat
echo '# files that no longer match'
echo 'a mouse' >d/b.txt
finds cat
finds --count two
finds --count --brute cat
echo '# new words are found only after the next index run'
finds --count mouse
echo '# only hits are read again'
finds dog
echo '# removed files'
rm d/c.txt
finds cat
show bitsift query three
echo '# a file that became a folder, a pipe or a loop'
rm d/e.txt
mkdir d/e.txt
show bitsift query dog
rmdir d/e.txt
mkfifo d/e.txt
show bitsift query dog
rm d/e.txt
ln -s e.txt d/e.txt
show bitsift query dog
rm d/e.txt
mv d gone
finds cat
finds -- -cat
echo '# each source is reported once, also over many queries'
mv gone d
printf 'cat\ncat\nlonger OR cat\n' | show bitsift query --batch - --count
echo '# the next index run updates the index'
show bitsift index
finds cat
finds mouse
echo '# equal size and restored mtime: the ctime reveals the change'
touch -d '2001-02-03 04:05:06' d/a.txt
quiet bitsift index
echo 'a longer text with a dog in it' >d/a.txt
touch -d '2001-02-03 04:05:06' d/a.txt
finds cat
