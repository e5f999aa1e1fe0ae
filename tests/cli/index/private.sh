# The permissions of an index.
umask 022
# Prints each mode and the files of the index that have it.
modes() {
    stat -c '%a %n' .bitsift .bitsift/* | sed 's,\.bitsift/,,; s/-[0-9]*$/-N/' | sort -u |
        awk '{ has[$1] = has[$1] " " $2 } END { for (mode in has) print mode has[mode] }' |
        sort | paste -sd ' '
}
mkdir d
echo 'cat' >d/a.txt
echo 'cat' >d/b.txt
echo '{"id":"r","text":"cat"}' >c.jsonl
settle
echo '# an index is private'
quiet bitsift index d c.jsonl
modes
echo '# --shared: permissions by the umask'
show bitsift index -q --shared
modes
(umask 027 && quiet bitsift index -q --shared)
modes
echo '# delete and compact do not change the permissions'
quiet bitsift index -q --shared
quiet bitsift delete -q d/b.txt
modes
echo 'dog' >d/c.txt
quiet bitsift index -q --shared
quiet bitsift compact -q
modes
echo '# a refresh without --shared makes the index private, even if nothing is new'
quiet bitsift index -q
modes
quiet bitsift delete -q d/a.txt
modes
echo '# an index with the permissions of older versions'
chmod 755 .bitsift
chmod 644 .bitsift/*
quiet bitsift index -q
modes
echo '# a source that only its owner may read: a file, unchanged or changed; a folder'
quiet bitsift index -q --shared
chmod 600 d/a.txt
show bitsift index -q --shared
modes
show bitsift index -q --shared
chmod 700 d
show bitsift index -q --shared
echo '# only the group may read a file, then only others the folder; a file of another group'
chmod 755 d
chmod 640 d/a.txt
show bitsift index -q --shared
modes
chmod 705 d
show bitsift index -q --shared
chmod 755 d
if [ "$(id -u)" = 0 ]; then
    quiet bitsift index -q --shared
    chgrp 1 d/a.txt
    quiet bitsift index -q --shared
    [ "$(stat -c '%a' .bitsift)" = 700 ] || echo 'shared with a group that may not read a file'
fi
chmod 644 d/a.txt
show bitsift index -q --shared
echo '# a collection, a missing source, standard input'
chmod 600 c.jsonl
show bitsift index -q --shared
chmod 644 c.jsonl
show bitsift index -q --shared
modes
mv c.jsonl away
show bitsift index -q --shared
mv away c.jsonl
echo '{"id":"s","text":"cat"}' >"$SCRATCH/in"
show bitsift index -q --shared - <"$SCRATCH/in"
show bitsift index -q --shared
modes
echo '# binary files, which are not in the index, do not count'
mkdir other
cd other
echo 'cat' >a.txt
printf 'cat\0' >b.bin
chmod 600 b.bin
show bitsift index --index .bitsift -q --shared .
# The file `folders` is left out: it is written only if the clock has advanced since the index was
# created in this folder.
modes | sed 's/ folders//'
if can_preload; then
    echo 'dog' >a.txt
    echo 'cow' >c.txt
    hostile FAIL_OPEN=a.txt bitsift index -q --shared >/dev/null 2>&1 && echo "a file that was read"
    [ "$(stat -c '%a' .bitsift)" = 700 ] || echo 'shared, and a file was not read'
fi
echo '# a failed run with --shared does not change the permissions of the folder'
cd ..
mkdir failing
echo '{"id":"r","text":"cat"}' >failing/a.jsonl
echo 'bad' >>failing/a.jsonl
cd failing
mkdir -m 755 .bitsift
show bitsift index --index .bitsift -q --shared --strict a.jsonl
stat -c '%a' .bitsift .bitsift/lock
