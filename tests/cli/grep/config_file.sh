# BITSIFT_CONFIG_PATH, or else RIPGREP_CONFIG_PATH, names a file of arguments for every grep.
. "$(dirname -- "$LIB")/grep_trees.sh"
printf 'foo\nFOO bar\nnot this\n' >a.txt
printf 'foo\n' >b.c
cp a.txt .hidden
config=$SCRATCH/config
# same_configured ARGUMENT...: compares rg and bitsift, both with $config as file of arguments.
n_configured=0 compared=no
! can_compare || compared=yes
same_configured() {
    local rg_status=0 our_status=0
    n_configured=$((n_configured + 1))
    if [ "$compared" = yes ]; then
        RIPGREP_CONFIG_PATH=$config rg --sort path "$@" >"$SCRATCH/rg" 2>"$SCRATCH/err" </dev/null || rg_status=$?
        BITSIFT_CONFIG_PATH=$config bitsift grep --sort path "$@" >"$SCRATCH/ours" 2>"$SCRATCH/err" </dev/null || our_status=$?
        cmp "$SCRATCH/rg" "$SCRATCH/ours" && [ "$rg_status" = "$our_status" ] || echo "other than rg: $*"
    fi
}
export BITSIFT_CONFIG_PATH=$config
printf '# a comment\n\n  --smart-case  \n\t--hidden\r\n--glob\n*.txt\n--glob=.hidden\n   # --count\n' >"$config"
show bitsift grep -n foo
show bitsift grep -n FOO
show bitsift grep --no-config foo
show bitsift grep -n -s foo
listed bitsift grep -e --no-config -e foo -c
listed bitsift grep --files
for arguments in 'foo' '-s foo' 'foo a.txt b.c' '--no-config foo' '--files' '-g *.c foo' '--no-hidden foo' '-- --no-config' '-c foo --no-config'; do
    # shellcheck disable=SC2086 # several options
    same_configured $arguments
done
echo '# a pattern'
printf -- '-e\nfoo\n-c' >"$config"
show bitsift grep
show bitsift grep a.txt
same_configured -e bar
echo '# an operand, and a line taken verbatim: quotes and blanks are ordinary'
printf -- '-w\nfoo\n--replace=a "b" $c' >"$config"
show bitsift grep b.c
same_configured -x b.c
echo '# errors'
printf -- '--no-such-thing\n' >"$config"
show bitsift grep foo
listed bitsift grep --no-config -l foo
show bitsift grep --no-config
printf -- '--colors\n' >"$config"
show bitsift grep foo
BITSIFT_CONFIG_PATH=$SCRATCH/nowhere listed bitsift grep -l foo
BITSIFT_CONFIG_PATH=$SCRATCH listed bitsift grep -l foo
BITSIFT_CONFIG_PATH='' listed bitsift grep -l foo
echo '# RIPGREP_CONFIG_PATH, if BITSIFT_CONFIG_PATH is not set'
printf -- '--no-such-thing\n' >"$SCRATCH/other"
printf -- '-l\n' >"$config"
RIPGREP_CONFIG_PATH=$SCRATCH/other show bitsift grep foo
BITSIFT_CONFIG_PATH='' RIPGREP_CONFIG_PATH=$SCRATCH/other listed bitsift grep -c foo
(
    unset BITSIFT_CONFIG_PATH
    export RIPGREP_CONFIG_PATH=$config
    show bitsift grep foo
    show bitsift grep --no-config foo
    export RIPGREP_CONFIG_PATH=$SCRATCH/other
    show bitsift grep foo
    quiet bitsift grep --version
    quiet bitsift grep --help
    quiet bitsift grep --pcre2-version
    show bitsift --version
    quiet bitsift index -q --index other a.txt
    finds --index other foo
)
echo '# only grep reads the file'
printf -- '--no-such-thing\n' >"$config"
show bitsift --version
quiet bitsift index -q .
finds foo
[ "$n_configured" -ge 10 ] || echo "only $n_configured"
