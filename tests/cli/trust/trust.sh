# Which sources of an index are followed, depending on who named them; `bitsift trust`.
mkdir -p home project/docs elsewhere
echo 'cat at home' >home/secret.txt
echo 'cat in docs' >project/docs/a.txt
echo 'cat elsewhere' >elsewhere/e.txt
echo '{"id":"r","text":"cat record"}' >elsewhere/c.jsonl
settle
here=$PWD

echo '# sources that the user named are followed, wherever they are'
cd project
show bitsift index -q docs ../elsewhere "$here/elsewhere/c.jsonl"
finds cat
finds --fresh cat
show bitsift index -q
find "$HOME/.local" -type f | sed 's|/[0-9a-f]*$|/HASH|' | neutral -
stat -c '%a' "$HOME/.local/state/bitsift" "$HOME"/.local/state/bitsift/sources/*
show bitsift index -q --rebuild
finds --count cat
cd ..

echo '# an index with sources that its user did not name: they are not read'
stranger() { # COMMAND...: as another user, with a separate record of the sources that were named
    XDG_STATE_HOME=$SCRATCH/stranger "$@"
}
mkdir box
cp -r project/docs box
(cd box && stranger quiet bitsift index docs ../home "$here/elsewhere/c.jsonl")
untouched() { # COMMAND...: prints the system calls that access home or elsewhere, if strace works
    strace -f -e trace=%file -o "$SCRATCH/calls" "$@" >/dev/null 2>&1 || true
    if [ -s "$SCRATCH/calls" ]; then
        grep -E '(/|")(home|elsewhere)(/|")' "$SCRATCH/calls" | grep -v "\"$HOME" || true
    fi
}
cd box
finds cat
finds --count docs
finds --brute --count cat
finds --fresh cat
show bitsift query cat
listed bitsift grep --no-stat -c cat
listed bitsift grep -c cat
show bitsift index
echo 'cat, new in docs' >docs/b.txt
show bitsift index -q
show bitsift compact
show bitsift check | neutral -
show bitsift index -q --rebuild
echo '# no command reads them'
for command in 'query --brute cat' 'query --fresh cat' 'query --count cat' 'grep cat' 'grep --no-stat cat' index compact \
    'index --rebuild' stats check 'delete nothing'; do
    # shellcheck disable=SC2086 # several words
    untouched bitsift $command
done
echo '# grep searches these files anyway, and reports it if the index was named'
listed bitsift grep --index .bitsift -c cat ../home
listed bitsift grep --index .bitsift --no-messages -c cat ../home
listed env BITSIFT_INDEX=.bitsift bitsift grep --sort path -c cat ../home docs
listed bitsift grep --index .bitsift -c cat docs
listed bitsift grep -c cat ../home
echo '# nothing was lost'
stranger finds cat
echo '# consent'
show bitsift trust .bitsift
show bitsift trust .bitsift
listed bitsift trust --list | neutral -
stat -c '%a' "$HOME/.config/bitsift/trusted"
finds cat
listed bitsift grep --index .bitsift -c cat ../home
show bitsift index -q
show bitsift trust --remove .bitsift
show bitsift trust --remove .bitsift
finds --count cat
show bitsift trust '*'
finds --count cat
show bitsift trust --remove '*'
show bitsift trust docs
show bitsift trust
show bitsift trust --list .bitsift
listed bitsift trust --list
cd ..

echo '# a symlink in the folder leads outside'
mkdir linked
ln -s ../home linked/docs
ln -s docs linked/alias
mkdir linked/real
echo 'cat in real' >linked/real/r.txt
ln -s real linked/inside
cd linked
stranger quiet bitsift index docs alias real
finds cat
echo '# a symlink that the user named is followed until its target changes'
show bitsift index -q alias
finds cat
ln -sfn ../elsewhere docs
finds cat
quiet bitsift index --index in.index inside
finds --index in.index cat
cd ..

echo '# a moved or copied index is a different index'
mv project moved
cd moved
finds --count cat
finds docs
quiet bitsift index -q docs ../elsewhere "$here/elsewhere/c.jsonl"
finds --count cat
cd ..

echo '# no place to record consent'
mkdir stateless
cd stateless
echo 'cat' >in.txt
show env -u HOME bitsift index -q in.txt ../home
listed env -u HOME bitsift query --ids cat | neutral -
show env -u HOME bitsift trust .bitsift
touch "$SCRATCH/file"
show env XDG_STATE_HOME="$SCRATCH/file" bitsift index -q ../home
show env XDG_STATE_HOME=relative HOME=relative bitsift index -q ../home
cd ..
