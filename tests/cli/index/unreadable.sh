# Files, folders and sources that the user may not read are reported in one line each and counted;
# everything else is indexed.
can_be_nobody || exit 77
mkdir -p d/closed d/open
echo 'cat' >d/a.txt
echo 'cat' >d/secret.txt
echo 'cat' >d/closed/b.txt
echo 'cat' >d/open/c.txt
echo '{"id":"r","text":"cat"}' >r.jsonl
ln -s nowhere d/broken
[ "$(id -u)" -ne 0 ] || chown -R 65534 . "$SCRATCH"
chmod 000 d/secret.txt d/closed
settle
ids() { once ids listed as_nobody bitsift query --ids cat; }
show as_nobody bitsift index d
ids
chmod 000 r.jsonl
show as_nobody bitsift index r.jsonl
show as_nobody bitsift index r.jsonl d
ids
echo '# files that became unreadable after they were indexed: an error, because they may match'
chmod 644 d/secret.txt r.jsonl
chmod 755 d/closed
show as_nobody bitsift index d r.jsonl
chmod 000 d/secret.txt r.jsonl d/closed
ids
show as_nobody bitsift query cat
echo '# a refresh keeps their documents'
show as_nobody bitsift index
chmod 644 d/secret.txt r.jsonl
chmod 755 d/closed
ids
show as_nobody bitsift index
ids
echo '# a folder that the user cannot write'
mkdir closed
chmod 555 closed
(cd closed && show as_nobody bitsift index --index .bitsift ../d)
listed as_nobody bitsift query --ids --index closed/.bitsift cat
echo '# an index that the user cannot read'
chmod 000 .bitsift/manifest
show as_nobody bitsift query cat
chmod 644 .bitsift/manifest
chmod 000 .bitsift/seg-*
show as_nobody bitsift query cat
