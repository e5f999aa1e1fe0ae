# bitsift grep and rg find the same files: random trees with random ignore files in, above and
# outside of the tree, random PATHs and options, without an index, with a fresh one and with
# --no-stat. The seed is fixed; ROUNDS and SEED in the environment select other trees:
# ROUNDS=1000 SEED=7 tests/cli/run.sh PROGRAM tests/cli/grep/walk_random.sh
. "$(dirname -- "$LIB")/grep_trees.sh"
need_rg
n_rounds=${ROUNDS:-24}
export HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/config

# shellcheck disable=SC2034 # used by name
names=(a b ab A a.txt b.txt c.c x.y foo foo. .h .hh .a. 'x y' é '[a' 'a{' -a '#c' '!d' 'a\b' 'a,b' '}' 'a ' $'n\nn' sub d ..a B.TXT 'a]' $'\377')
# shellcheck disable=SC2034
folder_names=(a b ab A sub d .h x. 'x y' e é '[a' B)
# shellcheck disable=SC2034
pieces=(a b ab A sub d foo txt .txt .c .h é ' ' . / / / '*' '*' '**' '**/' '/**' '/**/' '?' '[ab]' '[!a]' '[^b]' '[a-c]' '[a' '[' '[]' ']' '[A-b]' '[z-a]' '{a,b}'
    '{a,{b,c}}' '{a,}' '{' '}' '{}' '{**,a}' '{*.txt,{sub,d}/**}' ',' '\a' '\*' '\' '\/' '\ ' '\!' '\#' '!' '#' - '[é]' '[!/]')
# shellcheck disable=SC2034
starts=('' '' '' '' / / '!' '!' '!/' '**/' '/**/' '\' ' ' '#')
# shellcheck disable=SC2034
ends=('' '' '' '' '' / / '/**' '/*' '*' ' ' '\ ' $'\t' $'\r' '\/' . '/**/' '//')
# shellcheck disable=SC2034
walks=('' '' '' '' '' '' --hidden --no-ignore -u -uu --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-ignore-exclude --no-require-git
    '--no-ignore --ignore-vcs' '--no-ignore --ignore-dot' '-u --ignore-exclude' '-u --ignore' '--no-ignore-vcs --ignore' '-u --ignore-vcs --ignore-parent' '-uu --no-hidden'
    '--no-ignore --ignore-parent --ignore-global --ignore-vcs' --ignore-file-case-insensitive '--max-depth 2 --no-ignore-messages' '-d1 --no-ignore-messages' '-d 0' -L '--max-filesize 5' --one-file-system
    '-t txt' '-T txt' '-t c -t txt' '-T txt -t txt' '-t txt -T all' '-t all' '--type-add x:*. -t x' '--type-add y:*y* -T y' '--type-clear txt --type-add txt:a* -t txt'
    '--glob-case-insensitive' '--sortr path' --no-ignore-files)

# Sets `rule` to a random line of an ignore file: random pieces, or a changed path of the tree.
make_rule() {
    local n
    rule=
    if ((RANDOM % 2)); then
        for ((n = 1 + RANDOM % 3; n > 0; n--)); do
            pick pieces
            rule+=$picked
        done
    else
        pick paths
        rule=$picked
        ((RANDOM % 2)) || rule=${rule##*/}
        case $((RANDOM % 8)) in
        0) rule=${rule/a/\*} ;;
        1) rule=${rule/\//\/**\/} ;;
        2) rule=${rule/b/[b]} ;;
        3) rule=${rule/a/?} ;;
        4) rule=${rule%/*} ;;
        esac
    fi
    pick starts
    rule=$picked$rule
    pick ends
    rule+=$picked
}

# make_rules FILE: writes an ignore file of random lines.
make_rules() {
    local n
    mkdir -p -- "${1%/*}"
    {
        ((RANDOM % 8)) || printf '\357\273\277'
        for ((n = 1 + RANDOM % 4; n > 0; n--)); do
            make_rule
            printf '%s\n' "$rule"
        done
        ((RANDOM % 16)) || printf 'a\377\n*\n'
    } >"$1"
}

make_random_tree() {
    local n folder
    folders=(.)
    for ((n = 2 + RANDOM % 5; n > 0; n--)); do
        pick folders
        folder=$picked
        pick folder_names
        if mkdir -p -- "$folder/$picked" 2>/dev/null; then folders+=("$folder/$picked"); fi
    done
    paths=()
    for ((n = 6 + RANDOM % 14; n > 0; n--)); do
        pick folders
        folder=$picked
        pick names
        [ ! -d "$folder/$picked" ] || continue
        printf 'foo%.*s\n' $((RANDOM % 5)) xxxxx >"$folder/$picked"
        paths+=("${folder#./}/$picked")
    done
    paths=("${paths[@]#./}")
    ((RANDOM % 4)) || mkfifo -- "$folder/fifo"
    ((RANDOM % 4)) || ln -s -- "${folders[-1]#./}" link 2>/dev/null || true
}

# Makes ignore files and repositories in the tree and above it, and the user's ignore files.
make_random_rules() {
    local n place places=("${folders[@]}" . . .. ../..) files=(.gitignore .gitignore .gitignore .ignore .rgignore)
    for ((n = 1 + RANDOM % 4; n > 0; n--)); do
        pick places
        place=$picked
        pick files
        make_rules "$place/$picked"
    done
    places+=(. ..)
    case $((RANDOM % 6)) in
    0) ;;
    1)
        pick places
        mkdir -p "$picked/.jj"
        ;;
    2)
        pick places
        place=$picked
        make_rules "$SCRATCH/shared/info/exclude"
        mkdir -p "$SCRATCH/linked"
        local commons=("$SCRATCH/shared" ../shared $'../shared\n' /nowhere '') heads=('gitdir: ' 'gitdir: ' 'gitdir: ' '')
        pick commons
        printf '%s' "$picked" >"$SCRATCH/linked/commondir"
        pick heads
        [ -e "$place/.git" ] || echo "$picked$SCRATCH/linked" >"$place/.git"
        ;;
    *)
        for ((n = 1 + RANDOM % 2; n > 0; n--)); do
            pick places
            [ -e "$picked/.git" ] || mkdir "$picked/.git"
            ((RANDOM % 2)) || [ ! -d "$picked/.git" ] || make_rules "$picked/.git/info/exclude"
        done
        ;;
    esac
    rm -rf -- "$HOME" "$XDG_CONFIG_HOME"
    mkdir -p "$HOME" "$XDG_CONFIG_HOME/git"
    case $((RANDOM % 8)) in
    0) make_rules "$XDG_CONFIG_HOME/git/ignore" ;;
    1)
        make_rules "$HOME/my rules"
        make_rules "$HOME/rules"
        local values=('~/rules' '"~/rules"' ' "~/rules' '~/rules"' "$HOME/my rules" '~/rules # mine' '" ~/rules "' '' '~/nothing' $'\n ~/rules' '"~/rules" ;' '"~/rules'
            $'\n# ExcludesFile = ~/rules' $'~/my rules\nexcludesFile = ~/rules')
        pick values
        ((RANDOM % 4)) && echo '[core]' >"$HOME/.gitconfig"
        printf '\tExcludesFile = %s\n[x]\ny = 1\n' "$picked" >>"$HOME/.gitconfig"
        ;;
    2)
        make_rules "$HOME/rules"
        printf '[core]\nexcludesfile=~/rules' >"$XDG_CONFIG_HOME/git/config"
        ;;
    esac
    make_rules "$SCRATCH/further"
}

# Sets `arguments` to random options and PATHs.
make_arguments() {
    local n here
    arguments=()
    pick walks
    # shellcheck disable=SC2206 # several options
    arguments+=($picked)
    if ((RANDOM % 4 == 0)); then
        pick walks
        # shellcheck disable=SC2206
        arguments+=($picked)
    fi
    while ((RANDOM % 4 == 0)); do
        make_rule
        arguments+=("-g$rule")
    done
    while ((RANDOM % 6 == 0)); do
        make_rule
        arguments+=("--iglob=$rule")
    done
    ((RANDOM % 8)) || arguments+=("--ignore-file=$SCRATCH/further")
    here=$PWD
    local ways=('' '' '' . ./ "$here" "$here/" .. ../ "../${here##*/}" link)
    for ((n = 1 + (RANDOM % 5 == 0); n > 0; n--)); do
        if ((RANDOM % 2)); then
            pick ways
        else
            pick folders
            # The paths in `folders` are relative to the tree.
            here=$(realpath --relative-to=. -- "$tree/$picked")
            case $((RANDOM % 4)) in
            0) picked=$(realpath -- "$tree/$picked") ;;
            1) [ "$here" = . ] || picked=./$here ;;
            2) picked=$here/ ;;
            3) picked=$here ;;
            esac
        fi
        [[ $picked == -* || ! $picked ]] || arguments+=("$picked")
    done
}

