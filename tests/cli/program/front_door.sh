# The front door: no command, help, version, what is not a command or an option.
show bitsift
show bitsift --help
cmp <(bitsift --help) <(bitsift -h)
cmp <(bitsift --help) <(bitsift help)
show bitsift --version
show bitsift indes
show bitsift --indes
show bitsift index --help
show bitsift query --help
cmp <(bitsift query --help) <(bitsift query -h)
# For an 80-column screen.
bitsift help bloom | head -n 4 # a topic
commands=$(bitsift --help | awk 'NF == 0 { n++ } n == 1 && NF { print $1 }')
for command in '' $commands; do
    # shellcheck disable=SC2086 # no command is no argument
    bitsift $command --help | awk -v name="$command" 'length($0) > 80 { print name " --help is too wide: " $0 }'
done
printf 'help: %s\n' "${commands//$'\n'/ }"
show bitsift index --no-such
show bitsift index -x
show bitsift index --index
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
