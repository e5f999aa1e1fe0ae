# bitsift grep accepts each flag of rg and its negations like rg: alone, twice, in every spelling,
# before and after the flags that it undoes. Prints flags in rg's completions that bitsift lacks.
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
make_tree
printf 'foo\n' >patterns

# Flags without an argument; those on one line undo each other. Tests each alone, each twice, and
# all pairs in both orders.
while read -r -a flags; do
    for a in "${flags[@]}"; do
        same "$a" foo src docs
        same foo "$a" "$a" docs/many.txt
        same "$a=true" foo src
        for b in "${flags[@]}"; do
            [ "$a" = "$b" ] || same "$a" "$b" foo src docs
        done
    done
done <<'END'
--ignore-case --case-sensitive --smart-case -i -s -S
--binary --no-binary --text --no-text -a -uuu
--block-buffered --no-block-buffered --line-buffered --no-line-buffered
--byte-offset -b
--column --no-column --vimgrep
--crlf --no-crlf --null-data
--count --count-matches --files-with-matches --files-without-match -c -l
--fixed-strings --no-fixed-strings -F
--follow --no-follow -L
--glob-case-insensitive --no-glob-case-insensitive
--heading --no-heading --vimgrep
--hidden --no-hidden -. -uu
--no-ignore --ignore --unrestricted -u
--no-ignore-dot --ignore-dot --no-ignore
--no-ignore-exclude --ignore-exclude
--no-ignore-global --ignore-global
--no-ignore-messages --ignore-messages
--no-ignore-parent --ignore-parent
--no-ignore-vcs --ignore-vcs --no-ignore
--no-messages --messages
--no-unicode --unicode --no-pcre2-unicode --pcre2-unicode
--include-zero -c
--invert-match -v
--line-number --no-line-number -n -N --column
--line-regexp --word-regexp -x -w
--max-columns-preview --no-max-columns-preview
--mmap --no-mmap
--multiline --no-multiline -U --multiline-dotall --no-multiline-dotall
--null -0
--only-matching -o
--passthru --passthrough -A1 -B1 -C1
--pcre2 --no-pcre2 -P
--quiet -q
--trim --no-trim
--with-filename --no-filename -H -I --vimgrep
--no-config
--stats --no-stats
--stop-on-nonmatch -U --no-multiline
--invert-match --no-invert-match
--byte-offset --no-byte-offset
--include-zero --no-include-zero --count
--pretty -p --heading --no-heading -N --color=never
--auto-hybrid-regex --no-auto-hybrid-regex --engine=auto --engine=default --engine=pcre2
--search-zip --no-search-zip -z
--no-pre --pre=cat
--sort-files
--one-file-system --no-one-file-system
--no-ignore-files --ignore-files
--require-git --no-require-git
--no-ignore-file-case-insensitive --ignore-file-case-insensitive
--no-require-git
--no-context-separator -C1
--files --hidden
--type-list
--json --no-json -c -l
--no-encoding -Eutf-16
END
# Flags with an argument: valid and invalid values in each spelling, and without the argument.
while read -r long short values; do
    for value in $values; do
        value=${value/EMPTY/}
        same "--$long" "$value" foo src docs/many.txt
        same "--$long=$value" foo docs src
        [ "$short" = - ] || same "-$short" "$value" foo src docs
        [ "$short" = - ] || same "-$short$value" foo src docs
        [ "$short" = - ] || same "-$short=$value" foo src docs
    done
    same "--$long"
    same foo src "--$long"
    [ "$short" = - ] || same foo src "-$short"
    [ "$short" = - ] || same foo src "-n$short"
done <<'END'
after-context A 1 0 007 +1 -1 x 1.5 1k EMPTY 18446744073709551616
before-context B 1 0 x EMPTY
context C 1 0 x EMPTY
color - never always ansi auto Always x EMPTY
colors - match:none path:fg:blue match:fg:red match:style:bold match:style: x match:fg:256 match:fg:0x10 match:fg:1,2,3 path match:bg: EMPTY
context-separator - x \n \x41 \x4 \q \\ EMPTY \0 \x00 a\0b
field-match-separator - x \t \x09 \0 EMPTY \xff \u{41}
field-context-separator - x \n EMPTY
encoding E auto none utf-8 UTF8 utf-16 utf-16le utf-16be latin1 x EMPTY
file f patterns /dev/null nowhere EMPTY
glob g *.c !*.c *.{c,h} [ {a EMPTY /src
iglob - *.C !*.C [ EMPTY
max-columns M 5 0 x -1 EMPTY
max-count m 1 0 x -1 EMPTY 99999999999
max-depth d 1 0 x EMPTY 2
maxdepth d 1 x
max-filesize - 10 0 1K 1k 1.5K 1G 1g 1KB x EMPTY 99999999999999G 1M 20
regexp e bar x| EMPTY ( [ -x
replace r X $0 EMPTY -x
threads j 1 2 300 0
type t c all py nosuch EMPTY c,h
type-not T c all nosuch EMPTY
type-add - x:*.x x: x :x c:include:py x:include:nosuch x-y:*.x EMPTY
type-clear - c nosuch EMPTY
engine - default pcre2 auto x EMPTY
hostname-bin - nosuch EMPTY
hyperlink-format - none default x EMPTY
ignore-file - .ignore nowhere EMPTY
path-separator - / x xy \0 EMPTY
pre - cat nosuch EMPTY
pre-glob - *.c [ EMPTY
sort - path x EMPTY
sortr - x EMPTY
regex-size-limit - 10M x EMPTY 1KB
dfa-size-limit - 10M x EMPTY 1KB
END
report_same 900
# The fourth -u is an error.
for flags in -u -uu -uuu -uuuu '-u -u -u -u' '-uuu --no-binary' '-uuu --no-hidden'; do
    # shellcheck disable=SC2086 # several flags
    same $flags foo
done
# bitsift knows every flag in rg's completions, which include hidden flags and negations.
names=$(rg --generate complete-bash | grep -oE -e '--[a-z0-9-]+' | sort -u)
[ "$(wc -w <<<"$names")" -ge 140 ] || echo "names: $names"
for name in $names; do
    bitsift grep "$name" 2>&1 </dev/null | grep '^bitsift: unknown' || true
done
for kind in man complete-bash complete-zsh complete-fish complete-powershell; do
    bitsift grep --generate $kind >"$SCRATCH/generated" || echo "--generate $kind: exit status $?"
    for name in $names; do
        name=${name#--}
        # The manual page has \- for each dash, completions for fish have names without dashes.
        sed 's/\\-/-/g' "$SCRATCH/generated" | grep -qF -e "$name" || echo "--generate $kind lacks --$name"
    done
done
same --generate nonsense
same --generate
same --generate man --no-json -l foo src
same --generate man -l foo src
bitsift grep --generate man foo | cmp - <(bitsift --generate man grep)
# If the reader has closed the pipe, --generate prints no error, and its exit status is 0.
mkfifo "$SCRATCH/pipe"
exec 3<>"$SCRATCH/pipe" 4>"$SCRATCH/pipe" 3<&-
for kind in man complete-bash; do
    rg --generate $kind >&4
    bitsift grep --generate $kind >&4
done
exec 4>&-