# same_trusting ARGUMENT...: the output and the exit status must be the same with --no-stat, but
# without a walk, invalid rules in ignore files are not reported and do not cause exit status 2.
same_trusting() {
    local fresh_status=0 status=0
    bitsift grep "$@" --ignore-messages >"$SCRATCH/fresh" 2>"$SCRATCH/fresh.err" || fresh_status=$?
    bitsift grep --no-stat "$@" >"$SCRATCH/trusting" 2>/dev/null || status=$?
    if [ "$status" -lt 2 ] && grep -qaE ": line [0-9]+: glob '" "$SCRATCH/fresh.err"; then
        fresh_status=1
        [ ! -s "$SCRATCH/fresh" ] || fresh_status=0
    fi
    cmp -s "$SCRATCH/fresh" "$SCRATCH/trusting" && [ "$status" = "$fresh_status" ] || {
        n_other=$((n_other + 1))
        printf 'other with --no-stat:'
        printf ' %q' "$@"
        printf '\n  exit status %s, without it %s\n' "$status" "$fresh_status"
        diff -a "$SCRATCH/fresh" "$SCRATCH/trusting" | head -n 6 | cat -v
    }
}

for ((round = 0; round < n_rounds; round++)); do
    # To repeat one round, set SEED to this sum, and ROUNDS to 1.
    RANDOM=$((${SEED:-815} + round))
    before=$n_other
    tree=$SCRATCH/outer/middle/tree
    # The current folder may be in `outer`, which is removed.
    cd "$SCRATCH"
    rm -rf -- outer shared linked index
    mkdir -p "$tree"
    cd "$tree"
    make_random_tree
    make_random_rules
    unset BITSIFT_INDEX
    for ((line = 0; line < 6; line++)); do
        ((RANDOM % 4)) || cd "$tree/${folders[RANDOM % ${#folders[@]}]}"
        ((RANDOM % 6)) || cd "$tree/.."
        make_arguments
        same --files "${arguments[@]}"
        same -l foo "${arguments[@]}"
        cd "$tree"
    done
    if ((RANDOM % 3 == 0)); then
        export BITSIFT_INDEX=$SCRATCH/index
        bitsift index -q . 2>/dev/null || true
        for ((line = 0; line < 3; line++)); do
            make_arguments
            same -l foo "${arguments[@]}"
            same_trusting -l foo "${arguments[@]}"
        done
    fi
    [ "$n_other" -eq "$before" ] || echo "SEED=$((${SEED:-815} + round)) ROUNDS=1"
done
report_same $((n_rounds * 12))
