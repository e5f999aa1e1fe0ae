# Conventions of other programs: files in .bitsift for git and backups, colours, `help`, -V.
mkdir d
echo 'a cat' >d/a.txt
echo 'a dog' >d/b.txt
quiet bitsift index d

echo '# git and backup programs skip the index'
cat .bitsift/.gitignore
head -n 1 .bitsift/CACHEDIR.TAG
git init -q . 2>/dev/null
git status --short --untracked-files=all
quiet bitsift index --shared --rebuild d
stat -c '%a %n' .bitsift/.gitignore
show bitsift check >/dev/null

echo '# colours'
colored() { "$@" | sed 's/\x1b/ESC/g'; }
colored bitsift query --color always cat
colored bitsift query --color never cat
colored bitsift query cat
on_terminal() { script -qec "$*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'; }
on_terminal bitsift query cat
on_terminal env TERM=dumb bitsift query cat
on_terminal env NO_COLOR=1 bitsift query cat
on_terminal env NO_COLOR= bitsift query cat
show bitsift query --color sometimes cat

echo '# one index at a time'
for command in query grep index stats check compact delete; do
    once two fails bitsift "$command" --index a --index b x
done

echo '# help and version'
bitsift help query | head -n 2
show bitsift help qeury
[ "$(bitsift help)" = "$(bitsift --help)" ] && [ "$(bitsift -V)" = "$(bitsift --version)" ] && echo same
