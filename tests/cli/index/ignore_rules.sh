# Folders are read by ripgrep's default rules.
mkdir -p .git sub node
printf '*.log\n/node\n' >.gitignore
printf 'draft*\n' >.ignore
printf '!keep.log\n' >sub/.ignore
for file in a.txt a.log draft1 sub/b.log sub/keep.log node/c.txt .secret sub/draft2; do
    echo 'hello' >"$file"
done
quiet bitsift index .
finds hello
quiet bitsift index --rebuild --no-ignore
finds hello
quiet bitsift index --rebuild --hidden
finds hello
quiet bitsift index --rebuild -g '*.txt' -g 'sub/**'
finds hello
quiet bitsift index --rebuild --words --grams
finds hello
