# A HOME or XDG folder whose paths would be too long is ignored: one line reports it, and everything
# else works.
long=$(printf '/%5000s' | tr ' ' x)
echo 'the ferry leaves at noon' >a.txt
settle
HOME=$long bitsift index -q .
try() {
    show env "$variable=$long" "$@" | sed "s/xxxxx*/x.../; s/$variable/VARIABLE/"
}
tries() {
    try bitsift index
    try bitsift query --ids ferry
    try bitsift grep ferry
    try bitsift catalog --catalog "$SCRATCH/c" add .
    try bitsift trust --list
}
echo '# the same with each variable'
for variable in HOME XDG_CONFIG_HOME XDG_STATE_HOME; do
    once tries tries
done
echo '# nothing can be recorded without a home directory'
HOME=$long
show bitsift --version
show bitsift catalog list
show bitsift trust .bitsift
show bitsift index -q "$SCRATCH"
echo '# a home directory of the maximum length: no file in it can have a path'
HOME=$(printf '/%3900s' | tr ' ' y)
show bitsift grep ferry
HOME=$(printf '/%3800s' | tr ' ' z)
show bitsift grep ferry
