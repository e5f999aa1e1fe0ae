# changelogs.awk: Debian's changelogs -> JSONL, one record per entry: id (package and version),
# subject (its first line), from, date, and text. Short records that resemble mail. If several
# packages have an entry, the first is used, so that ids are unique. To be run with json.awk.
/^[a-z0-9][a-z0-9+.-]* \([^ )]+\) [^;]*;/ {
    id = $1 " " substr($2, 2, length($2) - 2)
    subject = $0
    text = ""
    next
}
/^ -- / && id != "" {
    mark = index($0, ">  ")
    if (mark && text != "" && !(id in seen)) {
        seen[id] = 1
        printf "{\"id\":%s,\"subject\":%s,\"from\":%s,\"date\":%s,\"text\":%s}\n", quoted(id), quoted(subject),
            quoted(substr($0, 5, mark - 4)), quoted(substr($0, mark + 3)), quoted(text)
    }
    id = ""
    next
}
/^ / && id != "" { text = text (text == "" ? "" : "\n") substr($0, 3); next }
/^[^ ]/ { id = "" }
