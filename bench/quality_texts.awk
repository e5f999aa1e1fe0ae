# quality_texts.awk [-v fields=title,text] FILE.jsonl: prints lines of "id TAB text". The id is the
# value of the key id or _id; the text is all other strings of the record, or those of the fields.
# For engines that do not read JSON, and for queries in JSON.
function utf8(code) {
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}
function hexadecimal(digits,    i, value) {
    for (i = 1; i <= 4; i++) value = value * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
    return value
}
function plain(text,    out, at, c, code) {
    while (at = index(text, "\\")) {
        out = out substr(text, 1, at - 1)
        c = substr(text, at + 1, 1)
        text = substr(text, at + 2)
        if (c == "u") {
            code = hexadecimal(text); text = substr(text, 5)
            if (code >= 55296 && code < 56320 && substr(text, 1, 2) == "\\u") {
                code = 65536 + (code - 55296) * 1024 + hexadecimal(substr(text, 3)) - 56320
                text = substr(text, 7)
            }
            c = code < 32 ? " " : utf8(code)
        } else if (index("ntrfb", c)) c = " "
        out = out c
    }
    return out text
}
BEGIN { n_fields = split(fields, list, ","); for (i = 1; i <= n_fields; i++) wanted[list[i]] = 1 }
{
    line = $0; text = id = ""
    while (match(line, /"([^"\\]|\\.)*"[ \t]*:[ \t]*"([^"\\]|\\.)*"/)) {
        pair = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        match(pair, /^"([^"\\]|\\.)*"/); key = substr(pair, 2, RLENGTH - 2)
        value = substr(pair, RLENGTH + 1); sub(/^[ \t]*:[ \t]*"/, "", value); sub(/"$/, "", value)
        gsub(/\t/, " ", value)
        if (key == "id" || key == "_id") id = plain(value)
        else if (n_fields == 0 || key in wanted) text = text " " plain(value)
    }
    print id "\t" text
}
