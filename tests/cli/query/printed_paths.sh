# Printed paths can be opened from the working directory, and are accepted as ids.
mkdir -p top/sub/deep top/.records top/-dash far outside
for file in top/a.txt top/sub/b.txt top/sub/deep/c.txt "top/sub/two words" top/-dash/d.txt far/e.txt; do
    echo "cat in $file" >"$file"
done
printf '%s\n' '{"id":"r1","text":"cat one"}' '{"text":"cat two"}' >top/.records/r.jsonl
cd top
echo '{"id":"p1","text":"cat from the pipe"}' | quiet bitsift index . .records/r.jsonl - "$(dirname "$PWD")/far"
settle

# in_folder FOLDER [OPTION]...: prints the paths that queries print in this folder; checks that each
# file exists.
in_folder() {
    local folder=$1 path
    shift
    echo "# in $folder"
    (
        cd "$folder"
        finds "$@" cat
        bitsift query "$@" -n 100 cat | sed -n 's/  0\.[0-9]*$//p' | sort >"$SCRATCH/text"
        bitsift query "$@" --ids cat | sort | diff - "$SCRATCH/text"
        bitsift query "$@" --json --ids cat | sed 's/.*"path":"\([^"]*\)".*/\1/' | while read -r path; do
            [ "$path" = - ] || [ -f "$path" ] || echo "no file: $path"
        done
    )
}
in_folder .
in_folder sub
in_folder sub/deep
in_folder sub/deep --index ../../.bitsift
in_folder sub/deep --index "$PWD/.bitsift"
in_folder .. --index top/.bitsift
in_folder ../far --index ../top/.bitsift
in_folder ../outside --index "$PWD/.bitsift"
cd sub
show bitsift query --json -n 3 cat
show bitsift query --json --ids deep OR one
echo '# printed ids are accepted'
bitsift query -l0 '"cat in top"' | xargs -0 bitsift delete --
finds cat
bitsift query --ids cat | xargs bitsift delete
finds cat
