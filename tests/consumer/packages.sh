#!/usr/bin/env bash
# packages.sh SOURCE_DIR BUILD_DIR CC: makes the Debian packages, installs them in a minimal system
# of the same release, tests their contents, and removes them. Exit status 77: the system is not
# Debian, the user is not root, or a program that is needed is not installed.
set -euo pipefail
source=$1 build=$2 cc=$3

if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo "skipped: this needs root, mmdebstrap and dpkg-shlibdeps"
    exit 77
fi
release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || exit 77

place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
say() { # COMMAND...: prints its output only if it fails
    "$@" > "$place/log" 2>&1 || { echo "failed: $*"; cat "$place/log"; exit 1; }
}
(cd "$place" && say cpack --config "$build/CPackConfig.cmake" -B "$place/packages")
rm -rf "$place/packages/_CPack_Packages"
mkdir "$place/inside"
mv "$place"/packages/*.deb "$place/inside"

# The example is linked to the library in the build folder, and runs with the installed library.
say "$cc" -std=c11 -I "$source/core" "$source/tests/consumer/example.c" -o "$place/inside/example" -L "$build" -lbitsift
cat > "$place/inside/run.sh" <<'END'
set -eux
cd /inside
find / -xdev -path /proc -prune -o -path /inside -prune -o -name '*bitsift*' -print > before
apt-get install -y --no-install-recommends ./bitsift_*.deb ./libbitsift-json_*.deb
mkdir files
echo 'Ships sailed to the cold harbour. ภาษาไทย' > files/a.txt
echo '{"id": "one", "text": "sailing alone"}' > records.jsonl
bitsift index --index words --stem english files
[ "$(bitsift query --index words --ids 'sailing ไทย')" = files/a.txt ]
bitsift index --index records records.jsonl
[ "$(bitsift query --index records --count alone)" = 1 ]
bitsift index --index stored - < records.jsonl
[ "$(bitsift query --index stored --ids sailing)" = one ]
[ "$(bitsift grep -c 'h(?=arbour)' files)" = files/a.txt:1 ]
bitsift --version
echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaAa > slow
status=0
bitsift grep '^((a|aa)+)$' slow || status=$?
[ $status = 2 ] # given up
apt-get install -y --no-install-recommends ./libbitsift-re2_*.deb
[ "$(bitsift grep -c --include-zero '^((a|aa)+)$' slow)" = 0 ]
test -e /usr/share/man/man1/bitsift.1 -a -e /usr/share/man/man7/bitsift-bloom.7 || test -e /etc/dpkg/dpkg.cfg.d/excludes
apt-get install -y --no-install-recommends ./libbitsift0.1_*.deb
(cd files && ../example)
dpkg --unpack ./libbitsift-dev_*.deb
test -e /usr/include/bitsift.h
apt-get purge -y bitsift libbitsift-dev libbitsift0.1 libbitsift-json libbitsift-re2
find / -xdev -path /proc -prune -o -path /inside -prune -o -name '*bitsift*' -print > after
diff before after
END
say mmdebstrap --variant=apt --format=null --customize-hook="copy-in $place/inside /" \
    --customize-hook='chroot "$1" sh /inside/run.sh' "$release" /dev/null
