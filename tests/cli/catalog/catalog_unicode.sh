# Queries of a catalog for words that are not ASCII: the summaries contain them in the same form as
# the indexes.
export XDG_CONFIG_HOME=$SCRATCH/config
mkdir a b c
echo 'Ein ähnlicher Straßenname, im Café. Σίσυφος' >a/a.txt
echo '東京都 と 京都' >b/b.txt
printf '\377\376\344\0h\0n\0l\0i\0c\0h\0' >b/utf16.txt
echo 'nothing of the sort' >c/c.txt
settle
for folder in a b c; do
    quiet bitsift index "$folder" --index "$folder/.bitsift"
done
show bitsift catalog add a b c
for query in ähnlich 'ähnlich*' STRASSENNAME '"im café"' σίσυφος 東京 '"京都"' 'name:ä' 'title：ä' 'Caf?' 'cafè~1' 'žába' 'NOT ähnlich'; do
    finds --catalog --count "$query"
done
finds --catalog 'ähnlich* OR 京都'
show bitsift catalog has σίσυφος
listed bitsift grep --catalog -l ähnlich
show bitsift grep --catalog -il STRASSENNAME
show bitsift grep --catalog -il 'ΣΊΣΥΦΟΣ|京都'
