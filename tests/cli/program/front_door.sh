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
each show bitsift index :: --no-such -x --index
show bitsift query -n
show bitsift query cat -dog
show bitsift query --no-such cat
show bitsift query
show bitsift query -n ten cat
show bitsift query --count --ids cat
show bitsift query --batch list cat
show bitsift index --density 2 .
show bitsift index --memory much .
show bitsift index --text , .
show bitsift index --stem klingon .
show ls -A
