#!/usr/bin/env bash
# Binary files and an index of grams: a file with a NUL byte in its first 64 KiB has no match,
# unless NUL bytes are text (-a) or line ends (--binary).
mkdir d
printf 'MZ\0 a needle in a haystack\n' >d/short.bin
printf 'a needle in front\nand\0 behind: haystack\n' >d/long.bin
printf 'no needle here, and no hay\n' >d/text.txt
bitsift index -q d
cd d
for pattern in needle haystack 'need|hay' 'n..d' MZ 'in front' 'xyz needle'; do
    for options in '' -a --binary -U -v -c; do
        # shellcheck disable=SC2086
        trusted=$(bitsift grep --index ../.bitsift --no-stat $options -e "$pattern" 2>&1 | sort; echo "${PIPESTATUS[0]}")
        # shellcheck disable=SC2086
        plain=$(bitsift grep --brute $options -e "$pattern" 2>&1 | sort; echo "${PIPESTATUS[0]}")
        [ "$trusted" = "$plain" ] || printf '%s %s:\n%s\nbut\n%s\n' "$options" "$pattern" "$trusted" "$plain"
    done
    echo "$pattern: $(bitsift grep --index ../.bitsift --no-stat --candidates -e "$pattern" | sort | paste -sd' ')"
    echo "$pattern, -a: $(bitsift grep --index ../.bitsift --no-stat -a --candidates -e "$pattern" | sort | paste -sd' ')"
done
bitsift grep --index ../.bitsift --no-stat haystack short.bin || echo "none: $?"
