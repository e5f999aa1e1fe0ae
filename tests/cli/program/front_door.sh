# First contact: no command, help, version, invalid commands and options.
quiet bitsift
cmp "$SCRATCH/.stderr" <(bitsift --help)
bitsift --help | head -n 1
cmp <(bitsift --help) <(bitsift -h)
cmp <(bitsift --help) <(bitsift help)
each show bitsift :: --version indes --indes
cmp <(bitsift query --help) <(bitsift query -h)
bitsift help bloom | head -n 4 # a topic
# Every help text fits into 80 columns; the transcript shows which options it lists.
commands=$(bitsift --help | awk 'NF == 0 { n++ } n == 1 && NF { print $1 }')
for command in '' $commands; do
    # shellcheck disable=SC2086 # no command is no argument
    bitsift $command --help | awk -v name="$command" 'length($0) > 80 { print name " --help is too wide: " $0 }'
    # shellcheck disable=SC2086
    bitsift $command --help | sed -nE '1p; s/^ +((-., )?--[a-z0-9-]+).*/    \1/p' | paste -sd '\0'
done
printf 'help: %s\n' "${commands//$'\n'/ }"
each fails bitsift index :: --no-such -x --index
show bitsift query
show bitsift query cat -dog
fails bitsift query -n
fails bitsift query --no-such cat
fails bitsift query -n ten cat
fails bitsift query --count --ids cat
fails bitsift query --batch list cat
fails bitsift index --density 2 .
fails bitsift index --memory much .
fails bitsift index --text , .
fails bitsift index --stem klingon .
show ls -A
