# A HOME or XDG folder whose paths would be too long is ignored: one line reports it, and everything
# else works.
long=$(printf '/%5000s' | tr ' ' x)
echo 'the ferry leaves at noon' >a.txt
settle
HOME=$long bitsift index -q .
for variable in HOME XDG_CONFIG_HOME XDG_STATE_HOME; do
    echo "# $variable"
    try() {
        show env "$variable=$long" "$@" | sed 's/xxxxx*/x.../'
    }
    try bitsift index
    try bitsift query --ids ferry
    try bitsift grep ferry
    try bitsift catalog --catalog c add .
    try bitsift trust --list
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
