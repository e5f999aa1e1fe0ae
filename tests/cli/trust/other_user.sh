# An index, or a file in one, that belongs to another user.
[ "$(id -u)" -eq 0 ] || skip 'only root can give files away'
can_be_nobody || exit 77
me() { # COMMAND...: runs it as a third user, besides root and nobody, the first index's owner
    HOME=$SCRATCH/mine setpriv --reuid=65533 --regid=65533 --clear-groups -- "$@"
}
mkdir -p top/sub "$SCRATCH/mine"
chmod 777 top top/sub "$SCRATCH/mine"
echo 'cat' >top/a.txt
settle
cd top
quiet as_nobody bitsift index --shared .
cd sub
echo '# an index of another user is refused, also if it is found in a parent folder, and for root'
refused() { once refused fails "$@"; }
refused me bitsift query --ids cat
refused bitsift query --ids cat
refused me bitsift query --index ../.bitsift --ids cat
refused me bitsift index --index ../.bitsift
each refused me bitsift :: stats check compact
refused me bitsift delete a.txt
refused me bitsift grep --index ../.bitsift -c cat ..
listed me bitsift grep -c cat ..
echo '# unless it is trusted'
show me bitsift trust ../.bitsift
listed me bitsift query --ids cat
listed me bitsift grep --no-stat -c cat ..
chown 65532 "$SCRATCH/mine/.config/bitsift/trusted"
chmod 644 "$SCRATCH/mine/.config/bitsift/trusted"
listed me bitsift query --ids cat
chown 65533 "$SCRATCH/mine/.config/bitsift/trusted"
show me bitsift trust --remove ../.bitsift
echo '# under sudo, root trusts indexes of the calling user, and new files belong to that user'
listed env SUDO_UID=65534 bitsift query --ids cat
listed env SUDO_UID=65533 bitsift query --count cat
echo 'cat, too' >../b.txt
show env SUDO_UID=65534 bitsift index -q --index ../.bitsift
stat -c '%u %a' ../.bitsift ../.bitsift/* | sort -u
listed as_nobody bitsift query --ids cat
SUDO_UID=65534 listed me bitsift query --count cat
echo "# every user trusts indexes of root"
cd "$SCRATCH"
mkdir roots
chmod 755 roots
echo 'cat' >roots/a.txt
cd roots
quiet bitsift index --shared .
listed me bitsift query --ids cat
echo "# a file of another user in one's own index"
cd "$SCRATCH"
mkdir own
chmod 777 own
cd own
echo 'cat' >a.txt
quiet me bitsift index .
cp -r .bitsift "$SCRATCH/own.kept"
for name in manifest seg lock; do
    rm -rf .bitsift
    cp -rp "$SCRATCH/own.kept" .bitsift
    chown 65533 .bitsift .bitsift/*
    chmod 755 .bitsift
    chmod 644 .bitsift/*
    chown 65534 .bitsift/"$name"*
    listed me bitsift query --count cat 2>&1 | sed 's/seg-[0-9]*/seg-N/'
    listed me bitsift grep --no-stat -c cat
    show me bitsift index -q 2>&1 | sed 's/seg-[0-9]*/seg-N/'
done
